import AppStoreClient
import ArgumentParser

/// A value of Apple's that an option takes as a word of small letters and hyphens.
protocol AppleArgument: CaseIterable {
  /// The word by which a person names it.
  var word: String { get }
}

extension AppleArgument {
  /// Returns the value that an argument names.
  /// - Throws: `ValidationError` with all words if the text is none of them.
  static func argument(_ text: String) throws -> Self {
    guard let named = allCases.first(where: { $0.word == text }) else {
      throw ValidationError("'\(text)' is not one of the words: \(allCases.map(\.word).joined(separator: ", ")).")
    }
    return named
  }

  /// Returns Apple's own name of a value as a word.
  static func word(_ apple: String) -> String { apple.lowercased().replacing("_", with: "-") }
}

extension AppStoreRequest.DeliveryStatus: AppleArgument {
  /// Apple's name, without the `UNDELIVERED` that all but one have.
  var word: String { Self.word(rawValue).replacing("undelivered-", with: "") }
}

extension AppStoreRequest.RefundPreference: AppleArgument {
  var word: String { Self.word(rawValue) }
}

extension AppStoreRequest.ExtensionReason: AppleArgument {
  var word: String {
    switch self {
    case .undeclared: "undeclared"
    case .customerSatisfaction: "customer-satisfaction"
    case .other: "other"
    case .serviceIssue: "service-issue"
    }
  }
}

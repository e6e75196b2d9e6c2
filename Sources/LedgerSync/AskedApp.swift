public import AppStoreClient

/// An app that is asked about.
public struct AskedApp: Sendable {
  package let client: AppStoreClient
  package let recorder: AnswerRecorder
  private let secret: AppSecret?

  /// Creates an app that is asked about.
  /// - Parameters:
  ///   - client: asks about the app.
  ///   - recorder: records the answers.
  ///   - secret: the app's shared secret, for receipts; `nil` where there is none.
  public init(_ client: AppStoreClient, _ recorder: AnswerRecorder, secret: AppSecret?) {
    (self.client, self.recorder, self.secret) = (client, recorder, secret)
  }

  /// Returns the question about a receipt.
  /// - Throws: `AppStoreRequest.WrongArgument` for a text that is not Base64.
  package func receiptRequest(_ receipt: String) throws(AppStoreRequest.WrongArgument) -> AppStoreRequest {
    try .verifyReceipt(receipt, sharedSecret: secret)
  }
}

extension AppStoreFailure {
  /// Whether Apple never accepts the receipt that was asked about.
  package var refusesReceipt: Bool { [.wrongRequest, .otherEnvironment].contains(verdict) }
}

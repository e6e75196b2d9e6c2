public import AppStore
internal import Foundation

extension Environment {
  /// Apple's servers of this environment, in words: `Apple's sandbox server`.
  package var appleServer: String { "Apple's \(name.lowercased()) server" }
}

/// The addresses of Apple's servers, or of others that stand in for them.
public struct AppStoreAddresses: Sendable, Equatable {
  /// Why a text is not the address of a server.
  public enum Wrong: String, Error, Sendable, CustomStringConvertible {
    /// Anything other than an address.
    case notAnAddress = "It is not the address of a server. Write for example https://api.storekit.apple.com."
    /// Secrets would go over a network as plain text.
    case withoutTLS = "Secrets would be sent without TLS. Write an address with https, or one of this machine."
    /// A question mark, a password or another part that an address of a server does not have.
    case withParts = "It has a user, a query or a fragment. Write the server and the path only."

    /// What is wrong and what to do next.
    public var description: String { rawValue }
  }

  /// The address of the App Store Server API in an environment, without a slash at its end.
  public var api: [Environment: String]
  /// The address of verifyReceipt in an environment.
  public var verifyReceipt: [Environment: String]

  /// Creates the addresses of servers. An environment without one cannot be asked.
  public init(api: [Environment: String], verifyReceipt: [Environment: String]) {
    (self.api, self.verifyReceipt) = (api, verifyReceipt)
  }

  /// Apple's own addresses (Apple, "App Store Server API" and "verifyReceipt").
  public static let apple = AppStoreAddresses(
    api: [
      .production: "https://api.storekit.apple.com", .sandbox: "https://api.storekit-sandbox.apple.com",
    ],
    verifyReceipt: [
      .production: "https://buy.itunes.apple.com/verifyReceipt",
      .sandbox: "https://sandbox.itunes.apple.com/verifyReceipt",
    ])

  /// Returns an address without a slash at its end.
  /// - Parameters:
  ///   - text: an address with `https`, or with `http` on this machine.
  ///   - allowsPlainHTTP: whether `http` is taken for other machines too. Everybody on the way can read the secrets then.
  /// - Throws: ``Wrong`` for any other text.
  public static func checked(_ text: String, allowingPlainHTTP allowsPlainHTTP: Bool = false) throws(Wrong) -> String {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
      !host.isEmpty, ["http", "https"].contains(scheme)
    else { throw .notAnAddress }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else { throw .withParts }
    guard scheme == "https" || allowsPlainHTTP || isThisMachine(host) else { throw .withoutTLS }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private static func isThisMachine(_ host: String) -> Bool {
    let host = host.trimmingCharacters(in: ["[", "]"]).lowercased()
    if host == "localhost" || host == "::1" { return true }
    // A name such as 127.example.com belongs to somebody else.
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns the address to which a request goes; `nil` in an environment that has no server.
  public func address(of request: AppStoreRequest, in environment: Environment) -> String? {
    request.endpoint == .verifyReceipt ? verifyReceipt[environment] : api[environment].map { $0 + request.target }
  }
}

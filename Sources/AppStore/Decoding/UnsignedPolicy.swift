/// Whether payloads without a signature count as evidence. An endpoint that anyone can reach must accept signed
/// payloads only (Importing.md, "The full table").
public enum UnsignedPolicy: Sendable, Equatable {
  /// Only texts that Apple signed count. In a response of the App Store Server API, only the signed texts inside count.
  case refused
  /// Unsigned payloads count too: verifyReceipt responses, V1 notifications and the unsigned fields of a response. The
  /// caller names how they came from Apple, such as files from an operator or responses that a back end fetched.
  case accepted(from: String)

  /// How unsigned payloads came from Apple, as the caller named it; `nil` when they do not count.
  public var origin: String? {
    if case .accepted(let origin) = self { return origin }
    return nil
  }

  /// Whether payloads without a signature count as evidence.
  public var isAccepting: Bool { origin != nil }
}

/// An app's shared secret, which Apple writes into each V1 notification as `password` (Apple, "responseBodyV1"). Only
/// Apple and the app's owner know it. It proves nothing if the app itself calls verifyReceipt, because the secret is
/// then on every device. This type stores only the secret's digest.
public struct SharedSecret: Sendable {
  private let digest: ContentDigest

  /// Creates a secret from the text that App Store Connect shows. White space around the text is ignored.
  public init(_ text: String) { digest = Self.digest(of: text) }

  private static func digest(of text: String) -> ContentDigest { ContentDigest(sha256: Array(text.trimmingSpace.utf8)) }

  /// Returns whether a text is this secret. The comparison always takes the same time, so an attacker learns nothing
  /// from it.
  func matches(_ text: String) -> Bool {
    zip(Self.digest(of: text).bytes, digest.bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension PayloadDecoder {
  /// Returns whether the `password` of a text is one of the shared secrets. It reads the text before the redactor
  /// replaces the password.
  func holdsSharedSecret(_ bytes: [UInt8]) -> Bool {
    guard !sharedSecrets.isEmpty, SecretRedactor.mayHold(bytes), let document = try? JSONDocument(bytes) else {
      return false
    }
    var root = document.root
    if let payload = root.isString ? root : root["payload"] {
      guard let inner = try? JSONDocument(Array(payload.stringBytes ?? payload.source)) else { return false }
      root = inner.root
    }
    guard let password = root["password"]?.string else { return false }
    // It compares every secret, so that the time does not show which one matched.
    return sharedSecrets.map { $0.matches(password) }.contains(true)
  }

  /// Throws ``PayloadError/Code/unsigned`` for a payload without a signature, unless the caller stated that it comes
  /// from Apple.
  func requireUnsignedIsBelieved(_ format: String) throws(PayloadError) {
    guard !unsigned.isAccepting else { return }
    throw PayloadError(
      .unsigned, detail: "\(format) carries no signature, and nothing states that this one comes from Apple")
  }

  /// Throws an error for a V1 notification that does not count. If the decoder has shared secrets, the notification
  /// must contain one of them. Otherwise the rule for all unsigned payloads applies.
  func requireNotificationV1IsBelieved() throws(PayloadError) {
    guard !sharedSecrets.isEmpty else { return try requireUnsignedIsBelieved("a V1 notification") }
    guard isSecretKnown else {
      throw PayloadError(
        .wrongSharedSecret, path: "$.password", detail: "the notification does not hold the app's shared secret")
    }
  }
}

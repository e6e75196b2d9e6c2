/// Which payloads without a signature are believed. A door that anyone can reach takes signed payloads only
/// (`design.md`, Trust).
public enum UnsignedPolicy: Sendable, Equatable {
  /// Only what Apple signed. Of an answer of the App Store Server API only the signed texts inside count.
  case refused
  /// verifyReceipt answers, V1 notifications and an answer's own fields too, because they come from Apple, by the way that
  /// the caller names: files that an operator gave, answers that a back end fetched.
  case accepted(from: String)

  /// By which way unsigned payloads come from Apple; `nil` where none are believed.
  public var origin: String? {
    if case .accepted(let origin) = self { return origin }
    return nil
  }

  /// Whether payloads without a signature are believed.
  public var isAccepting: Bool { origin != nil }
}

/// An app's shared secret, which Apple writes into each V1 notification as `password` (Apple, "responseBodyV1"): only Apple
/// and the app's owner know it. (An app that asks verifyReceipt by itself carries it to every device, and then it
/// proves nothing.) Only its digest is kept.
public struct SharedSecret: Sendable {
  private let digest: ContentDigest

  /// A secret as App Store Connect shows it; white space around it does not count.
  public init(_ text: String) { digest = Self.digest(of: text) }

  private static func digest(of text: String) -> ContentDigest { ContentDigest(sha256: Array(text.trimmingSpace.utf8)) }

  /// Whether a text is this secret. It takes the same time whatever the text says: an attacker learns nothing from how
  /// long the answer takes.
  func matches(_ text: String) -> Bool {
    zip(Self.digest(of: text).bytes, digest.bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension PayloadDecoder {
  /// Whether a text's `password` is one of the secrets: looked at before the redactor blanks it out.
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
    // All are looked at, so that the time does not tell which one fitted.
    return sharedSecrets.map { $0.matches(password) }.contains(true)
  }

  /// Refuses what carries no signature, where the caller has not said that it comes from Apple.
  func requireUnsignedIsBelieved(_ format: String) throws(PayloadError) {
    guard !unsigned.isAccepting else { return }
    throw PayloadError(.unsigned, detail: "\(format) carries no signature, and nothing says that this one comes from Apple")
  }

  /// The same for a V1 notification, which may prove itself by the app's shared secret.
  func requireNotificationV1IsBelieved() throws(PayloadError) {
    guard !sharedSecrets.isEmpty else { return try requireUnsignedIsBelieved("a V1 notification") }
    guard isSecretKnown else {
      throw PayloadError(
        .wrongSharedSecret, path: "$.password", detail: "the notification does not hold the app's shared secret")
    }
  }
}

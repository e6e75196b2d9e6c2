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
  public var isAccepted: Bool { origin != nil }
}

/// An app's shared secret, which Apple writes into each V1 notification as `password` (Apple, "responseBodyV1"). Only
/// Apple and the app's owner know it. It proves nothing if the app itself calls verifyReceipt, because the secret is
/// then on every device. A secret proves the notifications of its own app only. This type stores only the secret's
/// digest.
public struct SharedSecret: Sendable {
  /// The app whose secret it is.
  public let bundleID: String
  private let digest: ContentDigest

  /// Creates the secret of an app.
  /// - Parameters:
  ///   - text: the text that App Store Connect shows. White space around it is ignored.
  ///   - bundleID: the app whose secret it is. A secret of several apps is one value for each of them.
  public init(_ text: String, of bundleID: String) {
    self.bundleID = bundleID
    digest = Self.digest(of: text)
  }

  private static func digest(of text: String) -> ContentDigest { ContentDigest(sha256: Array(text.trimmingSpace.utf8)) }

  /// Returns whether a text is this secret. The comparison always takes the same time, so an attacker learns nothing
  /// from it.
  func matches(_ text: String) -> Bool {
    ConstantTime.isEqual(Self.digest(of: text).bytes, digest.bytes)
  }
}

extension PayloadDecoder {
  /// Returns the apps whose shared secret is the `password` of a text. It reads the text before the redactor replaces
  /// the password.
  func appsAuthenticated(by bytes: [UInt8]) -> Set<String> {
    guard !sharedSecrets.isEmpty, SecretRedactor.mayContainSecret(bytes), let document = try? JSONDocument(bytes) else {
      return []
    }
    var root = document.root
    if let payload = root.isString ? root : root["payload"] {
      guard let inner = try? JSONDocument(Array(payload.stringBytes ?? payload.source)) else { return [] }
      root = inner.root
    }
    guard let password = root["password"]?.string else { return [] }
    // It compares every secret, so that the time does not show which one matched.
    let matches = sharedSecrets.map { ($0.bundleID, $0.matches(password)) }
    return Set(matches.filter(\.1).map(\.0))
  }

  /// Throws ``PayloadError/Code/unsigned`` for a payload without a signature, unless the caller stated that it comes
  /// from Apple.
  func requireUnsignedAccepted(_ format: String) throws(PayloadError) {
    guard !unsigned.isAccepted else { return }
    throw PayloadError(
      .unsigned, detail: "\(format) carries no signature, and nothing states that this one comes from Apple")
  }

  /// Decodes a V1 notification that counts. If the decoder has shared secrets, the notification must contain that of the
  /// app that it names. Otherwise the rule for all unsigned payloads applies.
  /// - Throws: an error for one that does not count.
  func verified(_ notification: NotificationV1) throws(PayloadError) -> Evidence {
    guard !sharedSecrets.isEmpty else {
      try requireUnsignedAccepted("a V1 notification")
      return try notification.decode()
    }
    guard !authenticatedApps.isEmpty else {
      throw PayloadError(
        .wrongSharedSecret, path: "$.password", detail: "the notification does not hold the app's shared secret")
    }
    let evidence = try notification.decode()
    guard let app = evidence.bundleID, ([app] + evidence.namedApps).allSatisfy(authenticatedApps.contains) else {
      throw PayloadError(
        .wrongSharedSecret, path: "$.password",
        detail: "the shared secret is not that of the app that the notification names")
    }
    return evidence
  }
}

/// What Apple posts to an address for App Store Server Notifications: exactly one notification, and nothing around it.
///
/// Anybody can post to such an address. A page of notification history, the wrapper of an archive, an answer of the App
/// Store Server API, and text that is not JSON are not posted notifications.
public struct PostedNotification: Sendable {
  /// The versions of App Store Server Notifications.
  public enum Version: String, Sendable, CaseIterable {
    /// Version 1: a JSON object with `notification_type`, and the app's shared secret as `password`.
    case v1
    /// Version 2: a JSON object with a signed text as `signedPayload`.
    case v2
  }

  enum Content: Sendable {
    case signed([UInt8])
    case unsigned(JSONDocument, ArrivalDigest)
  }

  /// The digest with which a ledger records the notification.
  public let digest: ContentDigest
  /// Whether a repetition of a recorded notification needs no further proof: Apple signed it, or it contains a shared
  /// secret.
  public let isProven: Bool
  let content: Content
  let authenticatedApps: Set<String>
}

extension PayloadDecoder {
  /// Members of other formats that can stand around notifications.
  private static let foreignMembers: [PostedNotification.Version: [StaticString]] = [
    .v1: ["signedPayload", "notificationHistory", "sendAttempts", "payload"],
    .v2: ["notification_type", "notificationHistory", "sendAttempts", "payload"],
  ]

  /// Reads the body of a request to an address for notifications. It checks no signature.
  /// - Parameters:
  ///   - body: the body as it arrived.
  ///   - version: the version that the address is for.
  /// - Returns: the notification; `nil` when the body is anything else than exactly one of this version.
  public func posted(_ body: [UInt8], _ version: PostedNotification.Version) -> PostedNotification? {
    let proven = version == .v1 ? appsAuthenticated(by: body) : []
    guard let document = try? JSONDocument(SecretRedactor.redacted(body)), document.root.isObject,
      !(Self.foreignMembers[version] ?? []).contains(where: { document.root[$0] != nil })
    else { return nil }
    switch version {
    case .v1:
      guard document.root["notification_type"]?.string != nil else { return nil }
      let digest = ArrivalDigest(document.root, in: document.bytes.indices)
      return PostedNotification(
        digest: digest.digest, isProven: !proven.isEmpty, content: .unsigned(document, digest),
        authenticatedApps: proven)
    case .v2:
      guard let text = document.root["signedPayload"]?.stringBytes, CompactJWS.isLikely(text),
        let outline = try? SignedPayload.outline(text, path: "$")
      else { return nil }
      return PostedNotification(
        digest: outline.digest, isProven: true, content: .signed(Array(text)), authenticatedApps: [])
    }
  }

  /// Verifies and decodes a posted notification.
  /// - Returns: evidence or a refusal; `nil` when Apple signed something else than a notification.
  public func decode(_ posted: PostedNotification) async -> Outcome? {
    var decoder = self
    decoder.authenticatedApps = posted.authenticatedApps
    switch posted.content {
    case .signed(let text):
      // A V1 secret proves nothing about a signed text.
      decoder.sharedSecrets = []
      let outcome = await decoder.decode(text).outcomes.first
      if case .evidence(let evidence)? = outcome, evidence.kind != .notificationV2 { return nil }
      return outcome
    case .unsigned(let document, let digest):
      do throws(PayloadError) {
        return .evidence(try await decoder.evidence(of: document, digest))
      } catch {
        return .refused(error, raw: document.bytes)
      }
    }
  }
}

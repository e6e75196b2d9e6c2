/// Turns what arrived into evidence, or into a reason why not.
///
/// The one door of this module: recognises the format, checks signatures, decodes. Safe to use from many threads.
public struct PayloadDecoder: Sendable {
  /// Whether payloads without a signature are believed, and why.
  public var unsigned: UnsignedPolicy
  /// Whose signatures are believed.
  public var trust: TrustStore
  /// The secrets of the apps: where there are any, a V1 notification is believed if it holds one of them, and only then,
  /// whatever ``unsigned`` says.
  public var sharedSecrets: [SharedSecret]
  /// Whether reports of the app itself are taken in: they are not evidence, and neither give nor take access.
  public var acceptsClientEvents: Bool
  /// Whether decoded JSON and local data are taken in, marked unverified.
  public var acceptsUnverified: Bool
  /// Payloads of other apps are refused; empty takes every app.
  public var bundleIDs: Set<String>
  /// Its user's clock: what claims to be said more than a day after it, or after the received instant of its wrapper where
  /// that is later, is refused, and so is a wrapper whose received instant is more than a day after it. Either would speak
  /// for its subscription until then, whatever Apple says meanwhile. `nil`: no clock, and no such check.
  public var now: Instant?
  /// Whether the present item holds one of ``sharedSecrets``.
  var isSecretKnown = false

  /// A decoder; without arguments: only what Apple signed, every app, no clock.
  public init(
    unsigned: UnsignedPolicy = .refused, trust: TrustStore = .apple, sharedSecrets: [SharedSecret] = [],
    acceptsClientEvents: Bool = false, acceptsUnverified: Bool = false, bundleIDs: Set<String> = [],
    now: Instant? = nil
  ) {
    self.unsigned = unsigned
    self.trust = trust
    self.sharedSecrets = sharedSecrets
    self.acceptsClientEvents = acceptsClientEvents
    self.acceptsUnverified = acceptsUnverified
    self.bundleIDs = bundleIDs
    self.now = now
  }

  /// Apple renews a subscription up to a day before its next period begins, which is the purchase date then.
  private static let renewalLead: Int64 = 86_400_000

  /// The last date of a purchase or refund in the rows of a receipt: one that nobody could know when it was written would
  /// decide from then on, whatever Apple says meanwhile.
  private static func lastPurchase(of evidence: Evidence) -> Instant? {
    var last: Instant?
    for version in evidence.transactions where version.rank != .jws {
      if let date = version.fields.purchaseAt, last.map({ $0 < date }) ?? true { last = date }
      if let date = version.fields.revokedAt, last.map({ $0 < date }) ?? true { last = date }
    }
    return last
  }

  /// What became of one payload.
  public enum Outcome: Sendable {
    /// It can be recorded.
    case evidence(Evidence)
    /// It cannot; with its bytes, less secrets, for quarantine.
    case refused(PayloadError, raw: [UInt8])
    /// It was recorded before: nothing of it was decoded.
    case known(ContentDigest)
  }

  /// Tells whether a payload with this ``Evidence/digest`` is recorded.
  public typealias KnownTest = (ContentDigest) -> Bool

  /// Everything that one item of an import holds.
  public struct Item: Sendable {
    /// When the item was received, where its wrapper said so. Wrappers are not signed: at a door that anyone can reach,
    /// take your own clock.
    public var receivedAt: Instant?
    /// The order that an answer of Look Up Order ID is about, where its wrapper said so; likewise.
    public var orderID: String?
    /// One outcome for each payload: a page of notification history holds many, the page itself last.
    public var outcomes: [Outcome]
  }

  /// Reads one item: a JSON payload, a compact JWS, or either inside `{"receivedAt": …, "payload": …}`, where `orderId`
  /// may tell which order an answer of Look Up Order ID is about.
  /// - Parameters:
  ///   - bytes: UTF-8 text.
  ///   - isKnown: what is known by it is not decoded again.
  public func decode(_ bytes: [UInt8], isKnown: KnownTest? = nil) async -> Item {
    var decoder = self
    decoder.isSecretKnown = holdsSharedSecret(bytes)
    return await decoder.decode(redacted: SecretRedactor.redacted(bytes), isKnown)
  }

  private func decode(redacted bytes: [UInt8], _ isKnown: KnownTest?) async -> Item {
    do throws(PayloadError) {
      let text = Self.trimmed(bytes[...])
      if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "\"") {
        let document = try Self.parse(bytes)
        if let wrapped = try unwrapped(document) {
          var decoder = self
          decoder.now = now.map { max($0, wrapped.receivedAt ?? $0) }
          return Item(
            receivedAt: wrapped.receivedAt, orderID: wrapped.orderID,
            outcomes: await decoder.outcomes(of: wrapped.payload, isKnown))
        }
        return Item(outcomes: await outcomes(of: document, isKnown))
      }
      guard CompactJWS.isLikely(text) else {
        // Only to say what is wrong with it.
        if text.first == UInt8(ascii: "["), let document = try? Self.parse(bytes), document.root.isArray {
          throw PayloadError(.unrecognised, detail: "an array inside an array is no payload")
        }
        if text.isEmpty || text.first == 0xFF || text.first == 0xFE { _ = try Self.parse(bytes) }
        throw PayloadError(.malformed, offset: 0, detail: "this is no JSON object and no compact JWS")
      }
      return Item(outcomes: await outcomes(ofJWS: text, isKnown))
    } catch {
      return Item(outcomes: [.refused(error, raw: bytes)])
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = bytes
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    while isSpace(text.first) { text.removeFirst() }
    while isSpace(text.last) { text.removeLast() }
    return text
  }

  private static func parse(_ bytes: [UInt8]) throws(PayloadError) -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(bytes)
    } catch {
      throw PayloadError(error)
    }
  }

  /// The payload inside a webhook archive's wrapper, as bytes of its own.
  private func unwrapped(
    _ document: JSONDocument
  ) throws(PayloadError) -> (receivedAt: Instant?, orderID: String?, payload: JSONValue)? {
    let root = document.root
    if root.isString { return (nil, nil, root) }
    guard let payload = root["payload"] else { return nil }
    let orderID = root["orderId"]?.string.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    var receivedAt: Instant?
    if let received = root["receivedAt"], !received.isNull {
      guard let text = received.string ?? received.numberText, let instant = Instant(text) else {
        throw PayloadError(.unreadableReceivedAt, path: received.path, detail: "receivedAt is not an instant")
      }
      guard instant >= .appStoreOpening else {
        throw PayloadError(
          .unreadableReceivedAt, path: received.path,
          detail: "receivedAt lies before the App Store: perhaps seconds were written for milliseconds")
      }
      if let now, instant.isLong(after: now) {
        throw PayloadError(
          .receivedInTheFuture, path: received.path, detail: "receivedAt is \(instant), after this machine's clock")
      }
      receivedAt = instant
    }
    return (receivedAt, orderID, payload)
  }

  private func outcomes(of payload: JSONValue, _ isKnown: KnownTest?) async -> [Outcome] {
    var bytes = payload.stringBytes ?? payload.source
    // Escapes may have hidden a secret (.NET writes \u0022 for every quote).
    if payload.isString, payload.plainStringRange == nil { bytes = SecretRedactor.redacted(Array(bytes))[...] }
    do throws(PayloadError) {
      let text = Self.trimmed(bytes)
      if CompactJWS.isLikely(text) { return await outcomes(ofJWS: text, isKnown) }
      let found = isKnown.flatMap { _ in arrivalDigest(of: payload, in: payload.range) }
      if let found, isKnown?(found.digest) == true { return [.known(found.digest)] }
      // What was parsed is not parsed again, nor what was asked about just now asked again.
      let document = payload.isObject ? JSONDocument(part: payload) : try Self.parse(Array(bytes))
      return await outcomes(of: document, Self.isUnsigned(payload) ? nil : isKnown, found)
    } catch {
      return [.refused(error, raw: Array(bytes))]
    }
  }

  /// Whether this is an object that is known by the digest of its own text.
  private static func isUnsigned(_ payload: JSONValue) -> Bool {
    payload.isObject && payload["signedPayload"] == nil && payload["notificationHistory"] == nil
  }

  /// The digest of an unsigned object, which may be recorded already. Where such are refused, so is one that comes again: a received instant
  /// that anyone can make up must not date it.
  private func arrivalDigest(of payload: JSONValue, in range: Range<Int>) -> ArrivalDigest? {
    guard unsigned.isAccepting, Self.isUnsigned(payload) else { return nil }
    return ArrivalDigest(payload, in: range)
  }

  private func outcomes(
    ofJWS text: ArraySlice<UInt8>, _ isKnown: KnownTest? = nil
  ) async -> [Outcome] {
    do throws(PayloadError) {
      let outline = try SignedPayload.outline(text, path: "$")
      if let isKnown, isKnown(outline.digest) { return [.known(outline.digest)] }
      return [.evidence(try await SignedPayload(decoder: self).decode(outline, path: "$"))]
    } catch {
      return [.refused(error, raw: Array(text))]
    }
  }

  /// - Parameter digest: that of the document, where it was taken already.
  private func outcomes(
    of document: JSONDocument, _ isKnown: KnownTest?, _ digest: ArrivalDigest? = nil
  ) async -> [Outcome] {
    let root = document.root
    let found = digest ?? isKnown.flatMap { _ in arrivalDigest(of: root, in: document.bytes.indices) }
    if let found, isKnown?(found.digest) == true { return [.known(found.digest)] }
    if let history = root["notificationHistory"], history.isArray {
      return await page(document, kind: .notificationHistory, items: history.elements)
    }
    if let payload = root["signedPayload"], let text = payload.stringBytes {
      if root["sendAttempts"] != nil { return await page(document, kind: .testNotificationStatus, items: [root]) }
      return await outcomes(ofJWS: text, isKnown)
    }
    do throws(PayloadError) {
      return [.evidence(try await evidence(of: document, found))]
    } catch {
      return [.refused(error, raw: document.bytes)]
    }
  }

  /// A page that holds notifications: each is a payload of its own, and the page refers to those that are recorded, with
  /// Apple's attempts to deliver them.
  private func page(_ document: JSONDocument, kind: PayloadKind, items: [JSONValue]) async -> [Outcome] {
    var outcomes: [Outcome] = []
    var draft = EvidenceBuilder(document: document, kind: kind, trust: .unsigned)
    for item in items {
      guard let value = item["signedPayload"] else { continue }
      guard let text = value.stringBytes, CompactJWS.isLikely(text) else {
        draft.loseRow(.notSigned, at: value)
        continue
      }
      let found = await self.outcomes(ofJWS: text).map(Self.asPart)
      outcomes += found
      if case .evidence(let evidence)? = found.first, let range = value.plainStringRange {
        draft.nest(evidence.digest, at: range)
        draft.environment = evidence.environment
        draft.bundleID = draft.bundleID ?? evidence.bundleID
        // Nobody signed them.
        for attempt in unsigned.isAccepting ? item["sendAttempts"]?.elements ?? [] : [] {
          var reader = FieldReader(attempt)
          if let at = reader.instant("attemptDate") {
            draft.sendAttempts.append(
              SendAttempt(
                notification: evidence.digest, attemptedAt: at, result: reader.text("sendAttemptResult")))
          }
          draft.note(reader.problems)
        }
      }
    }
    let page = draft.finished()
    if page.nested.isEmpty, !unsigned.isAccepting {
      let refusal = PayloadError(.unsigned, detail: "no notification on this page is signed")
      return outcomes + [.refused(refusal, raw: document.bytes)]
    }
    return outcomes + [.evidence(page)]
  }

  /// A notification on a page is recorded with the very signature that it has there: the page is put together from it.
  private static func asPart(_ outcome: Outcome) -> Outcome {
    guard case .evidence(var evidence) = outcome else { return outcome }
    evidence.alternateDigest = nil
    return .evidence(evidence)
  }

  private func evidence(of document: JSONDocument, _ digest: ArrivalDigest?) async throws(PayloadError) -> Evidence {
    let root = document.root
    guard root.isObject else {
      throw PayloadError(.unrecognised, detail: "a payload is a JSON object or a compact JWS")
    }
    let evidence: Evidence
    if ClientEvent.recognises(root) {
      guard acceptsClientEvents else {
        throw PayloadError(.unsigned, detail: "reports of the app itself are not taken in here")
      }
      var draft = EvidenceBuilder(document: document, kind: .clientEvent, trust: .unverified)
      var problems: [Problem] = []
      draft.clientEvent = try ClientEvent(root, problems: &problems)
      draft.note(problems)
      return draft.finished()
    }
    if root["notification_type"] != nil {
      try requireNotificationV1IsBelieved()
      evidence = try NotificationV1(document: document, digest: digest).decode()
    } else if let kind = ServerAPIAnswer.kind(of: root) {
      evidence = try await ServerAPIAnswer(decoder: self, document: document, kind: kind).decode()
    } else if Receipt.recognises(root) {
      try requireUnsignedIsBelieved("a verifyReceipt answer")
      evidence = try Receipt(document: document, digest: digest).decode()
    } else if let kind = SignedPayload.kind(of: root) {
      guard acceptsUnverified else {
        throw PayloadError(.unverified, detail: "decoded JSON carries no signature that could be checked")
      }
      evidence = try await SignedPayload(decoder: self).decodeUnverified(document, kind: kind)
    } else if root["subscriptionGroups"] != nil {
      throw PayloadError(.unrecognised, detail: "this is a catalogue of products, and no payload")
    } else if root["product_id"] != nil || root["products"] != nil {
      throw PayloadError(
        .unrecognised,
        detail: "this names products and no purchase: it may be a catalogue of products")
    } else {
      let keys = root.keys.prefix(5).map { PathComponent.text(Array($0.utf8)[...]) }.joined(separator: ", ")
      let shown = keys.isEmpty ? "an empty object" : "an object with the keys \(keys)"
      throw PayloadError(.unrecognised, detail: "\(shown) is none of the App Store's formats")
    }
    return try admitted(evidence)
  }

  /// The last checks, the same for every format: local data only on request, nothing from the future, and the app that
  /// was asked for.
  func admitted(_ evidence: Evidence) throws(PayloadError) -> Evidence {
    if evidence.trust != .verified, evidence.environment.isLocal, !acceptsUnverified {
      throw PayloadError(.unverified, detail: "data of \(evidence.environment) is signed by nobody but its maker")
    }
    if let now {
      let said = [evidence.statedAt] + evidence.transactions.map(\.signedAt) + evidence.renewals.map(\.signedAt)
      if let last = said.compactMap(\.self).max(), last.isLong(after: now) {
        throw PayloadError(.fromTheFuture, detail: "it claims to be said at \(last), long after it was received")
      }
    }
    if now != nil, let written = evidence.statedAt, let last = Self.lastPurchase(of: evidence),
      last.isLong(after: Instant(milliseconds: written.milliseconds + Self.renewalLead))
    {
      throw PayloadError(
        .fromTheFuture, detail: "it holds a purchase or refund of \(last), long after it was written, at \(written)")
    }
    guard !bundleIDs.isEmpty else { return evidence }
    let named = [
      [evidence.bundleID], evidence.transactions.map(\.fields.bundleID),
      evidence.appTransactions.map(\.fields.bundleID),
    ].flatMap(\.self).compactMap(\.self)
    guard named.allSatisfy(bundleIDs.contains) else {
      throw PayloadError(.foreignBundle, detail: "the payload belongs to an app that was not asked for")
    }
    let namesPurchases =
      !(evidence.transactions.isEmpty && evidence.renewals.isEmpty) || evidence.hasNoUsableTransaction
    guard !named.isEmpty || !namesPurchases else {
      throw PayloadError(.foreignBundle, detail: "the payload does not say which app it belongs to")
    }
    return evidence
  }
}

/// Decodes payloads into evidence, or returns why it cannot.
///
/// This type is the entry point of the module. It recognises the format, checks signatures and decodes. Many threads
/// can use one decoder at the same time.
public struct PayloadDecoder: Sendable {
  /// Whether payloads without a signature count as evidence, and why.
  public var unsigned: UnsignedPolicy
  /// The roots whose signatures count as evidence.
  public var trust: TrustStore
  /// The shared secrets of the apps. If there are any, a V1 notification counts only if it contains the secret of the
  /// app that it names. This rule then replaces ``unsigned`` for V1 notifications.
  public var sharedSecrets: [SharedSecret]
  /// Whether client events are accepted. They are not evidence: they neither give nor take access.
  public var acceptsClientEvents: Bool
  /// Whether decoded JSON and local data are accepted, with the trust `unverified`.
  public var acceptsUnverified: Bool
  /// The bundle ids of the apps whose payloads are accepted. If empty, payloads of every app are accepted.
  public var bundleIDs: Set<String>
  /// The caller's clock; `nil` for no clock and no such checks.
  ///
  /// The decoder refuses a payload whose own date is more than a day after this clock. If the wrapper's received
  /// instant is later than the clock, it counts instead. The decoder also refuses a wrapper whose received instant is
  /// more than a day after this clock. Such a payload would otherwise outrank everything that Apple states until its
  /// date.
  public var now: Instant?
  /// The apps whose shared secret the current item contains.
  var authenticatedApps: Set<String> = []

  /// Creates a decoder. The defaults accept only what Apple signed, for every app, without a clock.
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

  /// How long before its next period Apple renews a subscription: up to a day, in milliseconds. The purchase date is
  /// the start of that period.
  private static let renewalLead: Int64 = 86_400_000

  /// Returns the latest date of a purchase or refund in the rows of a receipt. A date after the receipt was written
  /// would otherwise outrank everything that Apple states until then.
  private static func lastPurchase(of evidence: Evidence) -> Instant? {
    var last: Instant?
    for version in evidence.transactions where version.rank != .jws {
      if let date = version.fields.purchaseAt, last.map({ $0 < date }) ?? true { last = date }
      if let date = version.fields.revokedAt, last.map({ $0 < date }) ?? true { last = date }
    }
    return last
  }

  /// The result for one payload.
  public enum Outcome: Sendable {
    /// The payload can be recorded.
    case evidence(Evidence)
    /// The payload cannot be recorded. It includes the payload's bytes without secrets, for the quarantine.
    case refused(PayloadError, raw: [UInt8])
    /// The payload is recorded already. The decoder did not decode it.
    case known(ContentDigest)
  }

  /// A function that returns whether a payload with this ``Evidence/digest`` is recorded.
  public typealias KnownTest = (ContentDigest) -> Bool

  /// All payloads of one item of an import.
  public struct Item: Sendable {
    /// The instant at which the item was received, if its wrapper states it. Wrappers are not signed. At an endpoint
    /// that anyone can reach, use your own clock instead.
    public var receivedAt: Instant?
    /// The order that a response of Look Up Order ID is about, if the wrapper states it. Wrappers are not signed.
    public var orderID: String?
    /// One outcome for each payload. A page of notification history contains many payloads; the page itself comes last.
    public var outcomes: [Outcome]
  }

  /// Reads one item: a JSON payload, a compact JWS, a receipt of a device (the file or Base 64), or one of them inside
  /// `{"receivedAt": …, "payload": …}`. The wrapper's
  /// `orderId` may state which order a response of Look Up Order ID is about.
  /// - Parameters:
  ///   - bytes: the item as UTF-8 text.
  ///   - isKnown: returns whether a digest is recorded. The decoder does not decode such payloads again.
  /// - Returns: the outcomes. A payload that cannot be used is an outcome with a ``PayloadError``; this function does
  ///   not throw.
  public func decode(_ bytes: [UInt8], isKnown: KnownTest? = nil) async -> Item {
    // A file of DER is not text, so it contains no secret in a form that can be replaced.
    if ReceiptText.isFile(bytes[...]) { return Item(outcomes: await outcomes(ofReceipt: bytes[...], isKnown)) }
    var decoder = self
    decoder.authenticatedApps = appsAuthenticated(by: bytes)
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
        if ReceiptText.isLikely(text) { return Item(outcomes: await outcomes(ofReceipt: text, isKnown)) }
        // It parses the text only to describe the error.
        if text.first == UInt8(ascii: "["), let document = try? Self.parse(bytes), document.root.isArray {
          throw PayloadError(.unrecognised, detail: "an array inside an array is not a payload")
        }
        if text.isEmpty || text.first == 0xFF || text.first == 0xFE { _ = try Self.parse(bytes) }
        throw PayloadError(.malformed, offset: 0, detail: "this is neither a JSON object, a compact JWS nor a receipt")
      }
      return Item(outcomes: await outcomes(ofJWS: text, isKnown))
    } catch {
      return Item(outcomes: [.refused(error, raw: bytes)])
    }
  }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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

  /// Returns the payload inside the wrapper of a webhook archive; `nil` without a wrapper.
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
          detail: "receivedAt is before the App Store opened; it may be in seconds instead of milliseconds")
      }
      if let now, instant.isMoreThanOneDay(after: now) {
        throw PayloadError(
          .receivedInTheFuture, path: received.path,
          detail: "receivedAt is \(instant), more than a day after this machine's clock")
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
      if ReceiptText.isLikely(text) { return await outcomes(ofReceipt: text, isKnown) }
      let found = isKnown.flatMap { _ in arrivalDigest(of: payload, in: payload.range) }
      if let found, isKnown?(found.digest) == true { return [.known(found.digest)] }
      // An object is parsed already. The digest of an unsigned object was looked up above, so it is not looked up
      // again.
      let document = payload.isObject ? JSONDocument(part: payload) : try Self.parse(Array(bytes))
      return await outcomes(of: document, Self.isUnsigned(payload) ? nil : isKnown, found)
    } catch {
      return [.refused(error, raw: Array(bytes))]
    }
  }

  /// Returns whether this is an object that its own text's digest identifies.
  private static func isUnsigned(_ payload: JSONValue) -> Bool {
    payload.isObject && payload["signedPayload"] == nil && payload["notificationHistory"] == nil
  }

  /// Returns the digest of an unsigned object, which may be recorded already. Returns `nil` where unsigned payloads are
  /// refused, so that a duplicate is refused too. A received instant that anyone can make up must not change its date.
  private func arrivalDigest(of payload: JSONValue, in range: Range<Int>) -> ArrivalDigest? {
    guard unsigned.isAccepted, Self.isUnsigned(payload) else { return nil }
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

  /// Decodes one JSON document.
  /// - Parameter digest: the digest of the document, if it was computed already.
  private func outcomes(
    of document: JSONDocument, _ isKnown: KnownTest?, _ digest: ArrivalDigest? = nil
  ) async -> [Outcome] {
    let root = document.root
    if let receipt = Self.receiptMember(of: root), let text = receipt.stringBytes {
      return await outcomes(ofReceipt: Self.trimmed(text), isKnown)
    }
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

  /// Decodes a page that contains notifications. Each notification is a payload of its own. The page refers to those
  /// that are recorded, with Apple's attempts to deliver them.
  private func page(_ document: JSONDocument, kind: PayloadKind, items: [JSONValue]) async -> [Outcome] {
    var outcomes: [Outcome] = []
    var builder = EvidenceBuilder(document: document, kind: kind, trust: .unsigned)
    for item in items {
      guard let value = item["signedPayload"] else { continue }
      guard let text = value.stringBytes, CompactJWS.isLikely(text) else {
        builder.countUnusableRow(.notSigned, at: value)
        continue
      }
      let found = await self.outcomes(ofJWS: text).map(Self.asPart)
      outcomes += found
      if case .evidence(let evidence)? = found.first, let range = value.plainStringRange {
        builder.addNestedPayload(evidence.digest, at: range)
        builder.environment = evidence.environment
        builder.bundleID = builder.bundleID ?? evidence.bundleID
        // Apple does not sign the attempts.
        for attempt in unsigned.isAccepted ? item["sendAttempts"]?.elements ?? [] : [] {
          var reader = FieldReader(attempt)
          if let at = reader.instant("attemptDate") {
            builder.sendAttempts.append(
              SendAttempt(
                notification: evidence.digest, attemptedAt: at, result: reader.text("sendAttemptResult")))
          }
          builder.note(reader.problems)
        }
      }
    }
    let page = builder.finished()
    if page.nested.isEmpty, !unsigned.isAccepted {
      let refusal = PayloadError(.unsigned, detail: "no notification on this page is signed")
      return outcomes + [.refused(refusal, raw: document.bytes)]
    }
    return outcomes + [.evidence(page)]
  }

  /// Removes the alternate digest of a notification on a page. The notification is recorded with the signature that it
  /// has on the page, because an export rebuilds the page from it.
  private static func asPart(_ outcome: Outcome) -> Outcome {
    guard case .evidence(var evidence) = outcome else { return outcome }
    evidence.alternateDigest = nil
    return .evidence(evidence)
  }

  func evidence(of document: JSONDocument, _ digest: ArrivalDigest?) async throws(PayloadError) -> Evidence {
    let root = document.root
    guard root.isObject else {
      throw PayloadError(.unrecognised, detail: "a payload is a JSON object or a compact JWS")
    }
    let evidence: Evidence
    if ClientEvent.recognises(root) {
      guard acceptsClientEvents else {
        throw PayloadError(.unsigned, detail: "client events are not accepted here")
      }
      var builder = EvidenceBuilder(document: document, kind: .clientEvent, trust: .unverified)
      var problems: [Problem] = []
      builder.clientEvent = try ClientEvent(root, problems: &problems)
      builder.note(problems)
      return builder.finished()
    }
    if root["notification_type"] != nil {
      evidence = try verified(NotificationV1(document: document, digest: digest))
    } else if let kind = ServerAPIAnswer.kind(of: root) {
      evidence = try await ServerAPIAnswer(decoder: self, document: document, kind: kind).decode()
    } else if Receipt.recognises(root) {
      try requireUnsignedAccepted("a verifyReceipt answer")
      evidence = try Receipt(document: document, digest: digest).decode()
    } else if let kind = SignedPayload.kind(of: root) {
      guard acceptsUnverified else {
        throw PayloadError(.unverified, detail: "decoded JSON has no signature that can be checked")
      }
      evidence = try await SignedPayload(decoder: self).decodeUnverified(document, kind: kind)
    } else if root["subscriptionGroups"] != nil {
      throw PayloadError(.unrecognised, detail: "this is a catalogue of products, not a payload")
    } else if root["product_id"] != nil || root["products"] != nil {
      throw PayloadError(
        .unrecognised,
        detail: "this contains products but no purchase; it may be a catalogue of products")
    } else {
      let keys = root.keys.prefix(5).map { PathComponent.text(Array($0.utf8)[...]) }.joined(separator: ", ")
      let shown = keys.isEmpty ? "an empty object" : "an object with the keys \(keys)"
      throw PayloadError(.unrecognised, detail: "\(shown) is not one of the App Store's formats")
    }
    return try admitted(evidence)
  }

  /// Makes the checks that apply to every format. It refuses local data without a request, dates in the future, and
  /// payloads of other apps.
  func admitted(_ evidence: Evidence) throws(PayloadError) -> Evidence {
    if evidence.trust != .verified, evidence.environment.isLocal, !acceptsUnverified {
      throw PayloadError(
        .unverified, detail: "data of the environment \(evidence.environment) has no trusted signature")
    }
    if let now {
      let stated = [evidence.statedAt] + evidence.transactions.map(\.signedAt) + evidence.renewals.map(\.signedAt)
      if let last = stated.compactMap(\.self).max(), last.isMoreThanOneDay(after: now) {
        throw PayloadError(.fromTheFuture, detail: "its own date is \(last), more than a day after it was received")
      }
    }
    if now != nil, let written = evidence.statedAt, let last = Self.lastPurchase(of: evidence),
      last.isMoreThanOneDay(after: Instant(milliseconds: written.milliseconds + Self.renewalLead))
    {
      throw PayloadError(
        .fromTheFuture,
        detail: "it contains a purchase or refund of \(last), more than two days after its own date, \(written)")
    }
    guard !bundleIDs.isEmpty else { return evidence }
    let named = evidence.namedApps
    guard named.allSatisfy(bundleIDs.contains) else {
      throw PayloadError(.foreignBundle, detail: "the payload belongs to an app whose bundle id is not accepted")
    }
    let namesPurchases =
      !(evidence.transactions.isEmpty && evidence.renewals.isEmpty) || evidence.hasNoUsableTransaction
    guard !named.isEmpty || !namesPurchases else {
      throw PayloadError(.foreignBundle, detail: "the payload does not state which app it belongs to")
    }
    return evidence
  }
}

extension Evidence {
  /// The bundle ids that the payload and the rows in it state.
  var namedApps: [String] {
    [[bundleID], transactions.map(\.fields.bundleID), appTransactions.map(\.fields.bundleID)]
      .flatMap(\.self).compactMap(\.self)
  }
}

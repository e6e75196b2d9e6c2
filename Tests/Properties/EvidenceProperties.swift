import AppStore
import Foundation
internal import TextTemplates

extension FuzzTargets {
  /// Checks what must hold for the evidence of a payload.
  /// - Parameter arrivals: the texts of earlier payloads in this item, which this payload can contain.
  func checkEvidence(_ evidence: Evidence, isStrict: Bool, _ arrivals: inout [ContentDigest: [UInt8]]) throws {
    let text = try arrival(of: evidence, arrivals)
    arrivals[evidence.digest] = text
    try hold(ContentDigest(sha256: text) == evidence.digest, "a payload is put together again as it came", shown(text))
    for problem in evidence.problems {
      try hold(problem.path.hasPrefix("$"), "a problem says where", problem.path)
    }
    // Signed text cannot be changed, and Apple does not sign secrets.
    if evidence.text.header == nil { try checkSecret(evidence.text.source, "payload") }
    for object in objects(of: evidence) { try checkObject(object) }
    try checkSplitTexts(of: evidence)
    try checkTrust(evidence, text: text, isStrict: isStrict)
    try checkTimes(evidence)
    if let event = evidence.clientEvent { try checkEvent(event, of: evidence) }
  }

  private func objects(of evidence: Evidence) -> [ObjectText] {
    evidence.transactions.map(\.object) + evidence.renewals.map(\.object)
      + evidence.appTransactions.map(\.object)
  }

  /// Returns the text as it arrived, with blanked secrets and receipts. Parts that were cut out are inserted where they
  /// were.
  private func arrival(of evidence: Evidence, _ arrivals: [ContentDigest: [UInt8]]) throws -> [UInt8] {
    var parts: [(position: Int, text: [UInt8])] = objects(of: evidence).compactMap { object in
      object.position.map { ($0, object.text.compact) }
    }
    for addNestedPayload in evidence.nested {
      guard let text = arrivals[addNestedPayload.digest] else {
        throw Violation(property: "what a page refers to came before it", detail: addNestedPayload.digest.hexadecimal)
      }
      parts.append((addNestedPayload.position, text))
    }
    parts.sort { $0.position < $1.position }
    let source = evidence.text.source
    var whole: [UInt8] = []
    var copied = 0
    for part in parts {
      try hold((copied...source.count).contains(part.position), "what was cut out stood in the text")
      whole += source[copied..<part.position] + part.text
      copied = part.position
    }
    whole += source[copied...]
    return SignedText(source: whole, header: evidence.text.header, signature: evidence.text.signature).compact
  }

  private func checkObject(_ object: ObjectText) throws {
    try hold(ContentDigest(sha256: object.text.compact) == object.digest, "a object's digest is its text's")
    if object.text.header == nil { try checkSecret(object.text.source, "object") }
  }

  private func checkSplitTexts(of evidence: Evidence) throws {
    let texts = SplitTexts(evidence)
    func check(_ parts: TextTemplate.Parts?, _ source: [UInt8], _ columns: some TemplateValues) throws {
      guard let parts else { return }
      let joined = TextTemplate.join(
        template: parts.template.text, values: parts.values, column: columns.value)
      try hold(joined == source, "a text taken apart is put together again")
    }
    func check(_ versions: [some ObjectVersion & TemplateValues], _ parts: [TextTemplate.Parts?]) throws {
      try hold(versions.count == parts.count, "each object has its parts")
      for (version, parts) in zip(versions, parts) { try check(parts, version.object.text.source, version) }
    }
    try check(texts.payload, evidence.text.source, evidence)
    try check(evidence.transactions, texts.transactions)
    try check(evidence.renewals, texts.renewals)
    try check(evidence.appTransactions, texts.appTransactions)
  }

  /// Checks that forged payloads are never trusted. A second implementation verifies the text, and payloads without a
  /// signature are never verified.
  private func checkTrust(_ evidence: Evidence, text: [UInt8], isStrict: Bool) throws {
    switch evidence.trust {
    case .verified where evidence.kind == .appReceipt:
      let receipt = Data(base64Encoded: Data(text)).map(Array.init) ?? []
      try hold(receiptWitness.confirms(receipt), "no forged receipt is verified", shown(text))
    case .verified where evidence.kind == .transactionReceipt:
      try hold(evidence.environment != .production, "a transaction receipt is never of production")
    case .verified:
      try hold(witness.confirms(text), "nothing forged is verified", shown(text))
    case .unsigned:
      guard isStrict else { return }
      for object in objects(of: evidence) where object.text.header != nil {
        try hold(witness.confirms(object.text.compact), "nothing forged is inside an answer", shown(text))
      }
    case .unverified:
      try hold(!isStrict || evidence.clientEvent != nil, "nothing unverified is taken unasked", shown(text))
      try hold(evidence.environment != .production, "nothing unverified speaks of production")
    }
  }

  /// Checks that every instant is equal after it is written, with a year of four digits, and read.
  private func checkTimes(_ evidence: Evidence) throws {
    var instants = [evidence.statedAt, evidence.inferredAt, evidence.clientEvent?.happenedAt]
    instants += evidence.transactions.flatMap { [$0.signedAt, $0.fields.purchaseAt, $0.fields.expiresAt] }
    instants += evidence.renewals.flatMap { [$0.signedAt, $0.fields.renewalAt, $0.fields.gracePeriodExpiresAt] }
    for case let instant? in instants {
      try hold(Instant(instant.description) == instant, "an instant is read as it is written", "\(instant)")
    }
  }

  private func checkEvent(_ event: ClientEvent, of evidence: Evidence) throws {
    try hold(evidence.kind == .clientEvent && evidence.trust == .unverified, "a report is only a claim")
    try hold(objects(of: evidence).isEmpty && evidence.claims.isEmpty, "a report says nothing else")
    try hold(event.happenedAt >= .appStoreOpening, "a report is of the App Store's time", "\(event.happenedAt)")
    let ids = [event.customer, event.appAccountToken, event.device, event.transactionID, event.originalTransactionID]
    for case let id? in ids + [event.productID] {
      let isSound = !id.isEmpty && id.utf8.count <= ClientEvent.idLimit && !id.utf8.contains(0)
      try hold(isSound, "an id in a report is short and has letters", id)
    }
  }
}

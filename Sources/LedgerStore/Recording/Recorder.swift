internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Writes evidence, inside the transaction of its caller.
struct Recorder {
  let transaction: EvidenceTransaction
  var summary = ImportSummary()
  var projections: ProjectionKeeper
  var keepsReceiptData = false
  var countsKnownRefusals = false
  /// How many ids of a payload in quarantine are stored, so that it can be found by them.
  var mentionLimit = Int.max
  private(set) var newRefusals: [Arrival] = []
  /// What became of each arrival, in their order.
  private(set) var results: [ArrivalResult] = []
  private var origins: [String: Int64] = [:]
  private var lastHeader: (text: [UInt8], id: Int64)?
  private var lastRoot: (digest: ContentDigest, id: Int64)?
  private var lastOriginalTransaction: (environment: Environment, original: String, id: Int64)?
  private var lastTransactionInfoID: Int64?
  var newOriginalTransactions = NewOriginalTransactions()
  private let knownForms: [TextForm.Form: Int64]
  private(set) var learnedForms: [TextForm.Form: Int64] = [:]
  let steps: PreparedSteps<EvidenceStep>

  /// Creates a recorder for one transaction.
  /// - Parameters:
  ///   - transaction: the transaction to write in.
  ///   - knownForms: the ids of text forms that earlier transactions stored or found.
  init(_ transaction: EvidenceTransaction, knownForms: [TextForm.Form: Int64] = [:]) {
    self.transaction = transaction
    self.knownForms = knownForms
    steps = transaction.steps()
    projections = ProjectionKeeper(transaction.projections)
  }

  mutating func record(_ arrival: Arrival) throws {
    summary.payloads += 1
    switch arrival.outcome {
    case .refused(let refusal, let raw):
      let isNew = try quarantine(refusal, raw: raw, arrival: arrival)
      if isNew { newRefusals.append(arrival) }
      results.append(.quarantined(reason: refusal.name, isNew: isNew))
      // A payload that is already in quarantine is not stored again, and counts as a duplicate. A retry counts it as
      // new.
      if isNew || countsKnownRefusals {
        summary.quarantined += 1
      } else {
        summary.duplicates += 1
        if try isInQuarantine(ContentDigest(sha256: raw)) { summary.stillQuarantined += 1 }
      }
    case .known(let digest):
      guard let known = try payloadID(digest) else {
        throw LedgerError(
          .refusedEntry,
          "Payload \(digest.hexadecimal) was skipped as a duplicate, but the ledger does not contain it. Nothing of "
            + "this batch was recorded.",
          "Import it again.")
      }
      try recordDuplicate(known, arrival)
    case .evidence(let evidence):
      if let known = try payloadID(evidence.digest) ?? evidence.alternateDigest.flatMap({ try payloadID($0) }) {
        try recordDuplicate(known, arrival)
      } else {
        summary.recorded += 1
        results.append(.recorded)
        if evidence.trustLevel == .any, evidence.trust == .unsigned { summary.unsigned += 1 }
        if let app = evidence.bundleID { summary.apps.insert(app) }
        if evidence.hasNoUsableTransaction { summary.withoutUsableTransaction += 1 }
        try insert(evidence, arrival)
      }
    }
  }

  private func payloadID(_ digest: ContentDigest) throws -> Int64? { try steps(.findPayload).bind(digest).number() }

  private mutating func recordDuplicate(_ known: Int64, _ arrival: Arrival) throws {
    summary.duplicates += 1
    results.append(.duplicate)
    try deliverAgain(known, arrival)
    try insertOrder(arrival.orderID, known)
  }

  // MARK: - Small steps

  mutating func originID(_ name: String) throws -> Int64 {
    if let known = origins[name] { return known }
    let found =
      try transaction.id("SELECT origin_id FROM origin WHERE name = ?", [name])
      ?? transaction.insert("origin", [nil, name])
    origins[name] = found
    return found
  }

  mutating func headerID(_ header: [UInt8]?) throws -> Int64? {
    guard let header else { return nil }
    // Apple signs millions of texts with one certificate chain.
    if let last = lastHeader, last.text == header { return last.id }
    let digest = ContentDigest(sha256: header)
    let found =
      try transaction.id("SELECT header_id FROM jws_header WHERE digest = ?", [digest.data])
      ?? transaction.insert("jws_header", [nil, digest.data, header.text])
    lastHeader = (header, found)
    return found
  }

  private mutating func rootID(_ root: RootCertificate?) throws -> Int64? {
    guard let root else { return nil }
    if let last = lastRoot, last.digest == root.digest { return last.id }
    let found =
      try transaction.id("SELECT root_id FROM root_certificate WHERE digest = ?", [root.digest.data])
      ?? transaction.insert("root_certificate", [nil, root.digest.data, root.name, root.isApple])
    lastRoot = (root.digest, found)
    return found
  }

  mutating func formID(_ parts: TextForm.Parts?) throws -> Int64? {
    guard let form = parts?.form else { return nil }
    if let known = knownForms[form] ?? learnedForms[form] { return known }
    let digest = ContentDigest(sha256: form.text)
    let found =
      try steps(.findForm).bind(digest).number()
      ?? steps(.insertForm).bind(nil as Int64?).bind(digest).bind(text: form.text).bind(RowSalt.next()).insert()
    learnedForms[form] = found
    return found
  }

  mutating func originalTransactionKey(_ environment: Environment, _ original: String) throws -> Int64 {
    if let last = lastOriginalTransaction, last.original == original, last.environment == environment { return last.id }
    let found: Int64
    if let known = try steps(.findLine).bind(original).bind(environment.name).number() {
      found = known
    } else {
      found = try steps(.insertLine).bind(nil as Int64?).bind(environment.name).bind(original).insert()
      projections.begin(found)
      newOriginalTransactions.begin(found)
    }
    lastOriginalTransaction = (environment, original, found)
    return found
  }

  /// Returns a transaction's key, or `nil` when the ledger does not have the transaction.
  func transactionKey(_ originalKey: Int64, _ transaction: String) throws -> Int64? {
    newOriginalTransactions.contains(originalKey)
      ? newOriginalTransactions.transaction(transaction, of: originalKey)
      : try steps(.findTransaction).bind(transaction).bind(originalKey).number()
  }

  /// Returns the next transaction info's id. The id of a transaction's first text is also the transaction's key.
  mutating func nextTransactionInfoID() throws -> Int64 {
    let last =
      try lastTransactionInfoID ?? transaction.id("SELECT MAX(transaction_info_id) FROM transaction_info", []) ?? 0
    lastTransactionInfoID = last + 1
    return last + 1
  }

  // MARK: - Payloads

  /// How much later than its received instant a date in a payload may be, in milliseconds. Clocks differ by seconds.
  private static let clockDifference: Int64 = 60_000

  /// Returns a problem when an undated payload contains a date after its received instant. Such a date is not its
  /// evidence instant (rules §1).
  private static func futureDate(_ evidence: Evidence, _ arrival: Arrival) -> [Problem] {
    guard evidence.statedAt == nil, let inferred = evidence.inferredAt,
      inferred.milliseconds - arrival.receivedAt.milliseconds > clockDifference
    else { return [] }
    return [
      Problem(
        code: .dateAfterReceipt, path: evidence.inferredPath ?? "$", value: Array(inferred.description.utf8))
    ]
  }

  private mutating func insert(_ evidence: Evidence, _ arrival: Arrival) throws {
    // The payload's parts come first, because its row contains their positions.
    var placed = PlacedParts()
    for part in evidence.nested {
      // A nested payload is already recorded, just before this one or earlier.
      guard let nested = try payloadID(part.digest) else { continue }
      placed.payloads.append(nested)
      placed.parts.append(PayloadLayout.Part(kind: .payload, id: nested, position: part.position))
    }
    // The strongest source comes first. When a receipt contains a transaction twice, the first one counts.
    let order = evidence.transactions.indices.sorted { one, other in
      let ranks = (evidence.transactions[one].rank.rawValue, evidence.transactions[other].rank.rawValue)
      return ranks.0 == ranks.1 ? one < other : ranks.0 < ranks.1
    }
    let transactions = try order.map { try transaction(evidence.transactions[$0], &placed) }
    let renewals = try evidence.renewals.map { try renewal($0, &placed) }
    let appTransactions = try evidence.appTransactions.map { try appTransaction($0, &placed) }
    let payload = try insertPayload(evidence, PayloadLayout(placed.parts))
    try deliver(payload, arrival)
    let recordedAt = arrival.receivedAt.milliseconds
    let statedAt = evidence.statedAt.map {
      evidence.trustLevel == .any ? min($0.milliseconds, recordedAt) : $0.milliseconds
    }
    let inferredAt = evidence.inferredAt.map { min($0.milliseconds, recordedAt) }
    let evidenceAt = statedAt ?? (arrival.isExplicit ? recordedAt : nil) ?? inferredAt ?? 0
    let saying = Saying(
      payload: payload, digest: evidence.digest, evidenceAt: evidenceAt, recordedAt: recordedAt,
      isContradictory: evidence.isContradictory, trust: evidence.trustLevel)
    var ranks: [Int64: SourceRank] = [:]
    for (place, recorded) in zip(order, transactions) {
      try insert(evidence.transactions[place], recorded, saying, &ranks)
    }
    for (version, recorded) in zip(evidence.renewals, renewals) { try insert(version, recorded, saying) }
    for (version, info) in zip(evidence.appTransactions, appTransactions) {
      try transaction.insert(
        "app_transaction_version", [nil, payload, version.environment.name, info, version.signedAt?.milliseconds])
    }
    for claim in evidence.claims {
      let originalKey = try originalTransactionKey(claim.environment, claim.originalTransactionID)
      try steps(.insertClaim).bind(nil as Int64?).bind(payload).bind(originalKey).bind(claim.status)
        .bind(claim.signedAt).bind(claim.purchaseAt).run()
      try note(originalKey, saying, evidenceAt: claim.signedAt?.milliseconds ?? evidenceAt)
    }
    if let notification = evidence.notification { try insert(notification, payload, evidence) }
    let problems = evidence.problems + Self.futureDate(evidence, arrival)
    summary.problems += problems.count
    for (ordinal, problem) in problems.enumerated() {
      try transaction.insert("problem", [payload, ordinal, problem.code.rawValue, problem.path, problem.value])
    }
    for mention in evidence.mentions {
      try transaction.insert("payload_mention", [mention.identifier, mention.kind.rawValue, payload])
    }
    for data in evidence.receiptData where keepsReceiptData {
      guard try transaction.id("SELECT 1 FROM receipt_data WHERE digest = ?", [data.digest.data]) == nil else {
        continue
      }
      try transaction.insert("receipt_data", [data.digest.data, data.text.text])
    }
    if let event = evidence.clientEvent { try insert(event, payload) }
    try insertOrder(arrival.orderID ?? evidence.orderID, payload)
    for part in Set(placed.payloads).sorted() { try transaction.insert("payload_part", [part, payload]) }
    try insert(evidence.sendAttempts, payload)
  }

  private mutating func insertPayload(_ evidence: Evidence, _ layout: PayloadLayout) throws -> Int64 {
    let (header, form) = (try headerID(evidence.text.header), try formID(evidence.parts))
    return try steps(.insertPayload).bind(nil as Int64?).bind(evidence.digest).bind(evidence.kind.rawValue)
      .bind(evidence.trust.rawValue).bind(evidence.environment.name).bind(evidence.bundleID).bind(evidence.appAppleID)
      .bind(evidence.statedAt).bind(evidence.inferredAt).bind(evidence.receiptStatus).bind(evidence.failure?.rawValue)
      .bind(text: evidence.parts?.values ?? evidence.text.source).bind(header).bind(evidence.text.signature).bind(form)
      .bind(try rootID(evidence.root)).bind(layout.text).bind(RowSalt.next()).insert()
  }

  private mutating func deliver(_ payload: Int64, _ arrival: Arrival) throws {
    let origin = try originID(arrival.origin)
    try steps(.insertDelivery).bind(payload).bind(arrival.receivedAt).bind(arrival.isExplicit).bind(origin)
      .bind(arrival.line).run()
  }

  /// Records another arrival of a known payload, if it affects an instant (rules §2): it is the earliest one, or the
  /// earliest with an explicit received instant. If it changes the payload's instants, the projections of its original
  /// transactions are derived again.
  private mutating func deliverAgain(_ payload: Int64, _ arrival: Arrival) throws {
    let received = arrival.receivedAt.milliseconds
    let isCovered = try transaction.has(
      "SELECT 1 FROM delivery WHERE payload_id = ? AND received_at <= ? AND is_explicit >= ?",
      [payload, received, arrival.isExplicit])
    guard !isCovered else { return }
    let before = try instants(payload)
    try deliver(payload, arrival)
    guard try instants(payload) != before else { return }
    let originalKeys = try transaction.numbers(
      """
      SELECT original_transaction_key FROM transaction_version WHERE payload_id = ?1
      UNION SELECT original_transaction_key FROM renewal_info_version WHERE payload_id = ?1
      UNION SELECT original_transaction_key FROM status_claim WHERE payload_id = ?1
      """, [payload])
    try projections.deriveAgain(originalKeys)
  }

  private struct Instants: Equatable {
    var recordedAt: Int64
    var evidenceAt: Int64
  }

  private func instants(_ payload: Int64) throws -> Instants {
    let row = try transaction.row("SELECT recorded_at, evidence_at FROM stg_payload WHERE payload_id = ?", [payload])
    return Instants(recordedAt: row?["recorded_at"] ?? 0, evidenceAt: row?["evidence_at"] ?? 0)
  }

  // MARK: - Versions

  /// The payload that contains a version, with its evidence instant and recorded instant.
  private struct Saying {
    var payload: Int64
    var digest: ContentDigest
    var evidenceAt: Int64
    var recordedAt: Int64
    var isContradictory: Bool
    var trust: LeastTrust
  }

  private mutating func note(_ originalKey: Int64, _ saying: Saying, evidenceAt: Int64) throws {
    try projections.note(
      line: originalKey, evidenceAt: evidenceAt, recordedAt: saying.recordedAt, isContradictory: saying.isContradictory,
      trust: saying.trust)
  }

  /// Records a version of a transaction.
  /// - Parameter ranks: the strongest source of each transaction info in the payload so far.
  private mutating func insert(
    _ version: TransactionVersion, _ recorded: RecordedTransaction, _ saying: Saying, _ ranks: inout [Int64: SourceRank]
  ) throws {
    // A receipt contains most transactions in both latest_receipt_info and in_app. If the texts are equal, the weaker
    // source changes nothing, and only its position is recorded.
    if let stronger = ranks[recorded.info.id], stronger.rawValue < version.rank.rawValue { return }
    ranks[recorded.info.id] = version.rank
    let originalKey = recorded.line
    let id = try steps(.insertTransactionVersion).bind(nil as Int64?).bind(saying.payload).bind(originalKey)
      .bind(recorded.key).bind(recorded.info.id).bind(version.rank.rawValue).bind(version.signedAt).insert()
    if recorded.info.isNew { try identify(originalKey, by: version.fields) }
    let evidenceAt = version.signedAt?.milliseconds ?? saying.evidenceAt
    try note(originalKey, saying, evidenceAt: evidenceAt)
    try projections.note(
      ProjectionKeeper.Current(
        key: recorded.key, version: id, evidenceAt: evidenceAt, rank: version.rank.rawValue, fields: version.fields),
      of: originalKey, isFirst: recorded.isFirst, recordedAt: saying.recordedAt,
      digests: (version.statement.digest, saying.digest))
  }

  private mutating func insert(_ version: RenewalVersion, _ recorded: RecordedRenewal, _ saying: Saying) throws {
    let originalKey = recorded.line
    let id = try steps(.insertRenewalVersion).bind(nil as Int64?).bind(saying.payload).bind(originalKey)
      .bind(recorded.info.id)
      .bind(version.rank.rawValue).bind(version.signedAt).insert()
    if recorded.info.isNew { try identify(originalKey, by: version.fields) }
    let evidenceAt = version.signedAt?.milliseconds ?? saying.evidenceAt
    try note(originalKey, saying, evidenceAt: evidenceAt)
    try projections.note(renewal: id, of: originalKey, evidenceAt: evidenceAt, recordedAt: saying.recordedAt)
  }

  private mutating func insert(_ fields: NotificationFields, _ payload: Int64, _ evidence: Evidence) throws {
    // The original transaction of the notification's own rows. Their environment is the signed one.
    var originalKey: Int64?
    if let original = fields.originalTransactionID {
      let environment =
        evidence.transactions.first { $0.originalTransactionID == original }?.environment
        ?? evidence.renewals.first { $0.originalTransactionID == original }?.environment ?? evidence.environment
      originalKey = try originalTransactionKey(environment, original)
    }
    try steps(.insertNotification).bind(payload).bind(fields.type).bind(fields.subtype).bind(fields.uuid)
      .bind(fields.version).bind(originalKey).bind(fields.consumptionRequestReason).bind(fields.bundleVersion)
      .bind(fields.externalPurchaseID).bind(fields.externalPurchaseTokenType)
      .bind(fields.externalPurchaseTokenCreatedAt).bind(fields.externalPurchaseTokenExpiresAt)
      .bind(fields.requestIdentifier).bind(fields.summaryProductID).bind(fields.succeededCount)
      .bind(fields.failedCount).run()
  }
}

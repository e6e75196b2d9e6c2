internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import TextTemplates

/// Writes evidence, inside the transaction of its caller.
struct Recorder {
  let transaction: EvidenceTransaction
  var summary = ImportSummary()
  var projections: ProjectionUpdater
  var storesReceiptData = false
  var countsKnownRefusals = false
  /// How many ids of a payload in quarantine are stored, so that it can be found by them.
  var mentionLimit = Int.max
  private(set) var newRefusals: [Arrival] = []
  /// What became of each arrival, in their order.
  private(set) var results: [ArrivalResult] = []
  private var origins: [String: Int64] = [:]
  private var lastHeader: (text: [UInt8], id: Int64)?
  private var lastRoot: (digest: ContentDigest, id: Int64)?
  private var lastOriginalTransaction: (environment: Environment, original: String, key: OriginalTransactionKey)?
  private var lastTransactionInfoID: TransactionInfoID?
  var newOriginalTransactions = NewOriginalTransactions()
  private let knownTemplates: [TextTemplate.Template: Int64]
  private(set) var learnedTemplates: [TextTemplate.Template: Int64] = [:]
  let statements: StatementCache<EvidenceStatement>

  /// Creates a recorder for one transaction.
  /// - Parameters:
  ///   - transaction: the transaction to write in.
  ///   - knownTemplates: the ids of text templates that earlier transactions stored or found.
  init(_ transaction: EvidenceTransaction, knownTemplates: [TextTemplate.Template: Int64] = [:]) {
    self.transaction = transaction
    self.knownTemplates = knownTemplates
    statements = transaction.statements()
    projections = ProjectionUpdater(transaction.projections)
  }

  mutating func record(_ arrival: Arrival) throws {
    summary.payloads += 1
    switch arrival.outcome {
    case .refused(let refusal, let raw):
      let isNew = try quarantine(refusal, raw: raw, arrival: arrival)
      if isNew { newRefusals.append(arrival) }
      results.append(.quarantined(reason: refusal.reason, isNew: isNew))
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

  private func payloadID(_ digest: ContentDigest) throws -> PayloadID? {
    try statements(.findPayload).bind(digest).rowNumber()
  }

  private mutating func recordDuplicate(_ known: PayloadID, _ arrival: Arrival) throws {
    summary.duplicates += 1
    results.append(.duplicate)
    try recordRepeatedDelivery(known, arrival)
    try insertOrder(arrival.orderID, known)
  }

  // MARK: - Small statements

  mutating func originID(_ name: String) throws -> Int64 {
    if let known = origins[name] { return known }
    let found =
      try transaction.id("SELECT origin_id FROM origin WHERE name = ?", [name])
      ?? transaction.insert("origin", ["name": name])
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
      ?? transaction.insert("jws_header", ["digest": digest.data, "text": header.text])
    lastHeader = (header, found)
    return found
  }

  private mutating func rootID(_ root: RootCertificate?) throws -> Int64? {
    guard let root else { return nil }
    if let last = lastRoot, last.digest == root.digest { return last.id }
    let found =
      try transaction.id("SELECT root_id FROM root_certificate WHERE digest = ?", [root.digest.data])
      ?? transaction.insert(
        "root_certificate", ["digest": root.digest.data, "name": root.name, "is_apple": root.isApple])
    lastRoot = (root.digest, found)
    return found
  }

  mutating func templateID(_ parts: TextTemplate.Parts?) throws -> Int64? {
    guard let template = parts?.template else { return nil }
    if let known = knownTemplates[template] ?? learnedTemplates[template] { return known }
    let digest = ContentDigest(sha256: template.text)
    let found =
      try statements(.findTemplate).bind(digest).number()
      ?? statements(.insertTemplate).column("template_id").bind(nil as Int64?).column("digest").bind(digest)
      .column("text").bind(text: template.text).column("salt").bind(RowSalt.next()).insertNumbered()
    learnedTemplates[template] = found
    return found
  }

  mutating func originalTransactionKey(_ environment: Environment, _ original: String) throws
    -> OriginalTransactionKey
  {
    if let last = lastOriginalTransaction, last.original == original, last.environment == environment {
      return last.key
    }
    let found: OriginalTransactionKey
    if let known: OriginalTransactionKey = try statements(.findOriginalTransaction).bind(original)
      .bind(environment.name).rowNumber()
    {
      found = known
    } else {
      found = try statements(.insertOriginalTransaction).column("original_transaction_key").bind(nil as Int64?)
        .column("environment").bind(environment.name).column("original_transaction_id").bind(original).insert()
      projections.begin(found)
      newOriginalTransactions.begin(found)
    }
    lastOriginalTransaction = (environment, original, found)
    return found
  }

  /// Returns a transaction's key, or `nil` when the ledger does not have the transaction.
  func transactionKey(_ originalKey: OriginalTransactionKey, _ transaction: String) throws -> TransactionKey? {
    newOriginalTransactions.contains(originalKey)
      ? newOriginalTransactions.transaction(transaction, of: originalKey)
      : try statements(.findTransaction).bind(transaction).bind(originalKey).rowNumber()
  }

  /// Returns the next transaction info's id. The id of a transaction's first text is also the transaction's key.
  mutating func nextTransactionInfoID() throws -> TransactionInfoID {
    let last =
      try lastTransactionInfoID?.rawValue
      ?? transaction.id("SELECT MAX(transaction_info_id) FROM transaction_info", []) ?? 0
    let next = TransactionInfoID(last + 1)
    lastTransactionInfoID = next
    return next
  }

  // MARK: - Payloads

  /// How much later than its received instant a date in a payload may be, in milliseconds. Apple makes a renewal up to a
  /// day before its period begins, and clocks differ by seconds.
  private static let mostEarly: Int64 = 86_400_000 + 60_000

  /// Returns a problem when an undated payload contains a date after its received instant. Such a date is not its
  /// evidence instant (rules §1).
  private static func futureDate(_ evidence: Evidence, _ arrival: Arrival) -> [Problem] {
    guard evidence.statedAt == nil, let inferred = evidence.inferredAt,
      inferred.milliseconds - arrival.receivedAt.milliseconds > mostEarly
    else { return [] }
    return [
      Problem(
        code: .dateAfterReceipt, path: evidence.inferredPath ?? "$", value: Array(inferred.description.utf8))
    ]
  }

  private mutating func insert(_ evidence: Evidence, _ arrival: Arrival) throws {
    // The payload's parts come first, because its row contains their positions.
    var payloadParts = PayloadParts()
    for part in evidence.nested {
      // A nested payload is already recorded, just before this one or earlier.
      guard let nested = try payloadID(part.digest) else { continue }
      payloadParts.payloads.append(nested)
      payloadParts.parts.append(PayloadLayout.Part(kind: .payload, id: nested.rawValue, position: part.position))
    }
    // The strongest source comes first. When a receipt contains a transaction twice, the first one counts.
    let order = evidence.transactions.indices.sorted { one, other in
      let ranks = (evidence.transactions[one].rank.rawValue, evidence.transactions[other].rank.rawValue)
      return ranks.0 == ranks.1 ? one < other : ranks.0 < ranks.1
    }
    guard let texts = arrival.texts else { preconditionFailure("An arrival with evidence has its texts.") }
    let transactions = try order.map {
      try transaction(evidence.transactions[$0], texts.transactions[$0], &payloadParts)
    }
    let renewals = try evidence.renewals.indices.map {
      try renewal(evidence.renewals[$0], texts.renewals[$0], &payloadParts)
    }
    let appTransactions = try evidence.appTransactions.indices.map {
      try appTransaction(evidence.appTransactions[$0], texts.appTransactions[$0], &payloadParts)
    }
    let payload = try insertPayload(evidence, texts.payload, PayloadLayout(payloadParts.parts))
    try insertDelivery(payload, arrival)
    let recordedAt = arrival.receivedAt
    let statedAt = evidence.statedAt.map { evidence.trustLevel == .any ? min($0, recordedAt) : $0 }
    let inferredAt = evidence.inferredAt.map { min($0, recordedAt) }
    let evidenceAt = statedAt ?? (arrival.isExplicit ? recordedAt : nil) ?? inferredAt ?? Instant(milliseconds: 0)
    let context = PayloadContext(
      payload: payload, digest: evidence.digest, evidenceAt: evidenceAt, recordedAt: recordedAt,
      quality: ProjectionUpdater.PayloadQuality(evidence))
    var ranks: [TransactionInfoID: SourceRank] = [:]
    for (index, recorded) in zip(order, transactions) {
      try insert(evidence.transactions[index], recorded, context, &ranks)
    }
    for (version, recorded) in zip(evidence.renewals, renewals) { try insert(version, recorded, context) }
    for (version, info) in zip(evidence.appTransactions, appTransactions) {
      try transaction.insert(
        "app_transaction_version",
        [
          "payload_id": payload, "environment": version.environment.name, "app_transaction_info_id": info,
          "signed_at": version.signedAt?.milliseconds,
        ])
    }
    for claim in evidence.claims {
      let originalKey = try originalTransactionKey(claim.environment, claim.originalTransactionID)
      try statements(.insertClaim).column("claim_id").bind(nil as Int64?).column("payload_id").bind(payload)
        .column("original_transaction_key").bind(originalKey).column("status").bind(claim.status)
        .column("signed_at").bind(claim.signedAt).column("purchase_at").bind(claim.purchaseAt).run()
      try note(originalKey, context, evidenceAt: claim.signedAt ?? evidenceAt)
    }
    if let notification = evidence.notification { try insert(notification, payload, evidence) }
    let problems = evidence.problems + Self.futureDate(evidence, arrival)
    for problem in problems { summary.problemCodes[problem.code.rawValue, default: 0] += 1 }
    for (ordinal, problem) in problems.enumerated() {
      try transaction.insert(
        "problem",
        [
          "payload_id": payload, "ordinal": ordinal, "code": problem.code.rawValue, "path": problem.path,
          "value": problem.value,
        ])
    }
    for mention in evidence.mentions {
      try transaction.insert(
        "payload_mention",
        ["identifier": mention.identifier, "kind": mention.kind.rawValue, "payload_id": payload])
    }
    for data in evidence.receiptData where storesReceiptData {
      guard try transaction.id("SELECT 1 FROM receipt_data WHERE digest = ?", [data.digest.data]) == nil else {
        continue
      }
      try transaction.insert("receipt_data", ["digest": data.digest.data, "text": data.text.text])
    }
    if let event = evidence.clientEvent { try insert(event, payload) }
    try insertOrder(arrival.orderID ?? evidence.orderID, payload)
    for part in Set(payloadParts.payloads).sorted() {
      try transaction.insert("payload_part", ["part_id": part, "payload_id": payload])
    }
    try insert(evidence.sendAttempts, payload)
  }

  private mutating func insertPayload(
    _ evidence: Evidence, _ parts: TextTemplate.Parts?, _ layout: PayloadLayout
  ) throws -> PayloadID {
    let (header, template) = (try headerID(evidence.text.header), try templateID(parts))
    let root = try rootID(evidence.root)
    let statement = try statements(.insertPayload)
    statement.column("payload_id").bind(nil as Int64?)
    statement.column("digest").bind(evidence.digest)
    statement.column("kind").bind(evidence.kind.rawValue)
    statement.column("trust").bind(evidence.trust.rawValue)
    statement.column("environment").bind(evidence.environment.name)
    statement.column("bundle_id").bind(evidence.bundleID)
    statement.column("app_apple_id").bind(evidence.appAppleID)
    statement.column("stated_at").bind(evidence.statedAt)
    statement.column("inferred_at").bind(evidence.inferredAt)
    statement.column("receipt_status").bind(evidence.receiptStatus)
    statement.column("failure").bind(evidence.failure?.rawValue)
    statement.column("source").bind(text: parts?.values ?? evidence.text.source)
    statement.column("header_id").bind(header)
    statement.column("signature").bind(evidence.text.signature)
    statement.column("template_id").bind(template)
    statement.column("root_id").bind(root)
    statement.column("layout").bind(layout.text)
    return try statement.column("salt").bind(RowSalt.next()).insert()
  }

  private mutating func insertDelivery(_ payload: PayloadID, _ arrival: Arrival) throws {
    let origin = try originID(arrival.origin)
    try statements(.insertDelivery).column("payload_id").bind(payload).column("received_at").bind(arrival.receivedAt)
      .column("is_explicit").bind(arrival.isExplicit).column("origin_id").bind(origin)
      .column("source_line").bind(arrival.line).run()
  }

  /// Records another arrival of a known payload, if it affects an instant (rules §2): it is the earliest one, or the
  /// earliest with an explicit received instant. If it changes the payload's instants, the projections of its original
  /// transactions are derived again.
  private mutating func recordRepeatedDelivery(_ payload: PayloadID, _ arrival: Arrival) throws {
    let received = arrival.receivedAt.milliseconds
    let isCovered = try transaction.has(
      "SELECT 1 FROM delivery WHERE payload_id = ? AND received_at <= ? AND is_explicit >= ?",
      [payload, received, arrival.isExplicit])
    guard !isCovered else { return }
    let before = try instants(payload)
    try insertDelivery(payload, arrival)
    guard try instants(payload) != before else { return }
    let originalKeys: [OriginalTransactionKey] = try transaction.rowNumbers(
      """
      SELECT original_transaction_key FROM transaction_version WHERE payload_id = ?1
      UNION SELECT original_transaction_key FROM renewal_info_version WHERE payload_id = ?1
      UNION SELECT original_transaction_key FROM status_claim WHERE payload_id = ?1
      """, [payload])
    try projections.markOutdated(originalKeys)
  }

  private struct Instants: Equatable {
    var recordedAt: Instant?
    var evidenceAt: Instant?
  }

  private func instants(_ payload: PayloadID) throws -> Instants {
    let row = try transaction.row("SELECT recorded_at, evidence_at FROM stg_payload WHERE payload_id = ?", [payload])
    return Instants(recordedAt: row?.instant("recorded_at"), evidenceAt: row?.instant("evidence_at"))
  }

  // MARK: - Versions

  /// The payload that contains a version, with its evidence instant and recorded instant.
  private struct PayloadContext {
    var payload: PayloadID
    var digest: ContentDigest
    var evidenceAt: Instant
    var recordedAt: Instant
    var quality: ProjectionUpdater.PayloadQuality
  }

  private mutating func note(_ originalKey: OriginalTransactionKey, _ context: PayloadContext, evidenceAt: Instant)
    throws
  {
    try projections.note(
      originalKey, evidenceAt: evidenceAt, recordedAt: context.recordedAt, in: context.quality)
  }

  /// Records a version of a transaction.
  /// - Parameter ranks: the strongest source of each transaction info in the payload so far.
  private mutating func insert(
    _ version: TransactionVersion, _ recorded: RecordedTransaction, _ context: PayloadContext,
    _ ranks: inout [TransactionInfoID: SourceRank]
  ) throws {
    // A receipt contains most transactions in both latest_receipt_info and in_app. If the texts are equal, the weaker
    // source changes nothing, and only its position is recorded.
    if let stronger = ranks[recorded.info.id], stronger.rawValue < version.rank.rawValue { return }
    ranks[recorded.info.id] = version.rank
    let originalKey = recorded.originalKey
    let id: TransactionVersionID = try statements(.insertTransactionVersion).column("version_id").bind(nil as Int64?)
      .column("payload_id").bind(context.payload).column("original_transaction_key").bind(originalKey)
      .column("transaction_key").bind(recorded.key).column("transaction_info_id").bind(recorded.info.id)
      .column("source_rank").bind(version.rank.rawValue).column("signed_at").bind(version.signedAt).insert()
    if recorded.info.isNew { try insertIdentifiers(originalKey, by: version.fields) }
    let evidenceAt = version.signedAt ?? context.evidenceAt
    try note(originalKey, context, evidenceAt: evidenceAt)
    try projections.note(
      ProjectionUpdater.CandidateVersion(
        key: recorded.key, version: id, evidenceAt: evidenceAt, rank: version.rank, fields: version.fields),
      of: originalKey, isFirst: recorded.isFirst, recordedAt: context.recordedAt,
      digests: (version.object.digest, context.digest))
  }

  private mutating func insert(_ version: RenewalVersion, _ recorded: RecordedRenewal, _ context: PayloadContext) throws
  {
    let originalKey = recorded.originalKey
    let id: RenewalInfoVersionID = try statements(.insertRenewalVersion).column("version_id").bind(nil as Int64?)
      .column("payload_id").bind(context.payload).column("original_transaction_key").bind(originalKey)
      .column("renewal_info_id").bind(recorded.info.id).column("source_rank").bind(version.rank.rawValue)
      .column("signed_at").bind(version.signedAt).insert()
    if recorded.info.isNew { try insertIdentifiers(originalKey, by: version.fields) }
    let evidenceAt = version.signedAt ?? context.evidenceAt
    try note(originalKey, context, evidenceAt: evidenceAt)
    try projections.note(renewal: id, of: originalKey, evidenceAt: evidenceAt, recordedAt: context.recordedAt)
  }
}

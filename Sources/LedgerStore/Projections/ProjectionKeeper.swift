internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Keeps the projections equal to the general text, at a cost that does not grow with a line's history.
///
/// The general text of the views is the truth (law 5), and ``settle()`` uses it wherever the answer is not plain: for
/// lines to be derived anew, heads that went back, ties. What stands here a second time is the order of rules §2, as a
/// comparison of the present version with one more, and that what comes later in the order of rules §3 or §7 takes the
/// place of what was last; the audit compares the two.
package struct ProjectionKeeper {
  private let transaction: ProjectionTransaction
  let steps: PreparedSteps<ProjectionStep>
  /// What is kept of the lines that this transaction touched.
  private var lines: [Int64: ProjectedSubscription] = [:]
  /// Lines to be derived from all their evidence.
  private var outdated: Set<Int64> = []

  init(_ transaction: ProjectionTransaction) {
    self.transaction = transaction
    steps = transaction.steps()
  }

  /// A version of a transaction that is, or may become, its current one.
  struct Current {
    var key: Int64
    var version: Int64
    var evidenceAt: Int64
    var rank: Int64
    var productID: String?
    var purchaseAt: Int64
    var expiresAt: Int64?
    var revokedAt: Int64?
    var isUpgraded: Bool

    init(key: Int64, version: Int64, evidenceAt: Int64, rank: Int64, fields: TransactionFields) {
      (self.key, self.version, self.evidenceAt, self.rank) = (key, version, evidenceAt, rank)
      productID = fields.productID
      purchaseAt = fields.purchaseAt?.milliseconds ?? 0
      expiresAt = fields.expiresAt?.milliseconds
      revokedAt = fields.revokedAt?.milliseconds
      isUpgraded = fields.isUpgraded ?? false
    }
  }

  /// What the rules read of a version of a renewal info.
  struct Renewal {
    var version: Int64
    var gracePeriodExpiresAt: Int64?
    var isInBillingRetryPeriod: Bool?
    var expirationIntent: Int64?
    var autoRenewStatus: Bool?
    var autoRenewProductID: String?
    var signedAt: Int64?
  }

  // MARK: - Noting

  /// A line was heard of for the first time: nothing is kept of it yet.
  mutating func begin(_ line: Int64) { lines[line] = ProjectedSubscription() }

  /// Something was said of a line.
  /// - Parameters:
  ///   - isContradictory: whether the payload contradicts itself.
  ///   - trust: how much the payload is trusted.
  mutating func note(
    line: Int64, evidenceAt: Int64, recordedAt: Int64, isContradictory: Bool, trust: LeastTrust
  ) throws {
    guard let kept = try kept(line) else { return }
    if trust.rawValue < kept.leastTrust.rawValue { kept.leastTrust = trust }
    if isContradictory { kept.isContradicted = true }
    kept.lastRecordedAt = max(kept.lastRecordedAt ?? recordedAt, recordedAt)
    kept.evidenceAt = max(kept.evidenceAt ?? evidenceAt, evidenceAt)
  }

  /// One more version of a transaction: it is the current one from its recorded instant on, until a later one in the
  /// order of rules §2 was recorded; and it ends the time of those before it.
  /// - Parameters:
  ///   - isFirst: whether this is the first that was heard of the transaction.
  ///   - recordedAt: the payload's recorded instant.
  ///   - digests: of the statement and of the payload.
  mutating func note(
    _ version: Current, of line: Int64, isFirst: Bool, recordedAt: Int64,
    digests: (statement: ContentDigest, payload: ContentDigest)
  ) throws {
    guard let kept = try kept(line) else { return }
    var knownUntil: Int64?
    if !isFirst {
      for present in try intervals(of: version.key, line: line) {
        if try comesAfter(version, present, digests) {
          if recordedAt <= present.knownFrom {
            try steps(.deleteInterval).bind(line).bind(version.key).bind(present.knownFrom).run()
          } else if recordedAt < present.knownUntil ?? .max {
            try steps(.endInterval).bind(line).bind(version.key).bind(present.knownFrom).bind(recordedAt).run()
          }
        } else {
          knownUntil = min(knownUntil ?? .max, present.knownFrom)
        }
      }
    }
    guard recordedAt < knownUntil ?? .max else { return }
    try steps(.insertInterval).bind(line).bind(version.key).bind(recordedAt).bind(knownUntil).bind(version.version)
      .bind(version.evidenceAt).bind(version.rank).bind(version.purchaseAt).bind(version.expiresAt)
      .bind(version.revokedAt).bind(version.isUpgraded).run()
    if knownUntil == nil { kept.consider(version) }
  }

  /// What is kept of a version, as far as the order of rules §2 needs it.
  private struct Present {
    typealias Order = (Int64, Int64, Int64, Int64)
    var knownFrom: Int64
    var knownUntil: Int64?
    var version: Int64
    var order: Order
  }

  private func intervals(of key: Int64, line: Int64) throws -> [Present] {
    var found: [Present] = []
    try steps(.readIntervals).bind(line).bind(key).each { row in
      found.append(
        Present(
          knownFrom: row.number(0) ?? 0, knownUntil: row.number(1), version: row.number(2) ?? 0,
          order: (row.number(3) ?? 0, -(row.number(4) ?? 0), row.number(6) == nil ? 0 : 1, row.number(5) ?? -1)))
    }
    return found
  }

  private func comesAfter(
    _ version: Current, _ present: Present, _ digests: (statement: ContentDigest, payload: ContentDigest)
  ) throws -> Bool {
    let order: Present.Order = (
      version.evidenceAt, -version.rank, version.revokedAt == nil ? 0 : 1, version.expiresAt ?? -1
    )
    if order != present.order { return order > present.order }
    func digest(_ step: ProjectionStep) throws -> ContentDigest {
      ContentDigest(bytes: try steps(step).bind(present.version).first { $0.bytes(0) } ?? [])
    }
    let statement = try digest(.digestOfVersion)
    if statement != digests.statement { return digests.statement > statement }
    return digests.payload > (try digest(.payloadDigestOfVersion))
  }

  /// One more version of a renewal info.
  mutating func note(_ version: Renewal, of line: Int64, evidenceAt: Int64, recordedAt: Int64) throws {
    guard let kept = try kept(line) else { return }
    try steps(.insertRenewalPlace).bind(line).bind(evidenceAt).bind(version.version).bind(recordedAt).run()
    kept.consider(version, evidenceAt: evidenceAt)
  }

  /// The instants of something said of these lines have changed: what was derived is no longer known to be right.
  mutating func deriveAgain(_ lines: [Int64]) { outdated.formUnion(lines) }

  /// What is kept of a line; `nil` where it will be derived anew.
  private mutating func kept(_ line: Int64) throws -> ProjectedSubscription? {
    if outdated.contains(line) { return nil }
    if let kept = lines[line] { return kept }
    // A known line of which nothing is kept: what is kept was emptied, or it was only named.
    guard let kept = try steps(.readLine).bind(line).first(ProjectedSubscription.init(row:)) else {
      outdated.insert(line)
      return nil
    }
    lines[line] = kept
    return kept
  }

  // MARK: - Settling

  /// Writes what is kept of all touched lines. To be called once, before the transaction ends.
  mutating func settle() throws {
    var unclear: [Int64] = []
    for line in lines.keys { try steps(.unmeasure).bind(line).run() }
    for line in outdated { try steps(.unmeasure).bind(line).run() }
    for (line, kept) in lines where !outdated.contains(line) && kept.lastRecordedAt != nil {
      try kept.write(line, steps(.writeLine))
      if kept.isUnclear { unclear.append(line) }
    }
    try deriveAnew(Array(outdated))
    try derive(unclear + outdated)
    lines = [:]
    outdated = []
  }

  private func run(_ sql: String) throws { try transaction.execute(sql) }

  private func ask(_ lines: [Int64]) throws {
    try run("DELETE FROM temp.param_scope")
    for line in lines { try steps(.ask).bind(Int64.max >> 1).bind(line).run() }
  }

  /// Finds heads and renewal infos by the general text: while projection_original_transaction says that the head lies in the future, the
  /// views look for it among the line's current transactions.
  private func derive(_ lines: [Int64]) throws {
    if lines.isEmpty { return }
    try ask(lines)
    try run(
      """
      UPDATE projection_original_transaction SET
        deciding_version_id = NULL, transaction_key = NULL, deciding_evidence_at = NULL, product_id = NULL,
        purchase_at = 9223372036854775807,
        expires_at = NULL, revoked_at = NULL, is_upgraded = NULL, renewal_info_version_id = NULL,
        grace_period_expires_at = NULL, is_in_billing_retry_period = NULL, expiration_intent = NULL,
        auto_renew_status = NULL, auto_renew_product_id = NULL, renewal_signed_at = NULL
      WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
      """)
    try run(
      """
      UPDATE projection_original_transaction SET
        deciding_version_id = f.version_id, transaction_key = f.transaction_key, deciding_evidence_at = f.deciding_evidence_at,
        product_id = f.product_id, purchase_at = f.purchase_at, expires_at = f.expires_at, revoked_at = f.revoked_at,
        is_upgraded = f.is_upgraded, renewal_info_version_id = f.latest_renewal_info_version_id,
        grace_period_expires_at = f.grace_period_expires_at,
        is_in_billing_retry_period = f.is_in_billing_retry_period, expiration_intent = f.expiration_intent,
        auto_renew_status = f.auto_renew_status, auto_renew_product_id = f.auto_renew_product_id,
        renewal_signed_at = f.renewal_signed_at
      FROM temp.rule_input f WHERE f.original_transaction_key = projection_original_transaction.original_transaction_key
      """)
    try run(
      """
      UPDATE projection_original_transaction SET purchase_at = NULL
      WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope) AND purchase_at = 9223372036854775807
      """)
  }

  /// Derives the projections of lines from their evidence alone, but for the heads and their renewal infos.
  private func deriveAnew(_ lines: [Int64]) throws {
    if lines.isEmpty { return }
    try ask(lines)
    // Without a row in projection_original_transaction, the views answer by the general text.
    for table in ["projection_original_transaction", "projection_transaction", "projection_renewal_info"] {
      try run(
        "DELETE FROM \(table) WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)"
      )
    }
    try run(
      """
      INSERT INTO projection_transaction
      SELECT original_transaction_key, transaction_key, known_from, known_until, version_id, evidence_at, source_rank,
        purchase_at, expires_at, revoked_at, is_upgraded
      FROM temp.int_transaction_version_interval
      """)
    try run(
      """
      INSERT INTO projection_renewal_info SELECT original_transaction_key, evidence_at, version_id, recorded_at FROM temp.int_known_renewal_info_version
      """)
    try run(
      """
      INSERT INTO projection_original_transaction (
        original_transaction_key, last_recorded_at, evidence_at, renewal_evidence_at, is_contradicted, least_trust)
      SELECT e.original_transaction_key,
        (SELECT MAX(i.recorded_at) FROM stg_payload i WHERE i.payload_id IN (
          SELECT payload_id FROM transaction_version WHERE original_transaction_key = e.original_transaction_key
          UNION SELECT payload_id FROM renewal_info_version WHERE original_transaction_key = e.original_transaction_key
          UNION SELECT payload_id FROM status_claim WHERE original_transaction_key = e.original_transaction_key)),
        e.evidence_at,
        (SELECT MAX(evidence_at) FROM projection_renewal_info r WHERE r.original_transaction_key = e.original_transaction_key),
        EXISTS (
          SELECT 1 FROM problem x WHERE x.code = 'contradictory_date' AND x.payload_id IN (
            SELECT payload_id FROM transaction_version WHERE original_transaction_key = e.original_transaction_key
            UNION SELECT payload_id FROM renewal_info_version WHERE original_transaction_key = e.original_transaction_key
            UNION SELECT payload_id FROM status_claim WHERE original_transaction_key = e.original_transaction_key)),
        (SELECT MIN(i.trust_level) FROM stg_payload i WHERE i.payload_id IN (
          SELECT payload_id FROM transaction_version WHERE original_transaction_key = e.original_transaction_key
          UNION SELECT payload_id FROM renewal_info_version WHERE original_transaction_key = e.original_transaction_key
          UNION SELECT payload_id FROM status_claim WHERE original_transaction_key = e.original_transaction_key))
      FROM temp.int_last_evidence_derived e
      """)
  }

  /// The views that a connection must have for it.
  static let neededViews = ["rule_input", "int_transaction_version_interval", "int_known_renewal_info_version"]

  /// Whether nothing is kept of what was recorded: after a step of the schema that emptied the projections, or where
  /// somebody else did.
  static func areEmpty(_ database: Database) throws -> Bool {
    try database.id("SELECT 1 FROM transaction_version LIMIT 1", []) != nil
      && database.id("SELECT 1 FROM projection_original_transaction LIMIT 1", []) == nil
  }

  /// Derives all projections again from the evidence alone: what they hold is nowhere needed.
  /// - Parameter progress: called at the start and after each thousand subscriptions, with how many were derived, and of
  ///   how many.
  static func rebuild(
    _ transaction: ProjectionTransaction, progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
  ) throws {
    var keeper = ProjectionKeeper(transaction)
    try keeper.rebuild(progress)
  }

  private mutating func rebuild(_ progress: (_ done: Int, _ count: Int) -> Void) throws {
    let count = try Int(transaction.id("SELECT COUNT(*) FROM original_transaction", []) ?? 0)
    let lines = try Int64.fetchCursor(transaction.query("SELECT original_transaction_key FROM original_transaction"))
    var done = 0
    progress(done, count)
    while let line = try lines.next() {
      outdated.insert(line)
      guard outdated.count >= 1000 else { continue }
      done += outdated.count
      try settle()
      progress(done, count)
    }
    try settle()
  }
}

extension ProjectionKeeper {
  /// What is missing of the ids that lead to subscriptions is put back, and what is too much goes.
  static func rebuildIdentifiers(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "original_transaction_identifier", ["identifier", "kind", "original_transaction_key"],
      kept: "SELECT identifier, kind, original_transaction_key FROM main.original_transaction_identifier",
      derived: "SELECT identifier, kind, original_transaction_key FROM int_projected_identifier")
    try rebuildLinkTargets(transaction)
  }

  /// Makes the original transactions that link entries name those that their ids lead to.
  package static func rebuildLinkTargets(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "customer_link_target", ["entry_id", "original_transaction_key"], kept: keptLinkTargets,
      derived: derivedLinkTargets)
  }

  /// What `customer_link_target` holds.
  package static let keptLinkTargets = "SELECT entry_id, original_transaction_key FROM main.customer_link_target"

  /// What `customer_link_target` must hold.
  package static let derivedLinkTargets = """
    SELECT e.entry_id, n.original_transaction_key FROM main.customer_link_entry e
    JOIN main.int_identifier n ON n.identifier = e.identifier
    """
}

internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Updates the projections during an import, at a cost that does not grow with a subscription's history.
///
/// The results must equal those of the views, which are the truth (law 5). ``settle()`` uses the views where a short
/// update cannot be exact. These cases are outdated subscriptions, deciding transactions whose dates went back, and
/// ties. This type repeats two rules of the views. It compares the present version with a new one in the order of rules
/// §2. And a version that comes later in the order of rules §3, §5 or §7 replaces the version that was last. The audit
/// compares the results.
package struct ProjectionKeeper {
  private let transaction: ProjectionTransaction
  let steps: PreparedSteps<ProjectionStep>
  /// The projected rows of the original transactions that this database transaction touched.
  private var subscriptions: [Int64: ProjectedSubscription] = [:]
  /// The original transactions to derive again from all their evidence.
  private var outdated: Set<Int64> = []

  init(_ transaction: ProjectionTransaction) {
    self.transaction = transaction
    steps = transaction.steps()
  }

  /// A version of a transaction that is current, or may become current.
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

  /// The fields of a renewal info's version that the rules read.
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

  /// Begins the projected row of an original transaction that the ledger did not have.
  mutating func begin(_ subscription: Int64) { subscriptions[subscription] = ProjectedSubscription() }

  /// Notes evidence about an original transaction.
  /// - Parameters:
  ///   - isContradictory: whether the payload contradicts itself.
  ///   - trust: how much the payload is trusted.
  mutating func note(
    line subscription: Int64, evidenceAt: Int64, recordedAt: Int64, isContradictory: Bool, trust: LeastTrust
  ) throws {
    guard let kept = try kept(subscription) else { return }
    if trust.rawValue < kept.leastTrust.rawValue { kept.leastTrust = trust }
    if isContradictory { kept.isContradicted = true }
    kept.lastRecordedAt = max(kept.lastRecordedAt ?? recordedAt, recordedAt)
    kept.evidenceAt = max(kept.evidenceAt ?? evidenceAt, evidenceAt)
  }

  /// Notes one more version of a transaction. It is current from its recorded instant on. Its interval ends when a
  /// version is recorded that comes later in the order of rules §2. It ends the interval of each version that comes
  /// before it in that order.
  /// - Parameters:
  ///   - isFirst: whether this is the first version of the transaction in the ledger.
  ///   - recordedAt: the payload's recorded instant, in milliseconds since 1970.
  ///   - digests: the digests of the transaction's text and of the payload.
  mutating func note(
    _ version: Current, of subscription: Int64, isFirst: Bool, recordedAt: Int64,
    digests: (statement: ContentDigest, payload: ContentDigest)
  ) throws {
    guard let kept = try kept(subscription) else { return }
    var knownUntil: Int64?
    if !isFirst {
      for present in try intervals(of: version.key, subscription: subscription) {
        if try comesAfter(version, present, digests) {
          if recordedAt <= present.knownFrom {
            try steps(.deleteInterval).bind(subscription).bind(version.key).bind(present.knownFrom).run()
          } else if recordedAt < present.knownUntil ?? .max {
            try steps(.endInterval).bind(subscription).bind(version.key).bind(present.knownFrom).bind(recordedAt).run()
          }
        } else {
          knownUntil = min(knownUntil ?? .max, present.knownFrom)
        }
      }
    }
    guard recordedAt < knownUntil ?? .max else { return }
    try steps(.insertInterval).bind(subscription).bind(version.key).bind(recordedAt).bind(knownUntil)
      .bind(version.version).bind(version.evidenceAt).bind(version.rank).bind(version.purchaseAt).bind(
        version.expiresAt
      )
      .bind(version.revokedAt).bind(version.isUpgraded).run()
    if knownUntil == nil { kept.consider(version) }
  }

  /// The fields of a stored version that the order of rules §2 needs.
  private struct Present {
    typealias Order = (Int64, Int64, Int64, Int64)
    var knownFrom: Int64
    var knownUntil: Int64?
    var version: Int64
    var order: Order
  }

  private func intervals(of key: Int64, subscription: Int64) throws -> [Present] {
    var found: [Present] = []
    try steps(.readIntervals).bind(subscription).bind(key).each { row in
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

  /// Notes one more version of a renewal info.
  mutating func note(_ version: Renewal, of subscription: Int64, evidenceAt: Int64, recordedAt: Int64) throws {
    guard let kept = try kept(subscription) else { return }
    try steps(.insertRenewalPlace).bind(subscription).bind(evidenceAt).bind(version.version).bind(recordedAt).run()
    kept.consider(version, evidenceAt: evidenceAt)
  }

  /// Marks original transactions as outdated, because the instants of their evidence changed.
  mutating func deriveAgain(_ subscriptions: [Int64]) { outdated.formUnion(subscriptions) }

  /// Returns the projected row of an original transaction, or `nil` if it must be derived again from all evidence.
  private mutating func kept(_ subscription: Int64) throws -> ProjectedSubscription? {
    if outdated.contains(subscription) { return nil }
    if let kept = subscriptions[subscription] { return kept }
    // A known original transaction without a row: the projections were emptied, or only its id was recorded so far.
    guard let kept = try steps(.readLine).bind(subscription).first(ProjectedSubscription.init(row:)) else {
      outdated.insert(subscription)
      return nil
    }
    subscriptions[subscription] = kept
    return kept
  }

  // MARK: - Writing

  /// Writes the projected rows of all touched original transactions. Call it once, before the database transaction
  /// ends.
  mutating func settle() throws {
    var unclear: [Int64] = []
    for subscription in subscriptions.keys { try steps(.unmeasure).bind(subscription).run() }
    for subscription in outdated { try steps(.unmeasure).bind(subscription).run() }
    for (subscription, kept) in subscriptions where !outdated.contains(subscription) && kept.lastRecordedAt != nil {
      try kept.write(subscription, steps(.writeLine))
      if kept.isUnclear { unclear.append(subscription) }
    }
    try deriveAnew(Array(outdated))
    try derive(unclear + outdated)
    try EntitlementPeriods.settle(transaction, outdated.union(subscriptions.keys))
    subscriptions = [:]
    outdated = []
  }

  private func run(_ sql: String) throws { try transaction.execute(sql) }

  private func ask(_ subscriptions: [Int64]) throws {
    try run("DELETE FROM temp.param_scope")
    for subscription in subscriptions { try steps(.ask).bind(Int64.max >> 1).bind(subscription).run() }
  }

  /// Finds deciding transactions and renewal infos by the views. It first stores a deciding purchase in the future.
  /// Then the views search the current transactions of each subscription.
  private func derive(_ subscriptions: [Int64]) throws {
    if subscriptions.isEmpty { return }
    try ask(subscriptions)
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

  /// Derives the projections from evidence alone, without the deciding transactions and their renewal infos.
  private func deriveAnew(_ subscriptions: [Int64]) throws {
    if subscriptions.isEmpty { return }
    try ask(subscriptions)
    // Without a row in projection_original_transaction, the views derive from evidence.
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

  /// The views that a connection needs before it maintains projections.
  static let neededViews = ["rule_input", "int_transaction_version_interval", "int_known_renewal_info_version"]

  /// Returns whether the file has evidence and no projections. A migration empties the projections, and somebody else
  /// may.
  static func areEmpty(_ database: Database) throws -> Bool {
    try database.id("SELECT 1 FROM transaction_version LIMIT 1", []) != nil
      && database.id("SELECT 1 FROM projection_original_transaction LIMIT 1", []) == nil
  }

  /// Derives all projections again from the evidence alone. Their stored content is not used.
  /// - Parameters:
  ///   - transaction: the transaction that writes the projections.
  ///   - progress: called at the start and after each thousand original transactions. It gets the number derived so far
  ///     and the count of all.
  static func rebuild(
    _ transaction: ProjectionTransaction, progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
  ) throws {
    var keeper = ProjectionKeeper(transaction)
    try keeper.rebuild(progress)
  }

  private mutating func rebuild(_ progress: (_ done: Int, _ count: Int) -> Void) throws {
    let count = try Int(transaction.id("SELECT COUNT(*) FROM original_transaction", []) ?? 0)
    let keys = try Int64.fetchCursor(transaction.query("SELECT original_transaction_key FROM original_transaction"))
    var done = 0
    progress(done, count)
    while let key = try keys.next() {
      outdated.insert(key)
      guard outdated.count >= 1000 else { continue }
      done += outdated.count
      try settle()
      progress(done, count)
    }
    try settle()
    while try EntitlementPeriods.writeWaiting(transaction, limit: SubscriptionSlice.width) {}
  }
}

extension ProjectionKeeper {
  /// Makes the stored ids that lead to original transactions equal to the derived ones.
  static func rebuildIdentifiers(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "original_transaction_identifier", ["identifier", "kind", "original_transaction_key"],
      kept: "SELECT identifier, kind, original_transaction_key FROM main.original_transaction_identifier",
      derived: "SELECT identifier, kind, original_transaction_key FROM int_projected_identifier")
    try rebuildLinkTargets(transaction)
  }

  /// Makes the stored targets of link entries equal to the original transactions that their ids lead to.
  package static func rebuildLinkTargets(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "customer_link_target", ["entry_id", "original_transaction_key"], kept: keptLinkTargets,
      derived: derivedLinkTargets)
  }

  /// SQL that selects the stored rows of `customer_link_target`.
  package static let keptLinkTargets = "SELECT entry_id, original_transaction_key FROM main.customer_link_target"

  /// SQL that selects the rows that `customer_link_target` must contain.
  package static let derivedLinkTargets = """
    SELECT e.entry_id, n.original_transaction_key FROM main.customer_link_entry e
    JOIN main.int_identifier n ON n.identifier = e.identifier
    """
}

internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Updates the projections during an import.
///
/// The results must equal those of the views, which are the truth (law 5), and the audit compares them. One rule is
/// written here for a second time: this type compares a new version of a transaction with the present ones in the order
/// of rules §2. So the cost does not grow with the number of payloads that repeat a transaction. Everything else is
/// derived by the views.
package struct ProjectionKeeper {
  private let transaction: ProjectionTransaction
  let steps: PreparedSteps<ProjectionStep>
  /// The evidence about the original transactions that this database transaction touched.
  private var subscriptions: [Int64: EvidenceSummary] = [:]
  /// The original transactions to derive again from all their evidence.
  private var outdated: Set<Int64> = []

  init(_ transaction: ProjectionTransaction) {
    self.transaction = transaction
    steps = transaction.steps()
  }

  /// The projected row of an original transaction. It is read once and written once in a database transaction.
  private struct EvidenceSummary {
    /// The latest recorded instant of its evidence; `nil` while there is none.
    var lastRecordedAt: Int64?
    var evidenceAt: Int64?
    /// Whether a payload with evidence about it contradicts itself.
    var isContradicted = false
    /// The lowest trust of all evidence about it.
    var leastTrust = LeastTrust.apple

    init() {}

    init(row: Step.Columns) {
      (lastRecordedAt, evidenceAt) = (row.number(0), row.number(1))
      isContradicted = row.number(2) == 1
      leastTrust = LeastTrust(rawValue: row.number(3) ?? 0) ?? .any
    }
  }

  /// A version of a transaction that is current, or may become current.
  struct Current {
    var key: Int64
    var version: Int64
    var evidenceAt: Int64
    var rank: Int64
    var purchaseAt: Int64
    var expiresAt: Int64?
    var revokedAt: Int64?
    var isUpgraded: Bool
    /// Whether it states why more than one transaction covers its period.
    var hasReason: Bool

    init(key: Int64, version: Int64, evidenceAt: Int64, rank: Int64, fields: TransactionFields) {
      (self.key, self.version, self.evidenceAt, self.rank) = (key, version, evidenceAt, rank)
      purchaseAt = fields.purchaseAt?.milliseconds ?? 0
      expiresAt = fields.expiresAt?.milliseconds
      revokedAt = fields.revokedAt?.milliseconds
      isUpgraded = fields.isUpgraded ?? false
      hasReason = fields.seats?.additionalTransactionReason != nil
    }
  }

  // MARK: - Noting

  /// Begins the projected row of an original transaction that the ledger did not have.
  mutating func begin(_ subscription: Int64) { subscriptions[subscription] = EvidenceSummary() }

  /// Notes evidence about an original transaction.
  /// - Parameters:
  ///   - isContradictory: whether the payload contradicts itself.
  ///   - trust: how much the payload is trusted.
  mutating func note(
    line subscription: Int64, evidenceAt: Int64, recordedAt: Int64, isContradictory: Bool, trust: LeastTrust
  ) throws {
    guard var kept = try kept(subscription) else { return }
    if trust.rawValue < kept.leastTrust.rawValue { kept.leastTrust = trust }
    if isContradictory { kept.isContradicted = true }
    kept.lastRecordedAt = max(kept.lastRecordedAt ?? recordedAt, recordedAt)
    kept.evidenceAt = max(kept.evidenceAt ?? evidenceAt, evidenceAt)
    subscriptions[subscription] = kept
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
    guard try kept(subscription) != nil else { return }
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
    let step = try steps(.insertInterval)
    step.column("original_transaction_key").bind(subscription)
    step.column("transaction_key").bind(version.key)
    step.column("known_from").bind(recordedAt)
    step.column("known_until").bind(knownUntil)
    step.column("version_id").bind(version.version)
    step.column("evidence_at").bind(version.evidenceAt)
    step.column("source_rank").bind(version.rank)
    step.column("purchase_at").bind(version.purchaseAt)
    step.column("expires_at").bind(version.expiresAt)
    step.column("revoked_at").bind(version.revokedAt)
    try step.column("is_upgraded").bind(version.isUpgraded).run()
  }

  /// The fields of a stored version that the order of rules §2 needs.
  private struct Present {
    typealias Order = (Int64, Int64, Int64)
    var knownFrom: Int64
    var knownUntil: Int64?
    var version: Int64
    var order: Order
    var expiresAt: Int64
  }

  private func intervals(of key: Int64, subscription: Int64) throws -> [Present] {
    var found: [Present] = []
    try steps(.readIntervals).bind(subscription).bind(key).each { row in
      found.append(
        Present(
          knownFrom: row.number(0) ?? 0, knownUntil: row.number(1), version: row.number(2) ?? 0,
          order: (row.number(3) ?? 0, -(row.number(4) ?? 0), row.number(6) == nil ? 0 : 1),
          expiresAt: row.number(5) ?? -1))
    }
    return found
  }

  private func comesAfter(
    _ version: Current, _ present: Present, _ digests: (statement: ContentDigest, payload: ContentDigest)
  ) throws -> Bool {
    let order: Present.Order = (version.evidenceAt, -version.rank, version.revokedAt == nil ? 0 : 1)
    if order != present.order { return order > present.order }
    let hasReason = try steps(.reasonOfVersion).bind(present.version).number() != nil
    if version.hasReason != hasReason { return version.hasReason }
    let expiresAt = version.expiresAt ?? -1
    if expiresAt != present.expiresAt { return expiresAt > present.expiresAt }
    func digest(_ step: ProjectionStep) throws -> ContentDigest {
      ContentDigest(bytes: try steps(step).bind(present.version).first { $0.bytes(0) } ?? [])
    }
    let statement = try digest(.digestOfVersion)
    if statement != digests.statement { return digests.statement > statement }
    return digests.payload > (try digest(.payloadDigestOfVersion))
  }

  /// Notes one more version of a renewal info, by its number.
  mutating func note(renewal version: Int64, of subscription: Int64, evidenceAt: Int64, recordedAt: Int64) throws {
    guard try kept(subscription) != nil else { return }
    try steps(.insertRenewalPlace).column("original_transaction_key").bind(subscription)
      .column("evidence_at").bind(evidenceAt).column("version_id").bind(version)
      .column("recorded_at").bind(recordedAt).run()
  }

  /// Marks original transactions as outdated, because the instants of their evidence changed. The change feed looks at
  /// them again, although no version is new.
  mutating func deriveAgain(_ subscriptions: [Int64]) throws {
    outdated.formUnion(subscriptions)
    for subscription in subscriptions { try steps(.lookAgain).bind(subscription).run() }
  }

  /// Returns the projected row of an original transaction, or `nil` if it must be derived again from all evidence.
  private mutating func kept(_ subscription: Int64) throws -> EvidenceSummary? {
    if outdated.contains(subscription) { return nil }
    if let kept = subscriptions[subscription] { return kept }
    // A known original transaction without a row: the projections were emptied, or only its id was recorded so far.
    guard let kept = try steps(.readLine).bind(subscription).first(EvidenceSummary.init(row:)) else {
      outdated.insert(subscription)
      return nil
    }
    subscriptions[subscription] = kept
    return kept
  }

  // MARK: - Writing

  /// Writes the projected rows of all touched original transactions. Call it once, before the database transaction
  /// ends.
  /// - Parameter leavesPeriods: whether the caller derives later the periods of subscriptions, when there are many.
  mutating func settle(leavingPeriods leavesPeriods: Bool = false) throws {
    for subscription in outdated.union(subscriptions.keys) { try steps(.unmeasure).bind(subscription).run() }
    for (subscription, kept) in subscriptions where !outdated.contains(subscription) && kept.lastRecordedAt != nil {
      try steps(.writeLine).bind(subscription).bind(kept.lastRecordedAt).bind(kept.evidenceAt).bind(kept.isContradicted)
        .bind(kept.leastTrust.rawValue).run()
    }
    try deriveVersions(of: outdated.sorted())
    try EntitlementPeriods.settle(
      transaction, outdated.union(subscriptions.keys), leavingMany: leavesPeriods)
    subscriptions = [:]
    outdated = []
  }

  /// Derives what is stored about the versions of some subscriptions from their payloads alone.
  /// - Parameter subscriptions: the keys of the original transactions, sorted.
  func deriveVersions(of subscriptions: [Int64]) throws {
    for slice in SubscriptionSlice.slices(of: subscriptions) {
      try slice.ask(transaction)
      for table in Self.tables {
        try transaction.forget(table.name)
        try transaction.store(table)
      }
    }
  }

  /// The tables that this type keeps up to date.
  static let tables = [
    DerivedAnswers.Stored(
      name: "projection_original_transaction", derived: "int_original_transaction_evidence"),
    DerivedAnswers.Stored(name: "projection_transaction", derived: "int_transaction_version_interval"),
    DerivedAnswers.Stored(name: "projection_renewal_info", derived: "int_renewal_info_instant"),
  ]

  /// Creates the temporary views with the rows of the projections.
  static func prepare(_ database: Database, overlaid: inout Set<String>) throws {
    _ = try DerivedTables(EntitlementPeriods.storedSteps, on: database, overlaid: &overlaid)
    let views = DerivedAnswers.stored.map(\.derived) + ["int_projected_identifier"]
    try Schema.overlay(views, on: database, overlaid: &overlaid)
  }

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
    try SubscriptionSlice.range(.min ... .max).ask(transaction)
    try transaction.replace(
      "original_transaction_identifier", ["identifier", "kind", "original_transaction_key"],
      kept: "SELECT identifier, kind, original_transaction_key FROM main.original_transaction_identifier",
      derived: "SELECT identifier, kind, original_transaction_key FROM temp.int_projected_identifier")
    try rebuildLinkTargets(transaction)
  }

  /// Makes the stored targets of link entries equal to the original transactions that their ids lead to.
  package static func rebuildLinkTargets(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "customer_link_target", ["entry_id", "original_transaction_key"], kept: keptLinkTargets,
      derived: derivedLinkTargets)
  }

  /// SQL that selects the stored rows of `customer_link_target`.
  private static let keptLinkTargets = "SELECT entry_id, original_transaction_key FROM main.customer_link_target"

  /// SQL that selects the rows that `customer_link_target` must contain, found by the ids of the entries.
  private static let derivedLinkTargets = """
    SELECT e.entry_id, n.original_transaction_key FROM main.customer_link_entry e
    JOIN main.int_identifier n ON n.identifier = e.identifier
    WHERE n.kind <> 'original_transaction_id' OR EXISTS (
      SELECT 1 FROM main.transaction_info t
      WHERE t.original_transaction_key = n.original_transaction_key AND t.transaction_info_id = t.transaction_key
    )
    """
}

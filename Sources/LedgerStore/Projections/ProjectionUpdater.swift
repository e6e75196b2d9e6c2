internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Updates the projections during an import.
///
/// The results must equal those of the views, which are the truth (law 5), and the audit compares them. One rule is
/// written here for a second time: this type compares a new version of a transaction with the present ones in the order
/// of rules §2. So the cost does not grow with the number of payloads that repeat a transaction. Everything else is
/// derived by the views.
package struct ProjectionUpdater {
  private let transaction: ProjectionTransaction
  let statements: StatementCache<ProjectionStatement>
  /// The evidence about the original transactions that this database transaction touched.
  private var subscriptions: [OriginalTransactionKey: EvidenceSummary] = [:]
  /// The original transactions to derive again from all their evidence.
  private var outdated: Set<OriginalTransactionKey> = []

  init(_ transaction: ProjectionTransaction) {
    self.transaction = transaction
    statements = transaction.statements()
  }

  /// The projected row of an original transaction. It is read once and written once in a database transaction.
  private struct EvidenceSummary {
    /// The latest recorded instant of its evidence; `nil` while there is none.
    var lastRecordedAt: Instant?
    var evidenceAt: Instant?
    /// Whether a payload with evidence about it contradicts itself.
    var isContradicted = false
    /// The newest evidence instant of evidence that confirms an end (rules §6); `nil` while there is none.
    var confirmingEvidenceAt: Instant?
    /// The lowest trust of all evidence about it.
    var weakestTrust = MinimumTrust.apple

    init() {}

    init(row: BoundStatement.ResultRow) {
      (lastRecordedAt, evidenceAt) = (row.instant(0), row.instant(1))
      isContradicted = row.number(2) == 1
      weakestTrust = MinimumTrust(rawValue: row.number(3) ?? 0) ?? .any
      confirmingEvidenceAt = row.instant(4)
    }
  }

  /// What counts about a payload for the evidence in it.
  struct PayloadQuality {
    /// Whether the payload contradicts itself.
    var isContradictory: Bool
    /// Whether it is the receipt of a device, which may lack renewals.
    var isDeviceReceipt: Bool
    /// How much the payload is trusted.
    var trust: MinimumTrust

    /// Whether it confirms the end of a subscription (rules §6).
    var confirmsEnd: Bool { !isContradictory && !isDeviceReceipt }

    init(_ evidence: Evidence) {
      isContradictory = evidence.isContradictory
      isDeviceReceipt = evidence.kind.isDeviceReceipt
      trust = evidence.trustLevel
    }
  }

  /// A version of a transaction that is current, or may become current.
  struct CandidateVersion {
    var key: TransactionKey
    var version: TransactionVersionID
    var evidenceAt: Instant
    var rank: SourceRank
    var purchaseAt: Instant
    var expiresAt: Instant?
    var revokedAt: Instant?
    var isUpgraded: Bool
    /// Whether it states why more than one transaction covers its period.
    var hasReason: Bool

    init(
      key: TransactionKey, version: TransactionVersionID, evidenceAt: Instant, rank: SourceRank,
      fields: TransactionFields
    ) {
      (self.key, self.version, self.evidenceAt, self.rank) = (key, version, evidenceAt, rank)
      purchaseAt = fields.purchaseAt ?? Instant(milliseconds: 0)
      (expiresAt, revokedAt) = (fields.expiresAt, fields.revokedAt)
      isUpgraded = fields.isUpgraded ?? false
      hasReason = fields.seats?.additionalTransactionReason != nil
    }
  }

  // MARK: - Noting

  /// Begins the projected row of an original transaction that the ledger did not have.
  mutating func begin(_ subscription: OriginalTransactionKey) { subscriptions[subscription] = EvidenceSummary() }

  /// Notes evidence about an original transaction.
  /// - Parameters:
  ///   - payload: what the payload that contains it is like.
  mutating func note(
    _ subscription: OriginalTransactionKey, evidenceAt: Instant, recordedAt: Instant, in payload: PayloadQuality
  ) throws {
    guard var summary = try summary(subscription) else { return }
    if payload.trust.rawValue < summary.weakestTrust.rawValue { summary.weakestTrust = payload.trust }
    if payload.isContradictory { summary.isContradicted = true }
    if payload.confirmsEnd {
      summary.confirmingEvidenceAt = max(summary.confirmingEvidenceAt ?? evidenceAt, evidenceAt)
    }
    summary.lastRecordedAt = max(summary.lastRecordedAt ?? recordedAt, recordedAt)
    summary.evidenceAt = max(summary.evidenceAt ?? evidenceAt, evidenceAt)
    subscriptions[subscription] = summary
  }

  /// Notes one more version of a transaction. It is current from its recorded instant on. Its interval ends when a
  /// version is recorded that comes later in the order of rules §2. It ends the interval of each version that comes
  /// before it in that order.
  /// - Parameters:
  ///   - isFirst: whether this is the first version of the transaction in the ledger.
  ///   - recordedAt: the payload's recorded instant.
  ///   - digests: the digests of the transaction's text and of the payload.
  mutating func note(
    _ version: CandidateVersion, of subscription: OriginalTransactionKey, isFirst: Bool, recordedAt: Instant,
    digests: (object: ContentDigest, payload: ContentDigest)
  ) throws {
    guard try summary(subscription) != nil else { return }
    var knownUntil: Instant?
    if !isFirst {
      for present in try intervals(of: version.key, subscription: subscription) {
        if try isLater(version, present, digests) {
          if recordedAt <= present.knownFrom {
            try statements(.deleteInterval).bind(subscription).bind(version.key).bind(present.knownFrom).run()
          } else if recordedAt < present.knownUntil ?? .latest {
            try statements(.endInterval).bind(subscription).bind(version.key).bind(present.knownFrom).bind(recordedAt)
              .run()
          }
        } else {
          knownUntil = min(knownUntil ?? .latest, present.knownFrom)
        }
      }
    }
    guard recordedAt < knownUntil ?? .latest else { return }
    let statement = try statements(.insertInterval)
    statement.column("original_transaction_key").bind(subscription)
    statement.column("transaction_key").bind(version.key)
    statement.column("known_from").bind(recordedAt)
    statement.column("known_until").bind(knownUntil)
    statement.column("version_id").bind(version.version)
    statement.column("evidence_at").bind(version.evidenceAt)
    statement.column("source_rank").bind(version.rank.rawValue)
    statement.column("purchase_at").bind(version.purchaseAt)
    statement.column("expires_at").bind(version.expiresAt)
    statement.column("revoked_at").bind(version.revokedAt)
    try statement.column("is_upgraded").bind(version.isUpgraded).run()
  }

  /// Earlier than every instant of Apple's.
  private static let none = Instant(milliseconds: -1)

  /// The fields of a stored version that the order of rules §2 needs.
  private struct StoredInterval {
    typealias Order = (evidenceAt: Int64, rank: Int64, revoked: Int64)
    var knownFrom: Instant
    var knownUntil: Instant?
    var version: TransactionVersionID
    var order: Order
    var expiresAt: Instant?
  }

  private func intervals(of key: TransactionKey, subscription: OriginalTransactionKey) throws -> [StoredInterval] {
    var found: [StoredInterval] = []
    try statements(.readIntervals).bind(subscription).bind(key).each { row in
      found.append(
        StoredInterval(
          knownFrom: row.instant(0) ?? Self.none, knownUntil: row.instant(1),
          version: TransactionVersionID(row.number(2) ?? 0),
          order: (row.number(3) ?? 0, -(row.number(4) ?? 0), row.number(6) == nil ? 0 : 1),
          expiresAt: row.instant(5)))
    }
    return found
  }

  private func isLater(
    _ version: CandidateVersion, _ present: StoredInterval, _ digests: (object: ContentDigest, payload: ContentDigest)
  ) throws -> Bool {
    let order: StoredInterval.Order = (
      version.evidenceAt.milliseconds, -version.rank.rawValue, version.revokedAt == nil ? 0 : 1
    )
    if order != present.order { return order > present.order }
    let hasReason = try statements(.reasonOfVersion).bind(present.version).number() != nil
    if version.hasReason != hasReason { return version.hasReason }
    if version.expiresAt != present.expiresAt {
      return version.expiresAt ?? Self.none > present.expiresAt ?? Self.none
    }
    func digest(_ statement: ProjectionStatement) throws -> ContentDigest {
      ContentDigest(bytes: try statements(statement).bind(present.version).first { $0.bytes(0) } ?? [])
    }
    let object = try digest(.digestOfVersion)
    if object != digests.object { return digests.object > object }
    return digests.payload > (try digest(.payloadDigestOfVersion))
  }

  /// Notes one more version of a renewal info, by its number.
  mutating func note(
    renewal version: RenewalInfoVersionID, of subscription: OriginalTransactionKey, evidenceAt: Instant,
    recordedAt: Instant
  ) throws {
    guard try summary(subscription) != nil else { return }
    try statements(.insertRenewalInfoVersion).column("original_transaction_key").bind(subscription)
      .column("evidence_at").bind(evidenceAt).column("version_id").bind(version)
      .column("recorded_at").bind(recordedAt).run()
  }

  /// Marks original transactions as outdated, because the instants of their evidence changed. The change feed looks at
  /// them again, although no version is new.
  mutating func markOutdated(_ subscriptions: [OriginalTransactionKey]) throws {
    outdated.formUnion(subscriptions)
    for subscription in subscriptions { try statements(.resetNextChange).bind(subscription).run() }
  }

  /// Returns the projected row of an original transaction, or `nil` if it must be derived again from all evidence.
  private mutating func summary(_ subscription: OriginalTransactionKey) throws -> EvidenceSummary? {
    if outdated.contains(subscription) { return nil }
    if let summary = subscriptions[subscription] { return summary }
    // A known original transaction without a row: the projections were emptied, or only its id was recorded so far.
    guard let summary = try statements(.readEvidenceSummary).bind(subscription).first(EvidenceSummary.init(row:)) else {
      outdated.insert(subscription)
      return nil
    }
    subscriptions[subscription] = summary
    return summary
  }

  // MARK: - Writing

  /// Writes the projected rows of all touched original transactions. Call it once, before the database transaction
  /// ends.
  /// - Parameter defersPeriods: whether the caller derives later the periods of subscriptions, when there are many.
  mutating func flush(deferringPeriods defersPeriods: Bool = false) throws {
    for subscription in outdated.union(subscriptions.keys) {
      try statements(.forgetMetricCoverage).bind(subscription).run()
    }
    for (subscription, summary) in subscriptions where !outdated.contains(subscription) && summary.lastRecordedAt != nil
    {
      try statements(.writeEvidenceSummary).bind(subscription).bind(summary.lastRecordedAt).bind(summary.evidenceAt)
        .bind(summary.isContradicted).bind(summary.weakestTrust.rawValue).bind(summary.confirmingEvidenceAt).run()
    }
    try deriveVersions(of: outdated.sorted())
    try EntitlementPeriods.update(
      transaction, outdated.union(subscriptions.keys), deferringMany: defersPeriods)
    subscriptions = [:]
    outdated = []
  }

  /// Derives what is stored about the versions of some subscriptions from their payloads alone.
  /// - Parameter subscriptions: the keys of the original transactions, sorted.
  func deriveVersions(of subscriptions: [OriginalTransactionKey]) throws {
    for slice in SubscriptionSlice.slices(of: subscriptions) {
      try slice.write(to: transaction)
      for table in Self.tables {
        try transaction.deleteRows(table.name)
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
  static func prepare(_ database: Database, temporaryViews: inout Set<String>) throws {
    _ = try DerivedTables(EntitlementPeriods.storedSteps, on: database, temporaryViews: &temporaryViews)
    let views = DerivedAnswers.stored.map(\.derived) + ["int_projected_identifier"]
    try Schema.createTemporaryViews(views, on: database, temporaryViews: &temporaryViews)
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
    var keeper = ProjectionUpdater(transaction)
    try keeper.rebuild(progress)
  }

  private mutating func rebuild(_ progress: (_ done: Int, _ count: Int) -> Void) throws {
    let count = try Int(transaction.id("SELECT COUNT(*) FROM original_transaction", []) ?? 0)
    let keys = try OriginalTransactionKey.fetchCursor(
      transaction.query("SELECT original_transaction_key FROM original_transaction"))
    var done = 0
    progress(done, count)
    while let key = try keys.next() {
      outdated.insert(key)
      guard outdated.count >= 1000 else { continue }
      done += outdated.count
      try flush()
      progress(done, count)
    }
    try flush()
    while try EntitlementPeriods.fillGaps(transaction, limit: SubscriptionSlice.width) {}
  }
}

extension ProjectionUpdater {
  /// Makes the stored ids that lead to original transactions equal to the derived ones.
  static func rebuildIdentifiers(_ transaction: ProjectionTransaction) throws {
    try SubscriptionSlice.all.write(to: transaction)
    try transaction.replace(
      "original_transaction_identifier", ["identifier", "kind", "original_transaction_key"],
      stored: "SELECT identifier, kind, original_transaction_key FROM main.original_transaction_identifier",
      derived: "SELECT identifier, kind, original_transaction_key FROM temp.int_projected_identifier")
    try rebuildLinkTargets(transaction)
  }

  /// Makes the stored targets of link entries equal to the original transactions that their ids lead to.
  package static func rebuildLinkTargets(_ transaction: ProjectionTransaction) throws {
    try transaction.replace(
      "customer_link_target", ["entry_id", "original_transaction_key"], stored: storedLinkTargets,
      derived: derivedLinkTargets)
  }

  /// SQL that selects the stored rows of `customer_link_target`.
  private static let storedLinkTargets = "SELECT entry_id, original_transaction_key FROM main.customer_link_target"

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

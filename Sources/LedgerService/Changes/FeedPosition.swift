internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// How far the change feed has read: the last row of each table that can change a state.
struct FeedPosition: Equatable {
  var transactionVersion: Int64
  var renewalInfoVersion: Int64
  var grant: Int64
  var revocation: Int64
  var link: Int64
  var advancedAt: Instant
  /// The run of the feed that the ids of changes belong to.
  var epoch: String

  init(_ row: Row) {
    transactionVersion = row["transaction_version_id"]
    renewalInfoVersion = row["renewal_info_version_id"]
    (grant, revocation, link) = (row["grant_id"], row["grant_revocation_id"], row["link_entry_id"])
    advancedAt = Instant(milliseconds: row["advanced_at"])
    epoch = row["epoch"]
  }

  /// Reads the newest rows of a file. Their numbers grow, because these tables lose no rows.
  init(newestOf database: Database, at now: Instant, epoch: String) throws {
    func last(_ column: String, _ table: String) throws -> Int64 {
      try database.id("SELECT MAX(\(column)) FROM main.\(table)", []) ?? 0
    }
    transactionVersion = try last("version_id", "transaction_version")
    renewalInfoVersion = try last("version_id", "renewal_info_version")
    grant = try last("grant_id", "access_grant")
    revocation = try last("revocation_id", "access_grant_revocation")
    link = try last("entry_id", "customer_link_entry")
    (advancedAt, self.epoch) = (now, epoch)
  }

  /// Returns the name of a new run of a feed.
  static func newEpoch() -> String { String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16) }

  /// Returns the position at most a window of rows further on.
  func limited(to newest: FeedPosition) -> FeedPosition {
    func next(_ path: KeyPath<FeedPosition, Int64>) -> Int64 {
      min(newest[keyPath: path], self[keyPath: path] + ChangeFeed.window)
    }
    var position = newest
    position.transactionVersion = next(\.transactionVersion)
    position.renewalInfoVersion = next(\.renewalInfoVersion)
    (position.grant, position.revocation, position.link) = (next(\.grant), next(\.revocation), next(\.link))
    return position
  }

  func store(_ transaction: ProjectionTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO main.change_feed_position (
        position_id, transaction_version_id, renewal_info_version_id, grant_id, grant_revocation_id, link_entry_id,
        advanced_at, epoch)
      VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (position_id) DO UPDATE SET transaction_version_id = ?1, renewal_info_version_id = ?2, grant_id = ?3,
        grant_revocation_id = ?4, link_entry_id = ?5, advanced_at = ?6, epoch = ?7
      """, [transactionVersion, renewalInfoVersion, grant, revocation, link, advancedAt.milliseconds, epoch])
  }
}

/// What may have changed since a position.
struct FeedCandidates {
  let position: FeedPosition
  /// Whether nothing more waits.
  let isLast: Bool
  /// Whether rows were read.
  let hasMoved: Bool
  /// The keys of the original transactions to look at.
  let subscriptions: Set<OriginalTransactionKey>
  /// The grants to look at.
  let grants: Set<Int64>
  /// New entries that link or unlink a customer.
  let links: [Int64]
  /// What new evidence states about products. It is looked at after these rows.
  let productTypes: [FeedProductType]
  private let payloads: [OriginalTransactionKey: PayloadID]
  /// What changed an answer without a new version, by original transaction.
  private let causes: [OriginalTransactionKey: StateChange.Cause]
  private let newGrants: Set<Int64>

  init(_ database: Database, from old: FeedPosition, to now: Instant) throws {
    let newest = try FeedPosition(newestOf: database, at: now, epoch: old.epoch)
    position = old.limited(to: newest)
    var payloads: [OriginalTransactionKey: PayloadID] = [:]
    for row in try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT original_transaction_key, MAX(payload_id) AS payload_id FROM (
            SELECT original_transaction_key, payload_id FROM main.transaction_version
            WHERE version_id > ?1 AND version_id <= ?2
            UNION ALL
            SELECT original_transaction_key, payload_id FROM main.renewal_info_version
            WHERE version_id > ?3 AND version_id <= ?4)
          GROUP BY 1
          """),
      arguments: [
        old.transactionVersion, position.transactionVersion, old.renewalInfoVersion, position.renewalInfoVersion,
      ])
    {
      payloads[row["original_transaction_key"]] = row["payload_id"]
    }
    let due = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT kind, item_key, original_transaction_key, next_change_at FROM main.change_feed_state
          WHERE next_change_at <= ? ORDER BY next_change_at LIMIT ?
          """), arguments: [now.milliseconds, ChangeFeed.window])
    newGrants = Set(
      try database.numbers(
        """
        SELECT grant_id FROM main.access_grant WHERE grant_id > ?1 AND grant_id <= ?2
        UNION SELECT grant_id FROM main.access_grant_revocation WHERE revocation_id > ?3 AND revocation_id <= ?4
        """, [old.grant, position.grant, old.revocation, position.revocation]))
    links = try database.numbers(
      "SELECT entry_id FROM main.customer_link_entry WHERE entry_id > ? AND entry_id <= ? ORDER BY 1",
      [old.link, position.link])
    self.payloads = payloads
    var causes: [OriginalTransactionKey: StateChange.Cause] = [:]
    for row in due.reversed() {
      guard let key = row["original_transaction_key"] as OriginalTransactionKey? else { continue }
      causes[key] = Self.markCauses[row["next_change_at"]]
    }
    self.causes = causes
    subscriptions = Set(payloads.keys).union(
      due.compactMap { $0["original_transaction_key"] as OriginalTransactionKey? })
    grants = newGrants.union(due.filter { $0["kind"] == "grant" }.map { $0["item_key"] })
    productTypes = try FeedProductType.new(
      database, after: old.transactionVersion, through: position.transactionVersion)
    isLast = position == newest && due.count < ChangeFeed.window && productTypes.isEmpty
    var moved = position
    moved.advancedAt = old.advancedAt
    hasMoved = moved != old
  }

  /// The marks that the recorder writes in place of the next change by time: evidence counts from another instant, or
  /// the catalogue changed.
  private static let markCauses: [Int64: StateChange.Cause] = [0: .evidence, 1: .staff]

  /// Returns why a state is looked at.
  func cause(of state: FeedState) -> StateChange.Cause {
    if let key = state.originalTransactionKey { return payloads[key] == nil ? causes[key] ?? .time : .evidence }
    return newGrants.contains(state.item.key) ? .staff : .time
  }

  /// Returns the newest payload that states something about it.
  func payload(of state: FeedState) -> PayloadID? { state.originalTransactionKey.flatMap { payloads[$0] } }
}

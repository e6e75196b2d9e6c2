internal import AppStore
internal import GRDB
internal import LedgerQueries
internal import LedgerSchema
internal import LedgerStore

/// The state of one subscription, one-time purchase or grant, as the change feed knows it.
struct FeedState: Equatable {
  /// What has the state.
  struct Item: Hashable {
    var kind: StateChange.Kind
    var key: Int64
  }

  var item: Item
  var originalTransactionKey: OriginalTransactionKey?
  var state: CustomerAccess.State
  var productID: String?
  var accessEndsAt: Instant?
  var willRenew: Bool?
  var nextChangeAt: Instant?

  /// Whether readers of the feed know of it. A purchase that has not begun is not in any answer: the feed waits for it.
  var isVisible: Bool { state != .notBegun || item.kind == .grant }

  /// Whether readers of the feed see the same.
  func isVisiblyEqual(to other: FeedState) -> Bool {
    var copy = other
    copy.nextChangeAt = nextChangeAt
    return copy == self || (!isVisible && !other.isVisible)
  }

  init(_ row: Row) throws {
    item = Item(kind: try row.value("kind"), key: row["item_key"])
    originalTransactionKey = row["original_transaction_key"]
    state = try row.value("state")
    productID = row["product_id"]
    accessEndsAt = row.instant("access_ends_at")
    willRenew = row["will_renew"]
    nextChangeAt = row.instant("next_change_at")
  }

  /// Reads what the feed stated last; `nil` when it stated nothing.
  init?(stored item: Item, _ rows: some RowSource) throws {
    let row = try rows.row(
      "SELECT * FROM main.change_feed_state WHERE kind = ? AND item_key = ?", [item.kind.rawValue, item.key])
    guard let row else { return nil }
    try self.init(row)
  }

  /// Reads what the feed stated last about everything that may have changed.
  static func stored(of candidates: FeedCandidates, _ database: Database) throws -> [FeedState] {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM main.change_feed_state WHERE original_transaction_key = ? ORDER BY kind, item_key")
    return try candidates.subscriptions.sorted().flatMap { key in
      try Row.fetchAll(statement, arguments: [key]).map(FeedState.init)
    }
  }

  /// Reads what the feed stated last about everything.
  static func allStored(_ database: Database) throws -> [FeedState] {
    try Row.fetchAll(database, sql: "SELECT * FROM main.change_feed_state").map(FeedState.init)
  }

  /// The state of what no answer has any more.
  var gone: FeedState {
    var state = self
    (state.state, state.productID, state.accessEndsAt) = (.notBegun, nil, nil)
    (state.willRenew, state.nextChangeAt) = (nil, nil)
    return state
  }

  func store(_ transaction: ProjectionTransaction) throws {
    try transaction.execute(
      """
      INSERT OR REPLACE INTO main.change_feed_state (
        kind, item_key, original_transaction_key, state, product_id, access_ends_at, will_renew, next_change_at)
      VALUES (
        :kind, :item_key, :original_transaction_key, :state, :product_id, :access_ends_at, :will_renew, :next_change_at)
      """,
      [
        "kind": item.kind.rawValue, "item_key": item.key, "original_transaction_key": originalTransactionKey,
        "state": state.rawValue, "product_id": productID, "access_ends_at": accessEndsAt?.milliseconds,
        "will_renew": willRenew, "next_change_at": nextChangeAt?.milliseconds,
      ])
  }
}

/// One entry of the feed, before it is written.
struct FeedChange {
  var item: FeedState.Item
  var cause: StateChange.Cause
  var payload: PayloadID?
  var before: FeedState?
  var after: FeedState?

  init(item: FeedState.Item, cause: StateChange.Cause, payload: PayloadID?, before: FeedState?, after: FeedState) {
    (self.item, self.cause, self.payload) = (item, cause, payload)
    (self.before, self.after) = (before, after)
  }

  /// Creates the change that an entry about a customer makes.
  init(link entry: Int64) { (item, cause) = (FeedState.Item(kind: .link, key: entry), .staff) }

  func store(_ transaction: ProjectionTransaction, at now: Instant) throws {
    func key(_ kind: StateChange.Kind) -> Int64? { item.kind == kind ? item.key : nil }
    let original = after?.originalTransactionKey
    let after = after.flatMap { $0.isVisible ? $0 : nil }
    try transaction.insert(
      "state_change",
      [
        "kind": item.kind.rawValue, "cause": cause.rawValue, "changed_at": now.milliseconds,
        "original_transaction_key": original,
        "transaction_key": key(.oneTimePurchase), "grant_id": key(.grant), "link_entry_id": key(.link),
        "payload_id": payload, "former_state": before?.state.rawValue, "former_product_id": before?.productID,
        "former_access_ends_at": before?.accessEndsAt?.milliseconds, "former_will_renew": before?.willRenew,
        "state": after?.state.rawValue, "product_id": after?.productID,
        "access_ends_at": after?.accessEndsAt?.milliseconds,
        "will_renew": after?.willRenew,
      ])
  }
}

/// Reads present states from the views of the rules.
struct FeedStates {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Returns the states of everything.
  func all(_ parameters: QueryParameters) throws -> [FeedState] {
    let begun = try states(Self.subscriptions)
    let known = Set(begun.compactMap(\.originalTransactionKey))
    let waiting = try states(Self.waiting(), [parameters.asOf.milliseconds]).filter {
      $0.originalTransactionKey.map { !known.contains($0) } ?? true
    }
    return try begun + waiting + states(Self.oneTimePurchases) + states(Self.grants)
  }

  /// Returns the states of what may have changed. The connection's query is about these subscriptions.
  func of(_ candidates: FeedCandidates, _ parameters: QueryParameters) throws -> [FeedState] {
    var found: [FeedState] = []
    if !candidates.subscriptions.isEmpty {
      found = try states(Self.subscriptions)
      let known = Set(found.compactMap(\.originalTransactionKey))
      // A subscription's own row has its next purchase already.
      for key in candidates.subscriptions.subtracting(known).sorted() {
        found += try states(Self.waiting("AND t.original_transaction_key = ?"), [parameters.asOf.milliseconds, key])
      }
      found += try states(Self.oneTimePurchases)
    }
    for grant in candidates.grants.sorted() { found += try states(Self.grants + " WHERE g.grant_id = ?", [grant]) }
    return found
  }

  private func states(_ sql: String, _ arguments: StatementArguments = []) throws -> [FeedState] {
    try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map(FeedState.init)
  }

  /// No instant: it is later than every other one.
  private static let never = "9223372036854775807"

  private static func ahead(_ instant: String, _ now: String) -> String {
    "CASE WHEN \(instant) > \(now) THEN \(instant) ELSE \(never) END"
  }

  /// The states of subscriptions. A state can change by itself only where a period of the rules ends. The row also
  /// stands for one-time purchases of a later date under the same original transaction.
  private static let subscriptions = """
    SELECT 'subscription' AS kind, s.original_transaction_key AS item_key, s.original_transaction_key, s.state,
      s.product_id, s.access_ends_at, s.will_renew,
      NULLIF(min(
        COALESCE(s.ends_at, \(never)),
        COALESCE((
          SELECT MIN(t.purchase_at) FROM main.projection_transaction t
          WHERE t.original_transaction_key = s.original_transaction_key AND t.purchase_at > q.as_of
            AND t.expires_at IS NULL), \(never))
      ), \(never)) AS next_change_at
    FROM temp.param_query q
    JOIN temp.state_history s ON s.begins_at <= q.as_of AND COALESCE(s.ends_at, \(never)) > q.as_of
    """

  /// Purchases of a later date than the present instant, as clocks differ. No answer has them yet. The row stands for the
  /// whole original transaction, which is looked at again then.
  private static func waiting(_ condition: String = "") -> String {
    """
    SELECT 'subscription' AS kind, t.original_transaction_key AS item_key, t.original_transaction_key,
      '\(CustomerAccess.State.notBegun.rawValue)' AS state, NULL AS product_id, NULL AS access_ends_at, NULL AS will_renew,
      MIN(t.purchase_at) AS next_change_at
    FROM main.projection_transaction t WHERE t.purchase_at > ? \(condition) GROUP BY t.original_transaction_key
    """
  }

  private static let oneTimePurchases = """
    SELECT 'one_time_purchase' AS kind, o.transaction_key AS item_key, o.original_transaction_key, o.state,
      o.product_id, o.access_ends_at, NULL AS will_renew,
      NULLIF(min(\(ahead("o.revoked_at", "o.as_of")), \(ahead("o.ends_at", "o.as_of"))), \(never)) AS next_change_at
    FROM temp.one_time_purchase o
    """

  private static let grants = """
    SELECT 'grant' AS kind, g.grant_id AS item_key, NULL AS original_transaction_key, g.state,
      NULL AS product_id, g.access_ends_at, NULL AS will_renew,
      NULLIF(min(
        \(ahead("g.begins_at", "g.as_of")), \(ahead("g.ends_at", "g.as_of")),
        COALESCE((
          SELECT MIN(r.revoked_at) FROM main.access_grant_revocation r
          WHERE r.grant_id = g.grant_id AND r.revoked_at > g.as_of), \(never))
      ), \(never)) AS next_change_at
    FROM temp.customer_grant g
    """
}

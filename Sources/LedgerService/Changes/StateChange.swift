public import AppStore
internal import GRDB
internal import LedgerQueries
internal import LedgerSchema
public import LedgerStore

/// An entry of the change feed: the state of something before and after a change.
public struct StateChange: Sendable {
  /// A state at one instant.
  public struct State: Sendable, Equatable {
    /// The state, as in `CustomerAccess.State`.
    public var name: String
    /// The product; `nil` for a grant, or when it is not known.
    public var productID: String?
    /// When access ends or ended; `nil` for no end.
    public var accessEndsAt: Instant?
    /// Whether it will renew; `nil` when it is not known.
    public var willRenew: Bool?

    /// Whether the state gives access.
    public var hasAccess: Bool { name == "active" || name == "grace_period" }
  }

  /// The number of the change. It grows with every change.
  public var id: Int64
  /// What changed: `subscription`, `one_time_purchase`, `grant` or `link`.
  public var kind: String
  /// Why: `evidence`, `time` or `staff`.
  public var cause: String
  /// When the ledger noticed it.
  public var changedAt: Instant
  /// The environment of the purchase; `nil` for a grant or a link.
  public var environment: String?
  /// The original transaction id; `nil` for a grant or a link.
  public var originalTransactionID: String?
  /// The transaction id of a one-time purchase; `nil` for everything else.
  public var transactionID: String?
  /// The customers whom it belongs to at the time of reading.
  public var customers: [String]
  /// The entitlement of a grant; `nil` for everything else.
  public var entitlement: String?
  /// `link` or `unlink`, and the id, for an entry about a customer; `nil` for everything else.
  public var link: (action: String, identifier: String)?
  /// The digest of the newest payload about it; `nil` when the cause is not evidence.
  public var payload: ContentDigest?
  /// The state before; `nil` when it is new, or for a link.
  public var before: State?
  /// The state after; `nil` for a link, and when no answer has it any more, because newer evidence corrects an older
  /// one.
  public var after: State?
}

extension LedgerReader {
  /// Returns entries of the change feed, in its order. Later entries always have greater numbers.
  /// - Parameters:
  ///   - id: the number of the last entry that the caller has read; 0 for the beginning.
  ///   - limit: the greatest number of entries.
  ///   - now: the present instant, for the customers of each purchase.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func changes(after id: Int64, limit: Int, now: Instant) throws -> [StateChange] {
    let question = Question(asOf: now, knownAt: now)
    return try lookUp("customer_original_transaction") { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT c.*, o.environment, o.original_transaction_id, t.transaction_id, g.entitlement, e.action, e.identifier,
              p.digest, COALESCE(gc.customer, ec.customer) AS staff_customer
            FROM main.state_change c
            LEFT JOIN main.original_transaction o USING (original_transaction_key)
            LEFT JOIN main.transaction_info t ON t.transaction_info_id = c.transaction_key
            LEFT JOIN main.access_grant g ON g.grant_id = c.grant_id
            LEFT JOIN main.customer gc ON gc.customer_key = g.customer_key
            LEFT JOIN main.customer_link_entry e ON e.entry_id = c.link_entry_id
            LEFT JOIN main.customer ec ON ec.customer_key = e.customer_key
            LEFT JOIN main.payload p ON p.payload_id = c.payload_id
            WHERE c.change_id > ? ORDER BY c.change_id LIMIT ?
            """), arguments: [id, limit])
      let keys = Set(rows.compactMap { $0["original_transaction_key"] as Int64? })
      try ask(database, keys.sorted().map { ($0, question) })
      var customers: [Int64: [String]] = [:]
      for row in try Row.fetchAll(
        database,
        sql: """
          SELECT DISTINCT original_transaction_key, customer FROM temp.customer_original_transaction ORDER BY customer
          """)
      {
        customers[row["original_transaction_key"], default: []].append(row["customer"])
      }
      return rows.map { row in
        let key: Int64? = row["original_transaction_key"]
        let staff: String? = row["staff_customer"]
        return StateChange(row, customers: key.flatMap { customers[$0] } ?? (staff.map { [$0] } ?? []))
      }
    }
  }

  /// Returns the number of the last entry of the change feed; 0 when it is empty, `nil` when no server has begun it.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func lastChange() throws -> Int64? {
    try lookUp { database in
      guard try database.has("SELECT 1 FROM main.change_feed_position", []) else { return nil }
      return try database.id("SELECT MAX(change_id) FROM main.state_change", []) ?? 0
    }
  }
}

extension StateChange {
  fileprivate init(_ row: Row, customers: [String]) {
    (id, kind, cause) = (row["change_id"], row["kind"], row["cause"])
    changedAt = Instant(milliseconds: row["changed_at"])
    (environment, originalTransactionID) = (row["environment"], row["original_transaction_id"])
    transactionID = row["transaction_id"]
    self.customers = customers
    entitlement = row["entitlement"]
    if let action = row["action"] as String?, let identifier = row["identifier"] as String? {
      link = (action, identifier)
    }
    payload = (row["digest"] as DatabaseValue).digest
    before = State(row, "former_")
    after = State(row, "")
  }
}

extension StateChange.State {
  fileprivate init?(_ row: Row, _ prefix: String) {
    guard let name = row[prefix + "state"] as String? else { return nil }
    self.name = name
    productID = row[prefix + "product_id"]
    accessEndsAt = row.instant(prefix + "access_ends_at")
    willRenew = row[prefix + "will_renew"]
  }
}

extension DatabaseValue {
  fileprivate var digest: ContentDigest? {
    guard case .blob(let bytes) = storage else { return nil }
    return ContentDigest(bytes: [UInt8](bytes))
  }
}

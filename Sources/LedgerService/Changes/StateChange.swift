public import AppStore
internal import GRDB
public import LedgerQueries
internal import LedgerSchema
public import LedgerStore

/// An entry of the change feed: the state of something before and after a change.
public struct StateChange: Sendable {
  /// The kinds of thing that can change.
  public enum Kind: String, Sendable, CaseIterable {
    /// The state of a subscription.
    case subscription
    /// The state of a one-time purchase.
    case oneTimePurchase = "one_time_purchase"
    /// The state of a grant of the staff.
    case grant
    /// A link between a customer and an id of Apple's.
    case link
  }

  /// The reasons why something changes.
  public enum Cause: String, Sendable, CaseIterable {
    /// New evidence arrived, or recorded evidence began to count.
    case evidence
    /// An instant passed, such as the end of a period.
    case time
    /// The staff entered something, or the catalogue changed.
    case staff
  }

  /// A state at one instant.
  public struct State: Sendable, Equatable {
    /// The name of the state.
    public var name: CustomerAccess.State
    /// The product; `nil` for a grant, or when it is not known.
    public var productID: String?
    /// When access ends or ended; `nil` for no end.
    public var accessEndsAt: Instant?
    /// Whether it will renew; `nil` when it is not known.
    public var willRenew: Bool?

    /// Whether the state gives access.
    public var hasAccess: Bool { name == .active || name == .gracePeriod }
  }

  /// The id of the change. Its number grows with every change.
  public var id: ChangeID
  /// The kind of thing that changed.
  public var kind: Kind
  /// The reason why it changed.
  public var cause: Cause
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
  /// What an entry about a customer does, and the id; `nil` for everything else.
  public var link: (action: CustomerEntry.Action, identifier: String)?
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
  ///   - cursor: the last entry that the caller has read; `nil` for the beginning.
  ///   - limit: the greatest number of entries.
  ///   - now: the present instant, for the customers of each purchase.
  /// - Returns: the entries; `nil` when no server has begun the feed.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func changes(after cursor: ChangeID?, limit: Int, now: Instant) throws -> ChangePage? {
    let parameters = QueryParameters(asOf: now, knownAt: now)
    return try readSubscriptions(
      "customer_original_transaction",
      settingParameters: { database -> (last: ChangeID, rows: [Row]?)? in
        guard let last = try ChangeID(lastOf: database) else { return nil }
        guard cursor.map({ $0.epoch == last.epoch && $0.number <= last.number }) ?? true else { return (last, nil) }
        let rows = try Self.rows(database, after: cursor, limit: limit)
        try setParameters(
          database, rows.compactMap { $0["original_transaction_key"] as OriginalTransactionKey? }, parameters)
        return (last, rows)
      }
    ) { database, found in
      guard let (last, rows) = found else { return nil }
      guard let rows else { return ChangePage(changes: [], next: last, last: last, containsCursor: false) }
      var customers: [OriginalTransactionKey: [String]] = [:]
      for row in try Row.fetchAll(
        database,
        sql: """
          SELECT DISTINCT original_transaction_key, customer FROM temp.customer_original_transaction ORDER BY customer
          """)
      {
        customers[row["original_transaction_key"], default: []].append(row["customer"])
      }
      let changes = try rows.map { row in
        let key: OriginalTransactionKey? = row["original_transaction_key"]
        let staff: String? = row["staff_customer"]
        return try StateChange(
          row, epoch: last.epoch, customers: key.flatMap { customers[$0] } ?? (staff.map { [$0] } ?? []))
      }
      let next = changes.last?.id ?? cursor ?? ChangeID(epoch: last.epoch, number: 0)
      return ChangePage(changes: changes, next: next, last: last, containsCursor: true)
    }
  }

  private static func rows(_ database: Database, after cursor: ChangeID?, limit: Int) throws -> [Row] {
    try Row.fetchAll(
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
          """), arguments: [cursor?.number ?? 0, limit])
  }
}

extension StateChange {
  fileprivate init(_ row: Row, epoch: String, customers: [String]) throws {
    id = ChangeID(epoch: epoch, number: row["change_id"])
    (kind, cause) = (try row.value("kind"), try row.value("cause"))
    changedAt = Instant(milliseconds: row["changed_at"])
    (environment, originalTransactionID) = (row["environment"], row["original_transaction_id"])
    transactionID = row["transaction_id"]
    self.customers = customers
    entitlement = row["entitlement"]
    if let action: CustomerEntry.Action = try row.valueIfPresent("action"),
      let identifier = row["identifier"] as String?
    {
      link = (action, identifier)
    }
    payload = (row["digest"] as DatabaseValue).digest
    before = try State(row, "former_")
    after = try State(row, "")
  }
}

extension StateChange.State {
  fileprivate init?(_ row: Row, _ prefix: String) throws {
    guard let name: CustomerAccess.State = try row.valueIfPresent(prefix + "state") else { return nil }
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

public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// One purchase that the app began, by its own report, beside what the evidence says of it; see the view
/// `purchase_attempt`.
public struct PurchaseAttempt: Sendable, Equatable {
  /// The customer or account token; `nil` where only a device was named.
  public var customer: String?
  /// The device.
  public var device: String?
  /// The product.
  public var productID: String
  /// `purchase`, `delivery` (paid without a reported beginning: a renewal, mostly) or `restore` (a copy).
  public var kind: String
  /// The device's word: `in_flight`, `waiting_for_approval`, `paid_unfinished`, `finished`, `failed`, `cancelled`;
  /// `abandoned` where a later attempt has ended and this one was not heard of again.
  public var state: String
  /// Whether nothing has ended it yet.
  public var isOpen: Bool
  /// What ended it: `device` or `evidence`.
  public var closedBy: String?
  /// Whether the payment is in the evidence.
  public var isInEvidence: Bool
  /// Whether its line was ever this customer's; where only a device was named, true.
  public var isTheirs: Bool
  /// What support should look at: `paid_never_verified`, `paid_not_theirs` (the payment is known, and its line is
  /// somebody else's), `finished_while_purchasing`, `removed_without_update`, `failed`.
  public var finding: String?
  /// When it began.
  public var beganAt: Instant
  /// Since when it is in its state.
  public var stateSince: Instant?
  /// StoreKit's id.
  public var transactionID: String?
  /// The line that it renews or repeats.
  public var originalTransactionID: String?
  /// How often an unfinished transaction was delivered again.
  public var redeliveryCount: Int
  /// Of a failure.
  public var errorDomain: String?
  /// Of a failure.
  public var errorCode: Int64?
  /// Of a failure.
  public var errorMessage: String?
  /// Whether the device's clock was ahead of ours: its instants are then ours.
  public var isFromFuture: Bool

  /// The names of ``values``, in their order.
  public static let columns = [
    "customer", "device", "product_id", "kind", "state", "is_open", "closed_by", "is_in_evidence", "is_theirs",
    "finding",
    "began_at",
    "state_since", "transaction_id", "original_transaction_id", "redelivery_count", "error_domain", "error_code",
    "error_message", "is_from_future",
  ]

  /// Everything as cells.
  public var values: [Value] {
    [
      Value(customer), Value(device), .text(productID), .text(kind), .text(state), .flag(isOpen), Value(closedBy),
      .flag(isInEvidence), .flag(isTheirs), Value(finding), .instant(beganAt), Value(stateSince), Value(transactionID),
      Value(originalTransactionID), .integer(Int64(redeliveryCount)), Value(errorDomain),
      errorCode.map(Value.integer) ?? .null, Value(errorMessage), .flag(isFromFuture),
    ]
  }

  init(_ row: Row) {
    customer = row["customer"]
    device = row["device"]
    productID = row["product_id"]
    kind = row["kind"]
    state = row["state"]
    isOpen = row["is_open"]
    closedBy = row["closed_by"]
    isInEvidence = row["is_in_evidence"]
    isTheirs = row["is_theirs"]
    finding = row["finding"]
    beganAt = Instant(milliseconds: row["began_at"])
    stateSince = row.instant("state_since")
    transactionID = row["transaction_id"]
    originalTransactionID = row["original_transaction_id"]
    redeliveryCount = row["redelivery_count"]
    errorDomain = row["error_domain"]
    errorCode = row["error_code"]
    errorMessage = row["error_message"]
    isFromFuture = row["is_from_future"]
  }
}

extension LedgerReader {
  /// The purchases that the app reported, those without an end first, the oldest of them first.
  /// - Parameters:
  ///   - customer: only this customer's, by id or account token.
  ///   - includesSettled: also those that ended well.
  ///   - body: called for each.
  /// - Throws: ``LedgerError``, and whatever `body` throws.
  public func forEachAttempt(
    of customer: String? = nil, includesSettled: Bool = true, _ question: Question,
    _ body: (PurchaseAttempt) throws -> Void
  ) throws {
    let condition = includesSettled ? "1" : "(is_open = 1 OR finding IS NOT NULL)"
    let order = "ORDER BY is_open DESC, began_at, product_id, transaction_id, queue"
    guard let customer else {
      return try read("purchase_attempt") { database in
        try askAboutAll(database, question)
        let rows = try Row.fetchCursor(
          database, sql: "SELECT * FROM temp.purchase_attempt WHERE \(condition) \(order)")
        while let row = try rows.next() { try body(PurchaseAttempt(row)) }
      }
    }
    try readEvidence("purchase_attempt", "int_customer_candidate") { database in
      let customer = try self.customer(database, named: customer, question)
      let ids = try askAboutQueues(database, of: customer, question)
      let places = repeatElement("?", count: ids.count).joined(separator: ",")
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT * FROM temp.purchase_attempt
          WHERE \(condition) AND (customer IN (\(places)) OR app_account_token IN (\(places))) \(order)
          """, arguments: StatementArguments(ids + ids))
      while let row = try rows.next() { try body(PurchaseAttempt(row)) }
    }
  }

  /// The same, gathered.
  /// - Throws: ``LedgerError``.
  public func attempts(of customer: String? = nil, includesSettled: Bool = true, _ question: Question) throws
    -> [PurchaseAttempt]
  {
    var found: [PurchaseAttempt] = []
    try forEachAttempt(of: customer, includesSettled: includesSettled, question) { found.append($0) }
    return found
  }

  /// Asks about the payment queues that reported something of a customer.
  /// - Returns: the ids that reports may call them: their own and what is linked to it.
  func askAboutQueues(_ database: Database, of customer: String, _ question: Question) throws -> [String] {
    try askAboutLines(database, of: customer, question)
    let ids =
      [customer]
      + (try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT e.identifier FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
          WHERE c.customer = ?1 AND e.recorded_at <= ?2 AND e.identifier <> ?1
          """, arguments: [customer, question.knownAt.milliseconds]))
    try database.execute(sql: "DELETE FROM temp.param_queue_scope")
    for id in ids {
      try database.execute(
        sql: """
          INSERT OR IGNORE INTO temp.param_queue_scope
          SELECT ?2, ?3, queue FROM main.client_event WHERE customer = ?1
          UNION SELECT ?2, ?3, queue FROM main.client_event WHERE app_account_token = ?1
          """, arguments: [id, question.asOf.milliseconds, question.knownAt.milliseconds])
    }
    // The lines of transactions that they name, whosever those are.
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO temp.param_scope
        SELECT q.as_of, q.known_at, t.original_transaction_key FROM temp.param_queue_scope q JOIN main.client_event e ON e.queue = q.queue
        JOIN main.stg_transaction t ON t.transaction_id = e.transaction_id
        """)
    return ids
  }

  /// Customers whose app reports that they bought something of a line.
  /// - Throws: ``LedgerError``.
  public func reporters(of line: OriginalTransactionMatch, _ question: Question) throws -> [String] {
    try lookUp("stg_payload") { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT COALESCE(e.customer, e.app_account_token) AS name
          FROM main.transaction_version v JOIN main.stg_transaction t USING (transaction_key)
          JOIN main.client_event e ON e.transaction_id = t.transaction_id
          JOIN temp.stg_payload i ON i.payload_id = e.payload_id
          WHERE v.original_transaction_key = ? AND i.recorded_at <= ? AND COALESCE(e.customer, e.app_account_token) IS NOT NULL
          ORDER BY name
          """, arguments: [line.originalTransactionKey, question.knownAt.milliseconds])
    }
  }
}

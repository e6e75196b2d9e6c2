public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// One purchase attempt that the app reported, beside what the evidence states about it. It is a row of the view
/// `purchase_attempt`.
public struct PurchaseAttempt: Sendable, Equatable {
  /// What a device reported about an attempt.
  public enum State: String, Sendable, CaseIterable {
    /// The purchase sheet is open, as far as is known.
    case inFlight = "in_flight"
    /// A parent must approve the purchase (Ask to Buy).
    case waitingForApproval = "waiting_for_approval"
    /// Paid, and the app has not finished the transaction.
    case paidUnfinished = "paid_unfinished"
    /// The app has finished the transaction.
    case finished
    /// StoreKit reported an error.
    case failed
    /// The customer cancelled the purchase.
    case cancelled
    /// A later attempt ended, and the device reported nothing more about this one.
    case abandoned
  }

  /// How an attempt began.
  public enum Kind: String, Sendable, CaseIterable {
    /// The customer began to buy.
    case purchase
    /// A payment without a reported beginning, usually a renewal.
    case delivery
    /// A copy of a former purchase, restored.
    case restore
  }

  /// What ended an attempt.
  public enum End: String, Sendable, CaseIterable {
    /// The device reported an end.
    case device
    /// The evidence has the payment.
    case evidence
  }

  /// What support should check in an attempt.
  public enum Finding: String, Sendable, CaseIterable {
    /// Paid on the device, and no evidence has the payment.
    case paidNeverVerified = "paid_never_verified"
    /// The payment belongs to somebody else.
    case paidNotTheirs = "paid_not_theirs"
    /// The app finished a transaction while StoreKit was purchasing: a bug of the app.
    case finishedWhilePurchasing = "finished_while_purchasing"
    /// It left the queue, and nothing else was reported about it.
    case removedWithoutUpdate = "removed_without_update"
    /// The payment failed, and nothing was bought.
    case failed
  }

  /// The customer's own id or account token; `nil` when the app named only a device.
  public var customer: String?
  /// The device, by the app's own id; `nil` when it is not stated.
  public var device: String?
  /// The id of the product.
  public var productID: String
  /// How the attempt began.
  public var kind: Kind
  /// What the device reported.
  public var state: State
  /// Whether nothing has ended it yet.
  public var isOpen: Bool
  /// What ended it; `nil` while it is open.
  public var closedBy: End?
  /// Whether the evidence contains the payment.
  public var isInEvidence: Bool
  /// Whether its original transaction ever belonged to this customer. It is true when the app named only a device.
  public var isTheirs: Bool
  /// What support should check; `nil` for nothing.
  public var finding: Finding?
  /// When the app first reported it.
  public var beganAt: Instant
  /// When its state began; `nil` when no report states it.
  public var stateSince: Instant?
  /// The transaction id that StoreKit gave; `nil` for none.
  public var transactionID: String?
  /// The original transaction id that the device reported: the purchase that it renews or copies.
  public var originalTransactionID: String?
  /// How often StoreKit delivered the unfinished transaction again.
  public var redeliveryCount: Int
  /// The domain of StoreKit's error, such as `SKErrorDomain`; `nil` without an error.
  public var errorDomain: String?
  /// The code of StoreKit's error; `nil` without an error.
  public var errorCode: Int64?
  /// The message of StoreKit's error; `nil` without an error.
  public var errorMessage: String?
  /// Whether the clock of the device was ahead of ours. The instants are then the ones at which we received the
  /// reports.
  public var isFromFuture: Bool

  init(_ row: Row) throws {
    customer = row["customer"]
    device = row["device"]
    productID = row["product_id"]
    kind = try row.value("kind")
    state = try row.value("state")
    isOpen = row["is_open"]
    closedBy = try row.valueIfPresent("closed_by")
    isInEvidence = row["is_in_evidence"]
    isTheirs = row["is_theirs"]
    finding = try row.valueIfPresent("finding")
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

extension PurchaseAttempt: AnswerRow {
  /// The fields of a purchase attempt.
  public static let fields: [AnswerField<Self>] = [
    AnswerField("customer") { Value($0.customer) },
    AnswerField("device") { Value($0.device) },
    AnswerField("product_id") { .text($0.productID) },
    AnswerField("kind") { Value($0.kind) },
    AnswerField("state") { Value($0.state) },
    AnswerField("is_open") { .flag($0.isOpen) },
    AnswerField("closed_by") { Value($0.closedBy) },
    AnswerField("is_in_evidence") { .flag($0.isInEvidence) },
    AnswerField("is_theirs") { .flag($0.isTheirs) },
    AnswerField("finding") { Value($0.finding) },
    AnswerField("began_at") { .instant($0.beganAt) },
    AnswerField("state_since") { Value($0.stateSince) },
    AnswerField("transaction_id") { Value($0.transactionID) },
    AnswerField("original_transaction_id") { Value($0.originalTransactionID) },
    AnswerField("redelivery_count") { .integer(Int64($0.redeliveryCount)) },
    AnswerField("error_domain") { Value($0.errorDomain) },
    AnswerField("error_code") { Value($0.errorCode) },
    AnswerField("error_message") { Value($0.errorMessage) },
    AnswerField("is_from_future") { .flag($0.isFromFuture) },
  ]
}

extension LedgerReader {
  /// Calls a function for each purchase attempt that the app reported. Open attempts come first, the oldest of them
  /// first.
  /// - Parameters:
  ///   - customer: the id or account token of one customer; `nil` for all.
  ///   - includesSettled: whether to include attempts that ended without a finding.
  ///   - parameters: the instants, and the evidence that counts.
  ///   - body: called for each attempt.
  /// - Throws: `LedgerError` when the file cannot be read, and any error that `body` throws.
  public func forEachAttempt(
    of customer: String? = nil, includesSettled: Bool = true, _ parameters: QueryParameters,
    _ body: (PurchaseAttempt) throws -> Void
  ) throws {
    let condition = includesSettled ? "1" : "(is_open = 1 OR finding IS NOT NULL)"
    let order = "ORDER BY is_open DESC, began_at, product_id, transaction_id, queue"
    guard let customer else {
      return try readAll(["purchase_attempt"], parameters) { database in
        let rows = try Row.fetchCursor(
          database, sql: "SELECT * FROM temp.purchase_attempt WHERE \(condition) \(order)")
        while let row = try rows.next() { try body(try PurchaseAttempt(row)) }
      }
    }
    try readSubscriptions(
      "purchase_attempt", "int_customer_candidate",
      settingParameters: { try askAboutQueues($0, of: try self.customer($0, named: customer, parameters), parameters) }
    ) { database, ids in
      let placeholders = repeatElement("?", count: ids.count).joined(separator: ",")
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT * FROM temp.purchase_attempt
          WHERE \(condition) AND (customer IN (\(placeholders)) OR app_account_token IN (\(placeholders))) \(order)
          """, arguments: StatementArguments(ids + ids))
      while let row = try rows.next() { try body(try PurchaseAttempt(row)) }
    }
  }

  /// Returns the purchase attempts that ``forEachAttempt(of:includesSettled:_:_:)`` passes to its function.
  /// - Parameters:
  ///   - customer: the id or account token of one customer; `nil` for all.
  ///   - includesSettled: whether to include attempts that ended without a finding.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func attempts(of customer: String? = nil, includesSettled: Bool = true, _ parameters: QueryParameters) throws
    -> [PurchaseAttempt]
  {
    var found: [PurchaseAttempt] = []
    try forEachAttempt(of: customer, includesSettled: includesSettled, parameters) { found.append($0) }
    return found
  }

  /// Puts the payment queues that reported something about a customer into the scope of the query.
  /// - Returns: the ids that reports may use for the customer: their own id, and every id that is linked to it.
  func askAboutQueues(_ database: Database, of customer: String, _ parameters: QueryParameters) throws -> [String] {
    try scopeToCustomer(database, of: customer, parameters)
    let ids =
      [customer]
      + (try database.texts(
        """
        SELECT DISTINCT e.identifier FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
        WHERE c.customer = ?1 AND e.entered_at <= ?2 AND e.identifier <> ?1
        """, [customer, parameters.knownAt.milliseconds]))
    try database.query("DELETE FROM temp.param_queue_scope").execute()
    for id in ids {
      try database.query(
        """
        INSERT OR IGNORE INTO temp.param_queue_scope
        SELECT ?2, ?3, queue FROM main.client_event WHERE customer = ?1
        UNION SELECT ?2, ?3, queue FROM main.client_event WHERE app_account_token = ?1
        """
      ).execute(arguments: [id, parameters.asOf.milliseconds, parameters.knownAt.milliseconds])
    }
    // The original transactions that the reports name, also those of other customers.
    try database.query(
      """
      INSERT OR IGNORE INTO temp.param_subscription
      SELECT t.original_transaction_key FROM temp.param_queue_scope q JOIN main.client_event e ON e.queue = q.queue
      JOIN main.stg_transaction t ON t.transaction_id = e.transaction_id
      """
    ).execute()
    return ids
  }

  /// Returns the customers whose app reported a transaction of this original transaction, in order.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func reporters(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> [String] {
    try lookUp("stg_payload") { database in
      try database.texts(
        """
        SELECT DISTINCT COALESCE(e.customer, e.app_account_token) AS name
        FROM main.transaction_version v JOIN main.stg_transaction t USING (transaction_key)
        JOIN main.client_event e ON e.transaction_id = t.transaction_id
        JOIN temp.stg_payload i ON i.payload_id = e.payload_id
        WHERE v.original_transaction_key = ? AND i.recorded_at <= ? AND COALESCE(e.customer, e.app_account_token) IS NOT NULL
        ORDER BY name
        """, [purchase.originalTransactionKey, parameters.knownAt.milliseconds])
    }
  }
}

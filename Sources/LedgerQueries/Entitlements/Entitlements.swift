public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension Entitlement {
  /// Reads a row of the view `entitlement`.
  /// - Throws: `LedgerError` when the row has a state, a rule or a trust that this version does not know.
  init(_ row: Row, _ minimumTrust: MinimumTrust) throws {
    environment = row["environment"]
    bundleID = row["bundle_id"]
    originalTransactionID = row["original_transaction_id"]
    productID = row["product_id"]
    state = try row.value("state")
    hasAccess = row["has_access"]
    accessEndsAt = row.instant("access_ends_at")
    isConfirmed = row["confirmed"]
    willRenew = row["will_renew"]
    nextProductID = row["next_product_id"]
    expirationReason = try row.valueIfPresent("expiration_reason")
    rule = try row.value("rule")
    evidenceAt = row.instant("evidence_at")
    transactionID = row["transaction_id"]
    subscriptionGroupIdentifier = row["subscription_group_identifier"]
    inAppOwnershipType = row["in_app_ownership_type"]
    webOrderLineItemID = row["web_order_line_item_id"]
    appAccountToken = row["app_account_token"]
    isTrialPeriod = row["is_trial_period"]
    originalPurchaseAt = row.instant("original_purchase_at")
    purchaseAt = row.instant("purchase_at")
    expiresAt = row.instant("expires_at")
    revokedAt = row.instant("revoked_at")
    gracePeriodExpiresAt = row.instant("grace_period_expires_at")
    seats = row["seats"]
    seatsNext = row["seats_next"]
    trust = try row.valueIfPresent("trust")
    addedRoot = row["added_root"]
    isContradictory = row["is_contradictory"]
    isRenewalContradictory = row["is_renewal_contradictory"]
    self.parameters = QueryParameters(
      asOf: Instant(milliseconds: row["as_of"]), knownAt: Instant(milliseconds: row["known_at"]),
      minimumTrust: minimumTrust)
    originalTransactionKey = row["original_transaction_key"]
    versionID = row["version_id"]
    renewalVersionID = row["renewal_info_version_id"]
  }
}

/// The subscriptions to return. A field that is `nil` or empty admits all of them.
public struct EntitlementFilter: Sendable {
  /// The name of their environment, such as `Production`.
  public var environment: String?
  /// The states that they may have.
  public var states: Set<Entitlement.State> = []
  /// The product id of their deciding transaction.
  public var productID: String?

  /// Creates a filter; without arguments, it admits every subscription.
  public init(environment: String? = nil, states: Set<Entitlement.State> = [], productID: String? = nil) {
    self.environment = environment
    self.states = states
    self.productID = productID
  }
}

extension LedgerReader {
  /// Calls a function for every subscription that has begun, ordered by environment and original transaction id.
  /// - Parameters:
  ///   - parameters: the instants, and the evidence that counts.
  ///   - filter: the subscriptions to include.
  ///   - body: called for each of them.
  /// - Throws: `LedgerError` when the file cannot be read, and any error that `body` throws.
  public func forEachEntitlement(
    _ parameters: QueryParameters, where filter: EntitlementFilter = .init(), _ body: (Entitlement) throws -> Void
  ) throws {
    try readAll(["entitlement"], parameters) { database in
      var sql = "SELECT * FROM temp.entitlement WHERE 1"
      var arguments: StatementArguments = []
      if let environment = filter.environment {
        sql += " AND environment = ?"
        arguments += [environment]
      }
      if let product = filter.productID {
        sql += " AND product_id = ?"
        arguments += [product]
      }
      if !filter.states.isEmpty {
        sql += " AND state IN (\(repeatElement("?", count: filter.states.count).joined(separator: ",")))"
        arguments += StatementArguments(filter.states.map(\.rawValue).sorted())
      }
      // Preparing the statement takes longer than an answer about few subscriptions. A caller often runs it again.
      let statement = try database.cachedStatement(sql: sql + " ORDER BY environment, original_transaction_id")
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while let row = try rows.next() { try body(try Entitlement(row, parameters.minimumTrust)) }
    }
  }

  /// Returns every subscription that ``forEachEntitlement(_:where:_:)`` passes to its function.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func entitlements(_ parameters: QueryParameters, where filter: EntitlementFilter = .init()) throws
    -> [Entitlement]
  {
    var found: [Entitlement] = []
    try forEachEntitlement(parameters, where: filter) { found.append($0) }
    return found
  }

  /// Returns the state of a subscription.
  /// - Parameters:
  ///   - originalTransactionID: its original transaction id.
  ///   - environment: the environment of the subscription.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Returns: `nil` when the ledger knows no such subscription, or when it had not begun.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func entitlement(
    of originalTransactionID: String, in environment: Environment = .production, _ parameters: QueryParameters
  ) throws -> Entitlement? {
    try entitlements(parameters.minimumTrust) { database in
      let keys: [OriginalTransactionKey] = try database.rowNumbers(
        "SELECT original_transaction_key FROM main.original_transaction WHERE original_transaction_id = ? AND environment = ?",
        [originalTransactionID, environment.name])
      try setParameters(database, keys, parameters)
    }.first
  }

  /// Returns the number of subscriptions in each environment, by its name.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func originalTransactionCounts() throws -> [String: Int] {
    try read { database in
      var counts: [String: Int] = [:]
      for row in try database.rows(
        """
        SELECT environment, COUNT(*) AS n FROM main.original_transaction o
        WHERE EXISTS (
          SELECT 1 FROM main.projection_transaction t
          WHERE t.original_transaction_key = o.original_transaction_key AND t.known_until IS NULL
            AND t.expires_at IS NOT NULL)
        GROUP BY environment
        """)
      {
        counts[row["environment"]] = row["n"]
      }
      return counts
    }
  }

  /// Returns the names of all sources of deliveries, in order: paths, `-` for standard input, or names that the
  /// importer gave.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func origins() throws -> [String] {
    try read { try String.fetchAll($0, sql: "SELECT name FROM main.origin ORDER BY name") }
  }

  /// Reads the answers about one original transaction.
  func readSubscription<Value>(
    _ view: String, _ purchase: OriginalTransactionMatch, _ parameters: QueryParameters,
    body: (Database) throws -> Value
  ) throws -> Value {
    try readSubscriptions(
      view, settingParameters: { try setParameters($0, [purchase.originalTransactionKey], parameters) }
    ) { database, _ in
      try body(database)
    }
  }

  /// Returns the entitlements of the subscriptions that `ask` puts into the scope of the query.
  func entitlements(_ minimumTrust: MinimumTrust, settingParameters setParameters: (Database) throws -> Void) throws
    -> [Entitlement]
  {
    try readSubscriptions("entitlement", settingParameters: setParameters) { database, _ in
      // A cursor finds a row's columns by a table. A row that is fetched as a whole compares their names one by one.
      try Array(
        Row.fetchCursor(database.cachedStatement(sql: "SELECT * FROM temp.entitlement"))
          .map { try Entitlement($0, minimumTrust) })
    }
  }
}

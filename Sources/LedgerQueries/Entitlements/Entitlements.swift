public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension Entitlement {
  /// - Throws: ``LedgerError`` when the file has a state that this version does not know.
  init(_ row: Row, _ leastTrust: LeastTrust) throws {
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
    expirationReason = row["expiration_reason"]
    rule = row["rule"]
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
    trust = row["trust"]
    addedRoot = row["added_root"]
    isContradictory = row["is_contradictory"]
    isRenewalContradictory = row["is_renewal_contradictory"]
    self.question = Question(
      asOf: Instant(milliseconds: row["as_of"]), knownAt: Instant(milliseconds: row["known_at"]),
      leastTrust: leastTrust)
    originalTransactionKey = row["original_transaction_key"]
    versionID = row["version_id"]
    renewalVersionID = row["renewal_info_version_id"]
  }
}

/// Which lines are wanted; what is `nil` or empty does not matter.
public struct EntitlementFilter: Sendable {
  /// Lines of this environment, such as `Production`.
  public var environment: String?
  /// Lines in one of these states.
  public var states: Set<Entitlement.State> = []
  /// Lines whose product now is this.
  public var productID: String?

  /// A filter that lets everything through.
  public init(environment: String? = nil, states: Set<Entitlement.State> = [], productID: String? = nil) {
    self.environment = environment
    self.states = states
    self.productID = productID
  }
}

extension LedgerReader {
  /// Gives every line that has begun, one after the other, ordered by environment and original transaction id.
  /// - Throws: ``LedgerError``, and whatever `body` throws.
  public func forEachEntitlement(
    _ question: Question, where filter: EntitlementFilter = .init(), _ body: (Entitlement) throws -> Void
  ) throws {
    try read("entitlement") { database in
      try askAboutAll(database, question)
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
      // Preparing it takes longer than an answer about few lines, and a caller that asks once often asks again.
      let statement = try database.cachedStatement(sql: sql + " ORDER BY environment, original_transaction_id")
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while let row = try rows.next() { try body(try Entitlement(row, question.leastTrust)) }
    }
  }

  /// Every line that has begun, as ``forEachEntitlement(_:where:_:)``, gathered.
  /// - Throws: ``LedgerError``.
  public func entitlements(_ question: Question, where filter: EntitlementFilter = .init()) throws -> [Entitlement] {
    var found: [Entitlement] = []
    try forEachEntitlement(question, where: filter) { found.append($0) }
    return found
  }

  /// May this user in? One line by its id.
  /// - Returns: `nil` where the ledger knows no such line, or it had not begun.
  /// - Throws: ``LedgerError``.
  public func entitlement(
    of originalTransactionID: String, in environment: Environment = .production, _ question: Question
  ) throws -> Entitlement? {
    try entitlements(question.leastTrust) { database in
      let line = try database.id(
        "SELECT original_transaction_key FROM main.original_transaction WHERE original_transaction_id = ? AND environment = ?",
        [originalTransactionID, environment.name])
      try ask(database, line.map { [($0, question)] } ?? [])
    }.first
  }

  /// How many subscription lines each environment has.
  /// - Throws: ``LedgerError``.
  public func originalTransactionCounts() throws -> [String: Int] {
    try read { database in
      var counts: [String: Int] = [:]
      for row in try Row.fetchAll(
        database,
        sql: """
          SELECT environment, COUNT(*) AS n FROM main.original_transaction JOIN main.projection_original_transaction USING (original_transaction_key)
          WHERE deciding_version_id IS NOT NULL GROUP BY environment
          """)
      {
        counts[row["environment"]] = row["n"]
      }
      return counts
    }
  }

  /// Where payloads came from: paths, `-`, or whatever the importer called them.
  /// - Throws: ``LedgerError``.
  public func origins() throws -> [String] {
    try read { try String.fetchAll($0, sql: "SELECT name FROM main.origin ORDER BY name") }
  }

  /// Reads about one subscription: from the projections when these are up to date.
  func readSubscription<Value>(
    _ view: String, _ line: OriginalTransactionMatch, _ question: Question, body: (Database) throws -> Value
  ) throws -> Value {
    try readSubscriptions(view, asking: { try ask($0, [(line.originalTransactionKey, question)]) }) { database, _ in
      try body(database)
    }
  }

  /// The entitlements of the lines that `ask` asks about.
  func entitlements(_ leastTrust: LeastTrust, asking ask: (Database) throws -> Void) throws -> [Entitlement] {
    try readSubscriptions("entitlement", asking: ask) { database, _ in
      // A cursor's row finds its columns by a table; a row that was fetched as a whole compares their names one by one.
      try Array(
        Row.fetchCursor(database.cachedStatement(sql: "SELECT * FROM temp.entitlement"))
          .map { try Entitlement($0, leastTrust) })
    }
  }
}

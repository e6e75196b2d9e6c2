package import GRDB
internal import LedgerSchema

/// Answers that are derived because no stored one is right: for an earlier `known_at`, for a greater `weakest_trust`, or
/// while the periods of a subscription wait to be derived.
///
/// Temporary views have the names of the tables with stored answers. So each statement reads derived rows by the text
/// with which it reads stored ones.
package struct DerivedAnswers {
  /// What the answers are derived from.
  package enum Basis: Sendable {
    /// The stored versions of transactions and renewal infos, which state since when each was known.
    case versions
    /// The payloads alone. Nothing that the recorder keeps is read.
    case payloads

    /// The tables whose rows are derived, each after those that its derivation reads.
    var tables: [Stored] {
      switch self {
      case .versions: [EntitlementPeriods.stored] + DerivedAnswers.identifiers
      case .payloads: DerivedAnswers.stored + DerivedAnswers.identifiers
      }
    }
  }

  /// A table that stores the rows of a view by subscription.
  package struct Stored: Sendable {
    /// The name of the table.
    package let name: String
    /// The view that derives its rows.
    package let derived: String
    /// The columns of a query that the view has beside those of the table.
    var parameters: [String] = []
    /// The view through which others read the table, in whose place derived rows are put; `nil`: they read the table.
    var reader: String?

    /// SQL that creates the view of derived rows that is put in the place of the stored ones.
    fileprivate func replacement(_ database: Database) throws -> String {
      let columns = try DerivedAnswers.columns(of: name, database)
      let parameters = reader == nil ? "" : parameters.map { "\($0), " }.joined()
      return "CREATE TEMP VIEW \(reader ?? name) AS SELECT \(parameters)\(columns) FROM temp.\(derived)"
    }

    /// SQL that copies the stored rows for the query in `temp.param_query`.
    fileprivate func copy(_ database: Database) throws -> String {
      let columns = try DerivedAnswers.columns(of: name, database)
      guard !parameters.isEmpty else {
        return "INSERT INTO temp.\(derived) (\(columns)) SELECT \(columns) FROM main.\(name)"
      }
      return """
        INSERT INTO temp.\(derived) (\(parameters.joined(separator: ", ")), \(columns))
        SELECT \(parameters.map { "q.\($0), " }.joined())\(columns) FROM temp.param_query q CROSS JOIN main.\(name)
        """
    }
  }

  /// The tables that store answers by subscription, each after those that its derivation reads. The data dictionary names the
  /// same ones, but reading it takes longer than an answer.
  package static let stored = ProjectionUpdater.tables + [EntitlementPeriods.stored]

  /// The tables with the ids that lead to subscriptions. A search by an id reads them as they are, and then asks whether
  /// the id was known.
  package static let identifiers = [
    Stored(
      name: "original_transaction_identifier", derived: "int_projected_identifier", parameters: ["as_of", "known_at"],
      reader: "stg_original_transaction_identifier"),
    Stored(
      name: "customer_link_target", derived: "int_customer_link_target", parameters: ["as_of", "known_at"],
      reader: "stg_customer_link_target"),
  ]

  /// The tables and views that answer by what is known at present.
  static let readers = (stored + identifiers).map { $0.reader ?? $0.name }

  private let database: Database
  private let tables: DerivedTables
  private let copied: [Stored]
  /// Whether somebody reads more of a subscription than the period that contains `as_of`.
  private let isWhole: Bool
  private var results: Set<String> { Set(copied.map(\.derived)) }

  /// Names relations that the connection has already.
  /// - Parameter views: the views to be read; by default all.
  package init(existing basis: Basis, for views: [String]? = nil, on database: Database) {
    self.database = database
    let needsIdentifiers = views.map(Self.readIdentifiers) ?? true
    tables = DerivedTables(existing: Self.steps(of: basis, withIdentifiers: needsIdentifiers), on: database)
    copied = basis.tables.filter { needsIdentifiers || $0.reader == nil }
    isWhole = views.map(EntitlementPeriods.needWholeHistory) ?? true
  }

  /// Creates the temporary relations.
  /// - Parameters:
  ///   - basis: what the answers are derived from.
  ///   - database: the connection to the file, with the temporary tables of a query's parameters.
  ///   - temporaryViews: the temporary relations that the connection has. The created ones are added.
  package init(_ basis: Basis, on database: Database, temporaryViews: inout Set<String>) throws {
    for table in basis.tables {
      try database.execute(sql: table.replacement(database))
      if let reader = table.reader { temporaryViews.insert(reader) }
    }
    _ = try DerivedTables(Self.steps(of: basis, withIdentifiers: true), on: database, temporaryViews: &temporaryViews)
    self.init(existing: basis, on: database)
  }

  /// The views to derive, each after the views that it reads.
  static func steps(of basis: Basis, withIdentifiers: Bool) -> [String] {
    (basis == .payloads ? ProjectionUpdater.tables.map(\.derived) : []) + EntitlementPeriods.steps
      + (withIdentifiers ? ["int_known_identifier"] + identifiers.map(\.derived) : [])
  }

  /// Returns whether some of these views read the ids that lead to subscriptions.
  private static func readIdentifiers(_ views: [String]) -> Bool {
    !Schema.closure(of: views).isDisjoint(with: identifiers.compactMap(\.reader))
  }

  /// Returns the names of a table's columns, as SQL.
  package static func columns(of table: String, _ database: Database) throws -> String {
    try database.columns(in: table, in: "main").map(\.name).joined(separator: ", ")
  }

  /// Derives the answers for the subscriptions in `temp.param_subscription`.
  package func derive() throws { try tables.derive(selecting: selections) }

  /// Derives the answers for the subscriptions in `temp.param_subscription`, and keeps those of others.
  func deriveKeepingOthers() throws { try tables.derive(addingTo: results, selecting: selections) }

  private var selections: [String: String] {
    isWhole ? [:] : [EntitlementPeriods.instants: EntitlementPeriods.lastInstants]
  }

  // MARK: - All subscriptions

  /// SQL that creates the temporary table of the subscriptions for which no stored answer is right.
  static let derivedTable = "CREATE TEMP TABLE param_derived (original_transaction_key INTEGER PRIMARY KEY);"

  /// Derives the answers of a query about all subscriptions, for those that need it, and copies the stored ones of
  /// the others. Call it with the query in `temp.param_query`.
  func deriveForAll() throws {
    try selectOutdatedSubscriptions()
    let keys = try OriginalTransactionKey.fetchAll(
      database, sql: "SELECT original_transaction_key FROM temp.param_derived ORDER BY original_transaction_key")
    for slice in SubscriptionSlice.slices(of: keys) {
      try slice.set(database)
      try deriveKeepingOthers()
    }
    try database.execute(sql: Self.allSubscriptions)
  }

  /// Finds the subscriptions for which no stored answer is right, and copies the stored answers of the others.
  func selectOutdatedSubscriptions() throws {
    try tables.clear()
    try database.execute(sql: "DELETE FROM temp.param_derived; \(Self.allSubscriptions)")
    // The check reads the first of these tables. So all of them are copied whole before it.
    for table in copied {
      var sql = try table.copy(database)
      if table.name == EntitlementPeriods.table, !isWhole {
        sql += " WHERE begins_at <= q.as_of AND COALESCE(ends_at, 9223372036854775807) > q.as_of"
      }
      try database.execute(sql: sql)
    }
    let source = try Schema.hasCurrentAnswers(database) ? "temp.\(Self.check)" : "main.original_transaction"
    try database.execute(
      sql: "INSERT INTO temp.param_derived SELECT original_transaction_key FROM \(source)")
    for derived in copied.map(\.derived) {
      try database.execute(
        sql: """
          DELETE FROM temp.\(derived)
          WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_derived)
          """)
    }
  }

  /// SQL that makes all subscriptions those that the connection's query is about.
  static let allSubscriptions = """
    INSERT OR IGNORE INTO temp.param_subscription SELECT original_transaction_key FROM main.original_transaction
    """

  // MARK: - When they are needed

  /// The view of the subscriptions of a query for which no stored answer is right.
  package static let check = "int_scope_derived"

  /// Returns what the answers of a query about all subscriptions are to be derived from; `nil` when every stored one
  /// is right. It reads a few rows at most, where ``check`` reads one of each subscription.
  package static func needed(_ parameters: QueryParameters, _ database: Database) throws -> Basis? {
    guard try Schema.hasCurrentAnswers(database) else { return .payloads }
    let isNeeded = try database.has(
      """
      SELECT 1 WHERE (SELECT MAX(last_recorded_at) FROM main.projection_original_transaction) > ?1
      UNION ALL SELECT 1 FROM main.entitlement_period_gap
      UNION ALL SELECT 1 FROM main.projection_original_transaction WHERE ?2 > 0 AND weakest_trust < ?2
      UNION ALL SELECT 1 FROM main.order_lookup WHERE ?2 > 0
      """, [parameters.knownAt.milliseconds, parameters.minimumTrust.rawValue])
    return isNeeded ? parameters.basis : nil
  }

  /// Returns what the answers about the subscriptions of the connection's query are to be derived from; `nil` when
  /// every stored one is right.
  static func needed(_ database: Database) throws -> Basis? {
    guard try Schema.hasCurrentAnswers(database) else { return .payloads }
    guard try database.has("SELECT 1 FROM temp.\(check)", []) else { return nil }
    return try database.has("SELECT 1 FROM temp.param_query WHERE minimum_trust > 0", []) ? .payloads : .versions
  }
}

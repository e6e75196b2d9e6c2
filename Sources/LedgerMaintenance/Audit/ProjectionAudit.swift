internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Compares the stored answers of subscriptions with what their payloads derive (law 5), one slice at a time.
struct ProjectionAudit {
  private let database: Database
  private let answers: DerivedAnswers
  private let checks: [Check]

  /// Prepares the derivation on a connection.
  /// - Parameter database: a connection that is used for nothing else.
  init(_ database: Database) throws {
    self.database = database
    _ = try ReadConnection.prepare(database, .derived(.payloads))
    answers = DerivedAnswers(existing: .payloads, on: database)
    checks = try Self.checks(database)
  }

  /// The result of the check on one slice.
  struct Result: Sendable {
    var findings = FindingList()
    /// How many subscriptions were checked.
    var count = 0
  }

  func check(_ slice: SubscriptionSlice) throws -> Result {
    var result = Result()
    try slice.write(to: database)
    try answers.derive()
    for check in checks {
      for (left, right, words) in [
        (check.stored + " WHERE " + SubscriptionSlice.condition, check.derived, "stores what is not derived"),
        (check.derived, check.stored + " WHERE " + SubscriptionSlice.condition, "lacks what is derived"),
      ] {
        let sql = "SELECT DISTINCT original_transaction_key FROM (\(left) EXCEPT \(right)) ORDER BY 1 LIMIT 100"
        for key in try Int64.fetchAll(database.cachedStatement(sql: sql), arguments: slice.arguments) {
          result.findings.note(
            .projection, check.table, "\(words), for original_transaction_key \(key)", of: "\(check.table) \(words)")
        }
      }
    }
    result.count = try count("temp.param_subscription")
    return result
  }

  private func count(_ relation: String) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(relation)") ?? 0
  }

  private struct Check {
    var table: String
    var stored: String
    var derived: String
  }

  private static func checks(_ database: Database) throws -> [Check] {
    try (DerivedAnswers.stored + DerivedAnswers.identifiers).map { table in
      let columns = try DerivedAnswers.columns(of: table.name, database)
      return Check(
        table: table.name, stored: "SELECT \(columns) FROM main.\(table.name)",
        derived: "SELECT \(columns) FROM temp.\(table.derived)"
          + (table.name == EntitlementPeriods.table ? Self.unlessWaiting : ""))
    }
  }

  /// The periods of these subscriptions are derived later.
  private static let unlessWaiting = """
     WHERE original_transaction_key NOT IN (SELECT original_transaction_key FROM main.entitlement_period_gap)
    """
}

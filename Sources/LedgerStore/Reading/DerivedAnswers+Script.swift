internal import GRDB
internal import LedgerSchema
internal import Synchronization

extension DerivedAnswers {
  /// Returns SQL that derives the answers of a query on any connection to a ledger: the statements that this program
  /// itself runs.
  /// - Parameters:
  ///   - subscriptions: the keys of the original transactions; `nil` for all.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Returns: the statements, in order, with the names of the temporary relations that they create.
  package static func script(
    of subscriptions: [OriginalTransactionKey]?, _ parameters: QueryParameters
  ) throws -> (statements: [String], relations: Set<String>) {
    let statements = Mutex<[String]>([])
    // An empty ledger runs the same statements.
    let temporaryViews = try DatabaseQueue().writeWithoutTransaction { database in
      try Schema.migrate(database)
      database.trace { event in
        guard case .statement(let statement) = event else { return }
        statements.withLock { $0.append(statement.sql) }
      }
      return try run(of: subscriptions, parameters, on: database)
    }
    let changes = ["CREATE", "INSERT", "DELETE", "ANALYZE"]
    return (
      statements.withLock { $0.filter { text in changes.contains { text.hasPrefix($0) } } }, temporaryViews
    )
  }

  private static func run(
    of subscriptions: [OriginalTransactionKey]?, _ parameters: QueryParameters, on database: Database
  )
    throws
    -> Set<String>
  {
    let (asOf, knownAt) = (parameters.asOf.milliseconds, parameters.knownAt.milliseconds)
    try database.execute(sql: ReadConnection.queryTable)
    let temporaryViews = try ReadConnection.prepareAnswers(
      database, subscriptions == nil ? .allDerived(parameters.basis) : .derived(parameters.basis))
    let answers = DerivedAnswers(existing: parameters.basis, on: database)
    try database.execute(
      sql: "INSERT INTO temp.param_query VALUES (\(asOf), \(knownAt), \(parameters.minimumTrust.rawValue))")
    if let subscriptions {
      for key in subscriptions { try database.execute(sql: "INSERT INTO temp.param_subscription VALUES (\(key))") }
      try answers.derive()
    } else {
      try answers.selectOutdatedSubscriptions()
      try database.execute(
        sql: """
          DELETE FROM temp.param_subscription;
          INSERT INTO temp.param_subscription SELECT original_transaction_key FROM temp.param_derived
          """)
      try answers.deriveKeepingOthers()
      try database.execute(sql: allSubscriptions)
    }
    return temporaryViews
  }
}

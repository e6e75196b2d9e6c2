internal import GRDB

/// Keeps the postings of every line, so that a metric is one pass over few rows.
///
/// Recording only takes away that a line is measured; whoever asks for a report has the lines that are not measured again.
/// What is kept answers for every instant: a posting says since when it stands.
final class PostingKeeper {
  private let path: String
  private let queue: DatabaseQueue
  private let derivation: PostingDerivation

  /// The end of time, for questions about all that is known.
  private static let end = Int64.max >> 1

  /// Opens the file for writing what is kept.
  init(path: String, _ patience: Patience) throws {
    self.path = path
    queue = try DatabaseQueue(path: path, configuration: Ledger.configuration(isReadOnly: false, patience))
    derivation = try queue.writeWithoutTransaction { database in
      // Of an older program's texts nothing is kept any more.
      try database.inTransaction(.immediate) {
        if try !Schema.hasPresentViews(database) { try Schema.generate(database) }
        try SchemaAudit(database).requireOurs(path)
        return .commit
      }
      Ledger.stopTracking(database)
      try PostingDerivation.prepare(database)
      var laid = try AskingConnection.prepare(database, .lines)
      return try PostingDerivation(database, laid: &laid)
    }
  }

  func close() { try? queue.close() }

  /// How many lines are to be measured.
  func count() throws -> Int {
    try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM (\(Self.unmeasured))") ?? 0 }
  }

  private static let unmeasured = """
    SELECT l.original_transaction_key FROM main.projection_original_transaction l LEFT JOIN main.projection_metric_coverage m ON m.original_transaction_key = l.original_transaction_key
    WHERE m.original_transaction_key IS NULL
    """

  /// Measures the next lines, as one transaction.
  /// - Returns: the last of them, and how many they were; `nil` where there are none.
  func measure(after last: Int64) throws -> (last: Int64, count: Int)? {
    var measured: (Int64, Int)?
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        measured = try measure(database, after: last)
        return .commit
      }
    }
    return measured
  }

  private func measure(_ database: Database, after last: Int64) throws -> (last: Int64, count: Int)? {
    guard
      let next = try derivation.askNext(
        "\(Self.unmeasured) ORDER BY l.original_transaction_key", after: last, asOf: Self.end, knownAt: Self.end)
    else { return nil }
    try database.execute(sql: "DELETE FROM temp.metric_delta_derived")
    try derivation.derive()
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO main.projection_metric_dimensions
        SELECT DISTINCT NULL, \(Self.segmentName), \(Self.segment) FROM temp.metric_delta_derived p;
        DELETE FROM main.projection_metric_delta WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope);
        INSERT INTO main.projection_metric_delta
        SELECT NULL, p.original_transaction_key, s.dimensions_id, p.day_at, p.effective_at, SUM(p.amount)
        FROM temp.metric_delta_derived p JOIN main.projection_metric_dimensions s ON s.name = \(Self.segmentName)
        GROUP BY p.original_transaction_key, s.dimensions_id, p.day_at, p.effective_at HAVING SUM(p.amount) <> 0;
        INSERT INTO main.projection_metric_coverage SELECT original_transaction_key FROM temp.param_scope;
        """)
    return (next, try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM temp.param_scope") ?? 0)
  }

  /// What a segment is.
  static let segment = """
    measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason, detail, step, \
    own_months, own_days, stated_days
    """

  /// All of it as one text.
  private static let segmentName: String = {
    let columns = segment.split(separator: ", ").map { "p.\($0)" }.joined(separator: ", ")
    return "json_array(\(columns))"
  }()
}

extension Ledger {
  /// Brings up to date what is kept for metrics: of every line of which something was recorded since the last time. No
  /// answer changes by it, only the time that reports take; others may record meanwhile.
  /// - Parameters:
  ///   - patience: how long a program that holds the file is waited for, each time.
  ///   - progress: called after each some thousand lines, with how many were measured, and of how many.
  /// - Returns: how many lines were measured.
  /// - Throws: ``LedgerError``, `cannotWrite` where the file may not be written.
  @discardableResult
  public func measure(
    patience: Duration = Ledger.defaultPatience, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> Int {
    do {
      let keeper = try PostingKeeper(path: path, Patience(patience))
      defer { keeper.close() }
      let total = try keeper.count()
      var (done, last) = (0, Int64(0))
      while done < total, let next = try keeper.measure(after: last) {
        done += next.count
        last = next.last
        progress(done, max(done, total))
      }
      return done
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: true)
    }
  }
}

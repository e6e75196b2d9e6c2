internal import Foundation
internal import GRDB
internal import Synchronization

/// Keeps the postings of every line, so that a metric is one pass over few rows.
///
/// Recording only takes away that a line is measured; whoever asks for a report has the lines that are not measured again.
/// What is kept answers for every instant: a posting says since when it stands.
struct PostingKeeper {
  private let path: String
  private let patience: Patience
  /// The lines to be measured, in their order.
  let lines: [Int64]

  /// Opens the file for writing what is kept.
  init(path: String, _ patience: Patience) throws {
    (self.path, self.patience) = (path, patience)
    let queue = try DatabaseQueue(path: path, configuration: Ledger.configuration(isReadOnly: false, patience))
    defer { try? queue.close() }
    lines = try queue.writeWithoutTransaction { database in
      // Of an older program's texts nothing is kept any more.
      try database.inTransaction(.immediate) {
        if try !Schema.hasPresentViews(database) { try Schema.generate(database) }
        try SchemaAudit(database).requireOurs(path)
        return .commit
      }
      return try Int64.fetchAll(
        database,
        sql: """
          SELECT l.original_transaction_key FROM main.projection_original_transaction l
          LEFT JOIN main.projection_metric_coverage m ON m.original_transaction_key = l.original_transaction_key
          WHERE m.original_transaction_key IS NULL
          ORDER BY 1
          """)
    }
  }

  /// Measures all lines, some at a time, on all cores.
  /// - Parameters:
  ///   - meanwhile: called before what was derived is written: tests record then.
  ///   - progress: called after each transaction, with how many lines were measured.
  func measure(
    meanwhile: @escaping @Sendable () throws -> Void = {}, progress: @escaping @Sendable (_ done: Int) -> Void
  ) throws {
    let (path, patience) = (path, patience)
    // The program's own connections take turns here: at the file, they would poll each other.
    let turn = Mutex(())
    let count = lines.count
    _ = try Slices.run(
      SubscriptionSlice.slices(of: lines), threads: ProcessInfo.processInfo.activeProcessorCount,
      done: { progress(min($0 * SubscriptionSlice.width, count)) }
    ) { _, take in
      let queue = try DatabaseQueue(path: path, configuration: Ledger.configuration(isReadOnly: false, patience))
      defer { try? queue.close() }
      try queue.writeWithoutTransaction { database in
        Ledger.stopTracking(database)
        try PostingDerivation.prepare(database)
        var laid = try AskingConnection.prepare(database, .lines)
        let derivation = try PostingDerivation(database, laid: &laid)
        while try take({ try Self.measure($0, derivation, database, turn, meanwhile) }) {}
      }
    }
  }

  /// Derives some lines while others write, and writes what was derived as one transaction.
  private static func measure(
    _ lines: SubscriptionSlice, _ derivation: PostingDerivation, _ database: Database, _ turn: borrowing Mutex<Void>,
    _ meanwhile: () throws -> Void
  ) throws {
    func derive() throws {
      try lines.ask(database)
      try database.execute(sql: "DELETE FROM temp.metric_delta_derived")
      try derivation.derive()
    }
    func lastSeal() throws -> Int64? { try Int64.fetchOne(database, sql: "SELECT MAX(seal_id) FROM main.seal") }
    var seal: Int64?
    try database.inTransaction(.deferred) {
      seal = try lastSeal()
      try derive()
      return .commit
    }
    try meanwhile()
    try turn.withLock { _ in
      try database.inTransaction(.immediate) {
        // Something was recorded meanwhile, perhaps of these lines.
        if try lastSeal() != seal { try derive() }
        try keep(database)
        return .commit
      }
    }
  }

  /// Replaces what is kept of the lines in `temp.param_scope`.
  private static func keep(_ database: Database) throws {
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO main.projection_metric_dimensions
        SELECT DISTINCT NULL, \(segmentName), \(segment) FROM temp.metric_delta_derived p;
        DELETE FROM main.projection_metric_delta WHERE original_transaction_key IN (
          SELECT original_transaction_key FROM temp.param_scope);
        INSERT INTO main.projection_metric_delta
        SELECT NULL, p.original_transaction_key, s.dimensions_id, p.day_at, p.effective_at, SUM(p.amount)
        FROM temp.metric_delta_derived p JOIN main.projection_metric_dimensions s ON s.name = \(segmentName)
        GROUP BY p.original_transaction_key, s.dimensions_id, p.day_at, p.effective_at HAVING SUM(p.amount) <> 0;
        INSERT OR IGNORE INTO main.projection_metric_coverage SELECT original_transaction_key FROM temp.param_scope;
        """)
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
    patience: Duration = Ledger.defaultPatience,
    progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> Int {
    do {
      let keeper = try PostingKeeper(path: path, Patience(patience))
      let total = keeper.lines.count
      try keeper.measure { progress($0, total) }
      return total
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: true)
    }
  }
}

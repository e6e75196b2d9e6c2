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
        var slice = MeasuredSlice(database, try PostingDerivation(database, laid: &laid))
        while try take({ try slice.measure($0, turn, meanwhile) }) {}
      }
    }
  }
}

/// Derives and keeps the metric deltas of one slice after the other, on one connection.
private struct MeasuredSlice {
  private let database: Database
  private let derivation: PostingDerivation
  private let dimensions = MetricDimensions()
  private var sums = MetricDeltaSums()

  init(_ database: Database, _ derivation: PostingDerivation) {
    (self.database, self.derivation) = (database, derivation)
  }

  /// Derives a slice while others write, and writes what was derived as one transaction.
  mutating func measure(
    _ slice: SubscriptionSlice, _ turn: borrowing Mutex<Void>, _ meanwhile: () throws -> Void
  ) throws {
    var seal: Int64?
    try database.inTransaction(.deferred) {
      seal = try lastSeal()
      try derive(slice)
      return .commit
    }
    try meanwhile()
    try turn.withLock { _ in
      try database.inTransaction(.immediate) {
        // Something was recorded meanwhile, perhaps of these lines.
        if try lastSeal() != seal { try derive(slice) }
        try keep()
        return .commit
      }
    }
  }

  private func lastSeal() throws -> Int64? { try Int64.fetchOne(database, sql: "SELECT MAX(seal_id) FROM main.seal") }

  private mutating func derive(_ slice: SubscriptionSlice) throws {
    try slice.ask(database)
    sums.clear()
    try derivation.derive(into: &sums, dimensions)
  }

  /// Where the sum of the deltas of all subscriptions stands.
  private struct SumKey: Hashable, Comparable {
    var dimensions: Int64
    var day: Int64
    var effectiveDay: Int64

    static func < (one: SumKey, other: SumKey) -> Bool {
      (one.dimensions, one.day, one.effectiveDay) < (other.dimensions, other.day, other.effectiveDay)
    }
  }

  /// Replaces what is kept of the subscriptions in `temp.param_scope`.
  private func keep() throws {
    var changes: [SumKey: Int64] = [:]
    try Step(database, Self.kept).each { row in
      guard let id = row.number(0), let day = row.number(1), let effective = row.number(2), let amount = row.number(3)
      else { return }
      changes[SumKey(dimensions: id, day: day, effectiveDay: effective / 86_400_000), default: 0] -= amount
    }
    try database.cachedStatement(sql: Self.forget).execute()
    var rows: [Int: Int64] = [:]
    let insertion = try Step(database, "INSERT INTO main.projection_metric_delta VALUES (NULL, ?, ?, ?, ?, ?)")
    for (place, amount) in sums.amounts.sorted(by: Self.isBefore) where amount != 0 {
      let id = try rows[place.dimensions] ?? dimensions.row(place.dimensions, database)
      rows[place.dimensions] = id
      try insertion.bind(place.subscription as Int64?).bind(id as Int64?).bind(place.day as Int64?)
        .bind(place.effective as Int64?).bind(amount as Int64?).run()
      changes[SumKey(dimensions: id, day: place.day, effectiveDay: place.effective / 86_400_000), default: 0] += amount
    }
    let addition = try Step(database, Self.addition)
    for (key, amount) in changes.sorted(by: { $0.key < $1.key }) where amount != 0 {
      try addition.bind(key.dimensions as Int64?).bind(key.day as Int64?).bind(key.effectiveDay as Int64?)
        .bind(amount as Int64?).run()
    }
    try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO main.projection_metric_coverage SELECT original_transaction_key FROM temp.param_scope"
    ).execute()
  }

  /// By subscription, so that rows that are read together lie together.
  private static func isBefore(
    _ one: (key: MetricDeltaSums.Place, value: Int64), _ other: (key: MetricDeltaSums.Place, value: Int64)
  ) -> Bool {
    (one.key.subscription, one.key.effective, one.key.dimensions, one.key.day)
      < (other.key.subscription, other.key.effective, other.key.dimensions, other.key.day)
  }

  private static let kept = """
    SELECT p.dimensions_id, p.day_at, p.effective_at, p.amount
    FROM temp.param_scope a CROSS JOIN main.projection_metric_delta p
    WHERE p.original_transaction_key = a.original_transaction_key
    """

  private static let forget = """
    DELETE FROM main.projection_metric_delta
    WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
    """

  private static let addition = """
    INSERT INTO main.projection_metric_delta_sum VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (dimensions_id, day_at, effective_day) DO UPDATE SET amount = amount + excluded.amount
    """
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

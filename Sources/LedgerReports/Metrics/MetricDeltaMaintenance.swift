internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore
internal import Synchronization

/// Stores the metric deltas of every subscription, so that a report reads few rows in one pass.
///
/// Recording a payload makes its subscriptions uncovered (`projection_metric_coverage`). A report derives the deltas of
/// uncovered subscriptions again. A stored delta serves every instant, because it states from when on it counts.
struct MetricDeltaMaintenance {
  private let maintainer: ProjectionMaintainer
  /// The keys of the uncovered subscriptions, sorted.
  let uncovered: [OriginalTransactionKey]

  init(_ maintainer: ProjectionMaintainer) throws {
    self.maintainer = maintainer
    let connection = try maintainer.connection()
    defer { connection.close() }
    uncovered = try connection.prepare { database, _ in
      // An interrupted import leaves periods for the next program that writes.
      if try database.has("SELECT 1 FROM main.entitlement_period_gap", []) { try maintainer.derivePeriods() }
      // A newer program's deltas stay as they are, and this program's reports derive their own.
      guard try Schema.hasCurrentMetrics(database) else { return [] }
      return try OriginalTransactionKey.fetchAll(
        database,
        sql: """
          SELECT l.original_transaction_key FROM main.projection_original_transaction l
          LEFT JOIN main.projection_metric_coverage m ON m.original_transaction_key = l.original_transaction_key
          WHERE m.original_transaction_key IS NULL
          ORDER BY 1
          """)
    }
  }

  /// Derives the deltas of all uncovered subscriptions, in slices, on all cores.
  /// - Parameters:
  ///   - meanwhile: called before derived deltas are written. Tests record something then.
  ///   - progress: called after each transaction, with how many subscriptions were derived.
  func run(
    meanwhile: @escaping @Sendable () throws -> Void = {}, progress: @escaping @Sendable (_ done: Int) -> Void
  ) throws {
    // The connections of this program take turns here. At the file, they would poll for its lock.
    let turn = Mutex(())
    let (maintainer, count) = (maintainer, uncovered.count)
    _ = try Slices.run(
      SubscriptionSlice.slices(of: uncovered), threads: ProcessInfo.processInfo.activeProcessorCount,
      done: { progress(min($0 * SubscriptionSlice.width, count)) }
    ) { _, take in
      let connection = try maintainer.connection(isChecked: true, .some)
      defer { connection.close() }
      let derivation = try connection.prepare { try MetricDeltaDerivation($0, nil, temporaryViews: &$1) }
      var slice = MeasuredSlice(connection, derivation)
      while try take({ try slice.measure($0, turn, meanwhile) }) {}
    }
  }
}

/// Derives and stores the metric deltas of one slice after the other, on one connection.
private struct MeasuredSlice {
  private let connection: ProjectionConnection
  private let derivation: MetricDeltaDerivation
  private let dimensions = MetricDimensions()
  private var sums = MetricDeltaSums()

  init(_ connection: ProjectionConnection, _ derivation: MetricDeltaDerivation) {
    (self.connection, self.derivation) = (connection, derivation)
  }

  /// Derives a slice while others may write, and stores the result in one transaction.
  mutating func measure(
    _ slice: SubscriptionSlice, _ turn: borrowing Mutex<Void>, _ meanwhile: () throws -> Void
  ) throws {
    var seal: Int64?
    try connection.read { database in
      seal = try Self.lastSeal(database)
      try derive(slice, database)
    }
    try meanwhile()
    try turn.withLock { _ in
      try connection.maintain { transaction in
        // Another program recorded something meanwhile, perhaps about these subscriptions.
        if try Self.lastSeal(transaction) != seal { try derive(slice, transaction) }
        try store(transaction)
      }
    }
  }

  private static func lastSeal(_ rows: some RowSource) throws -> Int64? {
    try rows.id("SELECT MAX(seal_id) FROM main.seal", [])
  }

  /// Derives the deltas from the stored periods. Subscriptions whose periods wait stay uncovered.
  private mutating func derive(_ slice: SubscriptionSlice, _ rows: some RowSource) throws {
    try slice.write(to: rows)
    try rows.query(
      """
      DELETE FROM temp.param_subscription
      WHERE original_transaction_key IN (SELECT original_transaction_key FROM main.entitlement_period_gap)
      """
    ).execute()
    sums.clear()
    try derivation.derive(into: &sums, dimensions)
  }

  /// The key of a sum over the deltas of all subscriptions.
  private struct SumKey: Hashable, Comparable {
    var dimensions: Int64
    var day: Int64
    var effectiveDay: Int64

    static func < (one: SumKey, other: SumKey) -> Bool {
      (one.dimensions, one.day, one.effectiveDay) < (other.dimensions, other.day, other.effectiveDay)
    }
  }

  /// Replaces the stored deltas of the subscriptions in `temp.param_subscription`.
  private func store(_ transaction: ProjectionTransaction) throws {
    var changes: [SumKey: Int64] = [:]
    try transaction.statement(Self.stored).each { row in
      guard let id = row.number(0), let day = row.number(1), let effective = row.number(2), let amount = row.number(3)
      else { return }
      changes[SumKey(dimensions: id, day: day, effectiveDay: effective / 86_400_000), default: 0] -= amount
    }
    try transaction.execute(Self.forget)
    var rows: [Int: Int64] = [:]
    let insertion = try transaction.statement(Self.insertion)
    for (key, amount) in sums.amounts.sorted(by: Self.isBefore) where amount != 0 {
      let id = try rows[key.dimensions] ?? dimensions.row(key.dimensions, transaction)
      rows[key.dimensions] = id
      try insertion.bind(key.subscription as Int64?).bind(id as Int64?).bind(key.day as Int64?)
        .bind(key.effective as Int64?).bind(amount as Int64?).run()
      changes[SumKey(dimensions: id, day: key.day, effectiveDay: key.effective / 86_400_000), default: 0] += amount
    }
    let addition = try transaction.statement(Self.addition)
    for (key, amount) in changes.sorted(by: { $0.key < $1.key }) where amount != 0 {
      try addition.bind(key.dimensions as Int64?).bind(key.day as Int64?).bind(key.effectiveDay as Int64?)
        .bind(amount as Int64?).run()
    }
    try transaction.execute(
      "INSERT OR IGNORE INTO main.projection_metric_coverage SELECT original_transaction_key FROM temp.param_subscription"
    )
  }

  /// Orders deltas by subscription first, so that rows that are read together are stored together.
  private static func isBefore(
    _ one: (key: MetricDeltaSums.Key, value: Int64), _ other: (key: MetricDeltaSums.Key, value: Int64)
  ) -> Bool {
    (one.key.subscription, one.key.effective, one.key.dimensions, one.key.day)
      < (other.key.subscription, other.key.effective, other.key.dimensions, other.key.day)
  }

  private static let stored = """
    SELECT p.dimensions_id, p.day_at, p.effective_at, p.amount
    FROM temp.param_subscription a CROSS JOIN main.projection_metric_delta p
    WHERE p.original_transaction_key = a.original_transaction_key
    """

  private static let forget = """
    DELETE FROM main.projection_metric_delta
    WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_subscription)
    """

  private static let insertion = """
    INSERT INTO main.projection_metric_delta (original_transaction_key, dimensions_id, day_at, effective_at, amount)
    VALUES (?, ?, ?, ?, ?)
    """

  private static let addition = """
    INSERT INTO main.projection_metric_delta_sum (dimensions_id, day_at, effective_day, amount) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (dimensions_id, day_at, effective_day) DO UPDATE SET amount = amount + excluded.amount
    """
}

extension ProjectionMaintainer {
  /// Derives the metric deltas of all subscriptions that were recorded about since the last call. It changes no answer,
  /// only the time that a report takes. Others may record meanwhile.
  /// - Parameter progress: called after each slice of some hundred subscriptions, one call at a time, on any thread.
  ///   Its arguments are how many were derived, and of how many.
  /// - Returns: how many subscriptions there were.
  /// - Throws: `LedgerError` with `cannotWrite` when the file cannot be written.
  @discardableResult
  public func deriveMetricDeltas(
    progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> Int {
    try LedgerError.wrapping(path, isWriting: true) {
      let maintenance = try MetricDeltaMaintenance(self)
      let total = maintenance.uncovered.count
      try maintenance.run { progress($0, total) }
      return total
    }
  }
}

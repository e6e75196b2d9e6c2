internal import Foundation
internal import GRDB
internal import LedgerSchema
internal import LedgerStore
internal import Synchronization

/// Derives the metric deltas of subscriptions for one query, on all cores. It subtracts their stored deltas, because
/// a report adds stored and derived deltas. It sums the deltas by day. So a report needs memory for each day and
/// combination of dimensions, and not for each payment.
struct MetricDeltaGathering {
  let path: String
  let parameters: QueryParameters

  /// Fills the table `temp.metric_delta_gathered` with the sums of each day.
  /// - Parameters:
  ///   - keys: the subscriptions, sorted.
  ///   - database: a connection in a transaction, with the temporary tables of a query's parameters. The
  ///     subscriptions are derived from the state that it sees.
  ///   - temporaryViews: the views that the connection has; this adds to it.
  ///   - progress: called after each slice, one call at a time, with how many subscriptions were derived, and of how
  ///     many.
  func gather(
    _ keys: [OriginalTransactionKey], into database: Database, temporaryViews: inout Set<String>,
    progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
  ) throws {
    let slices = SubscriptionSlice.slices(of: keys)
    let done: @Sendable (Int) -> Void = { progress(min($0 * SubscriptionSlice.width, keys.count), keys.count) }
    let threads = min(slices.count, ProcessInfo.processInfo.activeProcessorCount)
    if threads > 1, let queues = try SnapshotConnection.open(threads, path, besides: database) {
      defer { SnapshotConnection.close(queues) }
      try insert(rows(slices, queues, done), into: database)
    } else if threads > 0 {
      // There are few subscriptions, or another program records now. Other connections would then see another state.
      let derivation = try MetricDeltaDerivation(database, parameters.basis, temporaryViews: &temporaryViews)
      var sums = DeltaSumsByDay(parameters)
      for (index, slice) in slices.enumerated() {
        try sums.add(slice, database) { try derivation.derive(into: &$0, $1) }
        done(index + 1)
      }
      try insert(sums.rows, into: database)
    }
    // This connection reads the stored deltas, because others may see deltas that were stored since.
    var stored = DeltaSumsByDay(parameters)
    for slice in slices {
      try stored.add(slice, database) { try $0.add(BoundStatement(database, MetricDeltaSums.stored), $1, sign: -1) }
    }
    try insert(stored.rows, into: database)
  }

  private func rows(
    _ slices: [SubscriptionSlice], _ queues: [DatabaseQueue], _ done: @escaping @Sendable (Int) -> Void
  ) throws -> [DeltaRow] {
    let all = Mutex<[DeltaRow]>([])
    _ = try Slices.run(slices, threads: queues.count, done: done) { thread, take in
      try queues[thread].unsafeRead { database in
        var temporaryViews = try ReadConnection.prepare(database, .derived(parameters.basis))
        let derivation = try MetricDeltaDerivation(database, parameters.basis, temporaryViews: &temporaryViews)
        var sums = DeltaSumsByDay(parameters)
        while try take({ slice in try sums.add(slice, database) { try derivation.derive(into: &$0, $1) } }) {}
        let rows = sums.rows
        all.withLock { $0 += rows }
      }
    }
    return all.withLock { $0 }
  }

  private func insert(_ rows: [DeltaRow], into database: Database) throws {
    let (asOf, knownAt) = (parameters.asOf.milliseconds.databaseValue, parameters.knownAt.milliseconds.databaseValue)
    let insertion = try database.makeStatement(
      sql: "INSERT INTO temp.metric_delta_gathered VALUES (?, ?, NULL, \(MetricDimensions.placeholders), ?, ?, ?)")
    for row in rows {
      let sum = [row.day.databaseValue, asOf, row.amount.databaseValue]
      try insertion.execute(arguments: StatementArguments([asOf, knownAt] + row.dimensions + sum))
    }
  }

  /// The table that `gather` fills. All of its rows are effective at the instant of the query, and are sums of several
  /// subscriptions.
  static let table = """
    CREATE TEMP TABLE metric_delta_gathered (
      as_of INTEGER, known_at INTEGER, original_transaction_key INTEGER, \(MetricDimensions.columns), day_at INTEGER, effective_at INTEGER, amount INTEGER
    );
    """
}

/// The sum of the metric deltas of one day, for one measure and its dimensions.
private struct DeltaRow: Sendable {
  var dimensions: [DatabaseValue]
  var day: Int64
  var amount: Int64
}

/// Metric deltas summed by day, as far as they are effective at the instant of a query.
private struct DeltaSumsByDay {
  private struct Key: Hashable {
    var dimensions: Int
    var day: Int64
  }

  private let parameters: QueryParameters
  private let dimensions = MetricDimensions()
  private var sums = MetricDeltaSums()
  private var amounts: [Key: Int64] = [:]

  init(_ parameters: QueryParameters) { self.parameters = parameters }

  /// Adds the deltas of a slice.
  /// - Parameter deltas: adds the deltas of the subscriptions in `temp.param_subscription` to sums.
  mutating func add(
    _ slice: SubscriptionSlice, _ database: Database,
    deltas: (inout MetricDeltaSums, MetricDimensions) throws -> Void
  ) throws {
    let asOf = parameters.asOf.milliseconds
    try slice.write(to: database, parameters)
    sums.clear()
    try deltas(&sums, dimensions)
    for (key, amount) in sums.amounts where key.effective <= asOf {
      amounts[Key(dimensions: key.dimensions, day: key.day), default: 0] += amount
    }
  }

  var rows: [DeltaRow] {
    amounts.lazy.filter { $0.value != 0 }.map {
      DeltaRow(dimensions: dimensions.values(of: $0.key.dimensions), day: $0.key.day, amount: $0.value)
    }
  }
}

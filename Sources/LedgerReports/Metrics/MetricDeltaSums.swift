internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// Numbers for measures with their dimensions. They stand for rows of `projection_metric_dimensions`, as far as they
/// occurred.
package final class MetricDimensions {
  /// The columns that identify a row, in order.
  static let columns = """
    measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason, detail, step, \
    own_months, own_days, stated_days
    """
  static let count = CInt(columns.split(separator: ",").count)

  private var numbers: [[UInt8]: Int] = [:]
  private var values: [[DatabaseValue]] = []
  private var bytes: [UInt8] = []

  package init() {}

  /// Returns the number of the measure and the dimensions in a row that begins with ``columns``.
  func number(of row: BoundStatement.ResultRow) -> Int {
    bytes.removeAll(keepingCapacity: true)
    for column in 0..<Self.count { row.append(column, to: &bytes) }
    if let number = numbers[bytes] { return number }
    numbers[bytes] = values.count
    values.append((0..<Self.count).map(row.value))
    return values.count - 1
  }

  /// Returns the values of ``columns`` that a number stands for.
  func values(of number: Int) -> [DatabaseValue] { values[number] }

  /// Returns the id of the row in `projection_metric_dimensions` that a number stands for, and inserts the row when
  /// there is none.
  func row(_ number: Int, _ transaction: ProjectionTransaction) throws -> Int64 {
    let arguments = StatementArguments(values[number])
    let find = "SELECT dimensions_id FROM main.projection_metric_dimensions WHERE name = \(Self.name)"
    if let row = try transaction.id(find, arguments) { return row }
    try transaction.execute(
      """
      INSERT INTO main.projection_metric_dimensions (name, \(Self.columns)) VALUES (\(Self.name), \(Self.parameters))
      """, arguments)
    return transaction.lastInsertedRowID
  }

  /// A placeholder for each value of ``columns`` in a statement.
  static let placeholders = repeatElement("?", count: Int(count)).joined(separator: ", ")
  private static let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
  /// All values as one JSON text: the unique name of a row.
  private static let name = "json_array(\(parameters))"
}

/// Sums of metric deltas: one for each subscription, measure with its dimensions, day and instant.
package struct MetricDeltaSums {
  /// What a sum of deltas counts for.
  package struct Key: Hashable {
    package var subscription: Int64
    /// The number that ``MetricDimensions`` gave.
    var dimensions: Int
    var day: Int64
    var effective: Int64
  }

  package private(set) var amounts: [Key: Int64] = [:]

  package init() {}

  /// Removes all sums, and keeps their memory for the next slice.
  package mutating func clear() { amounts.removeAll(keepingCapacity: true) }

  /// Adds the rows that a statement finds: the columns of ``MetricDimensions``, then those of ``columns``.
  /// - Parameter sign: 1 to add the rows, -1 to subtract them.
  package mutating func add(_ rows: BoundStatement, _ dimensions: MetricDimensions, sign: Int64 = 1) throws {
    try rows.each { row in
      let number = dimensions.number(of: row)
      let next = MetricDimensions.count
      guard let subscription = row.number(next), let day = row.number(next + 1), let effective = row.number(next + 2),
        let amount = row.number(next + 3)
      else { return }
      let key = Key(subscription: subscription, dimensions: number, day: day, effective: effective)
      amounts[key, default: 0] += sign * amount
    }
  }

  /// Selects the stored metric deltas of the subscriptions in `temp.param_subscription`, in the form that ``add(_:_:sign:)``
  /// reads.
  package static let stored = """
    SELECT \(MetricDimensions.columns), p.original_transaction_key, p.day_at, p.effective_at, p.amount
    FROM temp.param_subscription a CROSS JOIN main.projection_metric_delta p CROSS JOIN main.projection_metric_dimensions s
    WHERE p.original_transaction_key = a.original_transaction_key AND s.dimensions_id = p.dimensions_id
    """

  /// The columns that follow those of ``MetricDimensions`` in a row.
  static let columns = "original_transaction_key, day_at, effective_at, amount"
}

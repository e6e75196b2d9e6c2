internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// Measures with their dimensions, each with a number: the rows of `projection_metric_dimensions`, as far as they were met.
package final class MetricDimensions {
  /// What tells two of them apart, in the order of the columns.
  static let columns = """
    measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason, detail, step, \
    own_months, own_days, stated_days
    """
  static let count = CInt(columns.split(separator: ",").count)

  private var numbers: [[UInt8]: Int] = [:]
  private var values: [[DatabaseValue]] = []
  private var bytes: [UInt8] = []

  package init() {}

  /// The number of the measure and the dimensions in a row that begins with ``columns``.
  func number(of row: Step.Columns) -> Int {
    bytes.removeAll(keepingCapacity: true)
    for place in 0..<Self.count { row.append(place, to: &bytes) }
    if let number = numbers[bytes] { return number }
    numbers[bytes] = values.count
    values.append((0..<Self.count).map(row.value))
    return values.count - 1
  }

  /// The values of ``columns`` that a number stands for.
  func values(of number: Int) -> [DatabaseValue] { values[number] }

  /// The row of `projection_metric_dimensions` that stands for a number; it is inserted where there is none.
  func row(_ number: Int, _ transaction: ProjectionTransaction) throws -> Int64 {
    let arguments = StatementArguments(values[number])
    let find = "SELECT dimensions_id FROM main.projection_metric_dimensions WHERE name = \(Self.name)"
    if let row = try transaction.id(find, arguments) { return row }
    return try transaction.insert(
      "INSERT INTO main.projection_metric_dimensions VALUES (NULL, \(Self.name), \(Self.parameters))", arguments)
  }

  /// A place for each value of ``columns`` in a statement.
  static let places = repeatElement("?", count: Int(count)).joined(separator: ", ")
  private static let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
  /// All of it as one text.
  private static let name = "json_array(\(parameters))"
}

/// Metric deltas of some subscriptions, added up: for each subscription, measure with its dimensions, day and instant, one.
package struct MetricDeltaSums {
  /// What a delta counts for.
  package struct Place: Hashable {
    package var subscription: Int64
    /// A number of ``MetricDimensions``.
    var dimensions: Int
    var day: Int64
    var effective: Int64
  }

  package private(set) var amounts: [Place: Int64] = [:]

  package init() {}

  /// Takes all away.
  package mutating func clear() { amounts.removeAll(keepingCapacity: true) }

  /// Adds the rows that a statement finds: the columns of ``MetricDimensions``, then those of ``columns``.
  /// - Parameter sign: 1, or -1 to subtract them.
  package mutating func add(_ rows: Step, _ dimensions: MetricDimensions, sign: Int64 = 1) throws {
    try rows.each { row in
      let number = dimensions.number(of: row)
      let next = MetricDimensions.count
      guard let subscription = row.number(next), let day = row.number(next + 1), let effective = row.number(next + 2),
        let amount = row.number(next + 3)
      else { return }
      let place = Place(subscription: subscription, dimensions: number, day: day, effective: effective)
      amounts[place, default: 0] += sign * amount
    }
  }

  /// The metric deltas that are kept of the subscriptions in `temp.param_scope`, as ``add(_:_:sign:)`` reads them.
  package static let kept = """
    SELECT \(MetricDimensions.columns), p.original_transaction_key, p.day_at, p.effective_at, p.amount
    FROM temp.param_scope a CROSS JOIN main.projection_metric_delta p CROSS JOIN main.projection_metric_dimensions s
    WHERE p.original_transaction_key = a.original_transaction_key AND s.dimensions_id = p.dimensions_id
    """

  /// What follows the columns of ``MetricDimensions`` in a row.
  static let columns = "original_transaction_key, day_at, effective_at, amount"
}

package import GRDB
internal import LedgerSchema

/// Some subscriptions: what walks a file derives one slice at a time.
package enum SubscriptionSlice: Sendable {
  /// All with keys in a range, and whatever is kept under such keys.
  case range(ClosedRange<Int64>)
  /// Named ones, sorted.
  case keys([Int64])

  /// How many subscriptions are derived at once: enough for a sort to be worth it, few enough for memory.
  package static let width = 500

  /// Slices of named subscriptions.
  /// - Parameter keys: sorted.
  package static func slices(of keys: [Int64]) -> [SubscriptionSlice] {
    stride(from: 0, to: keys.count, by: width).map { .keys(Array(keys[$0..<min($0 + width, keys.count)])) }
  }

  /// Asks about the slice's subscriptions; unless the caller says otherwise, by all that is known.
  package func ask(_ rows: some RowSource, asOf: Int64 = end, knownAt: Int64 = end) throws {
    try rows.query("DELETE FROM temp.param_scope").execute()
    switch self {
    case .range(let range):
      try rows.query(
        """
        INSERT INTO temp.param_scope SELECT ?1, ?2, original_transaction_key FROM main.original_transaction
        WHERE original_transaction_key BETWEEN ?3 AND ?4
        """
      ).execute(arguments: [asOf, knownAt, range.lowerBound, range.upperBound])
    case .keys(let keys):
      let insertion = try rows.query("INSERT INTO temp.param_scope VALUES (?, ?, ?)")
      for key in keys { try insertion.execute(arguments: [asOf, knownAt, key]) }
    }
  }

  /// The end of time, for questions about all that is known.
  static let end = Int64.max >> 1

  /// Which rows are the slice's, in statements with ``arguments``.
  package static let condition = """
    original_transaction_key BETWEEN ?1 AND ?2 AND (
      ?3 = 0 OR original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
    )
    """

  /// The range of its keys, and whether only those asked about are meant.
  package var arguments: StatementArguments {
    switch self {
    case .range(let range): [range.lowerBound, range.upperBound, 0]
    case .keys(let keys): [keys.first ?? 0, keys.last ?? -1, 1]
    }
  }
}

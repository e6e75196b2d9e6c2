package import GRDB
internal import LedgerSchema

/// A part of the subscriptions. Work on a whole file derives one slice at a time.
package enum SubscriptionSlice: Sendable {
  /// All subscriptions with keys in a range, and all stored rows under such keys.
  case range(ClosedRange<OriginalTransactionKey>)
  /// The subscriptions with these keys, which are sorted.
  case keys([OriginalTransactionKey])

  /// The number of subscriptions to derive at once. It is large enough for a sort to pay, and small enough for memory.
  package static let width = 500

  /// The slice of all subscriptions.
  package static let all = SubscriptionSlice.range(OriginalTransactionKey(.min)...OriginalTransactionKey(.max))

  /// Returns slices of the given subscriptions.
  /// - Parameter keys: the keys of the subscriptions, sorted.
  package static func slices(of keys: [OriginalTransactionKey]) -> [SubscriptionSlice] {
    stride(from: 0, to: keys.count, by: width).map { .keys(Array(keys[$0..<min($0 + width, keys.count)])) }
  }

  /// Asks a query about the slice's subscriptions. By default, all evidence counts.
  package func write(to rows: some RowSource, _ parameters: QueryParameters = .end) throws {
    try parameters.write(to: rows)
    try set(rows)
  }

  /// Makes the slice's subscriptions those that the connection's query is about.
  func set(_ rows: some RowSource) throws {
    try rows.query("DELETE FROM temp.param_subscription").execute()
    switch self {
    case .range(let range):
      try rows.query(
        """
        INSERT INTO temp.param_subscription SELECT original_transaction_key FROM main.original_transaction
        WHERE original_transaction_key BETWEEN ? AND ?
        """
      ).execute(arguments: [range.lowerBound, range.upperBound])
    case .keys(let keys):
      let insertion = try rows.query("INSERT INTO temp.param_subscription VALUES (?)")
      for key in keys { try insertion.execute(arguments: [key]) }
    }
  }

  /// An SQL condition for the slice's rows, with ``arguments`` as values.
  package static let condition = """
    original_transaction_key BETWEEN ?1 AND ?2 AND (
      ?3 = 0 OR original_transaction_key IN (SELECT original_transaction_key FROM temp.param_subscription)
    )
    """

  /// The values of ``condition``: the range of the keys, and whether only keys in `temp.param_subscription` count.
  package var arguments: StatementArguments {
    switch self {
    case .range(let range): [range.lowerBound, range.upperBound, 0]
    case .keys(let keys): [keys.first?.rawValue ?? 0, keys.last?.rawValue ?? -1, 1]
    }
  }
}

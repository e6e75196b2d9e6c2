package import GRDB
internal import LedgerSchema

/// Writes queries to a connection, as rows of temporary tables that the views read as their parameters.
extension LedgerReader {
  /// Asks a query about the subscriptions with the given keys.
  package func setParameters(_ database: Database, _ keys: [OriginalTransactionKey], _ parameters: QueryParameters)
    throws
  {
    try SubscriptionSlice.keys(Set(keys).sorted()).write(to: database, parameters)
  }
}

extension QueryParameters {
  /// Writes the query to a connection that has the temporary parameter tables, in place of an earlier one.
  package func write(to rows: some RowSource) throws {
    try rows.query("DELETE FROM temp.param_query").execute()
    try rows.query("INSERT INTO temp.param_query VALUES (?, ?, ?)")
      .execute(arguments: [asOf.milliseconds, knownAt.milliseconds, minimumTrust.rawValue])
  }
}

internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Returns SQL for any SQLite tool that has this ledger open. The script creates temporary relations with the names
  /// of the ledger's views and stored answers. They answer for the given subscriptions, at the given instants. The
  /// script changes nothing in the file.
  ///
  /// SQLite can use an equality on an id in most public views. It cannot in views that number or compare the rows of a
  /// subscription, such as `transaction_fact`. With this script they read the given subscriptions only.
  /// - Parameters:
  ///   - subscriptions: the original transactions; `nil` for all.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Returns: the script, in SQLite's dialect.
  /// - Throws: an error of SQLite, which only a bug causes.
  public static func scopeScript(_ subscriptions: [OriginalTransactionMatch]?, _ parameters: QueryParameters) throws
    -> String
  {
    var (statements, temporaryViews) = try DerivedAnswers.script(
      of: subscriptions.map { Set($0.map(\.originalTransactionKey)).sorted() }, parameters)
    for view in Schema.views where !temporaryViews.contains(view.name) && !view.needs(among: temporaryViews).isEmpty {
      let body = view.name == "metric_delta" ? ReadConnection.derivedMetricDelta : String(view.body)
      statements.append("CREATE TEMP VIEW \(view.name) AS\n\(body)")
      temporaryViews.insert(view.name)
    }
    return """
      -- Temporary relations for this connection alone: as of \(parameters.asOf), as known at \(parameters.knownAt).
      -- In the sqlite3 shell: .read FILE

      """ + statements.map { $0.hasSuffix(";\n") ? $0 : $0 + ";\n" }.joined()
  }
}

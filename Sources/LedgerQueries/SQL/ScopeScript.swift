internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Returns SQL for any SQLite tool that has this ledger open. The script creates temporary views with the names of
  /// the ledger's views. They answer for the given subscriptions, at the given instants. The script changes nothing in
  /// the file.
  ///
  /// SQLite can use an equality on an id in most public views. It cannot in views that number or compare the rows of a
  /// subscription, such as `transaction_fact` and `state_history`. With this script they read the given subscriptions
  /// only.
  /// - Parameters:
  ///   - subscriptions: the original transactions; `nil` for all.
  ///   - question: the instants, and the evidence that counts.
  /// - Returns: the script, in SQLite's dialect.
  public static func scopeScript(_ subscriptions: [OriginalTransactionMatch]?, _ question: Question) -> String {
    let (asOf, knownAt) = (question.asOf.milliseconds, question.knownAt.milliseconds)
    var script = """
      -- Temporary views for this connection alone: as of \(question.asOf), as known at \(question.knownAt).
      -- In the sqlite3 shell: .read FILE
      \(ReadConnection.queryTable)

      """
    var overlaid: Set = ["param_query"]
    if let subscriptions {
      script += "\(ReadConnection.scopeTable)\n"
      for key in Set(subscriptions.map(\.originalTransactionKey)).sorted() {
        script += "INSERT INTO param_scope VALUES (\(asOf), \(knownAt), \(key));\n"
      }
      overlaid.formUnion(["param_scope", "int_scope_candidate"])
    }
    for view in Schema.views where !overlaid.contains(view.name) && !view.needs(among: overlaid).isEmpty {
      let isCandidate = view.name == "int_scope_candidate"
      script +=
        isCandidate ? ReadConnection.candidateTable + "\n" : "CREATE TEMP VIEW \(view.name) AS\n\(view.body)\n"
      overlaid.insert(view.name)
    }
    // The last statement, because it fills the table of candidates.
    return script + "INSERT INTO param_query VALUES (\(asOf), \(knownAt), \(question.leastTrust.rawValue));\n"
  }
}

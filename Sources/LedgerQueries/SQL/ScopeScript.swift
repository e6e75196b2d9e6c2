internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// SQL for any SQLite tool that has this ledger open: temporary views of the ledger's names, which answer about some
  /// subscriptions only, at other instants than now. It changes nothing in the file.
  ///
  /// SQLite can lead an equality on an id into most public views, but not into those that number or compare the rows of a
  /// subscription, such as `transaction_fact` and `state_history`. With this script they read these subscriptions alone.
  /// - Parameters:
  ///   - lines: the subscriptions; `nil` for all.
  ///   - question: the instants, and the evidence that counts.
  public static func scopeScript(_ lines: [OriginalTransactionMatch]?, _ question: Question) -> String {
    let (asOf, knownAt) = (question.asOf.milliseconds, question.knownAt.milliseconds)
    var script = """
      -- Temporary views for this connection alone: as of \(question.asOf), as known at \(question.knownAt).
      -- In the sqlite3 shell: .read FILE
      \(ReadConnection.queryTable)

      """
    var overlaid: Set = ["param_query"]
    if let lines {
      script += "\(ReadConnection.scopeTable)\n"
      for key in Set(lines.map(\.originalTransactionKey)).sorted() {
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
    // Last: the table of candidates is filled with it.
    return script + "INSERT INTO param_query VALUES (\(asOf), \(knownAt), \(question.leastTrust.rawValue));\n"
  }
}

internal import AppStore
internal import GRDB
internal import LedgerSchema

extension EvidenceTransaction {
  /// Records an entry of the ledger's owner, unless the last entry about the same thing states the same.
  /// - Parameters:
  ///   - table: the table. Its entries have numbers, an instant (`entered_at`) and an origin.
  ///   - subject: the columns that say what the entry is about.
  ///   - statement: the columns that say what it states.
  /// - Returns: whether the entry is new or differs.
  func recordEntry(
    in table: StaticString, about subject: RowValues, stating statement: RowValues, originID: Int64, now: Instant
  ) throws -> Bool {
    let last = try row(
      """
      SELECT \(statement.map { "\($0.key)" }.joined(separator: ", ")), entered_at FROM main.\(table)
      WHERE \(subject.map { "\($0.key) IS ?" }.joined(separator: " AND ")) ORDER BY entry_id DESC LIMIT 1
      """, StatementArguments(subject.map(\.value)))
    if let last {
      let stated = statement.map { $0.value?.databaseValue ?? .null }
      if Array(last.databaseValues.dropLast()) == stated { return false }
    }
    // An entry is never recorded before its predecessor, even if the clock went back.
    let enteredAt = max(now.milliseconds, last?["entered_at"] as Int64? ?? 0)
    try insert(table, Array(subject) + Array(statement) + [("entered_at", enteredAt), ("origin_id", originID)])
    return true
  }
}

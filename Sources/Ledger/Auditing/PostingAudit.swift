internal import GRDB

extension Ledger {
  /// Compares the postings that are kept of measured lines with what the views derive of them (law 5).
  func postingFindings() throws -> [AuditFinding] {
    do {
      let queue = try Self.openedForAsking(path: path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        try PostingDerivation.prepare(database)
        var findings: [AuditFinding] = []
        try database.inTransaction(.deferred) {
          guard try Schema.hasPresentViews(database) else { return .rollback }
          findings = try Self.postingFindings(database)
          return .rollback
        }
        return findings
      }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }

  private static func postingFindings(_ database: Database) throws -> [AuditFinding] {
    var laid = try AskingConnection.prepare(database, .lines)
    let derivation = try PostingDerivation(database, laid: &laid)
    let lines = "SELECT original_transaction_key FROM main.projection_metric_coverage ORDER BY original_transaction_key"
    let end = Int64.max >> 1
    var findings: [AuditFinding] = []
    var last: Int64 = 0
    while let next = try derivation.askNext(lines, after: last, asOf: end, knownAt: end), findings.count < 10 {
      last = next
      try database.execute(sql: "DELETE FROM temp.metric_delta_derived")
      try derivation.derive()
      for line in try Int64.fetchAll(database, sql: differing) {
        findings.append(
          AuditFinding(
            code: .projection, place: "projection_metric_delta",
            detail: "keeps what is not derived, of original_transaction_key \(line)"))
      }
    }
    return findings
  }

  /// The lines whose postings do not cancel out: those kept, and those derived, taken back.
  private static let differing = """
    SELECT DISTINCT original_transaction_key FROM (
      SELECT original_transaction_key FROM (
        SELECT p.original_transaction_key, \(PostingKeeper.segment), p.day_at, p.effective_at, p.amount
        FROM main.projection_metric_delta p JOIN main.projection_metric_dimensions s USING (dimensions_id)
        WHERE p.original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
        UNION ALL
        SELECT original_transaction_key, \(PostingKeeper.segment), day_at, effective_at, -amount FROM temp.metric_delta_derived
      ) both
      GROUP BY original_transaction_key, \(PostingKeeper.segment), day_at, effective_at HAVING SUM(amount) <> 0
    ) LIMIT 10
    """
}

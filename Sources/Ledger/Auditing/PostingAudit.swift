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
    let lines = "SELECT line_id FROM main.projection_measured ORDER BY line_id"
    let end = Int64.max >> 1
    var findings: [AuditFinding] = []
    var last: Int64 = 0
    while let next = try derivation.askNext(lines, after: last, asOf: end, knownAt: end), findings.count < 10 {
      last = next
      try database.execute(sql: "DELETE FROM temp.posting_derived")
      try derivation.derive()
      for line in try Int64.fetchAll(database, sql: differing) {
        findings.append(
          AuditFinding(
            code: .projection, place: "projection_posting", detail: "keeps what is not derived, of line_id \(line)"))
      }
    }
    return findings
  }

  /// The lines whose postings do not cancel out: those kept, and those derived, taken back.
  private static let differing = """
    SELECT DISTINCT line_id FROM (
      SELECT line_id FROM (
        SELECT p.line_id, \(PostingKeeper.segment), p.day_at, p.since_at, p.amount
        FROM main.projection_posting p JOIN main.projection_segment s USING (segment_id)
        WHERE p.line_id IN (SELECT line_id FROM temp.asked)
        UNION ALL
        SELECT line_id, \(PostingKeeper.segment), day_at, since_at, -amount FROM temp.posting_derived
      ) both
      GROUP BY line_id, \(PostingKeeper.segment), day_at, since_at HAVING SUM(amount) <> 0
    ) LIMIT 10
    """
}

internal import AppStore
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

extension LedgerReader {
  /// Returns the erasures that were recorded after a seal and are not acknowledged, as findings.
  func erasureFindings(since anchor: Anchor, _ acknowledged: Set<String>) throws -> [AuditFinding] {
    try read { database in
      let keys = try Anchor.keys(of: "erasure", since: anchor, database)
      return try keys.compactMap { key -> AuditFinding? in
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT pseudonym, author, reason, entered_at,
              (SELECT COUNT(*) FROM main.rewritten_row w WHERE w.erasure_id = e.erasure_id) AS row_count
            FROM main.erasure e WHERE erasure_id = ?
            """, arguments: StatementArguments(key.map(\.databaseValue)))
        guard let row, !acknowledged.contains(row["pseudonym"]) else { return nil }
        return AuditFinding(
          code: .erasure, location: row["pseudonym"],
          detail:
            "\(row["author"] as String) \(QuarantinePurge.text(for: row["pseudonym"])) at \(Instant(milliseconds: row["entered_at"])) "
            + "(\(row["reason"] as String)), which rewrote \(row["row_count"] as Int) rows. It is not acknowledged")
      }
    }
  }
}

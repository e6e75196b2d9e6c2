internal import AppStore
internal import GRDB

/// Keeps the projections equal to the general text, at a cost that does not grow with a line's history.
///
/// The general text of the views is the truth (law 5); ``settle()`` uses it for heads and for lines to be derived
/// anew, so the rules stand once. Only the order of rules §2 stands here a second time, as a comparison of the present
/// version with one more; the audit compares the two.
struct ProjectionKeeper {
  let database: Database
  /// Lines whose head may have changed.
  private var touched: Set<Int64> = []
  /// Lines to be derived from all their evidence.
  private var forgotten: Set<Int64> = []

  init(database: Database) { self.database = database }

  private func run(_ sql: String, _ arguments: StatementArguments) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Something was said of a line.
  mutating func note(line: Int64, evidenceAt: Int64, recordedAt: Int64) throws {
    touched.insert(line)
    try run(
      """
      INSERT INTO projection_line (line_id, last_recorded_at, evidence_at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET
        last_recorded_at = max(last_recorded_at, excluded.last_recorded_at),
        evidence_at = max(evidence_at, excluded.evidence_at)
      """, [line, recordedAt, evidenceAt])
  }

  /// One more version of a transaction: it takes the place of the current one where it comes later in the order of
  /// rules §2.
  mutating func note(
    transaction: Int64, of line: Int64, version: Int64, evidenceAt: Int64, rank: SourceRank, fields: TransactionFields
  ) throws {
    try run(
      """
      INSERT INTO projection_transaction VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        version_id = excluded.version_id, evidence_at = excluded.evidence_at, source_rank = excluded.source_rank,
        product_id = excluded.product_id, purchase_at = excluded.purchase_at, expires_at = excluded.expires_at,
        revoked_at = excluded.revoked_at, is_upgraded = excluded.is_upgraded
      WHERE (
          excluded.evidence_at, -excluded.source_rank, excluded.revoked_at IS NOT NULL,
          COALESCE(excluded.expires_at, -1),
          (SELECT w.digest FROM transaction_version v JOIN statement w USING (statement_id)
            WHERE v.version_id = excluded.version_id),
          (SELECT p.digest FROM transaction_version v JOIN payload p USING (payload_id)
            WHERE v.version_id = excluded.version_id)
        ) > (
          evidence_at, -source_rank, revoked_at IS NOT NULL, COALESCE(expires_at, -1),
          (SELECT w.digest FROM transaction_version v JOIN statement w USING (statement_id)
            WHERE v.version_id = projection_transaction.version_id),
          (SELECT p.digest FROM transaction_version v JOIN payload p USING (payload_id)
            WHERE v.version_id = projection_transaction.version_id)
        )
      """,
      [
        line, transaction, version, evidenceAt, rank.rawValue, fields.productID, fields.purchaseAt?.milliseconds,
        fields.expiresAt?.milliseconds, fields.revokedAt?.milliseconds, fields.isUpgraded ?? false,
      ])
  }

  /// One more version of a renewal info.
  mutating func note(renewal version: Int64, of line: Int64, evidenceAt: Int64) throws {
    try run("INSERT INTO projection_renewal VALUES (?, ?, ?)", [line, evidenceAt, version])
    try run(
      """
      UPDATE projection_line SET renewal_evidence_at = max(COALESCE(renewal_evidence_at, ?2), ?2) WHERE line_id = ?1
      """, [line, evidenceAt])
  }

  /// The instants of something said of these lines have changed: what was derived is no longer known to be right.
  mutating func forget(_ lines: [Int64]) { forgotten.formUnion(lines) }

  /// Brings the heads of all touched lines up to date. To be called once, before the transaction ends.
  mutating func settle() throws {
    for line in forgotten { try deriveAnew(line) }
    for line in touched.subtracting(forgotten) { try findHead(line) }
    touched = []
    forgotten = []
  }

  private func ask(_ line: Int64) throws {
    try run("DELETE FROM temp.asked", [])
    try run("INSERT INTO temp.asked VALUES (?1, ?1, ?2)", [Int64.max >> 1, line])
  }

  private func findHead(_ line: Int64) throws {
    // Without a purchase_at the views look for the head among the line's current transactions.
    try run(
      """
      UPDATE projection_line SET
        head_version_id = NULL, transaction_key = NULL, head_evidence_at = NULL, product_id = NULL, purchase_at = NULL,
        expires_at = NULL, revoked_at = NULL, is_upgraded = NULL
      WHERE line_id = ?
      """, [line])
    try ask(line)
    try run(
      """
      UPDATE projection_line SET
        head_version_id = h.version_id, transaction_key = h.transaction_key, head_evidence_at = h.evidence_at,
        product_id = h.product_id, purchase_at = h.purchase_at, expires_at = h.expires_at, revoked_at = h.revoked_at,
        is_upgraded = h.is_upgraded
      FROM temp.line_head h WHERE projection_line.line_id = ? AND h.line_id = projection_line.line_id
      """, [line])
  }

  /// Derives a line's projections from its evidence alone.
  private func deriveAnew(_ line: Int64) throws {
    // Without a row in projection_line, the views answer by the general text.
    for table in ["projection_line", "projection_transaction", "projection_renewal"] {
      try run("DELETE FROM \(table) WHERE line_id = ?", [line])
    }
    try ask(line)
    try run(
      """
      INSERT INTO projection_transaction
      SELECT line_id, transaction_key, version_id, evidence_at, source_rank, product_id, purchase_at, expires_at,
        revoked_at, is_upgraded
      FROM temp.transaction_derived
      """, [])
    try run("INSERT INTO projection_renewal SELECT line_id, evidence_at, version_id FROM temp.renewal_candidate", [])
    try run(
      """
      INSERT INTO projection_line (line_id, last_recorded_at, evidence_at, renewal_evidence_at)
      SELECT e.line_id,
        (SELECT MAX(i.recorded_at) FROM payload_instant i WHERE i.payload_id IN (
          SELECT payload_id FROM transaction_version WHERE line_id = e.line_id
          UNION SELECT payload_id FROM renewal_version WHERE line_id = e.line_id
          UNION SELECT payload_id FROM status_claim WHERE line_id = e.line_id)),
        e.evidence_at,
        (SELECT MAX(evidence_at) FROM projection_renewal r WHERE r.line_id = e.line_id)
      FROM temp.line_evidence e
      """, [])
    try findHead(line)
  }

  /// Empties the projections and derives them all again: what they hold is nowhere needed.
  fileprivate func rebuild() throws {
    for line in try Int64.fetchAll(database, sql: "SELECT line_id FROM line") { try deriveAnew(line) }
  }
}

extension Ledger {
  /// Derives everything that is kept for speed from the evidence alone, as one transaction. No answer changes by it,
  /// unless someone tampered with what was kept.
  /// - Throws: ``LedgerError``.
  public func rebuildProjections() throws {
    try writing { try ProjectionKeeper(database: $0).rebuild() }
  }
}

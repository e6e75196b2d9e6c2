internal import LedgerSchema

/// The statements with which an import reads and writes projections.
enum ProjectionStatement: Int, CaseIterable {
  case digestOfVersion, payloadDigestOfVersion, reasonOfVersion
  case readEvidenceSummary, writeEvidenceSummary, readIntervals, insertInterval, endInterval, deleteInterval,
    insertRenewalInfoVersion, forgetMetricCoverage, resetNextChange
  case hasIdentifier, insertIdentifier

  var source: StatementSource {
    switch self {
    case .digestOfVersion:
      .sql(
        """
        SELECT w.digest FROM transaction_version v JOIN transaction_info w USING (transaction_info_id)
        WHERE v.version_id = ?
        """)
    case .payloadDigestOfVersion:
      .sql("SELECT p.digest FROM transaction_version v JOIN payload p USING (payload_id) WHERE v.version_id = ?")
    case .reasonOfVersion:
      .sql(
        """
        SELECT 1 FROM transaction_version v JOIN transaction_seat_info s USING (transaction_info_id)
        WHERE v.version_id = ? AND s.additional_transaction_reason IS NOT NULL
        """)
    case .readEvidenceSummary:
      .sql(
        """
        SELECT last_recorded_at, evidence_at, is_contradicted, weakest_trust, confirming_evidence_at
        FROM projection_original_transaction
        WHERE original_transaction_key = ?
        """)
    case .writeEvidenceSummary:
      // An update leaves unchanged values in their indexes, but OR REPLACE would write them again.
      .sql(
        """
        INSERT INTO projection_original_transaction (
          original_transaction_key, last_recorded_at, evidence_at, is_contradicted, weakest_trust,
          confirming_evidence_at)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (original_transaction_key) DO UPDATE SET
          last_recorded_at = excluded.last_recorded_at, evidence_at = excluded.evidence_at,
          is_contradicted = excluded.is_contradicted, weakest_trust = excluded.weakest_trust,
          confirming_evidence_at = excluded.confirming_evidence_at
        """)
    case .readIntervals:
      .sql(
        """
        SELECT known_from, known_until, version_id, evidence_at, source_rank, expires_at, revoked_at
        FROM projection_transaction WHERE original_transaction_key = ? AND transaction_key = ?
        """)
    case .insertInterval: .insertion(into: "projection_transaction")
    case .endInterval:
      .sql(
        """
        UPDATE projection_transaction SET known_until = ?4
        WHERE original_transaction_key = ?1 AND transaction_key = ?2 AND known_from = ?3
        """)
    case .deleteInterval:
      .sql(
        """
        DELETE FROM projection_transaction
        WHERE original_transaction_key = ? AND transaction_key = ? AND known_from = ?
        """)
    case .insertRenewalInfoVersion: .insertion(into: "projection_renewal_info")
    case .hasIdentifier:
      .sql(
        """
        SELECT 1 FROM original_transaction_identifier
        WHERE identifier = ? AND kind = ? AND original_transaction_key = ?
        """)
    case .insertIdentifier: .insertion(into: "original_transaction_identifier")
    case .resetNextChange:
      .sql("UPDATE change_feed_state SET next_change_at = 0 WHERE original_transaction_key = ?")
    case .forgetMetricCoverage:
      .sql("DELETE FROM projection_metric_coverage WHERE original_transaction_key = ?")
    }
  }
}

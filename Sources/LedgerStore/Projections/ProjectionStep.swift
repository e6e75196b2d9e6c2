internal import LedgerSchema

/// The statements with which an import reads and writes projections.
enum ProjectionStep: Int, CaseIterable {
  case digestOfVersion, payloadDigestOfVersion
  case readLine, writeLine, readIntervals, insertInterval, endInterval, deleteInterval, insertRenewalPlace, ask,
    unmeasure
  case hasIdentifier, insertIdentifier

  var sql: String {
    switch self {
    case .digestOfVersion:
      "SELECT w.digest FROM transaction_version v JOIN transaction_info w USING (transaction_info_id) WHERE v.version_id = ?"
    case .payloadDigestOfVersion:
      "SELECT p.digest FROM transaction_version v JOIN payload p USING (payload_id) WHERE v.version_id = ?"
    case .readLine: "SELECT * FROM projection_original_transaction WHERE original_transaction_key = ?"
    case .writeLine:
      // An update leaves unchanged values in their indexes, but OR REPLACE would write them again.
      EvidenceStep.insertion("projection_original_transaction", 21, conflict: "") + """
         ON CONFLICT (original_transaction_key) DO UPDATE SET
          last_recorded_at = excluded.last_recorded_at, evidence_at = excluded.evidence_at,
          renewal_evidence_at = excluded.renewal_evidence_at, deciding_version_id = excluded.deciding_version_id,
          transaction_key = excluded.transaction_key, deciding_evidence_at = excluded.deciding_evidence_at,
          product_id = excluded.product_id, purchase_at = excluded.purchase_at, expires_at = excluded.expires_at,
          revoked_at = excluded.revoked_at, is_upgraded = excluded.is_upgraded,
          renewal_info_version_id = excluded.renewal_info_version_id,
          grace_period_expires_at = excluded.grace_period_expires_at,
          is_in_billing_retry_period = excluded.is_in_billing_retry_period,
          expiration_intent = excluded.expiration_intent, auto_renew_status = excluded.auto_renew_status,
          auto_renew_product_id = excluded.auto_renew_product_id, renewal_signed_at = excluded.renewal_signed_at,
          is_contradicted = excluded.is_contradicted, least_trust = excluded.least_trust
        """
    case .readIntervals:
      """
      SELECT known_from, known_until, version_id, evidence_at, source_rank, expires_at, revoked_at
      FROM projection_transaction WHERE original_transaction_key = ? AND transaction_key = ?
      """
    case .insertInterval: EvidenceStep.insertion("projection_transaction", 11)
    case .endInterval:
      "UPDATE projection_transaction SET known_until = ?4 WHERE original_transaction_key = ?1 AND transaction_key = ?2 AND known_from = ?3"
    case .deleteInterval:
      "DELETE FROM projection_transaction WHERE original_transaction_key = ? AND transaction_key = ? AND known_from = ?"
    case .insertRenewalPlace: EvidenceStep.insertion("projection_renewal_info", 4)
    case .hasIdentifier:
      "SELECT 1 FROM original_transaction_identifier WHERE identifier = ? AND kind = ? AND original_transaction_key = ?"
    case .insertIdentifier: EvidenceStep.insertion("original_transaction_identifier", 3)
    case .ask: "INSERT INTO temp.param_scope VALUES (?1, ?1, ?2)"
    case .unmeasure: "DELETE FROM projection_metric_coverage WHERE original_transaction_key = ?"
    }
  }
}

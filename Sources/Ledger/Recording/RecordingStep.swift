internal import GRDB

/// The statements that an import runs for every row, by name.
enum RecordingStep: Int, CaseIterable {
  case findPayload, insertPayload, insertDelivery
  case findLine, insertLine, findTransaction
  case findForm, insertForm
  case findTransactionInfo, insertTransactionInfo, findRenewalInfo, insertRenewalInfo
  case findAppTransactionInfo, insertAppTransactionInfo
  case insertTransactionVersion, insertRenewalVersion, insertClaim, insertNotification
  case hasIdentifier, insertIdentifier
  case digestOfVersion, payloadDigestOfVersion
  case readLine, writeLine, readIntervals, insertInterval, endInterval, deleteInterval, insertRenewalPlace, ask,
    unmeasure

  var sql: String {
    switch self {
    case .findPayload: "SELECT payload_id FROM payload WHERE digest = ?"
    case .insertPayload: Self.insertion("payload", 18)
    case .insertDelivery: Self.insertion("delivery", 5)
    case .findLine:
      "SELECT original_transaction_key FROM original_transaction WHERE original_transaction_id = ? AND environment = ?"
    case .insertLine: Self.insertion("original_transaction", 3)
    case .findTransaction:
      "SELECT transaction_key FROM transaction_info WHERE transaction_id = ? AND original_transaction_key = ? LIMIT 1"
    case .findForm: "SELECT form_id FROM text_form WHERE digest = ?"
    case .insertForm: Self.insertion("text_form", 4)
    case .findTransactionInfo:
      """
      SELECT transaction_info_id FROM transaction_info
      WHERE transaction_id = ? AND original_transaction_key = ? AND substr(digest, 1, 8) = substr(?3, 1, 8)
        AND digest = ?3
      """
    case .insertTransactionInfo: Self.insertion("transaction_info", 44)
    case .findRenewalInfo:
      """
      SELECT renewal_info_id FROM renewal_info
      WHERE original_transaction_key = ? AND substr(digest, 1, 8) = substr(?2, 1, 8) AND digest = ?2
      """
    case .insertRenewalInfo: Self.insertion("renewal_info", 34)
    case .findAppTransactionInfo: "SELECT app_transaction_info_id FROM app_transaction_info WHERE digest = ?"
    case .insertAppTransactionInfo: Self.insertion("app_transaction_info", 15)
    case .insertTransactionVersion: Self.insertion("transaction_version", 7)
    case .insertRenewalVersion: Self.insertion("renewal_info_version", 6)
    case .insertClaim: Self.insertion("status_claim", 6)
    case .insertNotification: Self.insertion("notification", 16)
    case .hasIdentifier:
      "SELECT 1 FROM original_transaction_identifier WHERE identifier = ? AND kind = ? AND original_transaction_key = ?"
    case .insertIdentifier: Self.insertion("original_transaction_identifier", 3)
    case .digestOfVersion:
      "SELECT w.digest FROM transaction_version v JOIN transaction_info w USING (transaction_info_id) WHERE v.version_id = ?"
    case .payloadDigestOfVersion:
      "SELECT p.digest FROM transaction_version v JOIN payload p USING (payload_id) WHERE v.version_id = ?"
    case .readLine: "SELECT * FROM projection_original_transaction WHERE original_transaction_key = ?"
    case .writeLine:
      // What did not change stays in its indexes, as it does not with OR REPLACE.
      Self.insertion("projection_original_transaction", 21).replacing("OR FAIL ", with: "") + """
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
    case .insertInterval: Self.insertion("projection_transaction", 11)
    case .endInterval:
      "UPDATE projection_transaction SET known_until = ?4 WHERE original_transaction_key = ?1 AND transaction_key = ?2 AND known_from = ?3"
    case .deleteInterval:
      "DELETE FROM projection_transaction WHERE original_transaction_key = ? AND transaction_key = ? AND known_from = ?"
    case .insertRenewalPlace: Self.insertion("projection_renewal_info", 4)
    case .ask: "INSERT INTO temp.param_scope VALUES (?1, ?1, ?2)"
    case .unmeasure: "DELETE FROM projection_metric_coverage WHERE original_transaction_key = ?"
    }
  }

  /// The sealed table that a step inserts into.
  var sealedTable: String? {
    switch self {
    case .insertPayload: "payload"
    case .insertDelivery: "delivery"
    case .insertLine: "original_transaction"
    case .insertForm: "text_form"
    case .insertTransactionInfo: "transaction_info"
    case .insertRenewalInfo: "renewal_info"
    case .insertAppTransactionInfo: "app_transaction_info"
    case .insertTransactionVersion: "transaction_version"
    case .insertRenewalVersion: "renewal_info_version"
    case .insertClaim: "status_claim"
    case .insertNotification: "notification"
    default: nil
    }
  }

  /// The tables into which nothing else inserts.
  static let boundTables = Set(allCases.compactMap(\.sealedTable))

  private static func insertion(_ table: StaticString, _ columns: Int) -> String {
    "INSERT OR FAIL INTO \(table) VALUES (\(repeatElement("?", count: columns).joined(separator: ",")))"
  }
}

/// The steps of one transaction, each prepared when it is first needed.
final class RecordingSteps {
  private let database: Database
  private let sealer: Sealer?
  private var made: [Step?] = Array(repeating: nil, count: RecordingStep.allCases.count)

  /// - Parameter sealer: the connection's, where what is recorded is sealed.
  init(_ database: Database, _ sealer: Sealer?) { (self.database, self.sealer) = (database, sealer) }

  /// The step of this name, ready for its first value.
  func callAsFunction(_ name: RecordingStep) throws -> Step {
    if let step = made[name.rawValue] { return step }
    let step = try Step(database, name.sql, rows: name.sealedTable.flatMap { sealer?.rows(of: $0) })
    made[name.rawValue] = step
    return step
  }
}

internal import LedgerSchema

/// The statements with which an import finds and records evidence.
enum EvidenceStatement: Int, CaseIterable {
  case findPayload, insertPayload, insertDelivery
  case findOriginalTransaction, insertOriginalTransaction, findTransaction
  case findTemplate, insertTemplate
  case findTransactionInfo, insertTransactionInfo, findRenewalInfo, insertRenewalInfo
  case findAppTransactionInfo, insertAppTransactionInfo
  case insertTransactionVersion, insertRenewalVersion, insertClaim, insertNotification

  var source: StatementSource {
    switch self {
    case .findPayload: .sql("SELECT payload_id FROM payload WHERE digest = ?")
    case .insertPayload: .insertion(into: "payload")
    case .insertDelivery: .insertion(into: "delivery")
    case .findOriginalTransaction:
      .sql(
        """
        SELECT original_transaction_key FROM original_transaction
        WHERE original_transaction_id = ? AND environment = ?
        """)
    case .insertOriginalTransaction: .insertion(into: "original_transaction")
    case .findTransaction:
      .sql(
        """
        SELECT transaction_key FROM transaction_info
        WHERE transaction_id = ? AND original_transaction_key = ? LIMIT 1
        """)
    case .findTemplate: .sql("SELECT template_id FROM text_template WHERE digest = ?")
    case .insertTemplate: .insertion(into: "text_template")
    case .findTransactionInfo:
      .sql(
        """
        SELECT transaction_info_id FROM transaction_info
        WHERE transaction_id = ? AND original_transaction_key = ? AND substr(digest, 1, 8) = substr(?3, 1, 8)
          AND digest = ?3
        """)
    case .insertTransactionInfo: .insertion(into: "transaction_info")
    case .findRenewalInfo:
      .sql(
        """
        SELECT renewal_info_id FROM renewal_info
        WHERE original_transaction_key = ? AND substr(digest, 1, 8) = substr(?2, 1, 8) AND digest = ?2
        """)
    case .insertRenewalInfo: .insertion(into: "renewal_info")
    case .findAppTransactionInfo: .sql("SELECT app_transaction_info_id FROM app_transaction_info WHERE digest = ?")
    case .insertAppTransactionInfo: .insertion(into: "app_transaction_info")
    case .insertTransactionVersion: .insertion(into: "transaction_version")
    case .insertRenewalVersion: .insertion(into: "renewal_info_version")
    case .insertClaim: .insertion(into: "status_claim")
    case .insertNotification: .insertion(into: "notification")
    }
  }

  /// The tables that only these statements insert into.
  static let boundTables = Set(allCases.compactMap(\.source.table))
}

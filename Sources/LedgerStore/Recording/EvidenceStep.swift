internal import LedgerSchema

/// The statements with which an import finds and records evidence.
enum EvidenceStep: Int, CaseIterable {
  case findPayload, insertPayload, insertDelivery
  case findLine, insertLine, findTransaction
  case findForm, insertForm
  case findTransactionInfo, insertTransactionInfo, findRenewalInfo, insertRenewalInfo
  case findAppTransactionInfo, insertAppTransactionInfo
  case insertTransactionVersion, insertRenewalVersion, insertClaim, insertNotification

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
    }
  }

  /// The sealed table that the statement inserts into, or `nil` when it inserts nothing.
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

  /// The tables that only these statements insert into.
  static let boundTables = Set(allCases.compactMap(\.sealedTable))

  /// Returns an insertion with a parameter for each column.
  /// - Parameter conflict: what SQLite does at a conflict. Without OR FAIL, it keeps a journal for every inserted row.
  static func insertion(_ table: StaticString, _ columns: Int, conflict: StaticString = "OR FAIL ") -> String {
    "INSERT \(conflict)INTO \(table) VALUES (\(repeatElement("?", count: columns).joined(separator: ",")))"
  }
}

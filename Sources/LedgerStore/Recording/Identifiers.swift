internal import AppStore
internal import GRDB
internal import LedgerSchema

/// By what lines can be found, and what is recorded beside transactions.
///
/// The table `original_transaction_identifier` is a projection: the view `int_known_identifier` states which fields are
/// ids. What stands here again fills the table without a search of all evidence. The audit compares the two.
extension Recorder {
  /// Notes the ids by which a new transaction info names its original transaction.
  mutating func identify(_ line: Int64, by fields: TransactionFields) throws {
    try identify(line, "app_account_token", fields.appAccountToken)
    try identify(line, "app_transaction_id", fields.appTransactionID)
    try identify(line, "previous_original_transaction_id", fields.previousOriginalTransactionID)
  }

  /// The same of a new renewal info.
  mutating func identify(_ line: Int64, by fields: RenewalFields) throws {
    try identify(line, "app_account_token", fields.appAccountToken)
    try identify(line, "app_transaction_id", fields.appTransactionID)
  }

  private mutating func identify(_ line: Int64, _ kind: String, _ id: String?) throws {
    guard let id, newOriginalTransactions.note(id, of: kind, line: line) else { return }
    if !newOriginalTransactions.contains(line), try projections.steps(.hasIdentifier).bind(id).bind(kind).bind(line).number() != nil { return }
    try projections.steps(.insertIdentifier).bind(id).bind(kind).bind(line).run()
  }

  func insert(_ event: ClientEvent, _ payload: Int64) throws {
    try transaction.insert(
      "client_event",
      [
        payload, event.event, event.transactionState, event.transactionID, event.originalTransactionID,
        event.productID, event.customer, event.appAccountToken, event.device, event.queue,
        event.happenedAt.milliseconds, event.errorDomain, event.errorCode, event.errorMessage,
      ])
  }

  /// Which order a payload answers for, and with it how the order's lines are found.
  mutating func insertOrder(_ order: String?, _ payload: Int64) throws {
    guard let order,
      try !transaction.has("SELECT 1 FROM order_lookup WHERE order_id = ? AND payload_id = ?", [order, payload])
    else { return }
    try transaction.insert("order_lookup", [payload, order])
    let lines = try transaction.numbers(
      "SELECT DISTINCT original_transaction_key FROM transaction_version WHERE payload_id = ?", [payload])
    for line in lines { try identify(line, "order_id", order) }
  }

  func insert(_ attempts: [SendAttempt], _ payload: Int64) throws {
    for (ordinal, attempt) in attempts.enumerated() {
      guard
        let notification = try transaction.id(
          "SELECT payload_id FROM payload WHERE digest = ?", [attempt.notification.data])
      else { continue }
      try transaction.insert(
        "send_attempt", [payload, ordinal, notification, attempt.attemptedAt.milliseconds, attempt.result])
    }
  }
}

internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Records the ids by which original transactions can be found, and the tables beside transactions.
///
/// The table `original_transaction_identifier` is a projection. The view `int_known_identifier` defines which fields
/// are ids. This code repeats that definition, because the view would search all evidence. The audit compares the
/// results.
extension Recorder {
  /// Records the ids in a new transaction info that lead to its original transaction.
  mutating func identify(_ originalKey: Int64, by fields: TransactionFields) throws {
    try identify(originalKey, "app_account_token", fields.appAccountToken)
    try identify(originalKey, "app_transaction_id", fields.appTransactionID)
    try identify(originalKey, "previous_original_transaction_id", fields.previousOriginalTransactionID)
  }

  /// Records the ids in a new renewal info that lead to its original transaction.
  mutating func identify(_ originalKey: Int64, by fields: RenewalFields) throws {
    try identify(originalKey, "app_account_token", fields.appAccountToken)
    try identify(originalKey, "app_transaction_id", fields.appTransactionID)
  }

  private mutating func identify(_ originalKey: Int64, _ kind: String, _ id: String?) throws {
    guard let id, newOriginalTransactions.note(id, of: kind, line: originalKey) else { return }
    if !newOriginalTransactions.contains(originalKey),
      try projections.steps(.hasIdentifier).bind(id).bind(kind).bind(originalKey).number() != nil
    {
      return
    }
    try projections.steps(.insertIdentifier).column("identifier").bind(id).column("kind").bind(kind)
      .column("original_transaction_key").bind(originalKey).run()
  }

  func insert(_ event: ClientEvent, _ payload: Int64) throws {
    try transaction.insert(
      "client_event",
      [
        "payload_id": payload, "event": event.event, "transaction_state": event.transactionState,
        "transaction_id": event.transactionID, "original_transaction_id": event.originalTransactionID,
        "product_id": event.productID, "customer": event.customer, "app_account_token": event.appAccountToken,
        "device": event.device, "queue": event.queue, "happened_at": event.happenedAt.milliseconds,
        "error_domain": event.errorDomain, "error_code": event.errorCode, "error_message": event.errorMessage,
      ])
  }

  /// Records the order that a payload answers for, and the order id as an id of its original transactions.
  mutating func insertOrder(_ order: String?, _ payload: Int64) throws {
    guard let order,
      try !transaction.has("SELECT 1 FROM order_lookup WHERE order_id = ? AND payload_id = ?", [order, payload])
    else { return }
    try transaction.insert("order_lookup", ["payload_id": payload, "order_id": order])
    let originalKeys = try transaction.numbers(
      "SELECT DISTINCT original_transaction_key FROM transaction_version WHERE payload_id = ?", [payload])
    for originalKey in originalKeys { try identify(originalKey, "order_id", order) }
  }

  func insert(_ attempts: [SendAttempt], _ payload: Int64) throws {
    for (ordinal, attempt) in attempts.enumerated() {
      guard
        let notification = try transaction.id(
          "SELECT payload_id FROM payload WHERE digest = ?", [attempt.notification.data])
      else { continue }
      try transaction.insert(
        "send_attempt",
        [
          "payload_id": payload, "ordinal": ordinal, "notification_id": notification,
          "attempted_at": attempt.attemptedAt.milliseconds, "result": attempt.result,
        ])
    }
  }
}

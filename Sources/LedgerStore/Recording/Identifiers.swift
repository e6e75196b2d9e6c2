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
  mutating func insertIdentifiers(_ originalKey: OriginalTransactionKey, by fields: TransactionFields) throws {
    try insertIdentifiers(originalKey, "app_account_token", fields.appAccountToken)
    try insertIdentifiers(originalKey, "app_transaction_id", fields.appTransactionID)
    try insertIdentifiers(originalKey, "previous_original_transaction_id", fields.previousOriginalTransactionID)
  }

  /// Records the ids in a new renewal info that lead to its original transaction.
  mutating func insertIdentifiers(_ originalKey: OriginalTransactionKey, by fields: RenewalFields) throws {
    try insertIdentifiers(originalKey, "app_account_token", fields.appAccountToken)
    try insertIdentifiers(originalKey, "app_transaction_id", fields.appTransactionID)
  }

  private mutating func insertIdentifiers(_ originalKey: OriginalTransactionKey, _ kind: String, _ id: String?) throws {
    guard let id, newOriginalTransactions.note(id, of: kind, for: originalKey) else { return }
    if !newOriginalTransactions.contains(originalKey),
      try projections.statements(.hasIdentifier).bind(id).bind(kind).bind(originalKey).number() != nil
    {
      return
    }
    try projections.statements(.insertIdentifier).column("identifier").bind(id).column("kind").bind(kind)
      .column("original_transaction_key").bind(originalKey).run()
  }

  mutating func insert(_ fields: NotificationFields, _ payload: PayloadID, _ evidence: Evidence) throws {
    // The original transaction of the notification's own rows. Their environment is the signed one.
    var originalKey: OriginalTransactionKey?
    if let original = fields.originalTransactionID {
      let environment =
        evidence.transactions.first { $0.originalTransactionID == original }?.environment
        ?? evidence.renewals.first { $0.originalTransactionID == original }?.environment ?? evidence.environment
      originalKey = try originalTransactionKey(environment, original)
    }
    let statement = try statements(.insertNotification)
    statement.column("payload_id").bind(payload)
    statement.column("notification_type").bind(fields.type)
    statement.column("subtype").bind(fields.subtype)
    statement.column("notification_uuid").bind(fields.uuid)
    statement.column("version").bind(fields.version)
    statement.column("original_transaction_key").bind(originalKey)
    statement.column("consumption_request_reason").bind(fields.consumptionRequestReason)
    statement.column("bundle_version").bind(fields.bundleVersion)
    statement.column("external_purchase_id").bind(fields.externalPurchaseID)
    statement.column("external_purchase_token_type").bind(fields.externalPurchaseTokenType)
    statement.column("external_purchase_token_created_at").bind(fields.externalPurchaseTokenCreatedAt)
    statement.column("external_purchase_token_expires_at").bind(fields.externalPurchaseTokenExpiresAt)
    statement.column("request_identifier").bind(fields.requestIdentifier)
    statement.column("summary_product_id").bind(fields.summaryProductID)
    statement.column("succeeded_count").bind(fields.succeededCount)
    try statement.column("failed_count").bind(fields.failedCount).run()
    for id in fields.unclaimedSeatIDs {
      try transaction.insert("seat_release", ["seat_claim_id": id, "payload_id": payload])
    }
  }

  func insert(_ event: ClientEvent, _ payload: PayloadID) throws {
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
  mutating func insertOrder(_ order: String?, _ payload: PayloadID) throws {
    guard let order,
      try !transaction.has("SELECT 1 FROM order_lookup WHERE order_id = ? AND payload_id = ?", [order, payload])
    else { return }
    try transaction.insert("order_lookup", ["payload_id": payload, "order_id": order])
    let originalKeys: [OriginalTransactionKey] = try transaction.rowNumbers(
      "SELECT DISTINCT original_transaction_key FROM transaction_version WHERE payload_id = ?", [payload])
    for originalKey in originalKeys { try insertIdentifiers(originalKey, "order_id", order) }
  }

  func insert(_ attempts: [SendAttempt], _ payload: PayloadID) throws {
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

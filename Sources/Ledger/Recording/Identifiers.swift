internal import AppStore
internal import GRDB

/// By what lines can be found, and what is recorded beside transactions.
extension Recorder {
  /// Notes the ids by which a transaction names its line. A statement that is known has told them already, unless it
  /// was said of another line (of an environment that was not stated then): the first id tells.
  mutating func identify(_ line: Int64, by fields: TransactionFields, isNew: Bool) throws {
    try identify(
      line,
      [
        ("web_order_line_item_id", fields.webOrderLineItemID), ("app_account_token", fields.appAccountToken),
        ("app_transaction_id", fields.appTransactionID),
        ("previous_original_transaction_id", fields.previousOriginalTransactionID),
      ], isNew: isNew)
  }

  /// The same of a renewal info.
  mutating func identify(_ line: Int64, by fields: RenewalFields, isNew: Bool) throws {
    try identify(
      line, [("app_account_token", fields.appAccountToken), ("app_transaction_id", fields.appTransactionID)],
      isNew: isNew)
  }

  private mutating func identify(_ line: Int64, _ ids: [(kind: String, id: String?)], isNew: Bool) throws {
    for (kind, id) in ids {
      guard let id else { continue }
      let isKnown =
        newLines.contains(line)
        ? !newLines.note(id, of: kind, line: line)
        : try steps(.hasIdentifier).bind(id).bind(kind).bind(line).number() != nil
      if !isKnown {
        try steps(.insertIdentifier).bind(id).bind(kind).bind(line).run()
      } else if !isNew {
        return
      }
    }
  }

  func insert(_ event: ClientEvent, _ payload: Int64) throws {
    try database.insert(
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
      try !database.has("SELECT 1 FROM order_lookup WHERE order_id = ? AND payload_id = ?", [order, payload])
    else { return }
    try database.insert("order_lookup", [payload, order])
    let lines = try Int64.fetchAll(
      database, sql: "SELECT DISTINCT original_transaction_key FROM transaction_version WHERE payload_id = ?",
      arguments: [payload])
    for line in lines { try identify(line, [("order_id", order)], isNew: true) }
  }

  func insert(_ attempts: [SendAttempt], _ payload: Int64) throws {
    for (ordinal, attempt) in attempts.enumerated() {
      guard
        let notification = try database.id(
          "SELECT payload_id FROM payload WHERE digest = ?", [attempt.notification.data])
      else { continue }
      try database.insert(
        "send_attempt", [payload, ordinal, notification, attempt.attemptedAt.milliseconds, attempt.result])
    }
  }
}

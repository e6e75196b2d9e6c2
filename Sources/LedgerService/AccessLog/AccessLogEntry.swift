package import AppStore
internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// A look at a person, or a change, that a program makes through the server.
package struct AccessLogEntry: Sendable {
  /// The public id of the token that asks.
  package var tokenID: String
  /// The id of the request, as the server's log has it.
  package var requestID: String
  /// The operation, by its `operationId` in the server's description of itself.
  package var operation: String
  /// The customer whom it is about.
  package var customer: String?
  /// The purchase that it is about.
  package var originalTransactionID: String?
  /// The instants of a question.
  package var question: Question?
  /// The reason, in the words of who asks.
  package var reason: String?
  /// How many purchases or entries the answer has.
  package var resultCount: Int
  /// When it is done.
  package var recordedAt: Instant

  /// Creates an entry without customer, purchase, question and reason.
  package init(tokenID: String, requestID: String, operation: String, recordedAt: Instant) {
    (self.tokenID, self.requestID, self.operation) = (tokenID, requestID, operation)
    (self.recordedAt, resultCount) = (recordedAt, 0)
  }
}

extension EvidenceTransaction {
  /// Records an entry of the access log, in the transaction of what it is about.
  package func log(_ entry: AccessLogEntry) throws {
    if let reason = entry.reason { try CheckedText.text(reason, "The reason", limit: 10_000) }
    try insert(
      "access_log_entry",
      [
        "token_id": entry.tokenID, "request_id": entry.requestID, "operation": entry.operation,
        "customer": entry.customer.map(AccountToken.normalized),
        "original_transaction_id": entry.originalTransactionID, "as_of": entry.question?.asOf.milliseconds,
        "known_at": entry.question?.knownAt.milliseconds, "reason": entry.reason, "result_count": entry.resultCount,
        "recorded_at": entry.recordedAt.milliseconds,
      ])
  }
}

internal import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// How many of the latest payloads are searched for requests. Apple waits for 12 hours only.
  private static let searchedPayloads = 200_000

  /// Returns the latest requests for a refund of all customers, with their purchases, the newest first. It looks at the
  /// latest 200,000 payloads.
  /// - Parameter limit: the greatest number of requests.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func latestRefundRequests(limit: Int, _ parameters: QueryParameters) throws -> [(
    purchase: OriginalTransactionMatch, request: RefundRequest
  )] {
    try readSubscriptions(
      "refund_request",
      settingParameters: { database in
        let keys = try OriginalTransactionKey.fetchAll(
          database,
          sql: """
            SELECT original_transaction_key FROM main.notification
            WHERE payload_id > (SELECT MAX(payload_id) FROM main.payload) - ?
              AND notification_type = 'CONSUMPTION_REQUEST' AND original_transaction_key IS NOT NULL
            ORDER BY payload_id DESC LIMIT ?
            """, arguments: [Self.searchedPayloads, limit])
        try setParameters(database, keys, parameters)
      }
    ) { database, _ in
      try database.rows(
        "SELECT * FROM temp.refund_request ORDER BY requested_at DESC, recorded_at DESC LIMIT ?", [limit]
      )
      .map { row in
        let purchase = OriginalTransactionMatch(
          environment: row["environment"], originalTransactionID: row["original_transaction_id"],
          kind: .originalTransactionID, identifier: row["original_transaction_id"],
          originalTransactionKey: row["original_transaction_key"])
        return (purchase, try RefundRequest(row))
      }
    }
  }
}

extension RefundRequest {
  init(_ row: Row) throws {
    self.init(
      requestedAt: Instant(milliseconds: row["requested_at"]), recordedAt: Instant(milliseconds: row["recorded_at"]),
      reason: row["reason"], transactionID: row["transaction_id"], outcome: try row.valueIfPresent("outcome"),
      answeredAt: row.instant("answered_at"))
  }
}

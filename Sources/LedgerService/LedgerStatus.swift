public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// What an operator wants to know of a ledger that is served.
public struct LedgerStatus: Sendable {
  /// The number of the last transaction that recorded something.
  public var sequence: Int64
  /// The name of the newest migration that the file has applied.
  public var schema: String
  /// When the last notification of each environment arrived, of the last thousand payloads.
  public var lastNotifications: [(environment: String, receivedAt: Instant)]
  /// The number of payloads in quarantine.
  public var quarantineCount: Int
  /// The last entry of the change feed; `nil` when the feed has not begun.
  public var lastChange: ChangeID?
  /// When the change feed last read something new; `nil` when it has not begun.
  public var feedAdvancedAt: Instant?
}

extension EvidenceTransaction {
  /// Writes a row as it is, to find out whether the file can be written.
  package func tryWriting() throws {
    try projections.execute("UPDATE main.change_feed_position SET position_id = position_id")
  }
}

extension LedgerReader {
  /// Returns the status of the ledger. It reads few rows, also of a large file.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func status() throws -> LedgerStatus {
    let sequence = try sequence()
    return try lookUp { database in
      LedgerStatus(
        sequence: sequence,
        schema: try database.texts("SELECT MAX(name) FROM main.schema_migration", []).first ?? "",
        lastNotifications: try Row.fetchAll(
          database,
          sql: """
            SELECT p.environment, MAX(d.received_at) AS received_at
            FROM (SELECT * FROM main.payload ORDER BY payload_id DESC LIMIT 1000) p
            JOIN main.delivery d USING (payload_id)
            WHERE p.kind IN ('notification_v1', 'notification_v2')
            GROUP BY p.environment ORDER BY p.environment
            """
        ).map { ($0["environment"], Instant(milliseconds: $0["received_at"])) },
        quarantineCount: Int(
          try database.id(
            """
            SELECT COUNT(*) FROM main.quarantine q WHERE \(QuarantinedPayload.isWaiting)
            """, []) ?? 0),
        lastChange: try ChangeID(lastOf: database),
        feedAdvancedAt: try database.id("SELECT advanced_at FROM main.change_feed_position", [])
          .map { Instant(milliseconds: $0) })
    }
  }
}

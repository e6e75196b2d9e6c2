package import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// What anonymous senders put into quarantine on one day of UTC, and how much more they sent.
package struct QuarantineDay: Sendable, Equatable {
  /// The begin of the day; milliseconds since 1970.
  package let day: Int64
  /// The number of payloads in quarantine.
  package var payloadCount: Int64 = 0
  /// Their length in bytes.
  package var byteCount: Int64 = 0
  /// The number of payloads that were left out, because the quota was used up or the disk was nearly full.
  package var leftOutCount: Int64 = 0
  /// Their length in bytes.
  package var leftOutByteCount: Int64 = 0
  /// The digest of the last one that was left out.
  package var lastLeftOut: ContentDigest?

  /// Creates the empty day of an instant.
  package init(of instant: Instant) { day = instant.milliseconds / 86_400_000 * 86_400_000 }

  fileprivate init(_ row: Row) {
    day = row["day"]
    (payloadCount, byteCount) = (row["payload_count"], row["byte_count"])
    (leftOutCount, leftOutByteCount) = (row["left_out_count"], row["left_out_byte_count"])
    lastLeftOut = (row["last_left_out_digest"] as Data?).map { ContentDigest(bytes: [UInt8]($0)) }
  }
}

extension LedgerReader {
  /// Returns all days on which anonymous senders put something into quarantine, the oldest first.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func quarantineDays() throws -> [QuarantineDay] {
    try lookUp { database in
      try Row.fetchAll(database, sql: "SELECT * FROM main.anonymous_quarantine_day ORDER BY day").map(
        QuarantineDay.init)
    }
  }

  /// Returns whether a payload is recorded, and an arrival at an instant would change nothing: an earlier one stated its
  /// received instant (rules §2).
  /// - Throws: `LedgerError` when the file cannot be read.
  package func isDelivered(_ digest: ContentDigest, by instant: Instant) throws -> Bool {
    try lookUp { database in
      try Bool.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT EXISTS (
              SELECT 1 FROM main.payload p JOIN main.delivery d USING (payload_id)
              WHERE p.digest = ? AND d.received_at <= ? AND d.is_explicit = 1)
            """), arguments: [digest.data, instant.milliseconds]) ?? false
    }
  }
}

extension EvidenceTransaction {
  /// Adds numbers to those of their day.
  package func add(_ day: QuarantineDay) throws {
    try projections.execute(
      """
      INSERT INTO main.anonymous_quarantine_day (
        day, payload_count, byte_count, left_out_count, left_out_byte_count, last_left_out_digest)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (day) DO UPDATE SET payload_count = payload_count + ?2, byte_count = byte_count + ?3,
        left_out_count = left_out_count + ?4, left_out_byte_count = left_out_byte_count + ?5,
        last_left_out_digest = COALESCE(?6, last_left_out_digest)
      """,
      [
        day.day, day.payloadCount, day.byteCount, day.leftOutCount, day.leftOutByteCount, day.lastLeftOut?.data,
      ])
  }
}

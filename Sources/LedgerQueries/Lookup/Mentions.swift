public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A payload that names an id, while nothing about it could be read.
public struct UnreadMention: Sendable, Equatable {
  /// The id.
  public var identifier: String
  /// As what kinds of id the payload names it: ``AppStore/Mention/Kind``.
  public var kinds: [String]
  /// The digest of the recorded payload; `nil` where it is in quarantine.
  public var payload: ContentDigest?
  /// What kind of payload it is, such as `verify_receipt`; `nil` in quarantine.
  public var payloadKind: String?
  /// The number in quarantine; `nil` where the payload is recorded.
  public var quarantineID: Int64?
  /// When it was received first.
  public var receivedAt: Instant
  /// Where it came from.
  public var origin: String
  /// The line of that file.
  public var originLine: Int?
  /// Why nothing could be read: the payload's problems, or the reason of the quarantine.
  public var reasons: [Reason]

  /// One thing that could not be used.
  public struct Reason: Sendable, Equatable {
    /// A stable name: ``AppStore/Problem/Code``, or a reason of the quarantine.
    public var code: String
    /// The JSON path.
    public var path: String
    /// The value found there, shortened, or what is wrong, in words.
    public var detail: String
  }
}

extension LedgerReader {
  /// The payloads, recorded or in quarantine, that name an id and of which nothing about it could be read; oldest
  /// first, at most 25 of each.
  /// - Parameter knownAt: only what was received by then.
  /// - Throws: ``LedgerError``.
  public func unreadMentions(of identifier: String, knownAt: Instant) throws -> [UnreadMention] {
    try lookUp("stg_payload") { database in
      let recorded = try Row.fetchAll(
        database,
        sql: """
          SELECT m.identifier, m.kind, p.payload_id, p.digest, p.kind AS payload_kind, i.recorded_at, o.name, d.source_line
          FROM main.payload_mention m
          JOIN main.payload p ON p.payload_id = m.payload_id
          JOIN temp.stg_payload i ON i.payload_id = m.payload_id
          LEFT JOIN main.delivery d ON d.payload_id = p.payload_id AND d.received_at = i.recorded_at
          LEFT JOIN main.origin o ON o.origin_id = d.origin_id
          WHERE m.identifier = ? AND i.recorded_at <= ?
          ORDER BY i.recorded_at, p.payload_id, m.kind LIMIT \(Self.matchLimit)
          """, arguments: [identifier, knownAt.milliseconds]
      ).map { row in
        UnreadMention(
          identifier: row["identifier"], kinds: [row["kind"]], payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)),
          payloadKind: row["payload_kind"], receivedAt: Instant(milliseconds: row["recorded_at"]),
          origin: row["name"] ?? "", originLine: row["source_line"],
          reasons: try Self.reasons(database, payload: row["payload_id"]))
      }
      let refused = try Row.fetchAll(
        database,
        sql: """
          SELECT m.identifier, m.kind, q.quarantine_id, q.reason, q.path, q.detail, q.received_at, o.name, q.source_line
          FROM main.quarantine_mention m
          JOIN main.quarantine q ON q.quarantine_id = m.quarantine_id
          JOIN main.origin o ON o.origin_id = q.origin_id
          LEFT JOIN main.quarantine_release r ON r.quarantine_id = q.quarantine_id
          WHERE m.identifier = ? AND q.received_at <= ? AND r.quarantine_id IS NULL
          ORDER BY q.received_at, q.quarantine_id, m.kind LIMIT \(Self.matchLimit)
          """, arguments: [identifier, knownAt.milliseconds]
      ).map { row in
        UnreadMention(
          identifier: row["identifier"], kinds: [row["kind"]], quarantineID: row["quarantine_id"],
          receivedAt: Instant(milliseconds: row["received_at"]), origin: row["name"], originLine: row["source_line"],
          reasons: [UnreadMention.Reason(code: row["reason"], path: row["path"], detail: row["detail"])])
      }
      return (recorded + refused).reduce(into: []) { all, mention in
        guard let last = all.last, (last.payload, last.quarantineID) == (mention.payload, mention.quarantineID) else {
          return all.append(mention)
        }
        all[all.count - 1].kinds += mention.kinds
      }
    }
  }

  /// The problems of a payload; at most five.
  private static func reasons(_ database: Database, payload: Int64) throws -> [UnreadMention.Reason] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT code, path, value FROM main.problem WHERE payload_id = ? ORDER BY ordinal LIMIT 5"),
      arguments: [payload]
    ).map { UnreadMention.Reason(code: $0["code"], path: $0["path"], detail: $0["value"]) }
  }

  /// The dates of a line's payloads that contradict each other, as far as was known; at most five.
  /// - Returns: each problem with its payload's digest.
  /// - Throws: ``LedgerError``.
  public func contradictions(of line: OriginalTransactionMatch, knownAt: Instant) throws -> [(payload: ContentDigest, UnreadMention.Reason)] {
    try lookUp("stg_payload") { database in
      let isSound = try database.has(
        "SELECT 1 FROM main.projection_original_transaction WHERE original_transaction_key = ? AND is_contradicted = 0",
        [line.originalTransactionKey])
      if isSound { return [] }
      return try Row.fetchAll(
        database,
        sql: """
          SELECT p.digest, x.code, x.path, x.value
          FROM (
            SELECT payload_id FROM main.transaction_version WHERE original_transaction_key = ?1
            UNION SELECT payload_id FROM main.renewal_info_version WHERE original_transaction_key = ?1
            UNION SELECT payload_id FROM main.status_claim WHERE original_transaction_key = ?1
          ) v
          JOIN main.problem x ON x.payload_id = v.payload_id AND x.code = 'contradictory_date'
          JOIN main.payload p ON p.payload_id = v.payload_id
          JOIN temp.stg_payload i ON i.payload_id = v.payload_id
          WHERE i.recorded_at <= ?2
          ORDER BY i.recorded_at DESC, p.digest, x.ordinal LIMIT 5
          """, arguments: [line.originalTransactionKey, knownAt.milliseconds]
      ).map { row in
        (
          ContentDigest(bytes: [UInt8](row["digest"] as Data)),
          UnreadMention.Reason(code: row["code"], path: row["path"], detail: row["value"])
        )
      }
    }
  }
}

public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A payload that names an id, although the ledger could read nothing about that id from it.
public struct UnreadMention: Sendable, Equatable {
  /// The id that the payload names.
  public var identifier: String
  /// The kinds of id under which the payload names it.
  public var kinds: [Mention.Kind]
  /// The digest of the recorded payload; `nil` when the payload is in quarantine.
  public var payload: ContentDigest?
  /// The kind of payload; `nil` in quarantine.
  public var payloadKind: PayloadKind?
  /// The number of the entry in quarantine; `nil` when the payload is recorded.
  public var quarantineID: Int64?
  /// When your system first received it.
  public var receivedAt: Instant
  /// The source of the delivery: a path, or the name that the importer gave.
  public var origin: String
  /// The number of the line in that file; `nil` when it is not known.
  public var sourceLine: Int?
  /// Why nothing could be read: the problems of the payload, or the reason for the quarantine.
  public var reasons: [Reason]

  /// One thing in the payload that could not be used.
  public struct Reason: Sendable, Equatable {
    /// A stable name: `AppStore/Problem/Code`, or the reason for a quarantine.
    public var code: String
    /// The JSON path of the value.
    public var path: String
    /// The value at that path, shortened, or a description of what is wrong.
    public var detail: String
  }
}

extension LedgerReader {
  /// Returns the payloads that name an id and from which nothing about it could be read, recorded or in quarantine. The
  /// oldest come first, at most 25 mentions of each of the two.
  /// - Parameters:
  ///   - identifier: the whole id.
  ///   - knownAt: only payloads that were received by then.
  /// - Throws: `LedgerError` when the file cannot be read.
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
          identifier: row["identifier"], kinds: [try row.value("kind")],
          payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)),
          payloadKind: try row.valueIfPresent("payload_kind"), receivedAt: Instant(milliseconds: row["recorded_at"]),
          origin: row["name"] ?? "", sourceLine: row["source_line"],
          reasons: try Self.reasons(database, payload: row["payload_id"]))
      }
      let refused = try Row.fetchAll(
        database,
        sql: """
          SELECT m.identifier, m.kind, q.quarantine_id, q.reason, q.path, q.detail, q.received_at, o.name, q.source_line
          FROM main.quarantine_mention m
          JOIN main.quarantine q ON q.quarantine_id = m.quarantine_id
          JOIN main.origin o ON o.origin_id = q.origin_id
          WHERE m.identifier = ? AND q.received_at <= ? AND \(QuarantinedPayload.isWaiting)
          ORDER BY q.received_at, q.quarantine_id, m.kind LIMIT \(Self.matchLimit)
          """, arguments: [identifier, knownAt.milliseconds]
      ).map { row in
        UnreadMention(
          identifier: row["identifier"], kinds: [try row.value("kind")], quarantineID: row["quarantine_id"],
          receivedAt: Instant(milliseconds: row["received_at"]), origin: row["name"], sourceLine: row["source_line"],
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

  /// Returns the first problems of a payload.
  static func reasons(_ database: Database, payload: PayloadID, limit: Int = 5) throws -> [UnreadMention.Reason] {
    try database.rows(
      "SELECT code, path, value FROM main.problem WHERE payload_id = ? ORDER BY ordinal LIMIT ?", [payload, limit]
    ).map { UnreadMention.Reason(code: $0["code"], path: $0["path"], detail: $0["value"]) }
  }

  /// Returns the contradictory dates in the payloads of an original transaction, at most five.
  /// - Parameters:
  ///   - purchase: the original transaction.
  ///   - knownAt: only payloads that were recorded by then.
  /// - Returns: each problem, with the digest of its payload.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func contradictions(of purchase: OriginalTransactionMatch, knownAt: Instant) throws -> [(
    payload: ContentDigest, UnreadMention.Reason
  )] {
    try lookUp("stg_payload") { database in
      let isSound = try database.has(
        "SELECT 1 FROM main.projection_original_transaction WHERE original_transaction_key = ? AND is_contradicted = 0",
        [purchase.originalTransactionKey])
      if isSound { return [] }
      return try database.rows(
        """
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
        """, [purchase.originalTransactionKey, knownAt.milliseconds]
      ).map { row in
        (
          ContentDigest(bytes: [UInt8](row["digest"] as Data)),
          UnreadMention.Reason(code: row["code"], path: row["path"], detail: row["value"])
        )
      }
    }
  }
}

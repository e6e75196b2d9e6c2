public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A recorded payload: when it arrived, why it counts, and what the ledger read from it.
public struct RecordedPayload: Sendable {
  /// One delivery of the payload that affects its instants (rules §1): the first one, and each with an explicit instant.
  public struct Delivery: Sendable, Equatable {
    /// When the payload arrived.
    public var receivedAt: Instant
    /// The source: a path, or the name that the importer gave.
    public var origin: String
    /// The number of the line in that file; `nil` when it is not known.
    public var sourceLine: Int?
  }

  /// The notification that the payload is.
  public struct Notification: Sendable, Equatable {
    /// Apple's `notificationType`, or `notification_type` of V1.
    public var type: String
    /// Apple's `subtype`; `nil` when it has none.
    public var subtype: String?
    /// Apple's `notificationUUID`; `nil` for V1.
    public var uuid: String?
  }

  /// The SHA-256 digest of the payload.
  public var digest: ContentDigest
  /// The kind of payload.
  public var kind: PayloadKind
  /// The name of the environment that it states.
  public var environment: String
  /// The app's bundle id; `nil` when it states none.
  public var bundleID: String?
  /// Why it counts as evidence.
  public var trust: Trust
  /// The name of the root that its signatures lead to; `nil` when a part of it is not signed.
  public var root: String?
  /// Apple's own instant for the whole payload; `nil` when it states none.
  public var statedAt: Instant?
  /// The notification; `nil` for any other payload.
  public var notification: Notification?
  /// The earliest deliveries, at most 20.
  public var deliveries: [Delivery]
  /// What could not be used, or is doubtful; at most 50.
  public var problems: [UnreadMention.Reason]
  /// The purchases that it states something about; at most 50.
  public var purchases: [OriginalTransactionMatch]
  /// The number of all purchases that it states something about.
  public var purchaseCount: Int
  /// The payload as it arrived, without secrets and receipts.
  public var text: [UInt8]

  /// Whether an erasure rewrote a part of it. The text then differs from Apple's text, and no longer gives its digest.
  public var isErased: Bool { ContentDigest(sha256: text) != digest }
}

extension LedgerReader {
  /// Returns what the ledger knows of a payload.
  /// - Parameter digest: the payload's SHA-256 digest.
  /// - Returns: `nil` when no recorded payload has this digest.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func payload(_ digest: ContentDigest) throws -> RecordedPayload? {
    try lookUp("stg_payload_trust") { database in
      let row = try database.rows(
        """
        SELECT p.payload_id, p.kind, p.environment, p.bundle_id, t.trust, p.stated_at, c.name AS root,
          n.notification_type, n.subtype, n.notification_uuid
        FROM main.payload p
        JOIN temp.stg_payload_trust t ON t.payload_id = p.payload_id
        LEFT JOIN main.root_certificate c ON c.root_id = t.root_id
        LEFT JOIN main.notification n ON n.payload_id = p.payload_id
        WHERE p.digest = ?
        """, [digest.data]
      ).first
      guard let row else { return nil }
      let payload: PayloadID = row["payload_id"]
      let purchases = try Self.purchases(database, of: payload)
      return RecordedPayload(
        digest: digest, kind: try row.value("kind"), environment: row["environment"], bundleID: row["bundle_id"],
        trust: try row.value("trust"), root: row["root"], statedAt: row.instant("stated_at"),
        notification: (row["notification_type"] as String?).map {
          RecordedPayload.Notification(type: $0, subtype: row["subtype"], uuid: row["notification_uuid"])
        },
        deliveries: try Self.deliveries(database, of: payload),
        problems: try Self.reasons(database, payload: payload, limit: 50),
        purchases: Array(purchases.prefix(50)), purchaseCount: purchases.count,
        text: try SourceText(database).arrival(payload: payload.rawValue))
    }
  }

  private static func deliveries(_ database: Database, of payload: PayloadID) throws -> [RecordedPayload.Delivery] {
    try database.rows(
      """
      SELECT d.received_at, o.name, d.source_line FROM main.delivery d JOIN main.origin o USING (origin_id)
      WHERE d.payload_id = ? ORDER BY d.received_at, d.is_explicit DESC LIMIT 20
      """, [payload]
    ).map {
      RecordedPayload.Delivery(
        receivedAt: Instant(milliseconds: $0["received_at"]), origin: $0["name"], sourceLine: $0["source_line"])
    }
  }

  private static func purchases(_ database: Database, of payload: PayloadID) throws -> [OriginalTransactionMatch] {
    try database.rows(
      """
      SELECT o.original_transaction_key, o.environment, o.original_transaction_id
      FROM main.original_transaction o JOIN (
        SELECT original_transaction_key FROM main.transaction_version WHERE payload_id = ?1
        UNION SELECT original_transaction_key FROM main.renewal_info_version WHERE payload_id = ?1
        UNION SELECT original_transaction_key FROM main.status_claim WHERE payload_id = ?1
        UNION SELECT original_transaction_key FROM main.notification WHERE payload_id = ?1
      ) USING (original_transaction_key) ORDER BY o.environment, o.original_transaction_id
      """, [payload]
    ).map { row in
      OriginalTransactionMatch(
        environment: row["environment"], originalTransactionID: row["original_transaction_id"],
        kind: .originalTransactionID, identifier: row["original_transaction_id"],
        originalTransactionKey: row["original_transaction_key"])
    }
  }
}

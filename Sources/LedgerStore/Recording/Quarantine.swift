public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema

extension Recorder {
  /// Puts a payload that cannot be used into quarantine, with its bytes. Each payload is stored once.
  /// - Returns: whether it was not in quarantine before.
  mutating func quarantine(_ refusal: PayloadError, raw: [UInt8], arrival: Arrival) throws -> Bool {
    let digest = ContentDigest(sha256: raw)
    guard try quarantineID(digest) == nil else { return false }
    let id = try quarantineRow(
      refusal, digest: digest, count: raw.count, arrival: arrival)
    try transaction.insert("quarantine_bytes", ["quarantine_id": id, "ordinal": 0, "bytes": raw.data])
    for mention in Mention.all(in: raw).prefix(mentionLimit) {
      try transaction.insert(
        "quarantine_mention",
        ["identifier": mention.identifier, "kind": mention.kind.rawValue, "quarantine_id": id])
    }
    return true
  }

  /// Returns whether a payload is still in quarantine. A retry may have recorded it.
  func isInQuarantine(_ digest: ContentDigest) throws -> Bool {
    try transaction.has(
      """
      SELECT 1 FROM quarantine q LEFT JOIN quarantine_release r USING (quarantine_id)
      WHERE q.digest = ? AND r.quarantine_id IS NULL
      """, [digest.data])
  }

  func quarantineID(_ digest: ContentDigest) throws -> Int64? {
    try transaction.id("SELECT quarantine_id FROM quarantine WHERE digest = ?", [digest.data])
  }

  mutating func quarantineRow(
    _ refusal: PayloadError, digest: ContentDigest, count: Int, arrival: Arrival
  ) throws -> Int64 {
    try transaction.insert(
      "quarantine",
      [
        "digest": digest.data, "reason": refusal.reason.rawValue, "path": refusal.path, "byte_offset": refusal.offset,
        "detail": refusal.detail, "advice": refusal.advice, "byte_count": count,
        "origin_id": try originID(arrival.origin), "source_line": arrival.line,
        "received_at": arrival.receivedAt.milliseconds, "is_explicit": arrival.isExplicit,
      ])
  }
}

/// A payload in quarantine, with the reason.
public struct QuarantinedPayload: Sendable {
  /// The payload's number in quarantine, for showing and retrying it.
  public var id: Int64
  /// Why it is there.
  public var reason: PayloadError.Reason
  /// The position of the error in the payload, as a JSON path.
  public var path: String
  /// The position of the error in the payload, in bytes from 0, when it is known.
  public var byteOffset: Int?
  /// A description of the error, in English.
  public var detail: String
  /// The advice what to do next, in English.
  public var advice: String
  /// The length of the payload in bytes.
  public var byteCount: Int
  /// The source of the payload: a path, or `-` for standard input.
  public var origin: String
  /// The line in the source on which the payload begins, from 1.
  public var line: Int?
  /// The received instant of the payload.
  public var receivedAt: Instant
  /// The instant at which a retry recorded the payload, or `nil` when it is still in quarantine.
  public var releasedAt: Instant?
  /// A condition on a row `q` of `quarantine`: its text is there. A purge removes texts.
  package static let isStored =
    "EXISTS (SELECT 1 FROM main.quarantine_bytes b WHERE b.quarantine_id = q.quarantine_id)"
  /// A condition on a row `q` with a `quarantine_id`: its text is there, and no retry has recorded it.
  package static let isWaiting = """
    \(isStored) AND NOT EXISTS (SELECT 1 FROM main.quarantine_release r WHERE r.quarantine_id = q.quarantine_id)
    """
  /// Whether the received instant is explicit. Otherwise it is an importer's clock (rules §1).
  let isExplicit: Bool
}

extension LedgerReader {
  /// Returns the payloads in quarantine, oldest first, without those that a purge removed.
  /// - Parameters:
  ///   - includesReleased: whether to include payloads that a retry has recorded since.
  ///   - limit: the greatest number of payloads, the newest ones; `nil` for all.
  /// - Throws: ``LedgerError``.
  public func quarantined(includesReleased: Bool = false, limit: Int? = nil) throws -> [QuarantinedPayload] {
    try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT q.*, o.name, r.released_at FROM quarantine q JOIN origin o USING (origin_id)
          LEFT JOIN quarantine_release r USING (quarantine_id)
          WHERE (? OR r.released_at IS NULL) AND \(QuarantinedPayload.isStored) ORDER BY q.quarantine_id DESC LIMIT ?
          """, arguments: [includesReleased, limit ?? .max]
      ).reversed().map { row in
        QuarantinedPayload(
          id: row["quarantine_id"], reason: try row.value("reason"), path: row["path"], byteOffset: row["byte_offset"],
          detail: row["detail"], advice: row["advice"], byteCount: row["byte_count"], origin: row["name"],
          line: row["source_line"], receivedAt: Instant(milliseconds: row["received_at"]),
          releasedAt: (row["released_at"] as Int64?).map { Instant(milliseconds: $0) }, isExplicit: row["is_explicit"])
      }
    }
  }

  /// Returns the bytes of a quarantined payload without its secrets, or `nil` when no payload has this number.
  /// - Parameters:
  ///   - id: the payload's number in quarantine.
  ///   - limit: the greatest number of bytes to return.
  /// - Throws: ``LedgerError``.
  public func quarantinedBytes(_ id: Int64, limit: Int = .max) throws -> [UInt8]? {
    try lookUp { database in
      var bytes: [UInt8]?
      let parts = try Data.fetchCursor(
        database, sql: "SELECT bytes FROM quarantine_bytes WHERE quarantine_id = ? ORDER BY ordinal", arguments: [id])
      while let part = try parts.next() {
        bytes = (bytes ?? []) + part
        if let count = bytes?.count, count >= limit { return Array((bytes ?? []).prefix(limit)) }
      }
      return bytes
    }
  }
}

extension LedgerRecorder {
  /// Decodes quarantined payloads again, after new trust was added or with a newer version.
  ///
  /// Some of them may come from a source that anyone can write to, such as a webhook. Let the decoder trust unsigned
  /// payloads only when you know the source of these payloads.
  /// - Parameters:
  ///   - decoder: the decoder with the present trust. Its secrets are not used, because no stored payload contains one.
  ///   - ids: the numbers of the payloads, or `nil` for all.
  ///   - now: the instant of release for payloads that are recorded.
  /// - Returns: the counts. Payloads that are refused again stay in quarantine.
  /// - Throws: ``LedgerError``.
  public func retryQuarantine(
    _ decoder: PayloadDecoder, ids: Set<Int64>? = nil, now: Instant
  ) async throws -> ImportSummary {
    var decoder = decoder
    decoder.sharedSecrets = []
    var summary = ImportSummary()
    for item in try reader.quarantined() where ids?.contains(item.id) ?? true {
      guard item.byteCount <= PayloadSplitter.sizeLimit, let bytes = try reader.quarantinedBytes(item.id) else {
        summary.payloads += 1
        summary.quarantined += 1
        continue
      }
      let decoded = await decoder.decode(bytes)
      let arrivals = decoded.outcomes.map { outcome in
        Arrival(
          outcome: outcome, receivedAt: decoded.receivedAt ?? item.receivedAt,
          isExplicit: decoded.receivedAt != nil || item.isExplicit, origin: item.origin, line: item.line)
      }
      summary =
        try summary
        + record { transaction in
          var recorder = Recorder(transaction)
          recorder.countsKnownRefusals = true
          for arrival in arrivals { try recorder.record(arrival) }
          try recorder.projections.flush()
          if recorder.summary.quarantined == 0 {
            try transaction.insert(
              "quarantine_release", ["quarantine_id": item.id, "released_at": now.milliseconds])
          }
          return recorder.summary
        }
    }
    return summary
  }
}

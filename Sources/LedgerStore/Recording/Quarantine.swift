public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema

extension Recorder {
  /// Keeps what cannot be used, once, with its bytes.
  /// - Returns: whether it was not there before.
  mutating func quarantine(_ refusal: PayloadError, raw: [UInt8], arrival: Arrival) throws -> Bool {
    let digest = ContentDigest(sha256: raw)
    guard try quarantineID(digest) == nil else { return false }
    let id = try quarantineRow(
      refusal, digest: digest, count: raw.count, arrival: arrival)
    try transaction.insert("quarantine_bytes", [id, 0, raw.data])
    for mention in Mention.all(in: raw) {
      try transaction.insert("quarantine_mention", [mention.identifier, mention.kind.rawValue, id])
    }
    return true
  }

  /// Whether a payload waits in quarantine: a retry may have recorded it since.
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
        nil, digest.data, refusal.name, refusal.path, refusal.offset, refusal.detail, refusal.advice, count,
        try originID(arrival.origin), arrival.line, arrival.receivedAt.milliseconds, arrival.isExplicit,
      ])
  }
}

/// A payload in quarantine.
public struct QuarantinedPayload: Sendable {
  /// Its number, by which it is shown and retried.
  public var id: Int64
  /// Why: a stable name, such as `malformed` or `signature/untrusted_root`.
  public var reason: String
  /// Where in it, as a JSON path.
  public var path: String
  /// Where in it, in bytes.
  public var byteOffset: Int?
  /// What is wrong, in words.
  public var detail: String
  /// What to do next.
  public var advice: String
  /// How long it is.
  public var byteCount: Int
  /// Where it came from.
  public var origin: String
  /// The line of the file.
  public var line: Int?
  /// When it was received.
  public var receivedAt: Instant
  /// When a retry could record it, if one could.
  public var releasedAt: Instant?
  /// Whether the received instant was told, or is an importer's clock.
  let isExplicit: Bool
}

extension LedgerReader {
  /// What is in quarantine, oldest first.
  /// - Parameter includesReleased: also what a retry has recorded since.
  /// - Throws: ``LedgerError``.
  public func quarantined(includesReleased: Bool = false) throws -> [QuarantinedPayload] {
    try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT q.*, o.name, r.released_at FROM quarantine q JOIN origin o USING (origin_id)
          LEFT JOIN quarantine_release r USING (quarantine_id)
          WHERE ? OR r.released_at IS NULL ORDER BY q.quarantine_id
          """, arguments: [includesReleased]
      ).map { row in
        QuarantinedPayload(
          id: row["quarantine_id"], reason: row["reason"], path: row["path"], byteOffset: row["byte_offset"],
          detail: row["detail"], advice: row["advice"], byteCount: row["byte_count"], origin: row["name"],
          line: row["source_line"], receivedAt: Instant(milliseconds: row["received_at"]),
          releasedAt: (row["released_at"] as Int64?).map { Instant(milliseconds: $0) }, isExplicit: row["is_explicit"])
      }
    }
  }

  /// The bytes of a quarantined payload, less secrets; `nil` where there is none of this number.
  /// - Parameter limit: give no more than so many bytes.
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
  /// Reads quarantined payloads again, after new trust or with a newer version.
  /// Some of them may have come through a door that anyone can reach: let the decoder believe what is not signed only for
  /// payloads of which you know where they come from.
  /// - Parameters:
  ///   - decoder: whom to trust now. (Secrets are of no use: no stored payload holds one.)
  ///   - ids: which; `nil` for all.
  ///   - now: when a success is noted.
  /// - Returns: what became of them; what is refused again stays where it is.
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
          try recorder.projections.settle()
          if recorder.summary.quarantined == 0 {
            try transaction.insert("quarantine_release", [item.id, now.milliseconds])
          }
          return recorder.summary
        }
    }
    return summary
  }
}

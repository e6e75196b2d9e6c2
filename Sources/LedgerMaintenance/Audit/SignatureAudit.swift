internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Verifies stored signatures again: each payload marked as verified, and each signed object in an unsigned payload. It
/// also compares the columns that were read from signed texts.
struct SignatureAudit {
  private let decoder: PayloadDecoder
  private let typed: TypedAudit

  init(trust: TrustStore) throws {
    decoder = PayloadDecoder(trust: trust)
    typed = try TypedAudit()
  }

  /// The keys of the last signed texts that were read, by their tables.
  private struct LastTexts {
    var payload: Int64
    var objects: [PayloadLayout.Kind: Int64]
  }

  /// Verifies all signed texts of a file in batches, so that memory does not grow with the file.
  /// - Parameters:
  ///   - file: a connection in a transaction that sees one state.
  ///   - first: the first keys to check, by table; `nil` for all.
  ///   - progress: called with the share that is done, from 0 to 1.
  /// - Returns: the findings, and how many texts there were.
  func check(
    _ file: DatabaseQueue, from first: [String: Int64]?, progress: (Double) -> Void
  ) async throws -> (findings: FindingList, count: Int) {
    func before(_ table: String) -> Int64 { first.map { ($0[table] ?? .max) - 1 } ?? 0 }
    var last = LastTexts(
      payload: before("payload"),
      objects: Dictionary(uniqueKeysWithValues: PayloadLayout.Kind.objects.map { ($0, before($0.table)) }))
    let total = try await file.unsafeRead { try Int.fetchOne($0, sql: "SELECT MAX(payload_id) FROM main.payload") ?? 0 }
    var (findings, count) = (FindingList(), 0)
    while true {
      let (texts, next) = try Self.next(in: file, after: last)
      last = next
      if texts.isEmpty { return (findings, count) }
      count += texts.count
      var stated: [Evidence] = []
      for (digest, text) in texts {
        for outcome in await decoder.decode(text).outcomes {
          switch outcome {
          case .evidence(let evidence): stated.append(evidence)
          case .refused(let refusal, _): findings.note(.signature, digest.hexadecimal, refusal.detail)
          case .known: break
          }
        }
      }
      for finding in try Self.compare(stated, typed, in: file) {
        findings.note(finding.code, finding.location, finding.detail)
      }
      progress(total > 0 ? min(1, Double(last.payload) / Double(total)) : 1)
    }
  }

  private static func compare(
    _ stated: [Evidence], _ typed: TypedAudit, in file: DatabaseQueue
  ) throws -> [AuditFinding] {
    try file.unsafeRead { try typed.findings(of: stated, in: $0) }
  }

  private static func next(
    in file: DatabaseQueue, after last: LastTexts
  ) throws -> (texts: [(ContentDigest, [UInt8])], last: LastTexts) {
    var last = last
    let texts = try file.unsafeRead { try signedTexts($0, after: &last) }
    return (texts, last)
  }

  /// Returns the next signed texts, each with the digest that was recorded for it.
  private static func signedTexts(_ database: Database, after last: inout LastTexts) throws -> [(
    ContentDigest, [UInt8]
  )] {
    func digest(_ row: Row) -> ContentDigest { ContentDigest(bytes: [UInt8](row["digest"] as Data)) }
    let source = SourceText(database)
    let payloads = try Row.fetchAll(
      database,
      sql: """
        SELECT payload_id, digest FROM main.payload p WHERE payload_id > ? AND trust = 'verified'
          AND NOT \(SourceText.isErased("payload", "p.digest"))
        ORDER BY 1 LIMIT 200
        """,
      arguments: [last.payload])
    if let end = payloads.last {
      last.payload = end["payload_id"]
      return try payloads.map { (digest($0), try source.arrival(payload: $0["payload_id"])) }
    }
    for kind in PayloadLayout.Kind.objects {
      let table = kind.table
      let objects = try Row.fetchAll(
        database,
        sql: """
          SELECT w.\(table)_id AS id, w.digest FROM main.\(table) w
          WHERE w.\(table)_id > ? AND w.header_id IS NOT NULL AND NOT \(SourceText.isErased(table, "w.digest"))
          AND EXISTS (
            SELECT 1 FROM main.\(kind.versionTable) v JOIN main.payload p USING (payload_id)
            WHERE \(sameObject(kind)) AND p.trust = 'unsigned'
          )
          ORDER BY 1 LIMIT 200
          """, arguments: [last.objects[kind] ?? 0])
      if let end = objects.last {
        last.objects[kind] = end["id"]
        return try objects.map { (digest($0), try source.object(kind, $0["id"]).compact) }
      }
    }
    return []
  }

  /// Returns a condition that finds the versions of an object, with an index if there is one. App transactions are few
  /// and have none.
  private static func sameObject(_ kind: PayloadLayout.Kind) -> String {
    let sameInfo = "v.\(kind.table)_id = w.\(kind.table)_id"
    switch kind {
    case .transactionInfo:
      return sameInfo
        + " AND v.original_transaction_key = w.original_transaction_key AND v.transaction_key = w.transaction_key"
    case .renewalInfo: return sameInfo + " AND v.original_transaction_key = w.original_transaction_key"
    case .appTransactionInfo, .payload: return sameInfo
    }
  }
}

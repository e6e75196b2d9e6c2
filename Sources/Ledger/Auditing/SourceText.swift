public import AppStore
internal import Foundation
internal import GRDB

extension Ledger {
  /// A payload as it arrived, less secrets and receipts: put together again from the objects and payloads in it.
  /// - Returns: `nil` where no payload has this digest.
  /// - Throws: ``LedgerError``.
  public func arrival(_ digest: Digest) throws -> [UInt8]? {
    try reading(queue) { database in
      guard
        let id = try Int64.fetchOne(
          database, sql: "SELECT payload_id FROM main.payload WHERE digest = ?", arguments: [digest.data])
      else { return nil }
      return try SourceText.arrival(database, payload: id)
    }
  }
}

/// Puts texts together again (law 6).
enum SourceText {
  /// The bytes of a payload as they were digested when it arrived.
  static func arrival(_ database: Database, payload: Int64) throws -> [UInt8] {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT p.source, f.text AS form, p.signature, h.text AS header, p.layout FROM main.payload p
            LEFT JOIN main.text_form f USING (form_id) LEFT JOIN main.jws_header h USING (header_id)
            WHERE payload_id = ?
            """), arguments: [payload])
    else { return [] }
    let kept = source(row)
    var bytes: [UInt8] = []
    var copied = 0
    for part in PayloadLayout(row["layout"]).parts {
      // A damaged file may say anything.
      guard (copied...kept.count).contains(part.position) else { continue }
      bytes += kept[copied..<part.position]
      switch part.kind {
      // A page is never inside itself.
      case .payload: bytes += part.id == payload ? [] : try arrival(database, payload: part.id)
      case let kind: bytes += try object(database, kind, part.id).compact
      }
      copied = part.position
    }
    bytes += kept[copied...]
    return SignedText(
      source: bytes, header: (row["header"] as String?).map { Array($0.utf8) },
      signature: (row["signature"] as Data?).map { [UInt8]($0) }
    ).compact
  }

  /// One of Apple's objects as Apple wrote it.
  static func object(_ database: Database, _ kind: PayloadLayout.Kind, _ id: Int64) throws -> SignedText {
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT w.source, f.text AS form, w.signature, h.text AS header FROM main.\(kind.table) w
          LEFT JOIN main.text_form f USING (form_id) LEFT JOIN main.jws_header h USING (header_id)
          WHERE \(kind.table)_id = ?
          """), arguments: [id])
    return SignedText(
      source: row.map(source) ?? [], header: (row?["header"] as String?).map { Array($0.utf8) },
      signature: (row?["signature"] as Data?).map { [UInt8]($0) })
  }

  /// The whole source of a row that has `source` and, where it is taken apart, `form`.
  static func source(_ row: Row) -> [UInt8] {
    let source = Array((row["source"] as String).utf8)
    guard let form: String = row["form"] else { return source }
    return TextForm.join(form: Array(form.utf8), values: source)
  }
}

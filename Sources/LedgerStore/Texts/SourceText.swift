public import AppStore
package import Foundation
package import GRDB
internal import LedgerSchema
internal import TextTemplates

extension LedgerReader {
  /// Returns a payload as it arrived, without secrets and receipts. It is assembled from its objects and nested
  /// payloads.
  /// - Parameter digest: the payload's SHA-256 digest.
  /// - Returns: the bytes, or `nil` when no payload has this digest.
  /// - Throws: ``LedgerError``.
  public func arrival(_ digest: ContentDigest) throws -> [UInt8]? {
    try lookUp { database in
      guard
        let id = try Int64.fetchOne(
          database, sql: "SELECT payload_id FROM main.payload WHERE digest = ?", arguments: [digest.data])
      else { return nil }
      return try SourceText(database).arrival(payload: id)
    }
  }
}

/// Assembles the stored texts of a file again (law 6).
///
/// Millions of texts share few templates and headers, so these are cached.
package final class SourceText {
  private let database: Database
  private var templates: [Int64: [UInt8]] = [:]
  private var headers: [Int64: [UInt8]] = [:]
  private var reads: [String: (columns: [NamedColumn], statement: BoundStatement)] = [:]
  /// The greatest number of cached templates and of cached headers. Each may be as long as a payload.
  private static let limit = 1_000

  package init(_ database: Database) { self.database = database }

  /// Returns an SQL condition that is true when an erasure rewrote a stored text. Such a text no longer gives its
  /// digest.
  package static func isErased(_ kind: String, _ digest: String) -> String {
    "EXISTS (SELECT 1 FROM main.erased_text x WHERE x.kind = '\(kind)' AND x.digest = \(digest))"
  }

  /// Returns the bytes of a payload that gave its digest when it arrived. Returns no bytes when the payload does not
  /// exist.
  package func arrival(payload: Int64) throws -> [UInt8] {
    guard let row = try row("payload", payload) else { return [] }
    let stored = row.text.source
    var bytes: [UInt8] = []
    bytes.reserveCapacity(stored.count * 2)
    var copied = 0
    for part in row.layout.parts {
      // A damaged file may contain any position.
      guard (copied...stored.count).contains(part.position) else { continue }
      bytes += stored[copied..<part.position]
      switch part.kind {
      // A damaged file could name a payload as a part of itself.
      case .payload: bytes += part.id == payload ? [] : try arrival(payload: part.id)
      case let kind: bytes += try object(kind, part.id).compact
      }
      copied = part.position
    }
    bytes += stored[copied...]
    return SignedText(source: bytes, header: row.text.header, signature: row.text.signature).compact
  }

  /// Returns one of Apple's objects as Apple wrote it.
  package func object(_ kind: PayloadLayout.Kind, _ id: Int64) throws -> SignedText {
    try row(kind.table, id)?.text ?? SignedText(source: [])
  }

  /// Returns the text of an object, or of a payload without its parts, with the text's digest.
  package func source(_ table: String, _ id: Int64) throws -> (source: [UInt8], digest: Data)? {
    try row(table, id).map { ($0.text.source, $0.digest.data) }
  }

  /// A column that may contain a value of a text, with its name in SQL.
  private typealias NamedColumn = (column: TemplateColumn, name: String)

  /// The columns of a row that store its text.
  private struct StoredText {
    var text: SignedText
    var layout: PayloadLayout
    var digest: [UInt8]
  }

  private func row(_ table: String, _ id: Int64) throws -> StoredText? {
    let (columns, statement) = try read(table)
    let read = try statement.bind(id).first { row in
      (
        digest: row.bytes(0), source: row.bytes(1), template: row.number(2), header: row.number(3),
        signature: row.isNull(4) ? nil : row.bytes(4), layout: row.text(5),
        values: RowValues(row, columns, from: 6)
      )
    }
    guard let read else { return nil }
    var source = read.source
    if let template = read.template {
      source = TextTemplate.join(
        template: try text(template, of: "template", in: &templates), values: source, column: read.values.value)
    }
    let header = try read.header.map { try text($0, of: "header", in: &headers) }
    return StoredText(
      text: SignedText(source: source, header: header, signature: read.signature),
      layout: PayloadLayout(read.layout), digest: read.digest)
  }

  private func read(_ table: String) throws -> (columns: [NamedColumn], statement: BoundStatement) {
    if let known = reads[table] { return known }
    let columns = Self.columns(of: table)
    let read = (columns, try BoundStatement(database, Self.statement(table, columns)))
    reads[table] = read
    return read
  }

  private func text(_ id: Int64, of kind: String, in known: inout [Int64: [UInt8]]) throws -> [UInt8] {
    if let text = known[id] { return text }
    let table = kind == "template" ? "text_template" : "jws_header"
    let text = try BoundStatement(database, "SELECT text FROM main.\(table) WHERE \(kind)_id = ?").bind(id).first {
      $0.bytes(0)
    }
    if known.count >= Self.limit { known = [:] }
    known[id] = text ?? []
    return text ?? []
  }

  /// Returns the columns that may contain values of a table's texts. (A payload's `notification_uuid` is in the table
  /// `notification`, and `original_transaction_id` is in `original_transaction`.)
  private static func columns(of table: String) -> [NamedColumn] {
    switch table {
    case "payload": [(.statedAt, "w.stated_at"), (.notificationUUID, "n.notification_uuid")]
    case "transaction_info":
      [
        (.transactionID, "w.transaction_id"), (.originalTransactionID, "o.original_transaction_id"),
        (.purchaseAt, "w.purchase_at"), (.originalPurchaseAt, "w.original_purchase_at"),
        (.expiresAt, "w.expires_at"), (.revokedAt, "w.revoked_at"), (.appAccountToken, "w.app_account_token"),
        (.webOrderLineItemID, "w.web_order_line_item_id"), (.appTransactionID, "w.app_transaction_id"),
      ]
    case "renewal_info":
      [
        (.originalTransactionID, "o.original_transaction_id"), (.renewalAt, "w.renewal_at"),
        (.gracePeriodExpiresAt, "w.grace_period_expires_at"),
        (.recentSubscriptionStartAt, "w.recent_subscription_start_at"), (.appAccountToken, "w.app_account_token"),
        (.appTransactionID, "w.app_transaction_id"),
      ]
    default: [(.originalPurchaseAt, "w.original_purchase_at"), (.appTransactionID, "w.app_transaction_id")]
    }
  }

  private static func statement(_ table: String, _ columns: [NamedColumn]) -> String {
    let joined =
      switch table {
      case "payload": "LEFT JOIN main.notification n ON n.payload_id = w.payload_id"
      case "app_transaction_info": ""
      default: "LEFT JOIN main.original_transaction o ON o.original_transaction_key = w.original_transaction_key"
      }
    let names = columns.map(\.name).joined(separator: ", ")
    return """
      SELECT w.digest, w.source, w.template_id, w.header_id, w.signature, \(table == "payload" ? "w.layout" : "NULL"), \(names)
      FROM main.\(table) w \(joined) WHERE w.\(table)_id = ?
      """
  }

  /// The values of a text that the columns of its row contain.
  private struct RowValues {
    private let values: [(TemplateColumn, TemplateValue)]

    init(_ row: BoundStatement.ResultRow, _ columns: [NamedColumn], from first: CInt) {
      values = columns.enumerated().compactMap { index, one in
        row.templateValue(first + CInt(index)).map { (one.column, $0) }
      }
    }

    func value(of column: TemplateColumn) -> TemplateValue? { values.first { $0.0 == column }?.1 }
  }
}

extension BoundStatement.ResultRow {
  /// Returns the value of a text in a column, or `nil` for NULL.
  fileprivate func templateValue(_ index: CInt) -> TemplateValue? {
    if isNull(index) { return nil }
    return isInteger(index) ? number(index).map(TemplateValue.milliseconds) : text(index).map(TemplateValue.text)
  }
}

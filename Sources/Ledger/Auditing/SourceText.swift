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
            \(select("payload")) WHERE w.payload_id = ?
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
          \(select(kind.table)) WHERE w.\(kind.table)_id = ?
          """), arguments: [id])
    return SignedText(
      source: row.map(source) ?? [], header: (row?["header"] as String?).map { Array($0.utf8) },
      signature: (row?["signature"] as Data?).map { [UInt8]($0) })
  }

  /// Selects the rows `w` of a table with texts: all of its columns, `form` and `header`, and the columns of other tables
  /// that hold values.
  static func select(_ table: String) -> String {
    let (column, joined) =
      switch table {
      case "payload": (", n.notification_uuid", "LEFT JOIN main.notification n ON n.payload_id = w.payload_id")
      case "app_transaction_info": ("", "")
      default:
        (
          ", o.original_transaction_id",
          "JOIN main.original_transaction o ON o.original_transaction_key = w.original_transaction_key"
        )
      }
    return """
      SELECT w.*, f.text AS form, h.text AS header\(column) FROM main.\(table) w
      LEFT JOIN main.text_form f ON f.form_id = w.form_id
      LEFT JOIN main.jws_header h ON h.header_id = w.header_id \(joined)
      """
  }

  /// The whole source of a row of ``select(_:)``.
  static func source(_ row: Row) -> [UInt8] {
    let source = Array((row["source"] as String).utf8)
    guard let form: String = row["form"] else { return source }
    return TextForm.join(form: Array(form.utf8), values: source, columns: RowValues(row: row))
  }

  /// The values that the columns of a row hold.
  private struct RowValues: StatedValues {
    let row: Row

    func stated(_ column: StatedColumn) -> StatedValue? {
      switch (row[column.name] as DatabaseValue?)?.storage {
      case .string(let text): .text(text)
      case .int64(let number): .milliseconds(number)
      default: nil
      }
    }
  }
}

extension StatedColumn {
  /// The name of the column. `payload` has `notification_uuid` in the table `notification`, and the infos have
  /// `original_transaction_id` in `original_transaction`.
  fileprivate var name: String {
    switch self {
    case .appAccountToken: "app_account_token"
    case .statedAt: "stated_at"
    case .expiresAt: "expires_at"
    case .gracePeriodExpiresAt: "grace_period_expires_at"
    case .renewalAt: "renewal_at"
    case .originalTransactionID: "original_transaction_id"
    case .purchaseAt: "purchase_at"
    case .originalPurchaseAt: "original_purchase_at"
    case .revokedAt: "revoked_at"
    case .recentSubscriptionStartAt: "recent_subscription_start_at"
    case .transactionID: "transaction_id"
    case .notificationUUID: "notification_uuid"
    case .webOrderLineItemID: "web_order_line_item_id"
    case .appTransactionID: "app_transaction_id"
    }
  }
}

/// A notification of App Store Server Notifications V1. Apple does not sign it and gives it no id. It contains the
/// app's shared secret, which ``SecretRedactor`` has removed before this type reads it.
struct NotificationV1 {
  let document: JSONDocument
  /// The digest of the document, if it was computed already.
  var digest: ArrivalDigest?

  func decode() throws(PayloadError) -> Evidence {
    let root = document.root
    var builder = EvidenceBuilder(document: document, kind: .notificationV1, trust: .unsigned)
    builder.arrival = digest
    var reader = FieldReader(root)
    guard let type = reader.text("notification_type") else {
      throw PayloadError(.unrecognised, path: "$.notification_type", detail: "the notification has no type")
    }
    let unified = [root["unified_receipt"], root["unifiedReceipt"]].lazy.compactMap(\.self).first { $0.isObject }
    var inner = unified.map { FieldReader($0) }
    builder.environment = Environment(apple: reader.text("environment") ?? inner?.text("environment"))
    builder.bundleID = reader.text("bid")
    builder.appAppleID = reader.text("app_item_id")

    var rows = ReceiptRows(builder: builder)
    for level in [unified, root].compactMap(\.self) { rows.readTransactions(of: level) }
    for level in [unified, root].compactMap(\.self) { rows.readRenewals(of: level) }
    let named = reader.identifier("original_transaction_id")
    let subject = rows.subject(of: root, named: named) ?? Self.lastBought(rows.builder)
    rows.readTopLevelRenewal(of: root, originalID: subject)
    rows.noteUnreadRows(of: root, levels: ["unified_receipt", "unifiedReceipt"])
    if let unified { rows.noteUnreadRows(of: unified) }
    builder = rows.builder

    var fields = NotificationFields(type: type)
    fields.bundleVersion = reader.text("bvrs")
    fields.originalTransactionID = subject
    builder.note(reader.problems + (inner?.problems ?? []))
    builder.notification = fields
    return builder.finished()
  }

  /// Returns the original transaction with the latest purchase. A notification is about one customer, and one that
  /// names no subscription is usually about the latest.
  private static func lastBought(_ builder: EvidenceBuilder) -> String? {
    let last = builder.transactions.max {
      ($0.fields.purchaseAt?.milliseconds ?? .min, $0.transactionID) < (
        $1.fields.purchaseAt?.milliseconds ?? .min, $1.transactionID
      )
    }
    return last?.originalTransactionID ?? builder.renewals.first?.originalTransactionID
  }
}

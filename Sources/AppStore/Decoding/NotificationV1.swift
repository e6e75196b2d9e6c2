/// App Store Server Notifications V1: unsigned, without an id of their own, with the app's shared secret inside
/// (which ``SecretRedactor`` has blanked out before this is read).
struct NotificationV1 {
  let document: JSONDocument

  func decode() throws(Refusal) -> Evidence {
    let root = document.root
    var draft = Draft(document: document, kind: .notificationV1, trust: .unsigned)
    var reader = FieldReader(root)
    guard let type = reader.text("notification_type") else {
      throw Refusal(.unrecognised, path: "$.notification_type", detail: "the notification has no type")
    }
    let unified = root["unified_receipt"].flatMap { $0.isObject ? $0 : nil }
    var inner = unified.map { FieldReader($0) }
    draft.environment = Environment(apple: reader.text("environment") ?? inner?.text("environment"))
    draft.bundleID = reader.text("bid")
    draft.appAppleID = reader.text("app_item_id")

    var rows = ReceiptRows(draft: draft)
    for level in [unified, root].compactMap(\.self) { rows.readTransactions(of: level) }
    for level in [unified, root].compactMap(\.self) { rows.readRenewals(of: level) }
    rows.readTopLevelRenewal(of: root)
    draft = rows.draft

    var fields = NotificationFields(type: type)
    fields.bundleVersion = reader.text("bvrs")
    // One customer's notification: the row last bought names the line where the notification does not.
    fields.originalTransactionID =
      reader.text("original_transaction_id")
      ?? draft.transactions.max {
        ($0.fields.purchaseAt?.milliseconds ?? .min, $0.transactionID) < (
          $1.fields.purchaseAt?.milliseconds ?? .min, $1.transactionID
        )
      }?
      .originalTransactionID ?? draft.renewals.first?.originalTransactionID
    draft.note(reader.problems + (inner?.problems ?? []))
    draft.notification = fields
    return draft.finished()
  }
}

/// A verifyReceipt response: current, iOS 6 style, expired (21006), failed, or only its rows. A receipt of a device is
/// read in the same words.
struct Receipt {
  /// A receipt of a device, of which the document is a reading.
  struct Device {
    var kind: PayloadKind
    /// The receipt, as a ledger stores it.
    var text: SignedText
    var digest: ContentDigest
    var trust: Trust
    var root: RootCertificate?
    var environment: Environment
  }

  let document: JSONDocument
  /// The digest of the document, if it was computed already.
  var digest: ArrivalDigest?
  /// The receipt of a device; `nil` for a response of Apple.
  var device: Device?

  /// Returns whether an object looks like a verifyReceipt response.
  static func recognises(_ root: JSONValue) -> Bool {
    if root["signedTransactions"] != nil || root["data"] != nil { return false }
    if root["transaction_id"] != nil, root["product_id"] != nil || root["purchase_date_ms"] != nil { return true }
    if ReceiptRows.rowListKeys.contains(where: { root[$0] != nil }) { return true }
    if let receipt = root["receipt"], receipt.isObject { return true }
    // A failed response contains only a five-digit status, and perhaps a flag that permits a retry.
    if let status = root["status"] {
      var reader = FieldReader(root)
      guard !status.isObject, let number = reader.integer("status") else { return false }
      return number == 0 || (21_000...21_199).contains(number)
    }
    return false
  }

  func decode() throws(PayloadError) -> Evidence {
    let root = document.root
    var builder = EvidenceBuilder(
      document: document, kind: device?.kind ?? .verifyReceipt, trust: device?.trust ?? .unsigned)
    builder.arrival = digest
    if let device {
      builder.whole = (device.text, device.digest)
      builder.addSigningRoot(device.root)
    }
    var reader = FieldReader(root)
    let status = reader.integer("status") ?? 0
    let receipt = root["receipt"].flatMap { $0.isObject ? $0 : nil }
    readEnvelope(into: &builder, receipt: receipt, reader: &reader)
    if status != 0 { builder.receiptStatus = status }
    if status != 0, status != 21_006 {
      // When the status is a failure, the rest of the response does not count as evidence.
      builder.failure = FailureAdvice(
        receiptStatus: status, isRetryable: reader.flag("is-retryable") ?? reader.flag("is_retryable"))
      builder.replaceReceipt(root["latest_receipt"])
      return builder.finished()
    }
    var rows = ReceiptRows(builder: builder)
    if let receipt {
      rows.readTransactions(of: receipt)
      if receipt["transaction_id"] != nil || (receipt["in_app"] == nil && receipt["product_id"] != nil) {
        rows.transaction(receipt, rank: .inApp)
      }
    }
    if root["transaction_id"] != nil, root["receipt"] == nil, root["latest_receipt_info"] == nil {
      rows.transaction(root, rank: .inApp)
    }
    rows.readTransactions(of: root)
    rows.readRenewals(of: root)
    if let receipt { rows.readRenewals(of: receipt) }
    let named = reader.identifier("original_transaction_id")
    rows.builder.note(reader.problems)
    rows.readTopLevelRenewal(of: root, originalID: rows.subject(of: root, named: named))
    rows.noteUnreadRows(of: root, levels: ["receipt"])
    if let receipt { rows.noteUnreadRows(of: receipt) }
    return rows.builder.finished()
  }

  private func readEnvelope(into builder: inout EvidenceBuilder, receipt: JSONValue?, reader: inout FieldReader) {
    let stated = reader.text("environment")
    var inner = receipt.map { FieldReader($0) }
    let type = inner?.text("receipt_type")
    builder.environment = device?.environment ?? Environment(apple: stated ?? type)
    if let stated, let type, Environment(apple: stated) != Environment(apple: type),
      let value = receipt?["receipt_type"]
    {
      builder.note(.contradictoryEnvironment, at: value)
    }
    builder.bundleID = inner?.text("bundle_id") ?? inner?.text("bid")
    builder.appAppleID = inner?.text("app_item_id") ?? inner?.text("adam_id")
    builder.statedAt = inner?.receiptInstant(.request) ?? inner?.receiptInstant(.receiptCreation)
    builder.note(reader.problems + (inner?.problems ?? []))
    reader.problems = []
  }
}

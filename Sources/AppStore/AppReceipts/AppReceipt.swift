/// An app receipt: the file beside the app on a device, signed by Apple (Apple, "Validating receipts on the device").
///
/// The receipt is read as verifyReceipt would answer it. So one reader serves both, and a person finds the same names.
struct AppReceipt {
  /// The signed data around the attributes.
  let container: SignedContainer
  /// When this copy was made and signed (type 12). The certificates are judged at this instant.
  let createdAt: Instant?
  /// What Apple calls `receipt_type` (type 0): the only statement about the environment.
  let type: String?
  /// The receipt as a JSON object in the words of verifyReceipt's `receipt`, UTF-8.
  let json: [UInt8]
  /// The id of a transaction in it to ask the App Store Server API with: that of the latest purchase.
  let transactionID: String?

  /// Reads a receipt. It verifies nothing.
  /// - Parameter bytes: DER, or BER as Xcode writes it.
  /// - Throws: an error where the bytes are not a receipt, or where its bundle id or date cannot be read.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    container = try SignedContainer(bytes)
    let attributes = try ReceiptAttributes(container.payload[...], knowing: ReceiptWords.receiptTypes)
    switch attributes[12]?.instant {
    case .value(let instant): createdAt = instant
    case .absent, nil: createdAt = nil
    case .unreadable: throw Self.unreadable("date of creation", 12)
    }
    if case .value(let text) = attributes[0]?.text { type = text } else { type = nil }
    switch attributes[2]?.text {
    case .value: break
    // Signed data without these two is something else, such as a receipt of App Attest.
    case nil where createdAt == nil: throw PayloadError(.unrecognised, detail: "this signed file is not an app receipt")
    default: throw Self.unreadable("bundle id", 2)
    }
    var rows: [ReceiptAttributes] = []
    for attribute in attributes.all where attribute.type == ReceiptWords.purchase {
      rows.append(try ReceiptAttributes(attribute.value, knowing: ReceiptWords.rowTypes))
    }
    json = ReceiptWords.receipt(attributes, rows: rows)
    transactionID = Self.latest(rows)
  }

  private static func unreadable(_ name: String, _ type: Int64) -> PayloadError {
    PayloadError(.malformed, detail: "the receipt's \(name) (type \(type)) is missing or cannot be read")
  }

  /// Returns an id of the row with the latest purchase. Rows are in no order.
  private static func latest(_ rows: [ReceiptAttributes]) -> String? {
    var found: (at: Instant, id: String)?
    for row in rows {
      guard case .value(let at) = row[1704]?.instant, found.map({ $0.at < at }) ?? true else { continue }
      if case .value(let id) = row[1703]?.text {
        found = (at, id)
      } else if case .value(let id) = row[1705]?.text {
        found = (at, id)
      }
    }
    return found?.id
  }
}

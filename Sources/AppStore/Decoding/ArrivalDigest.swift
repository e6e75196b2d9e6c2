internal import Crypto

/// The digest that identifies an unsigned payload, computed without decoding the payload. It covers the payload's text
/// with each receipt replaced by the receipt's own digest.
///
/// It may be wrong for unusual payloads. The decoder then decodes such a payload, and detects the duplicate afterwards.
struct ArrivalDigest: Sendable {
  /// Returns the text that replaces a receipt in a payload. A ledger stores each receipt once, or not at all.
  static func placeholder(for receipt: ContentDigest) -> [UInt8] { Array("sha256:\(receipt.hexadecimal)".utf8) }

  /// The keys whose value is the receipt itself.
  static let receiptKeys: [StaticString] = ["latest_receipt", "latest_expired_receipt", "latestReceipt"]

  /// Returns the bytes of a receipt that is set aside; `nil` for a short one, which stays in the payload.
  static func receiptRange(_ value: JSONValue?) -> Range<Int>? {
    guard let range = value?.plainStringRange, range.count > 200 else { return nil }
    return range
  }

  /// The digest of the text with its receipts replaced.
  let digest: ContentDigest
  /// The byte ranges of the replaced receipts, counted from the start of the text, in order.
  let receipts: [Range<Int>]

  /// Computes the digest of a payload.
  /// - Parameters:
  ///   - payload: the object that was parsed from the text.
  ///   - range: the bytes of its text in the document.
  init(_ payload: JSONValue, in range: Range<Int>) {
    let levels = [payload, payload["receipt"], payload["unified_receipt"]].compactMap(\.self)
    let receipts = levels.flatMap { level in Self.receiptKeys.map { level[$0] } }.compactMap(Self.receiptRange)
      .sorted { $0.lowerBound < $1.lowerBound }
    var hash = SHA256()
    payload.document.bytes.withUnsafeBytes { bytes in
      var start = range.lowerBound
      for receipt in receipts {
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start..<receipt.lowerBound]))
        hash.update(
          data: Self.placeholder(for: ContentDigest(sha256: UnsafeRawBufferPointer(rebasing: bytes[receipt]))))
        start = receipt.upperBound
      }
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound]))
    }
    digest = ContentDigest(bytes: Array(hash.finalize()))
    self.receipts = receipts.map { $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound }
  }
}

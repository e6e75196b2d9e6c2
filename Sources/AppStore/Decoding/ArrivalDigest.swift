internal import Crypto

/// The digest by which an unsigned payload is known, found without reading what it says: of its text, where receipts
/// gave way to their own digests.
///
/// It need not be right about every odd payload: one that is not found by it is decoded, and known then.
struct ArrivalDigest: Sendable {
  /// What stands in a payload's text in place of a receipt (`design.md`: receipts are kept once, or not at all).
  static func standIn(for receipt: ContentDigest) -> [UInt8] { Array("sha256:\(receipt.hexadecimal)".utf8) }

  /// The keys under which the receipt itself stands.
  static let receiptKeys: [StaticString] = ["latest_receipt", "latest_expired_receipt", "latestReceipt"]

  /// The bytes of a receipt that is set aside; shorter ones stay where they are.
  static func receiptRange(_ value: JSONValue?) -> Range<Int>? {
    guard let range = value?.plainStringRange, range.count > 200 else { return nil }
    return range
  }

  /// The digest.
  let digest: ContentDigest
  /// The bytes of the receipts that gave way to theirs, from the beginning of the text, in order.
  let receipts: [Range<Int>]

  /// - Parameters:
  ///   - payload: the object.
  ///   - range: the bytes of its text.
  init(_ payload: JSONValue, in range: Range<Int>) {
    let levels = [payload, payload["receipt"], payload["unified_receipt"]].compactMap(\.self)
    let receipts = levels.flatMap { level in Self.receiptKeys.map { level[$0] } }.compactMap(Self.receiptRange)
      .sorted { $0.lowerBound < $1.lowerBound }
    var hash = SHA256()
    payload.document.bytes.withUnsafeBytes { bytes in
      var start = range.lowerBound
      for receipt in receipts {
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start..<receipt.lowerBound]))
        hash.update(data: Self.standIn(for: ContentDigest(sha256: UnsafeRawBufferPointer(rebasing: bytes[receipt]))))
        start = receipt.upperBound
      }
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound]))
    }
    digest = ContentDigest(bytes: Array(hash.finalize()))
    self.receipts = receipts.map { $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound }
  }
}

/// A text from Apple that can be exported byte for byte: plain JSON, or the parts of a compact JWS or of an app receipt.
public struct SignedText: Sendable {
  /// The JSON text, or the decoded payload of a JWS. An export inserts removed objects again at their positions. Of an
  /// app receipt: what comes before its certificates, in Base 64.
  public let source: [UInt8]
  /// The first segment of a JWS, still encoded, with its certificates. Of an app receipt: `pkcs7.` and its certificates
  /// in Base 64. `nil` for plain JSON.
  public var header: [UInt8]?
  /// The signature of a JWS, 64 bytes. Of an app receipt: what comes after its certificates. `nil` for plain JSON.
  public var signature: [UInt8]?

  /// Begins the header of an app receipt.
  private static let receiptMark = Array("pkcs7.".utf8)

  /// The text as it arrived: the JSON; header, payload and signature in Base 64 URL joined by dots; or the app receipt in
  /// Base 64.
  public var compact: [UInt8] {
    guard let header, let signature else { return source }
    if header.starts(with: Self.receiptMark), let start = Base64URL.decodeStandard(source[...]),
      let certificates = Base64URL.decodeStandard(header[Self.receiptMark.count...])
    {
      return ReceiptText.base64(start + certificates + signature)
    }
    return header + [UInt8(ascii: ".")] + Base64URL.encode(source) + [UInt8(ascii: ".")] + Base64URL.encode(signature)
  }

  /// Creates a text from its parts, as a ledger stores them.
  public init(source: [UInt8], header: [UInt8]? = nil, signature: [UInt8]? = nil) {
    self.source = source
    self.header = header
    self.signature = signature
  }

  /// Creates the text of an app receipt. Millions of receipts have the same certificates, which a ledger stores once.
  /// - Parameters:
  ///   - receipt: the receipt itself, not Base 64 of it.
  ///   - certificates: the positions of its certificates.
  init(receipt: [UInt8], certificates: Range<Int>) {
    self.init(
      source: ReceiptText.base64(Array(receipt[..<certificates.lowerBound])),
      header: Self.receiptMark + ReceiptText.base64(Array(receipt[certificates])),
      signature: Array(receipt[certificates.upperBound...]))
  }
}

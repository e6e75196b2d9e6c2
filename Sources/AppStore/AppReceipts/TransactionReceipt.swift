/// A transaction receipt of iOS 6 and earlier (`transactionReceipt`): a property list with one purchase and Apple's
/// signature over it.
///
/// The signature does not cover the environment, so a transaction receipt never proves a purchase of production.
struct TransactionReceipt {
  /// The signed text: the version of the signature, then the property list with the purchase.
  let signed: [UInt8]
  /// The version of the signature. Version 2 has a key of 1,024 bits, which is too weak to count.
  let version: UInt8
  let signature: [UInt8]
  /// The signer's certificate in DER. The receipt does not contain the certificate above it.
  let certificate: [UInt8]
  /// What the line `environment` states, which is not signed. Receipts of production have no such line.
  let environment: String?
  /// The instant of the purchase, which is the only date. The certificates are judged at it.
  let purchasedAt: Instant?
  /// The receipt as a JSON object in the words of verifyReceipt's `receipt` for iOS 6, UTF-8.
  let json: [UInt8]
  let transactionID: String?

  /// Returns whether bytes look like a transaction receipt.
  static func recognises(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    return bytes.withUnsafeBytes { ByteSearch.contains("\"purchase-info\"", in: $0) }
  }

  /// Reads a receipt. It verifies nothing.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    let list = try PropertyList(bytes)
    let info = try Self.decoded("purchase-info", in: list)
    let block = try Self.decoded("signature", in: list)
    let purchase = try PropertyList(info)
    environment = list["environment"]
    purchasedAt = purchase["purchase-date-ms"].flatMap { Instant($0) }
    transactionID = purchase["transaction-id"]
    (version, signature, certificate) = try Self.parts(block)
    signed = [version] + info
    json = try Self.json(purchase)
  }

  /// Returns a purchase in the words of verifyReceipt, which have an underscore for each hyphen.
  private static func json(_ purchase: PropertyList) throws(PayloadError) -> [UInt8] {
    var text = JSONWriter()
    var names: Set<String> = []
    for (key, value) in purchase.members {
      guard key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }) else {
        throw PayloadError(
          .malformed, path: "$.purchase-info", detail: "a key of the receipt has other signs than letters")
      }
      let name = key.replacing("-", with: "_")
      guard names.insert(name).inserted else {
        throw PayloadError(.duplicateKey, path: "$.purchase-info", detail: "the receipt contains the same key twice")
      }
      text.add(name, value)
    }
    return text.finished
  }

  private static func decoded(_ key: String, in list: PropertyList) throws(PayloadError) -> [UInt8] {
    guard let text = list[key], let bytes = Base64URL.decodeStandard(Array(text.utf8)[...]) else {
      throw PayloadError(.malformed, path: "$.\(key)", detail: "the receipt's \(key) is missing or is not Base 64")
    }
    return bytes
  }

  /// Splits the signature: the version, the signature itself, the length of the certificate, and the certificate.
  private static func parts(_ block: [UInt8]) throws(PayloadError) -> (UInt8, [UInt8], [UInt8]) {
    let length = block.first == 2 ? 128 : 256
    guard let version = block.first, version == 2 || version == 3, block.count > length + 5 else {
      throw PayloadError(SignatureError.unsupportedAlgorithm, path: "$.signature")
    }
    let size = block[length + 1..<length + 5].reduce(0) { $0 << 8 | Int($1) }
    guard size == block.count - length - 5 else {
      throw PayloadError(
        .malformed, path: "$.signature", detail: "the receipt's signature has another length than it states")
    }
    return (version, Array(block[1...length]), Array(block[(length + 5)...]))
  }
}

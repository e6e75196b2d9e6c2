internal import Foundation

/// The forms in which receipts arrive: the file itself, and Base 64 of it.
enum ReceiptText {
  /// Returns whether a text begins like the file of an app receipt: a SEQUENCE of 128 bytes or more.
  static func isFile(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, let second = bytes.dropFirst().first else { return false }
    return first == BERReader.Tag.sequence && second >= 0x80
  }

  /// Returns whether a text begins like a receipt in Base 64: like a SEQUENCE, or like the brace of a property list.
  /// A compact JWS begins like the latter too, so look for one first.
  static func isLikely(_ text: ArraySlice<UInt8>) -> Bool {
    starts.contains { text.starts(with: $0) } && text.prefix(64).allSatisfy { isLetter($0) || isIgnored($0) }
  }

  private static let starts = ["MI", "ew", "ey"].map { Array($0.utf8) }

  /// Returns the bytes of a receipt.
  /// - Parameter text: the file, or Base 64 of it: with line breaks, without padding, with `\/` of JSON, or in the
  ///   alphabet for URLs.
  /// - Returns: `nil` for any other text.
  static func receipt(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    if isFile(text) { return Array(text) }
    guard isLikely(text) else { return nil }
    guard let bytes = Base64URL.decodeStandard(text) ?? decodedLeniently(text) else { return nil }
    return isFile(bytes[...]) || TransactionReceipt.recognises(bytes) ? bytes : nil
  }

  /// Decodes Base 64 with spaces, or in the alphabet for URLs.
  private static func decodedLeniently(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    for byte in text where !isIgnored(byte) {
      switch byte {
      case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
      default: plain.append(byte)
      }
    }
    return Base64URL.decodeStandard(plain[...])
  }

  /// Returns Base 64 with padding and without line breaks: the one text of a receipt, which identifies it.
  static func base64(_ receipt: [UInt8]) -> [UInt8] { Array(Data(receipt).base64EncodedData()) }

  private static func isIgnored(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: "\\")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || "+/-_=".utf8.contains(byte)
  }
}

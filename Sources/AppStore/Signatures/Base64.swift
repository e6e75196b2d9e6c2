/// Base 64 in the two alphabets that a JWS uses, strict: what decodes here encodes to the same bytes again, so that a
/// signed text can be taken apart, kept and put together without a change.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values = table("-_")
  private static let standardValues = table("+/")

  private static func table(_ lastTwo: String) -> [UInt8] {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in (alphabet.dropLast(2) + Array(lastTwo.utf8)).enumerated() {
      table[Int(character)] = UInt8(value)
    }
    return table
  }

  /// Without padding, as RFC 7515 writes it.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let count = bytes.count
    return [UInt8](unsafeUninitializedCapacity: (count * 4 + 2) / 3) { buffer, written in
      var held: UInt32 = 0
      var bits = 0
      for byte in bytes {
        held = held << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          buffer[written] = alphabet[Int(held >> UInt32(bits) & 63)]
          written += 1
        }
      }
      if bits > 0 {
        buffer[written] = alphabet[Int(held << UInt32(6 - bits) & 63)]
        written += 1
      }
    }
  }

  /// `nil` for padding, foreign characters, impossible lengths and left-over bits.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text, values) }

  /// The standard alphabet with or without padding, as `x5c` holds certificates.
  static func decodeStandard(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var text = text
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    return decode(text, standardValues)
  }

  private static func decode(_ text: ArraySlice<UInt8>, _ values: [UInt8]) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var isGood = true
    let decoded = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4 + 3) { buffer, written in
      var held: UInt32 = 0
      var bits = 0
      values.withUnsafeBufferPointer { values in
        for character in text {
          let value = values[Int(character)]
          if value == 0xFF { isGood = false }
          held = held << 6 | UInt32(value & 63)
          bits += 6
          if bits >= 8 {
            bits -= 8
            buffer[written] = UInt8(truncatingIfNeeded: held >> UInt32(bits))
            written += 1
          }
        }
      }
      if held & (1 << UInt32(bits) - 1) != 0 { isGood = false }
    }
    return isGood ? decoded : nil
  }
}

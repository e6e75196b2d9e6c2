/// Encodes and decodes Base 64 in the two alphabets of a JWS. Decoding is strict: accepted characters encode to the
/// same characters again. So a ledger can split a signed text, store it, and rebuild it without a change.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values = table("-_")
  private static let standardValues = table("+/")
  /// Marks a foreign character in ``table(_:)``.
  private static let foreign: UInt32 = 1 << 31

  /// Returns the bits of each character, shifted to each of the four positions of a group: 256 numbers for each
  /// position.
  private static func table(_ lastTwo: String) -> [UInt32] {
    var table = [UInt32](repeating: foreign, count: 4 * 256)
    for (value, character) in (alphabet.dropLast(2) + Array(lastTwo.utf8)).enumerated() {
      for position in 0..<4 { table[position * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * position) }
    }
    return table
  }

  /// Encodes bytes as Base 64 URL without padding (RFC 7515).
  /// - Returns: ASCII characters.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
    return [UInt8](unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { output, written in
      alphabet.withUnsafeBufferPointer { alphabet in
        func write(_ held: UInt32, _ count: Int) {
          for position in 0..<count {
            output[written] = alphabet[Int(held >> UInt32(18 - 6 * position) & 63)]
            written += 1
          }
        }
        bytes.withUnsafeBufferPointer { bytes in
          for group in 0..<groups {
            let offset = group * 3
            write(UInt32(bytes[offset]) << 16 | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]), 4)
          }
          let offset = groups * 3
          if rest == 1 { write(UInt32(bytes[offset]) << 16, 2) }
          if rest == 2 { write(UInt32(bytes[offset]) << 16 | UInt32(bytes[offset + 1]) << 8, 3) }
        }
      }
    }
  }

  /// Encodes the bytes of any collection as Base 64 URL without padding (RFC 7515).
  /// - Returns: ASCII characters.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] { encode(Array(bytes)) }

  /// Decodes Base 64 URL without padding.
  /// - Returns: `nil` for padding, foreign characters, impossible lengths and left-over bits.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text, values) }

  /// Decodes the standard alphabet with or without padding, the form of certificates in `x5c`.
  static func decodeStandard(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var text = text
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    return decode(text, standardValues)
  }

  private static func decode(_ text: ArraySlice<UInt8>, _ values: [UInt32]) -> [UInt8]? {
    let (groups, rest) = text.count.quotientAndRemainder(dividingBy: 4)
    guard rest != 1 else { return nil }
    var seen: UInt32 = 0
    let decoded = [UInt8](unsafeUninitializedCapacity: groups * 3 + 3) { output, written in
      text.withUnsafeBufferPointer { text in
        values.withUnsafeBufferPointer { values in
          func bits(_ position: Int, at offset: Int) -> UInt32 { values[position << 8 | Int(text[offset])] }
          for group in 0..<groups {
            let offset = group << 2
            let held = bits(0, at: offset) | bits(1, at: offset + 1) | bits(2, at: offset + 2) | bits(3, at: offset + 3)
            seen |= held
            output[written] = UInt8(truncatingIfNeeded: held >> 16)
            output[written + 1] = UInt8(truncatingIfNeeded: held >> 8)
            output[written + 2] = UInt8(truncatingIfNeeded: held)
            written += 3
          }
          guard rest > 0 else { return }
          let offset = groups << 2
          let held = bits(0, at: offset) | bits(1, at: offset + 1) | (rest == 3 ? bits(2, at: offset + 2) : 0)
          // Bits beyond the last whole byte must be zero. Otherwise the same bytes would have two spellings.
          seen |= held | (held & (rest == 3 ? 0xFF : 0xFFFF) == 0 ? 0 : foreign)
          output[written] = UInt8(truncatingIfNeeded: held >> 16)
          if rest == 3 { output[written + 1] = UInt8(truncatingIfNeeded: held >> 8) }
          written += rest - 1
        }
      }
    }
    return seen & foreign == 0 ? decoded : nil
  }
}

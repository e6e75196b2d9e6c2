internal import Foundation

/// Searches bytes with the fast functions of the C library. Payloads are long, and most of their bytes need no
/// attention.
package enum ByteSearch {
  /// Returns whether some bytes contain a word.
  package static func contains(_ word: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
    let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    var rest = bytes
    while let offset = first(word[0], in: rest) {
      rest = UnsafeRawBufferPointer(rebasing: rest[offset...])
      guard rest.count >= word.count else { return false }
      if areEqual(UnsafeRawBufferPointer(rebasing: rest[..<word.count]), word) { return true }
      rest = UnsafeRawBufferPointer(rebasing: rest[1...])
    }
    return false
  }

  /// Returns whether some bytes contain the word `password` in capital or small letters. It reads sixteen bytes at a
  /// time, and looks for two of the letters at their distance. Few texts contain that pair by chance.
  static func containsPassword(in bytes: UnsafeRawBufferPointer) -> Bool {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    func marks(_ offset: Int) -> UInt64 {
      let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | ones &* 0x20
      let fifth = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self) | ones &* 0x20
      let differences = (first ^ ones &* UInt64(UInt8(ascii: "p"))) | (fifth ^ ones &* UInt64(UInt8(ascii: "w")))
      return (differences &- ones) & ~differences & highs
    }
    var offset = 0
    while offset + 20 <= bytes.count {
      if marks(offset) | marks(offset + 8) != 0, isPassword(in: bytes, from: offset, to: offset + 16) { return true }
      offset += 16
    }
    return isPassword(in: bytes, from: offset, to: bytes.count)
  }

  /// Returns whether the word `password` begins at one of these positions.
  private static func isPassword(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Bool {
    let word: UInt64 = 0x6472_6F77_7373_6170
    var offset = start
    while offset < end, offset + 8 <= bytes.count {
      let letters = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if letters | 0x2020_2020_2020_2020 == word { return true }
      offset += 1
    }
    return false
  }

  /// Returns the first position of a byte.
  static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Returns whether two byte buffers are equal.
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }

  /// Returns the first position, from `start` on, of a byte that needs special treatment in a JSON string. Such bytes
  /// are a quote, a backslash, a control character, and a byte beyond ASCII. It reads eight bytes at a time.
  static func endOfPlainText(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var offset = start
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      // Each term marks the high bit of a byte that is zero, or less than a space. The lowest mark is always right.
      let marks =
        ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- ones &* 0x20) & ~word) | word
      if marks & highs != 0 { return offset + (marks & highs).trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return offset }
      offset += 1
    }
    return offset
  }
}

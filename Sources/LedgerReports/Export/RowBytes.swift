internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// A buffer that collects the bytes of values until they are written to a file.
///
/// It owns its memory. An array would check at every byte whether it is shared and large enough.
final class RowBytes {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes the buffer contains.
  private(set) var count = 0

  init(capacity: Int = 1 << 16) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  func removeAll() { count = 0 }

  /// Ensures that the buffer has space for more bytes.
  @inline(__always)
  private func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  private func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  @inline(__always)
  func append(_ more: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (start + count).update(from: more, count: length)
    count += length
  }

  func append(_ more: [UInt8]) {
    more.withUnsafeBufferPointer { buffer in
      if let first = buffer.baseAddress { append(first, buffer.count) }
    }
  }

  /// Appends a number in decimal digits.
  func append(_ number: Int64) {
    reserve(20)
    var rest = number.magnitude
    let end = start + count + 20
    var digit = end
    repeat {
      digit -= 1
      digit.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 {
      digit -= 1
      digit.pointee = UInt8(ascii: "-")
    }
    let length = end - digit
    (start + count).update(from: digit, count: length)
    count += length
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends bytes in lowercase hexadecimal digits.
  func append(hexadecimal bytes: UnsafePointer<UInt8>, _ length: Int) {
    reserve(2 * length)
    Self.digits.withUnsafeBufferPointer { digits in
      for index in 0..<length {
        start[count] = digits[Int(bytes[index] >> 4)]
        start[count + 1] = digits[Int(bytes[index] & 15)]
        count += 2
      }
    }
  }

  /// Appends a text as a CSV field (RFC 4180). It is quoted when it contains a special character or is empty, because
  /// an empty field without quotes is NULL.
  /// - Parameter isRaw: whether a text that begins like a formula stays as it is. Otherwise an apostrophe is written
  ///   before it.
  func append(csv text: UnsafePointer<UInt8>, _ length: Int, isRaw: Bool) {
    var isPlain = length > 0
    let isFormula = !isRaw && length > 0 && ExportFormat.beginsFormula(text[0])
    for index in 0..<length where Self.isSpecialInCSV[Int(text[index])] {
      isPlain = false
      break
    }
    if isPlain {
      if isFormula { append(UInt8(ascii: "'")) }
      return append(text, length)
    }
    reserve(2 * length + 3)
    append(UInt8(ascii: "\""))
    if isFormula { append(UInt8(ascii: "'")) }
    for index in 0..<length {
      if text[index] == UInt8(ascii: "\"") { append(UInt8(ascii: "\"")) }
      append(text[index])
    }
    append(UInt8(ascii: "\""))
  }

  // PostgreSQL ends its input at a line with only a backslash, unless the field is quoted.
  private static let isSpecialInCSV: [Bool] = (0...255).map { ",\"\r\n\\".utf8.contains(UInt8($0)) }

  /// Appends a text as a JSON string.
  func append(json text: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length + 2)
    append(UInt8(ascii: "\""))
    var begun = 0
    for index in 0..<length {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      append(text + begun, index - begun)
      begun = index + 1
      append(UInt8(ascii: "\\"))
      if byte >= 0x20 {
        append(byte)
      } else {
        append(Array("u00".utf8))
        append(Self.digits[Int(byte >> 4)])
        append(Self.digits[Int(byte & 15)])
      }
    }
    append(text + begun, length - begun)
    append(UInt8(ascii: "\""))
  }
}

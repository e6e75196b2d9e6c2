/// Follows the brackets and strings of JSON byte by byte, to find where a value ends. It does not check the syntax.
struct BracketReader {
  /// The number of open brackets.
  var depth = 0
  /// Whether the next byte is inside a string.
  private(set) var isInString = false
  private var isEscaped = false

  /// Reads the next byte.
  /// - Returns: whether the byte is outside of strings.
  @discardableResult
  mutating func read(_ byte: UInt8) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
    return true
  }
}

/// Follows the brackets and strings of JSON byte by byte, without judging it: enough to see where a value ends.
struct BracketReader {
  /// How many brackets are open.
  var depth = 0
  /// Whether the next byte stands inside a string.
  private(set) var isInString = false
  private var isEscaped = false

  /// Takes the next byte.
  /// - Returns: whether it stands outside of strings.
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

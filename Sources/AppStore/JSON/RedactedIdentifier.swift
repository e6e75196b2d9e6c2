/// Recognises an id that somebody redacted before the payload was shared or logged.
///
/// Apple's ids are opaque text. So only a mark that no id contains counts as a redaction.
enum RedactedIdentifier {
  private static let marks: Set<Unicode.Scalar> = ["*", "…", "•", "█", "<", ">"]
  /// Returns whether a text consists of 32 hexadecimal digits and of hyphens, as a UUID does.
  private static func isPlainUUID(_ text: String) -> Bool {
    var digits = 0
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: digits += 1
      case 0x2D: continue
      default: return false
      }
    }
    return digits == 32
  }

  private static let word = Array("redacted".unicodeScalars)

  /// Returns whether an id was redacted.
  /// - Parameter text: an id as a payload states it, not empty.
  static func matches(_ text: String) -> Bool {
    // Nearly every id from Apple is a number.
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return false }
    if isPlainUUID(text) { return false }
    let scalars = Array(text.unicodeScalars)
    if scalars.contains(where: marks.contains)
      || zip(scalars, scalars.dropFirst()).contains(where: { $0 == "." && $1 == "." })
    {
      return true
    }
    if !scalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil }) { return true }
    if scalars.allSatisfy({ $0 == "x" || $0 == "X" }) { return true }
    let small = scalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 0x20) : $0 }
    return small.indices.contains { small[$0...].starts(with: word) }
  }
}

/// Tells an id that somebody blanked out before the payload was shared or logged.
///
/// Apple's ids are opaque text, so nothing else is refused: what counts is a mark that no id has.
enum RedactedIdentifier {
  private static let marks: Set<Character> = ["*", "…", "•", "█", "<", ">"]

  /// - Parameter text: an id as a payload states it, not empty.
  static func matches(_ text: String) -> Bool {
    if text.contains(where: marks.contains) || text.contains("..") { return true }
    if !text.contains(where: { $0.isLetter || $0.isNumber }) { return true }
    if text.allSatisfy({ $0 == "x" || $0 == "X" }) { return true }
    return text.lowercased().contains("redacted")
  }
}

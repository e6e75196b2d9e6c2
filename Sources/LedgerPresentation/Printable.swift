/// Text from outside, such as ids, in a form that is safe to show.
package enum Printable {
  /// Returns text with escapes for control characters and for marks that reorder text.
  package static func text(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    guard !isPlain, text.unicodeScalars.contains(where: isDisturbing) else { return text }
    return text.unicodeScalars.map { isDisturbing($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
  }

  /// Returns text with the escapes of ``text(_:)``, and keeps its line ends.
  package static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.text(String($0)) }.joined(separator: "\n")
  }

  /// Whether a character can hide or reorder others, or control a terminal.
  package static func isDisturbing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
}

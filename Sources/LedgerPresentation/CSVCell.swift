import AppStore
import Ledger

/// The text of a CSV cell, quoted and safe for spreadsheets.
package enum CSVCell {
  /// Returns a text as a CSV cell (RFC 4180), in quotes if it contains a quote, a comma or a line end.
  ///
  /// The comparison uses bytes, not characters. A quote and an accent after it are one character, but the quote still
  /// ends a cell.
  /// - Parameters:
  ///   - text: the text of the cell.
  ///   - isRaw: whether a text that begins like a formula stays unchanged. Spreadsheets run such a text when a user
  ///     opens the file (OWASP, CSV injection). With an apostrophe before it, they show it.
  package static func text(_ text: String, isRaw: Bool) -> String {
    let apostrophe = !isRaw && text.utf8.first.map(ExportFormat.beginsFormula) == true ? "'" : ""
    guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return apostrophe + text }
    var quoted = "\"" + apostrophe
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// Returns one row of CSV, with its line end.
  package static func row(_ values: [Value]) -> String {
    values.map { text($0.plainText, isRaw: !$0.isText) }.joined(separator: ",") + "\n"
  }
}

extension Value {
  /// Whether the value is text, which comes from outside. A number such as -5 cannot be a formula.
  package var isText: Bool {
    if case .text = self { return true }
    return false
  }
}

import ArgumentParser
import Ledger

/// The option `--raw-csv` of commands that write rows as CSV.
struct CSVOptions: ParsableArguments {
  @Flag(
    name: .customLong("raw-csv"),
    help: """
      Write texts in CSV unchanged. Without this, an apostrophe precedes a text that a spreadsheet would run as a \
      formula: one that begins with =, +, -, @, a tab or a carriage return.
      """)
  var isRaw = false
}

extension OutputFormat {
  /// Returns a printer of rows in this format.
  func printer(_ csv: CSVOptions) -> RowPrinter { RowPrinter(format: self, isRawCSV: csv.isRaw) }
}

/// The text of a CSV cell, quoted and safe for spreadsheets.
enum CSVCell {
  /// Returns a text as a CSV cell (RFC 4180), in quotes if it contains a quote, a comma or a line end.
  ///
  /// The comparison uses bytes, not characters. A quote and an accent after it are one character, but the quote still
  /// ends a cell.
  /// - Parameters:
  ///   - text: the text of the cell.
  ///   - isRaw: whether a text that begins like a formula stays unchanged. Spreadsheets run such a text when a user
  ///     opens the file (OWASP, CSV injection). With an apostrophe before it, they show it.
  static func text(_ text: String, isRaw: Bool) -> String {
    let apostrophe = !isRaw && text.utf8.first.map(ExportFormat.beginsFormula) == true ? "'" : ""
    guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return apostrophe + text }
    var quoted = "\"" + apostrophe
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

extension Value {
  /// Whether the value is text, which comes from outside. A number such as -5 cannot be a formula.
  var isNumberOrNull: Bool {
    switch self {
    case .integer, .real, .null: true
    default: false
    }
  }

  var isText: Bool {
    if case .text = self { return true }
    return false
  }
}

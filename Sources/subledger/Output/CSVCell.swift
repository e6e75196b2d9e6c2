import ArgumentParser
import Ledger

/// `--raw-csv`, wherever rows are written as CSV.
struct CSVOptions: ParsableArguments {
  @Flag(
    name: .customLong("raw-csv"),
    help: """
      With CSV: texts as they are. Otherwise a text that a spreadsheet would run as a formula (it begins with =, +, -, \
      @, a tab or a carriage return) has an apostrophe before it.
      """)
  var isRaw = false
}

extension OutputFormat {
  /// A printer of rows in this format.
  func printer(_ csv: CSVOptions) -> RowPrinter { RowPrinter(format: self, isRawCSV: csv.isRaw) }
}

/// One cell of CSV.
enum CSVCell {
  /// Returns a text as RFC 4180 has it: between quotes where it holds what has a meaning.
  ///
  /// Bytes are compared, not characters: a quote and an accent after it are one character, and still end a cell.
  /// - Parameters:
  ///   - text: what the cell says.
  ///   - isRaw: whether a text that begins like a formula stays as it is. Spreadsheets run such a text when the file is
  ///     opened (OWASP, CSV injection); with an apostrophe before it, they show it.
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
  /// Whether it is text from outside. A number stays a number: -5 is no formula.
  var isText: Bool {
    if case .text = self { return true }
    return false
  }
}

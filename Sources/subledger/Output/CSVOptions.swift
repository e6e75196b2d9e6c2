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

extension Value {
  /// Whether the value is a number or nothing, which a table shows at the right side of its column.
  var isNumberOrNull: Bool {
    switch self {
    case .integer, .real, .null: true
    default: false
    }
  }
}

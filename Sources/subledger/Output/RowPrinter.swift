import AppStore
import Foundation
import Ledger
import LedgerPresentation

/// Writes rows one by one as a table, JSON, JSON lines or CSV, in bounded memory.
struct RowPrinter {
  let format: OutputFormat
  /// Whether a CSV cell is written unchanged, even if a spreadsheet would run it as a formula.
  let isRawCSV: Bool
  /// Whether a table without rows has the names of its columns.
  var namesColumnsOfNothing = false
  /// The columns whose texts are numbers. They are on the right of their column, as numbers are.
  var numericColumns: Set<String> = []
  private(set) var columns: [String] = []
  private var held: [[String]] = []
  private var widths: [Int] = []
  /// Whether each column has had nothing but numbers.
  private var isNumeric: [Bool] = []
  private(set) var count = 0
  private var buffer = ""

  /// The number of rows that set the widths of a table's columns. A later row can be wider.
  private static let lookahead = 1000
  /// The bytes of waiting rows after which the widths are set, because a query can produce any text.
  private static let heldLimit = 16 << 20
  private var heldBytes = 0

  /// Creates a printer for one list of rows.
  /// - Parameters:
  ///   - format: the format of the rows.
  ///   - isRawCSV: whether CSV cells that begin like a formula stay unchanged.
  init(format: OutputFormat, isRawCSV: Bool = false) { (self.format, self.isRawCSV) = (format, isRawCSV) }

  /// Begins the list with the names of its columns.
  mutating func begin(_ names: [String]) {
    columns = names
    switch format {
    case .table:
      Pager.begin()
      // A query chooses the names of its columns, so they are escaped as its values are.
      columns = names.map(Printable.text)
      widths = columns.map(\.count)
      isNumeric = columns.map { _ in true }
    case .json: write("[")
    case .ndjson: break
    case .csv: write(csv(names.map(Value.text)))
    }
  }

  /// Writes one row, with a value for each column.
  mutating func row(_ values: [Value]) {
    count += 1
    switch format {
    case .table:
      let cells = values.map(Messages.cell)
      for column in values.indices where !values[column].isNumberOrNull && !numericColumns.contains(columns[column]) {
        isNumeric[column] = false
      }
      held.append(cells)
      heldBytes += cells.reduce(0) { $0 + $1.utf8.count }
      if count >= Self.lookahead || heldBytes > Self.heldLimit { layOut() }
    case .json:
      write((count == 1 ? "\n  " : ",\n  ") + JSONText.object(columns: columns, row: values))
    case .ndjson:
      write(JSONText.object(columns: columns, row: values) + "\n")
    case .csv: write(csv(values))
    }
  }

  /// Ends the list, and writes what waits in memory.
  mutating func end() {
    switch format {
    case .table: layOut()
    case .json: write(count == 0 ? "]\n" : "\n]\n")
    case .ndjson, .csv: break
    }
    Terminal.write(buffer)
    buffer = ""
    if format == .table { Pager.end() }
  }

  private mutating func write(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 {
      Terminal.write(buffer)
      buffer = ""
    }
  }

  private mutating func layOut() {
    if count == held.count {
      for row in held { for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) } }
      if !columns.isEmpty, count > 0 || namesColumnsOfNothing { write(Terminal.styled(line(columns), .bold) + "\n") }
    }
    for row in held { write(line(row) + "\n") }
    (held, heldBytes) = ([], 0)
  }

  private func line(_ cells: [String]) -> String {
    let padded = cells.enumerated().map { column, cell in
      let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
      if isNumeric[column] { return space + cell }
      return column == cells.count - 1 ? cell : cell + space
    }
    return padded.joined(separator: "  ")
  }

  // MARK: - Cells

  /// Returns one row of CSV, with its line end.
  private func csv(_ values: [Value]) -> String {
    values.map { value in
      let text = value.plainText
      return CSVCell.text(
        Terminal.isScreen ? Printable.text(text) : text, isRaw: isRawCSV || !value.isText)
    }.joined(separator: ",") + "\n"
  }
}

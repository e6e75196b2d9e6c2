import Ledger
import LedgerPresentation

extension PurchaseSummary {
  /// Prints purchases as a table.
  static func print(_ lines: [PurchaseSummary]) {
    var printer = RowPrinter(format: .table)
    printer.begin(columns)
    for line in lines { printer.row(line.values) }
    printer.end()
  }
}

import Ledger
import LedgerPresentation

extension PurchaseSummary {
  /// Prints purchases as a table.
  static func print(_ purchases: [PurchaseSummary]) {
    var printer = RowPrinter(format: .table)
    printer.begin(columns)
    for purchase in purchases { printer.row(purchase.values) }
    printer.end()
  }
}

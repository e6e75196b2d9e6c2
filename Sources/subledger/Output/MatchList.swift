import AppStore
import Ledger
import LedgerPresentation

/// Prints several matches, one row for each.
enum MatchList {
  static func print(_ matches: [Match], _ ledger: LedgerReader, _ question: Question, format: OutputFormat) throws {
    var printer = RowPrinter(format: format)
    printer.begin(MatchRow.columns)
    for match in matches { printer.row(try MatchRow(match, ledger, question).values) }
    printer.end()
  }
}

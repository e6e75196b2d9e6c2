import AppStore
import Ledger
import LedgerPresentation

/// Prints several matches, one row for each.
enum MatchList {
  static func print(_ matches: [Match], _ ledger: LedgerReader, _ parameters: QueryParameters, format: OutputFormat)
    throws
  {
    var printer = RowPrinter(format: format)
    printer.begin(MatchRow.columns)
    for match in matches { printer.row(try MatchRow(match, ledger, parameters).values) }
    printer.end()
  }
}

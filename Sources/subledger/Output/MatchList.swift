import AppStore
import Ledger
import LedgerPresentation

extension Match {
  /// The name of the kind of match, for the column `found`.
  var kind: String {
    switch self {
    case .customer: "customer"
    case .line: "line"
    case .notification: "notification"
    case .order: "order"
    case .payload: "payload"
    case .unread: "unread"
    }
  }

  /// The identifier that was found.
  var identifier: String {
    switch self {
    case .customer(let id), .order(let id), .unread(let id): id
    case .line(let line): line.identifier
    case .notification(let uuid, _, _): uuid
    case .payload(let digest): digest.hexadecimal
    }
  }
}

/// Prints several matches, one row for each.
enum MatchList {
  static func print(_ matches: [Match], _ ledger: LedgerReader, _ question: Question, format: OutputFormat) throws {
    var printer = RowPrinter(format: format)
    printer.begin(["found", "identifier", "found_by", "environment", "original_transaction_id", "product_id", "state"])
    for match in matches {
      var cells: [Value] = [.text(match.kind), .text(match.identifier)]
      switch match {
      case .line(let line):
        let (product, state) = try PurchaseSummary.productAndState(line, ledger, question)
        cells += [.text(line.kind), .text(line.environment), .text(line.originalTransactionID), product, state]
      case .notification(_, let type, let environment):
        cells += [.text(type), .text(environment), .null, .null, .null]
      default: cells += [.null, .null, .null, .null, .null]
      }
      printer.row(cells)
    }
    printer.end()
  }
}

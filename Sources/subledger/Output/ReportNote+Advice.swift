import Ledger
import ReportPresentation

extension ReportNote {
  /// The note with what to do next, by this program's commands.
  var advisedText: String { advice.map { "\(text) \($0)" } ?? text }

  private var advice: String? {
    switch self {
    case .noPurchases: "Name one with --environment."
    case .unpricedSubscriptions, .unpricedPayments: "Import their notifications or transaction history."
    case .unconfirmedEnds: "See them with: subledger report churned --group-by reason."
    case .knownLater(let asOf): "For what was known then, use --known-at \(asOf)."
    case .severalCurrencies: "Import rates with subledger rates import, and add --convert-to."
    case .nothingConverted, .notConverted: "Import rates with subledger rates import."
    case .ratesKnownLater: "Convert a report without --known-at, or convert these figures yourself."
    case .noFigures: "Choose one of the report's currencies with --currency."
    case .unknownPeriods: "Import a catalogue with subledger products import."
    case .proceedsOfNoApp: "Leave out --bundle-id, and use --group-by product."
    case .estimated(_, let untaxed):
      untaxed.isEmpty
        ? "See all rates with subledger terms." : "Import the taxes with subledger terms import."
    case .emptyLedger, .noPurchasesOfApp, .evidenceEnds, .converted, .reportedDays: nil
    }
  }
}

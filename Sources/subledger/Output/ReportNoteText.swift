import Ledger
import LedgerPresentation

extension ReportNote {
  /// The note as text, with this program's commands.
  var text: String {
    switch self {
    case .emptyLedger: "The ledger has no purchases yet. Import something."
    case .noPurchases(let environment, let others):
      "Nothing was bought in \(environment). Other environments have purchases: "
        + others.map { "\($0.environment) \($0.count)" }.joined(separator: ", ") + ". Name one with --environment."
    case .noPurchasesOfApp(let app, let apps, let hasMore):
      "The app \(Printable.text(app)) has no purchases in this environment. These apps have some: "
        + apps.map(Printable.text).joined(separator: ", ") + (hasMore ? " and others." : ".")
    case .unpricedSubscriptions(let count, let all):
      "Left out: \(count) of \(all) active subscriptions at the end of the last period have no known price. "
        + Self.howToPrice
    case .unpricedPayments(let count, let all):
      "Left out: \(count) of \(all) payments have no known price. " + Self.howToPrice
    case .unconfirmedEnds(let count):
      "\(Messages.count(Int(count), "subscription")) ended in these periods without later evidence. They may have been "
        + "renewed. See them with: subledger report churned --group-by reason."
    case .evidenceEnds(let end):
      "The evidence ends on \(Messages.instant(end)). The figures of later periods are not complete."
    case .knownLater(let asOf):
      "These figures count evidence that was recorded later. For what was known then, use --known-at \(asOf)."
    case .severalCurrencies(let count):
      "The \(count) currencies are not added up. Import rates with subledger rates import, and add --convert-to."
    case .nothingConverted(let wanted, let currencies):
      "Nothing is converted: no rate into \(wanted) is known for \(currencies.joined(separator: ", ")). "
        + Self.howToConvert
    case .ratesKnownLater(let wanted, let instant):
      "Nothing is converted: the first rates into \(wanted) were imported at \(Messages.instant(instant)), which is after "
        + "--known-at. Convert a report as of now, or convert these figures yourself."
    case .converted(let wanted):
      "Converted into \(wanted) with the imported rates. A payment uses the rate of its day, a balance the rate at the "
        + "period's end."
    case .notConverted(let wanted, let currencies):
      "Not converted: no rate into \(wanted) is known for \(currencies.joined(separator: ", ")). " + Self.howToConvert
    case .noFigures(let currency):
      "The report has no figures in \(currency). Choose one of the report's currencies with --currency."
    case .unknownPeriods(let products, let hasMore, let isGroup):
      "No catalogue states the length of a period of \(products.map(Printable.text).joined(separator: ", "))"
        + (hasMore ? " and of others" : "") + ". "
        + (isGroup ? "Their duration is unknown here. " : "The report infers it from the periods themselves. ")
        + "Import a catalogue with subledger products import."
    }
  }

  private static let howToPrice = "Receipts have no prices. Import their notifications or transaction history."
  private static let howToConvert = "Import rates with subledger rates import."
}

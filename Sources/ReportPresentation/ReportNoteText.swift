import AppStore
import Ledger
import LedgerPresentation

extension ReportNote {
  /// What a reader must know about the figures.
  package var text: String {
    switch self {
    case .emptyLedger: "The ledger has no purchases yet. Import something."
    case .noPurchases(let environment, let others):
      "Nothing was bought in \(environment). Other environments have purchases: "
        + others.map { "\($0.environment) \($0.count)" }.joined(separator: ", ") + "."
    case .noPurchasesOfApp(let app, let apps, let hasMore):
      "The app \(Printable.text(app)) has no purchases in this environment. These apps have some: "
        + apps.map(Printable.text).joined(separator: ", ") + (hasMore ? " and others." : ".")
    case .unpricedSubscriptions(let count, let all):
      "Left out: \(count) of \(all) active subscriptions at the end of the last period have no known price. "
        + "Receipts have no prices."
    case .unpricedPayments(let count, let all):
      "Left out: \(count) of \(all) payments have no known price. Receipts have no prices."
    case .unconfirmedEnds(let count):
      "\(Messages.count(Int(count), "subscription")) ended in these periods without later evidence. They may have been "
        + "renewed."
    case .evidenceEnds(let end):
      "The evidence ends on \(Messages.instant(end)). The figures of later periods are not complete."
    case .knownLater: "These figures count evidence that was recorded later."
    case .severalCurrencies(let count):
      "The \(count) currencies are not added up."
    case .nothingConverted(let wanted, let currencies):
      "Nothing is converted: no rate into \(wanted) is known for \(currencies.joined(separator: ", "))."
    case .ratesKnownLater(let wanted, let instant):
      "Nothing is converted: the first rates into \(wanted) were imported at \(Messages.instant(instant)), which is later "
        + "than the knowledge of this report."
    case .converted(let wanted):
      "Converted into \(wanted) with the imported rates. A payment uses the rate of its day, a balance the rate at the "
        + "period's end."
    case .notConverted(let wanted, let currencies):
      "Not converted: no rate into \(wanted) is known for \(currencies.joined(separator: ", "))."
    case .estimated(let terms, let untaxed):
      "Estimated with " + terms.prefix(6).map(Self.text).joined(separator: ", ")
        + (terms.count > 6 ? " and \(terms.count - 6) others." : ".")
        + (untaxed.isEmpty
          ? ""
          : " No tax is known for \(untaxed.prefix(6).joined(separator: ", "))"
            + (untaxed.count > 6 ? " and \(untaxed.count - 6) others" : "") + ", so the whole price counts.")
    case .reportedDays(let count, let all):
      "Sales reports of \(count) of \(Messages.count(all, "day")) are imported. Apple sends none for a day without sales."
    case .proceedsOfNoApp(let app):
      "Apple's sales reports name no bundle id, so they have no proceeds of \(Printable.text(app)) alone."
    case .noFigures(let currency):
      "The report has no figures in \(currency)."
    case .unknownPeriods(let products, let hasMore, let isGroup):
      "No catalogue states the length of a period of \(products.map(Printable.text).joined(separator: ", "))"
        + (hasMore ? " and of others" : "") + ". "
        + (isGroup ? "Their duration is unknown here." : "The report infers it from the periods themselves.")
    }
  }

  /// Returns a statement about tax or commission, such as `commission 30 (all, from 2008-07-10)`.
  private static func text(_ term: ProceedsTerm) -> String {
    let subject = [term.storefront ?? "all", term.bundleID.map(Printable.text)].compactMap(\.self).joined(
      separator: ", ")
    return "\(term.kind.rawValue) \(term.value) (\(subject), from \(term.day.date))"
  }
}

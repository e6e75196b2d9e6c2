import AppStore
import Ledger

/// A key of a reconciliation as text: agreement/day/product/country/currency/price. `states` and `events` have what is
/// counted after a colon. Parts at the end can be left out, and `-` stands for a value that is not stated.
struct ReconciliationKey {
  private let parts: [String]
  let agreement: Agreement
  let day: Instant?

  var text: String { parts.joined(separator: "/") }

  init?(_ text: String) {
    parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 6, let first = parts.first?.split(separator: ":").first,
      let agreement = Agreement(rawValue: String(first))
    else { return nil }
    self.agreement = agreement
    guard parts.count > 1, parts[1] != "-" else {
      day = nil
      return
    }
    guard let day = try? ReportDay.argument(parts[1]) else { return nil }
    self.day = day
  }

  init(_ row: ReconciliationRow) {
    agreement = row.agreement
    day = row.day
    parts = Self.parts(row.agreement, row.measure, row.day, row.productID, row.country, row.currency, row.price)
  }

  func contains(_ item: ReconciliationItem) -> Bool {
    contains(
      Self.parts(item.agreement, item.measure, item.day, item.productID, item.country, item.currency, item.price))
  }

  func contains(_ difference: ProceedsDifference) -> Bool {
    contains(
      Self.parts(
        .proceeds, nil, day, difference.productID, difference.country, difference.currency, difference.price))
  }

  private func contains(_ other: [String]) -> Bool {
    // The agreement alone stands for all that it counts. A day is always stated, so that - stands for any day. The days
    // of a month are chosen before.
    zip(parts, other).enumerated().allSatisfy { index, pair in
      pair.0 == pair.1 || index == 0 && pair.1.hasPrefix(pair.0 + ":")
        || index == 1 && (pair.0 == "-" || agreement == .finance)
    }
  }

  private static func parts(
    _ agreement: Agreement, _ measure: String?, _ day: Instant?, _ product: String?, _ country: String?,
    _ currency: String?, _ price: Milliunits?
  ) -> [String] {
    [
      measure.map { "\(agreement.rawValue):\($0)" } ?? agreement.rawValue, day?.date ?? "-", product ?? "-",
      country ?? "-", currency ?? "-", price.map { Currency.exact($0, of: currency) } ?? "-",
    ]
  }
}

import AppStore

/// What the simulated App Store takes off a price before it pays the developer.
struct ReportTerms {
  /// The commission in thousandths.
  private static let (commission, reducedCommission): (Int64, Int64) = (300, 150)
  /// The taxes that a price includes, in thousandths, by storefront. Prices in the United States and in Canada have none.
  private static let taxes: [String: Int64] = [
    "GBR": 200, "DEU": 190, "FRA": 200, "JPN": 100, "AUS": 100, "KOR": 100, "CHE": 81, "SWE": 250, "IND": 180,
  ]

  /// Returns the proceeds of a price in milliunits: without tax, less the commission, rounded to a minor unit.
  static func proceeds(of price: Int64, in territory: Territory, isReduced: Bool) -> Int64 {
    let tax = taxes[territory.code] ?? 0
    let share = 1000 - (isReduced ? reducedCommission : commission)
    let minor: Int64 = ["JPY", "KRW"].contains(territory.currency) ? 1000 : 10
    let divisor = (1000 + tax) * minor
    return (price * share + divisor / 2) / divisor * minor
  }

  /// The taxes and commissions as a table in CSV.
  static var table: String {
    let rates = [
      ("commission", "", "2008-07-10", commission), ("reduced_commission", "", "2016-06-13", reducedCommission),
    ]
    let untaxed = ["USA", "CAN", "BRA"].map { ($0, Int64(0)) }
    let taxed = (taxes.map { ($0.key, $0.value) } + untaxed).sorted { $0.0 < $1.0 }
    let rows = rates + taxed.map { ("tax", $0.0, "2008-07-10", $0.1) }
    return "term,storefront,from,value\n"
      + rows.map { "\($0.0),\($0.1),\($0.2),\($0.3 / 10).\($0.3 % 10)%\n" }.joined()
  }

  /// Returns an amount with two decimals, such as `-9.99`.
  static func text(_ milliunits: Int64) -> String {
    let (whole, part) = (abs(milliunits) / 1000, abs(milliunits) % 1000)
    let digits = String(part + 1000).dropFirst()
    return (milliunits < 0 ? "-" : "") + "\(whole).\(digits.hasSuffix("0") ? digits.dropLast() : digits)"
  }

  /// Returns the two-letter code of a storefront, which reports use.
  static func country(of territory: Territory) -> String { countries[territory.code] ?? territory.code }

  private static let countries = [
    "USA": "US", "GBR": "GB", "DEU": "DE", "FRA": "FR", "JPN": "JP", "CAN": "CA", "AUS": "AU", "KOR": "KR",
    "BRA": "BR", "CHE": "CH", "SWE": "SE", "IND": "IN",
  ]
}

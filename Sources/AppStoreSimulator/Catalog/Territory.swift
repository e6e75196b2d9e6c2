/// A storefront of Apple's, with its currency and price level.
public struct Territory: Sendable, Equatable {
  /// Apple's `storefront`: the ISO 3166-1 code in three letters.
  public let code: String
  /// Apple's `storefrontId` of the storefront.
  public let id: String
  /// Apple's `currency`: the ISO 4217 code.
  public let currency: String
  /// The share of customers there, relative to the other weights.
  let weight: Int64
  /// The value of a US dollar, in thousandths of the currency.
  let dollar: Int64
  /// The price step in milliunits. With 1000, prices end in `.99`. Otherwise prices are whole multiples of the step.
  let step: Int64
  /// The first digits of the ids that the store issues there.
  let prefix: Int64

  /// The territories in which simulated customers buy.
  public static let all: [Territory] = [
    Territory(code: "USA", id: "143441", currency: "USD", weight: 40, dollar: 1000, step: 1000, prefix: 350),
    Territory(code: "GBR", id: "143444", currency: "GBP", weight: 9, dollar: 850, step: 1000, prefix: 140),
    Territory(code: "DEU", id: "143443", currency: "EUR", weight: 9, dollar: 1000, step: 1000, prefix: 160),
    Territory(code: "FRA", id: "143442", currency: "EUR", weight: 6, dollar: 1000, step: 1000, prefix: 180),
    Territory(code: "JPN", id: "143462", currency: "JPY", weight: 10, dollar: 150_000, step: 10_000, prefix: 510),
    Territory(code: "CAN", id: "143455", currency: "CAD", weight: 6, dollar: 1350, step: 1000, prefix: 320),
    Territory(code: "AUS", id: "143460", currency: "AUD", weight: 5, dollar: 1500, step: 1000, prefix: 530),
    Territory(code: "KOR", id: "143466", currency: "KRW", weight: 4, dollar: 1_350_000, step: 100_000, prefix: 540),
    Territory(code: "BRA", id: "143503", currency: "BRL", weight: 4, dollar: 5500, step: 1000, prefix: 220),
    Territory(code: "CHE", id: "143459", currency: "CHF", weight: 2, dollar: 900, step: 1000, prefix: 250),
    Territory(code: "SWE", id: "143456", currency: "SEK", weight: 2, dollar: 11_000, step: 1000, prefix: 260),
    Territory(code: "IND", id: "143467", currency: "INR", weight: 3, dollar: 85_000, step: 1_000, prefix: 240),
  ]

  /// Returns a random territory. A territory with a greater weight is more likely.
  static func random(_ random: inout SeededGenerator) -> Territory {
    var remaining = random.number(in: 0..<all.reduce(0) { $0 + $1.weight })
    for territory in all {
      if remaining < territory.weight { return territory }
      remaining -= territory.weight
    }
    return all[0]
  }

  /// Returns the price here for a price in another currency, both in milliunits. A price of 0 stays 0.
  func price(from milliunits: Int64, in currency: String) -> Int64 {
    guard milliunits > 0, currency != self.currency else { return milliunits }
    let origin = Self.all.first { $0.currency == currency }?.dollar ?? 1000
    let exact = Double(milliunits) * Double(dollar) / Double(origin)
    let steps = max(1, Int64((exact / Double(step)).rounded()))
    return step == 1000 ? steps * 1000 - 10 : steps * step
  }
}

/// A storefront of Apple's, with its currency and what things cost there.
public struct Territory: Sendable, Equatable {
  /// `storefront`: ISO 3166-1, three letters.
  public let code: String
  /// `storefrontId`.
  public let id: String
  /// `currency`: ISO 4217.
  public let currency: String
  /// How likely a customer is to live there, against the others.
  let weight: Int64
  /// What an American dollar is there, in thousandths of the currency.
  let dollar: Int64
  /// Prices end in `.99` where this is 1000; otherwise they are whole multiples of it, in milliunits.
  let step: Int64
  /// How ids begin that are given out there.
  let prefix: Int64

  /// The territories that customers live in.
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

  /// A random territory, the large ones more often.
  static func random(_ random: inout SeededGenerator) -> Territory {
    var place = random.number(in: 0..<all.reduce(0) { $0 + $1.weight })
    for territory in all {
      if place < territory.weight { return territory }
      place -= territory.weight
    }
    return all[0]
  }

  /// A price here, from one that was set elsewhere: both in milliunits. Nothing stays nothing.
  func price(from milliunits: Int64, in currency: String) -> Int64 {
    guard milliunits > 0, currency != self.currency else { return milliunits }
    let origin = Self.all.first { $0.currency == currency }?.dollar ?? 1000
    let exact = Double(milliunits) * Double(dollar) / Double(origin)
    let steps = max(1, Int64((exact / Double(step)).rounded()))
    return step == 1000 ? steps * 1000 - 10 : steps * step
  }
}

import AppStore

/// A named purchase history, which shows what Apple sends in it.
public struct Scenario: Sendable {
  /// The name by which a caller chooses it.
  public let name: String
  /// The events of the scenario, in one sentence.
  public let summary: String
  let play: @Sendable (inout ScenarioPlayer) throws -> Void

  init(_ name: String, _ summary: String, _ play: @escaping @Sendable (inout ScenarioPlayer) throws -> Void) {
    (self.name, self.summary, self.play) = (name, summary, play)
  }

  /// Creates the scenario with a name; `nil` where none has it.
  public init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// All scenarios, in the order for a first reading.
  public static let all: [Scenario] =
    beginnings + payments + refunds + changes + prices + offers + families + others + teams
}

extension ScenarioPlayer {
  /// Lets simulated days pass, at the length that the renewal rate gives them.
  mutating func wait(days: Int64) throws { try advance(to: store.clock + store.rate.days(days)) }

  /// Waits for the end of the last subscription's period, and for a minute more. At other rates than real time, it
  /// waits for a second more.
  mutating func waitForEnd() throws {
    guard let end = store.subscriptions.last(where: { $0.sharedFrom == nil })?.last.expiresAt else { return }
    try advance(to: end + (store.rate.month == nil ? 60_000 : 1000))
  }

  /// Waits for a part of the time that is left in the running period.
  mutating func waitInPeriod(percent: Int64 = 40) throws {
    guard let last = store.subscriptions.last(where: { $0.sharedFrom == nil })?.last, let end = last.expiresAt else {
      return
    }
    let start = max(last.purchaseAt, store.clock)
    try advance(to: start + (end - start) / 100 * percent / 1000 * 1000)
  }

  /// Returns the first product on sale that fits.
  func product(_ words: String, where fits: (SoldProduct) -> Bool) throws(ActionError) -> SoldProduct {
    let products = store.catalog.products
    guard let found = products.first(where: fits) else {
      throw ActionError(.unknownProduct, "this scenario needs \(words), and the catalogue has none")
    }
    return found
  }

  /// Returns a simple subscription: without an introductory offer, if the catalogue has one.
  func plain() throws(ActionError) -> SoldProduct {
    let plain = try? product("") { $0.period != nil && !$0.offers.contains { $0.type == 1 } }
    if let plain { return plain }
    return try product("a subscription") { $0.period != nil }
  }

  /// Returns a product with an offer that fits, and the offer.
  func offered(_ words: String, where fits: (OfferTerms) -> Bool) throws(ActionError) -> (SoldProduct, OfferTerms) {
    let product = try product(words) { $0.offers.contains(where: fits) }
    guard let offer = product.offers.first(where: fits) else {
      throw ActionError(.unknownOffer, "this scenario needs \(words)")
    }
    return (product, offer)
  }

  /// Returns two subscriptions of one group. The first has the lower level.
  func levels() throws(ActionError) -> (low: SoldProduct, high: SoldProduct) {
    for low in store.catalog.products where low.period != nil {
      if let high = store.catalog.products.first(where: { $0.group == low.group && $0.level < low.level }) {
        return (low, high)
      }
    }
    throw ActionError(.unknownProduct, "this scenario needs two levels of service, and the catalogue has none")
  }
}

/// One life with a name, to see what Apple says in it.
public struct Scenario: Sendable {
  /// What it is asked for by.
  public let name: String
  /// What happens in it, in a sentence.
  public let summary: String
  let play: @Sendable (inout ScenarioPlayer) throws -> Void

  init(_ name: String, _ summary: String, _ play: @escaping @Sendable (inout ScenarioPlayer) throws -> Void) {
    (self.name, self.summary, self.play) = (name, summary, play)
  }

  /// A scenario by its name.
  public init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// All of them, in the order in which a newcomer would read them.
  public static let all: [Scenario] = beginnings + payments + refunds + changes + prices + offers + families + others
}

extension ScenarioPlayer {
  /// Lets days pass, as long as the renewal rate makes them.
  mutating func wait(days: Int64) throws { try advance(to: store.clock + store.rate.days(days)) }

  /// Lets the running period of the last line end, and a minute more (or a second, where months are minutes).
  mutating func waitForEnd() throws {
    guard let end = store.lines.last(where: { $0.sharedFrom == nil })?.last.expiresAt else { return }
    try advance(to: end + (store.rate == .realTime ? 60_000 : 1000))
  }

  /// Lets part of the running period pass.
  mutating func waitInPeriod(percent: Int64 = 40) throws {
    guard let last = store.lines.last(where: { $0.sharedFrom == nil })?.last, let end = last.expiresAt else { return }
    let start = max(last.purchaseAt, store.clock)
    try advance(to: start + (end - start) / 100 * percent / 1000 * 1000)
  }

  /// A subscription on sale that fits.
  func product(_ words: String, where fits: (SoldProduct) -> Bool) throws(ActionError) -> SoldProduct {
    let products = store.assortment.products
    guard let found = products.first(where: fits) else {
      throw ActionError(.unknownProduct, "this scenario needs \(words), and the catalogue has none")
    }
    return found
  }

  /// The plainest subscription: without an introductory offer, where there is one.
  func plain() throws(ActionError) -> SoldProduct {
    let plain = try? product("") { $0.period != nil && !$0.offers.contains { $0.type == 1 } }
    if let plain { return plain }
    return try product("a subscription") { $0.period != nil }
  }

  /// A subscription with an offer that fits, and the offer.
  func offered(_ words: String, where fits: (OfferTerms) -> Bool) throws(ActionError) -> (SoldProduct, OfferTerms) {
    let product = try product(words) { $0.offers.contains(where: fits) }
    guard let offer = product.offers.first(where: fits) else {
      throw ActionError(.unknownOffer, "this scenario needs \(words)")
    }
    return (product, offer)
  }

  /// Two subscriptions of one group, of which the first is of a lower level.
  func levels() throws(ActionError) -> (low: SoldProduct, high: SoldProduct) {
    for low in store.assortment.products where low.period != nil {
      if let high = store.assortment.products.first(where: { $0.group == low.group && $0.level < low.level }) {
        return (low, high)
      }
    }
    throw ActionError(.unknownProduct, "this scenario needs two levels of service, and the catalogue has none")
  }
}

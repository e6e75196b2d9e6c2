import AppStore
import Ledger
import TestSupport
import Testing

@testable import AppStoreSimulator

/// Over many lives by chance the ledger's states equal what was true, and Apple's own status is never contradicted.
/// SUBLEDGER_LIVES says how many, SUBLEDGER_SEED which.
@Suite struct AgreementTests {
  static let seed = UInt64(Portfolio.setting("SUBLEDGER_SEED") ?? 20_260_301)
  static let lives = Portfolio.setting("SUBLEDGER_LIVES") ?? SampleSize.pick(25, full: 100)

  static func simulation(_ rate: RenewalRate, customers: Int = lives, rates: Rates = Rates()) throws -> Simulation {
    let from = day(0)
    let length: Int64 = rate == .realTime ? 800 * 86_400_000 : 3 * 3_600_000
    return try Simulation(
      catalog: .builtIn(), seed: seed, customers: customers, from: from,
      to: Instant(milliseconds: from.milliseconds + length), rate: rate, rates: rates)
  }

  struct Difference: CustomStringConvertible {
    let description: String
  }

  /// Compares every line at random instants: as it was known then, and as it reads afterwards.
  static func differences(
    _ portfolio: Portfolio, instants: Int, seed: UInt64, onlyHindsight: Bool = false
  ) throws -> (compared: Int, found: [Difference]) {
    var random = SplitMix(seed: seed)
    var compared = 0
    var found: [Difference] = []
    for turn in 0..<instants {
      let instant = portfolio.instant(&random)
      let isHindsight = onlyHindsight || !turn.isMultiple(of: 3)
      let knownAt =
        isHindsight ? Instant(milliseconds: portfolio.simulation.to.milliseconds + 10 * 86_400_000) : instant
      let answers = try portfolio.answers(QueryParameters(asOf: instant, knownAt: knownAt))
      for (number, customer) in portfolio.customers.enumerated() where portfolio.isSettled(customer, at: instant) {
        for subscription in customer.store.subscriptions {
          let truth = isHindsight ? subscription.truthInHindsight(at: instant) : subscription.truth(at: instant)
          let answer = answers[String(subscription.id)]
          compared += 1
          let products = customer.store.catalog.products
          let expected =
            truth.map {
              "\($0.state.rawValue) \(products[$0.product].id) \($0.accessEndsAt) "
                + ($0.seats.map(String.init) ?? "no") + " seats"
            } ?? "nothing"
          let got =
            answer.map {
              "\($0.state.rawValue) \($0.productID ?? "-") \($0.accessEndsAt?.description ?? "-") "
                + ($0.seats.map(String.init) ?? "no") + " seats"
            } ?? "nothing"
          guard expected != got else { continue }
          found.append(
            Difference(
              description: "seed \(portfolio.simulation.seed) customer \(number) line \(subscription.id) at \(instant) "
                + (isHindsight ? "in hindsight" : "as known then")
                + ": true \(expected), ledger \(got) \(answer?.rule.rawValue ?? "")"))
        }
      }
    }
    return (compared, found)
  }

  @Test(arguments: [RenewalRate.realTime, .sandbox])
  func `from all V2 notifications the ledger derives what was true, and never contradicts Apple's status`(
    rate: RenewalRate
  ) async throws {
    let portfolio = try await Portfolio(Self.simulation(rate), [.notificationV2])
    let (compared, found) = try Self.differences(portfolio, instants: 60, seed: Self.seed)
    if Self.lives >= 1000 {
      print("\(Self.lives) lives of seed \(Self.seed): \(compared) states compared, \(found.count) differ")
    }
    #expect(compared > Self.lives * 20)
    #expect(found.map(\.description).prefix(10) == [], "\(found.count) of \(compared)")
    let disagreements = try portfolio.ledger.reader.disagreements()
    #expect(disagreements.prefix(5).map { $0.location + " " + $0.detail } == [])
  }

  /// Lives of teams, in which seats change often.
  static let teams = {
    var rates = Rates()
    for (rate, share) in [
      (Rate.seats, 1.0), (.cancel, 0.1), (.paymentFailure, 0.1), (.resume, 0.5), (.change, 0.06), (.seatsRefunded, 0.2),
      (.seatPeriodRefunded, 0.15), (.refundReversed, 0.4), (.extend, 0.05), (.comeBack, 0.6), (.refundAsked, 0.05),
    ] { rates[rate] = share }
    return rates
  }()

  @Test(arguments: [RenewalRate.realTime, .sandbox])
  func `of teams, the states and the seats are what was true, and Apple's status is never contradicted`(
    rate: RenewalRate
  ) async throws {
    let portfolio = try await Portfolio(Self.simulation(rate, rates: Self.teams), [.notificationV2])
    let (compared, found) = try Self.differences(portfolio, instants: 60, seed: Self.seed)
    if Self.lives >= 1000 {
      print("\(Self.lives) teams of seed \(Self.seed): \(compared) states compared, \(found.count) differ")
    }
    #expect(compared > Self.lives * 20)
    #expect(found.map(\.description).prefix(10) == [], "\(found.count) of \(compared)")
    let disagreements = try portfolio.ledger.reader.disagreements()
    #expect(disagreements.prefix(5).map { $0.location + " " + $0.detail } == [])
  }

  /// Apple renews up to a day before the period begins, and then a member of the family leaves.
  static let leaving = Scenario("leaving", "A member leaves after a renewal and before its period begins.") { player in
    let product = try player.product("a subscription that a family may share") {
      $0.period != nil && $0.isFamilyShareable && !$0.offers.contains { $0.type == 1 }
    }
    try player.perform(.buy(product.id))
    try player.perform(.share)
    while player.store.subscriptions[0].last.purchaseAt <= player.store.clock {
      guard player.step(to: player.end) else { return }
    }
    try player.perform(.stopSharing)
    try player.wait(days: 2)
    try player.perform(.cancel)
    try player.waitForEnd()
  }

  @Test func `a renewal that is revoked before its period begins contradicts nothing`() async throws {
    let simulation = try Simulation(
      catalog: .builtIn(), seed: Self.seed, customers: 6, from: day(0), to: day(800), scenario: Self.leaving)
    let portfolio = try await Portfolio(simulation, [.notificationV2])
    let early = portfolio.customers.filter { customer in
      customer.store.subscriptions.contains { subscription in
        subscription.transactions.contains { transaction in
          transaction.revocation.map { $0.at < transaction.purchaseAt } ?? false
        }
      }
    }
    #expect(early.count == simulation.customers, "seed \(Self.seed)")
    let (compared, found) = try Self.differences(portfolio, instants: 60, seed: Self.seed)
    #expect(found.prefix(3).map(\.description) == [], "\(found.count) of \(compared)")
    #expect(try portfolio.ledger.reader.disagreements().map { $0.location + " " + $0.detail } == [])
  }

  @Test func `canary: what was lost makes a difference`() async throws {
    let portfolio = try await Portfolio(
      Self.simulation(.realTime, customers: 20), [.notificationV2], Delivery("lost=0.5"))
    #expect(try Self.differences(portfolio, instants: 20, seed: Self.seed).found.isEmpty == false)
  }
}

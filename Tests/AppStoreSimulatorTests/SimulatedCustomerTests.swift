import AppStore
import TestSupport
import Testing

@testable import AppStoreSimulator

/// A customer whose life goes on step by step: the same life, in however many steps.
@Suite struct SimulatedCustomerTests {
  /// What happened, in words that show any difference.
  private static func words(_ moments: [StoreMoment]) -> [String] {
    moments.map { moment in
      let states = moment.store.subscriptions.map {
        "\($0.id) \($0.truth(at: moment.store.clock)?.state.rawValue ?? "-")"
      }
      return "\(moment.store.clock) \(moment.events.map { "\($0.at)" }) \(states)"
    }
  }

  private static func simulation(_ seed: UInt64, scenario: Scenario? = nil) throws -> Simulation {
    try Simulation(
      catalog: .builtIn(), seed: seed, customers: 40, from: day(0), to: day(800), scenario: scenario)
  }

  @Test func `in parts of any length the same happens as in one simulation`() throws {
    let seed = RandomChoice.seed
    let simulation = try Self.simulation(seed)
    var random = SeededGenerator(seed: seed, part: 1)
    var count = 0
    let end = day(800) + -5000
    for number in 0..<15 {
      var whole: [StoreMoment] = []
      try simulation.live(number) { whole.append(StoreMoment(store: $0, events: $1)) }
      whole.removeAll { ($0.events.last?.at ?? end) >= end }
      var customer = try SimulatedCustomer(number, of: simulation)
      var (parts, at): ([StoreMoment], Instant) = ([], day(0))
      while at < day(800) {
        at = min(day(800), at + random.number(in: 1..<50_000_000) * random.number(in: 1..<100))
        parts += try customer.advance(to: at)
        #expect(parts.last.map { $0.events.allSatisfy { $0.at <= at + 1000 } } ?? true, "seed \(seed)")
      }
      parts.removeAll { ($0.events.last?.at ?? end) >= end }
      #expect(Self.words(parts) == Self.words(whole), "seed \(seed), customer \(number)")
      count += parts.count
    }
    #expect(count > 50)
  }

  @Test func `a customer lives on after the simulation's end`() throws {
    let simulation = try Self.simulation(3)
    var customers = try (0..<40).map { try SimulatedCustomer($0, of: simulation) }
    for index in customers.indices { _ = try customers[index].advance(to: day(800)) }
    var later = 0
    for index in customers.indices { later += try customers[index].advance(to: day(1200)).count }
    #expect(later > 40)
  }

  @Test(arguments: Scenario.all.map(\.name))
  func `a scenario comes moment by moment, and lives on after its end`(name: String) throws {
    let simulation = try Self.simulation(7, scenario: Scenario(named: name))
    var whole: [StoreMoment] = []
    try simulation.live(0) { whole.append(StoreMoment(store: $0, events: $1)) }
    var customer = try SimulatedCustomer(0, of: simulation)
    var (parts, at): ([StoreMoment], Instant) = ([], day(0))
    while parts.count < whole.count, at < day(3000) {
      at = at + 86_400_000 / 3
      parts += try customer.advance(to: at)
    }
    #expect(Self.words(Array(parts.prefix(whole.count))) == Self.words(whole))
  }

  @Test func `an action that nobody planned happens now, and the life goes on`() throws {
    for scenario in [nil, Scenario(named: "cancelled")] {
      var customer = try SimulatedCustomer(5, of: Self.simulation(9, scenario: scenario))
      _ = try customer.advance(to: day(900))
      let now = customer.store.clock
      let product = try #require(customer.store.catalog.subscriptions.first)
      let moments = try customer.perform(.buy(customer.store.catalog.products[product].id))
      #expect(moments.count == 1 && moments[0].store.clock >= now)
      #expect(throws: ActionError.self) { try customer.perform(.buy("unknown")) }
      #expect(try !customer.advance(to: day(1300)).isEmpty)
    }
  }
}

public import AppStore

/// A simulation of many customers. Equal values give equal simulations.
public struct Simulation: Sendable {
  /// The products on sale.
  public let catalog: Catalog
  /// The seed of all random numbers.
  public let seed: UInt64
  /// The number of customers, who are numbered from 0.
  public let customers: Int
  /// The earliest instant at which a customer buys.
  public let from: Instant
  /// The last instant of the simulation. Later events have no messages.
  public let to: Instant
  /// The speed of simulated time.
  public private(set) var rate: RenewalRate
  /// The length of the grace period that the app grants, in days: 0, 3, 16 or 28.
  public let graceDays: Int64
  /// The frequencies of random events.
  public let rates: Rates
  /// The scenario that every customer plays; `nil` for random events.
  public let scenario: Scenario?
  /// How far the names and ids of customers are from those of a simulation alone. Two simulations of one world need
  /// different ones, or they share customers.
  public let offset: Int

  /// Creates a simulation of customers between two instants.
  /// - Throws: ``SimulationError`` for values that a simulation cannot have.
  public init(
    catalog: Catalog, seed: UInt64, customers: Int, from: Instant, to: Instant, rate: RenewalRate = .realTime,
    graceDays: Int64 = 16, rates: Rates = Rates(), scenario: Scenario? = nil, offset: Int = 0
  ) throws(SimulationError) {
    guard (1...Int(IDIssuer.customers)).contains(customers) else {
      throw SimulationError(message: "there can be 1 to \(IDIssuer.customers) customers, not \(customers)")
    }
    guard from < to else { throw SimulationError(message: "the simulation ends at \(to), before it begins at \(from)") }
    guard from >= .appStoreOpening, to - from <= 20 * 366 * RenewalRate.day, to < Self.last else {
      throw SimulationError(
        message: "a simulation is between the App Store's opening and 2048, and lasts 20 years at most")
    }
    guard [0, 3, 16, 28].contains(graceDays) else {
      throw SimulationError(message: "App Store Connect grants 0, 3, 16 or 28 days of grace, not \(graceDays)")
    }
    (self.catalog, self.seed, self.customers, self.from, self.to) = (catalog, seed, customers, from, to)
    (self.rate, self.graceDays, self.rates, self.scenario) = (rate, graceDays, rates, scenario)
    self.offset = offset
  }

  /// Returns the simulation of the sandbox beside this one: a few customers, for two hours until an instant. At a month in
  /// five minutes, this is two years. Its customers have names of their own: from `user-900000` on.
  /// - Parameters:
  ///   - instant: its end.
  ///   - customers: the number of customers.
  ///   - rate: how fast periods pass.
  /// - Throws: ``SimulationError`` where there can be no such simulation.
  public func sandbox(
    until instant: Instant, customers: Int, rate: RenewalRate = .sandbox
  ) throws(SimulationError) -> Simulation {
    try Simulation(
      catalog: catalog, seed: seed, customers: customers, from: instant + -2 * 3_600_000, to: instant, rate: rate,
      graceDays: graceDays, rates: rates, scenario: scenario, offset: 900_000)
  }

  /// This simulation in real time, with purchases that name the environment Sandbox.
  var inSandbox: Simulation {
    var copy = self
    copy.rate = .realTimeInSandbox
    return copy
  }

  private static let scenarioWidth = 20_000
  private static let mostStores = Int(IDIssuer.customers)
  /// The end of possible simulated time: 2048-01-01, a year before the test authority's certificates end.
  public static let last = Instant(milliseconds: 2_461_449_600_000)

  /// Simulates one customer, from the first purchase to the end of the simulation or of the scenario.
  /// - Parameters:
  ///   - customer: the customer's number, from 0.
  ///   - onEvent: called after each event with the store at that instant and the event's messages. An error of
  ///     `onEvent` ends the simulation of this customer.
  /// - Returns: the store at the end.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue, and errors of `onEvent`.
  @discardableResult
  public func live(
    _ customer: Int, onEvent: (SimulatedStore, [StoreEvent]) throws -> Void
  ) throws -> SimulatedStore {
    if scenario != nil {
      let (store, moments) = try play(customer, until: to)
      for moment in moments { try onEvent(moment.store, moment.events) }
      return store
    }
    var life = RandomCustomer(simulation: self, customer: customer)
    while try life.goOn(to: to) {
      for moment in life.takeMoments() { try onEvent(moment.store, moment.events) }
    }
    for moment in life.finish(at: to) { try onEvent(moment.store, moment.events) }
    return life.store
  }

  /// Plays the scenario for one customer, to an instant at most.
  func play(_ customer: Int, until end: Instant) throws -> (store: SimulatedStore, moments: [StoreMoment]) {
    // Customers begin an hour apart, so that no two act at the same instant.
    let start = from + Int64(customer) * rate.days(1) / 24
    var player = ScenarioPlayer(store: store(for: customer, start: start), end: end)
    do { try scenario?.play(&player) } catch is ScenarioPlayer.Ended {}
    return (player.store, player.takeMoments())
  }

  /// The number of the first customer's store. Each scenario has its own customers, so that one ledger can import several
  /// scenarios.
  private var firstStore: Int {
    let scenarioIndex = scenario.flatMap { one in Scenario.all.firstIndex { $0.name == one.name } } ?? 0
    return (scenarioIndex * Self.scenarioWidth + offset) % Self.mostStores
  }

  func store(for customer: Int, start: Instant) -> SimulatedStore {
    SimulatedStore(
      catalog: catalog, seed: seed, customer: (customer + firstStore) % Self.mostStores, start: start,
      rate: rate, graceDays: graceDays)
  }

  /// Returns the customer with one of the app's own ids, such as `user-000012`; `nil` if this simulation has no such
  /// customer.
  func customer(named name: String) -> Int? {
    guard name.hasPrefix("user-"), let store = Int(name.dropFirst(5)), (0..<Self.mostStores).contains(store) else {
      return nil
    }
    let number = (store - firstStore + Self.mostStores) % Self.mostStores
    return number < customers ? number : nil
  }

  /// Returns the customer who would have one of Apple's ids; `nil` if this simulation has no such customer.
  func customer(of id: Int64) -> Int? {
    let number = (Int(IDIssuer.customer(of: id)) - firstStore + Self.mostStores) % Self.mostStores
    return number < customers ? number : nil
  }
}

/// The reason why a simulation cannot be made.
public struct SimulationError: Error, Sendable, Equatable {
  /// The problem as English text, without a full stop.
  public let message: String
}

public import AppStore

/// A world of simulated customers: the same world, whenever it is made from the same values.
public struct Simulation: Sendable {
  /// What is sold.
  public let assortment: Catalog
  /// What all that is random comes from.
  public let seed: UInt64
  /// How many customers there are, numbered from 0.
  public let customers: Int
  /// The first instant at which anybody buys.
  public let from: Instant
  /// The instant at which the world is looked at last; nothing is told that happens later.
  public let to: Instant
  /// How fast time goes.
  public let rate: RenewalRate
  /// How many days of grace the app grants: 0, 3, 16 or 28.
  public let graceDays: Int64
  /// How often things happen.
  public let rates: Rates
  /// The life that everybody lives; `nil` for random ones.
  public let scenario: Scenario?

  /// A world.
  /// - Throws: ``SimulationError`` for values that no world can be made from.
  public init(
    assortment: Catalog, seed: UInt64, customers: Int, from: Instant, to: Instant, rate: RenewalRate = .realTime,
    graceDays: Int64 = 16, rates: Rates = Rates(), scenario: Scenario? = nil
  ) throws(SimulationError) {
    guard (1...Int(IDIssuer.customers)).contains(customers) else {
      throw SimulationError(words: "there can be 1 to \(IDIssuer.customers) customers, not \(customers)")
    }
    guard from < to else { throw SimulationError(words: "the world ends at \(to), before it begins at \(from)") }
    guard from >= .appStoreOpening, to - from <= 20 * 366 * RenewalRate.day, to < Self.last else {
      throw SimulationError(words: "a world lies between the App Store's opening and 2048, and lasts 20 years at most")
    }
    guard [0, 3, 16, 28].contains(graceDays) else {
      throw SimulationError(words: "App Store Connect grants 0, 3, 16 or 28 days of grace, not \(graceDays)")
    }
    (self.assortment, self.seed, self.customers, self.from, self.to) = (assortment, seed, customers, from, to)
    (self.rate, self.graceDays, self.rates, self.scenario) = (rate, graceDays, rates, scenario)
  }

  private static let scenarioWidth = 20_000
  /// Simulated time ends before this: 2048, a year before the test authority's certificates.
  public static let last = Instant(milliseconds: 2_461_449_600_000)

  /// Lives one customer's life, from the first purchase to the world's end, or to the end of the scenario's story.
  /// - Parameters:
  ///   - customer: which, from 0.
  ///   - onEvent: called after each thing that happened, with the store as it is then and what it tells; what it throws
  ///     ends the life.
  /// - Returns: the store at the end.
  /// - Throws: ``ActionError`` where the scenario cannot be played with what is sold, and what `onEvent` throws.
  @discardableResult
  public func live(
    _ customer: Int, onEvent: @escaping (SimulatedStore, [StoreEvent]) throws -> Void
  ) throws -> SimulatedStore {
    if let scenario {
      // Hours apart, so that no two customers do the same thing at the same instant.
      let start = from + Int64(customer) * rate.days(1) / 24
      var player = ScenarioPlayer(store: store(for: customer, start: start), end: to, onEvent: onEvent)
      do { try scenario.play(&player) } catch is ScenarioPlayer.Ended {}
      return player.store
    }
    var life = RandomCustomer(world: self, customer: customer, onEvent: onEvent)
    return try life.live()
  }

  func store(for customer: Int, start: Instant) -> SimulatedStore {
    // Each scenario has customers of its own, so that several can be told to one ledger.
    let place = scenario.flatMap { one in Scenario.all.firstIndex { $0.name == one.name } } ?? 0
    return SimulatedStore(
      assortment: assortment, seed: seed, customer: (customer + place * Self.scenarioWidth) % Int(IDIssuer.customers),
      start: start, rate: rate, graceDays: graceDays)
  }
}

/// Why no world can be made.
public struct SimulationError: Error, Sendable, Equatable {
  /// What is wrong, without a full stop.
  public let words: String
}

/// Plays a store, and passes on what it tells, event by event.
struct ScenarioPlayer {
  var store: SimulatedStore
  let end: Instant
  let onEvent: (SimulatedStore, [StoreEvent]) throws -> Void

  /// The world's end came.
  struct Ended: Error {}

  init(store: SimulatedStore, end: Instant, onEvent: @escaping (SimulatedStore, [StoreEvent]) throws -> Void) {
    (self.store, self.end, self.onEvent) = (store, end, onEvent)
  }

  /// Lets the next thing happen, or the time pass.
  /// - Returns: whether anything was due before the limit.
  mutating func step(to limit: Instant) throws -> Bool {
    let wasDue = store.step(to: min(limit, end))
    try tell()
    return wasDue
  }

  mutating func advance(to instant: Instant) throws {
    while try step(to: instant) {}
    if instant >= end { throw Ended() }
  }

  mutating func perform(_ action: Action, on target: SimulatedStore.Target? = nil) throws {
    guard store.clock + 2000 < end else { throw Ended() }
    try store.perform(action, on: target)
    try tell()
  }

  /// Does something, or leaves it where it makes no sense now.
  /// - Returns: whether the world goes on.
  mutating func attempt(_ action: Action, on target: SimulatedStore.Target?) throws -> Bool {
    guard store.clock + 2000 < end else { return false }
    do { try store.perform(action, on: target) } catch { return true }
    try tell()
    return true
  }

  private mutating func tell() throws {
    let happenings = store.takeHappenings()
    if !happenings.isEmpty { try onEvent(store, happenings) }
  }

  mutating func finish() throws -> SimulatedStore {
    while try step(to: end) {}
    return store
  }
}

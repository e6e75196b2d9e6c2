import AppStore

/// What happened at one instant of a simulated store.
public struct StoreMoment: Sendable {
  /// The store after the event.
  public let store: SimulatedStore
  /// The messages of the event.
  public let events: [StoreEvent]
}

/// A player that performs actions in a store, and keeps what happened.
struct ScenarioPlayer {
  private(set) var store: SimulatedStore
  let end: Instant
  private var moments: [StoreMoment] = []

  /// The error that stops a scenario at the end of the simulation.
  struct Ended: Error {}

  init(store: SimulatedStore, end: Instant) { (self.store, self.end) = (store, end) }

  /// Performs the store's next due event, or moves the clock to the limit.
  /// - Returns: whether an event was due before the limit.
  mutating func step(to limit: Instant) -> Bool {
    let wasDue = store.step(to: min(limit, end))
    keep()
    return wasDue
  }

  mutating func advance(to instant: Instant) throws {
    while step(to: instant) {}
    if instant >= end { throw Ended() }
  }

  mutating func perform(_ action: Action, on target: SimulatedStore.Target? = nil) throws {
    guard store.clock + 2000 < end else { throw Ended() }
    try store.perform(action, on: target)
    keep()
  }

  /// Performs an action, and skips it where the present state does not allow it.
  /// - Returns: whether the simulation continues.
  mutating func attempt(_ action: Action, on target: SimulatedStore.Target?) throws -> Bool {
    guard store.clock + 2000 < end else { return false }
    do { try store.perform(action, on: target) } catch { return true }
    keep()
    return true
  }

  private mutating func keep() {
    let events = store.takeStoreEvents()
    if !events.isEmpty { moments.append(StoreMoment(store: store, events: events)) }
  }

  /// Returns what happened since the last call, and forgets it.
  mutating func takeMoments() -> [StoreMoment] {
    defer { moments.removeAll() }
    return moments
  }
}

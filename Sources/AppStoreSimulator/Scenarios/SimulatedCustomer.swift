public import AppStore

/// One customer of a simulation, whose life goes on as far as a caller lets it.
///
/// Up to the simulation's end the same happens as in ``Simulation/live(_:onEvent:)``, in however many parts a caller lets
/// time pass. After that end, the customer lives on, until ``Simulation/last``.
public struct SimulatedCustomer: Sendable {
  private enum Life: Sendable {
    case random(RandomCustomer)
    /// A scenario was played to its end. The moments that have not come yet follow, the next one last.
    case played(SimulatedStore, coming: [StoreMoment])
  }

  private var life: Life

  /// The customer's store as it is now.
  public var store: SimulatedStore {
    switch life {
    case .random(let customer): customer.store
    case .played(let store, _): store
    }
  }

  /// The first instant at which something more happens; `nil` where nothing comes. It is a limit: ``advance(to:)`` with an
  /// earlier instant changes nothing.
  var nextDue: Instant? {
    switch life {
    case .random(let customer): customer.nextDue
    case .played(let store, let coming): coming.last?.events.last?.at ?? store.nextDue
    }
  }

  /// Ends the customer's own plans: from now on only the App Store acts by itself.
  mutating func dropPlans() {
    switch life {
    case .random(var customer):
      customer.dropPlans()
      life = .random(customer)
    case .played(let store, _): life = .played(store, coming: [])
    }
  }

  /// Forgets how the customer's refund was to be decided, because somebody else decides it.
  mutating func forgetRefundPlans(of target: SimulatedStore.Target) {
    guard case .random(var customer) = life else { return }
    customer.forgetRefundPlans(of: target)
    life = .random(customer)
  }

  /// Creates a customer who has bought nothing yet.
  /// - Parameters:
  ///   - number: the customer's number, from 0.
  ///   - simulation: the simulation of which this is a customer.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue.
  public init(_ number: Int, of simulation: Simulation) throws {
    guard simulation.scenario != nil else {
      life = .random(RandomCustomer(simulation: simulation, customer: number))
      return
    }
    let (store, moments) = try simulation.play(number, until: Simulation.last)
    life = .played(
      moments.isEmpty ? store : simulation.store(for: number, start: simulation.from), coming: moments.reversed())
  }

  /// Lets time pass for the customer alone, up to an instant.
  /// - Parameter instant: the instant to which the customer lives.
  /// - Returns: what happened, in order.
  /// - Throws: ``ActionError`` where a planned action is impossible in every state.
  public mutating func advance(to instant: Instant) throws -> [StoreMoment] {
    switch life {
    case .random(var customer):
      while try customer.goOn(to: instant) {}
      let moments = customer.takeMoments()
      life = .random(customer)
      return moments
    case .played(var store, var coming):
      var moments: [StoreMoment] = []
      while let next = coming.last, let at = next.events.last?.at, at <= instant {
        moments.append(coming.removeLast())
        store = next.store
      }
      // While the scenario goes on, its moments have everything that falls due.
      while coming.isEmpty || store.nextDue.map({ $0 > instant }) ?? true, store.step(to: instant) {
        let events = store.takeStoreEvents()
        if !events.isEmpty { moments.append(StoreMoment(store: store, events: events)) }
      }
      life = .played(store, coming: coming)
      return moments
    }
  }

  /// Performs an action now. What a scenario still had in mind is dropped.
  /// - Parameters:
  ///   - action: what the customer, Apple or the developer does.
  ///   - target: the subscription or purchase that it is about; `nil` for the customer's last.
  /// - Returns: what happened, in order.
  /// - Throws: ``ActionError`` where the present state does not allow the action; nothing is changed then.
  public mutating func perform(_ action: Action, on target: SimulatedStore.Target? = nil) throws -> [StoreMoment] {
    switch life {
    case .random(var customer):
      try customer.perform(action, on: target)
      let moments = customer.takeMoments()
      life = .random(customer)
      return moments
    case .played(var store, _):
      try store.perform(action, on: target)
      // The kept store must not have the events any more, or the next action would repeat them.
      let events = store.takeStoreEvents()
      life = .played(store, coming: [])
      return [StoreMoment(store: store, events: events)]
    }
  }
}

public import AppStore

/// A customer of a local App Store whom somebody names, with the purchase that an action is about.
public struct LocalCustomer: Sendable, Equatable {
  /// The environment of the customer's purchases.
  public let environment: Environment
  /// The customer's number in the simulation, from 0.
  public let number: Int
  /// The purchase that was named; `nil` where the customer was.
  public let target: SimulatedStore.Target?
}

extension LocalAppStore {
  /// Finds a customer by a name or an id.
  /// - Parameter text: the app's own id of the customer, or any of Apple's ids.
  /// - Returns: `nil` where nobody has the name or the id.
  public func customer(_ text: String) -> LocalCustomer? {
    let environment = simulation.rate.environment
    if let number = simulation.customer(named: text) {
      return LocalCustomer(environment: environment, number: number, target: nil)
    }
    guard let found = try? find(text) else { return nil }
    return LocalCustomer(environment: environment, number: found.customer, target: found.target)
  }

  /// Returns the store of a customer as it is now.
  public func store(of customer: LocalCustomer) -> SimulatedStore { encoder(of: customer.number).store }

  /// Performs an action of a customer, of Apple's support or of the app's owner. It takes a second. From then on the
  /// customer does nothing without an action; the App Store still renews.
  /// - Throws: ``ActionError`` where the present state does not allow the action; an error of the cryptographic library;
  ///   errors of the file.
  public mutating func perform(_ action: Action, for customer: LocalCustomer) throws {
    try perform(action, on: customer.target, of: customer.number)
    // Only now: an action that is refused changes nothing.
    customers[customer.number].dropPlans()
    timeline.plan(.customer(customer.number), at: customers[customer.number].nextDue)
  }
}

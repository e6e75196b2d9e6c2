public import AppStore

/// What a customer of a local App Store has, for a person who looks.
public struct LocalCustomerCard: Sendable {
  /// One subscription or one-time purchase.
  public struct Item: Sendable {
    /// Apple's `originalTransactionId` of the purchase.
    public let originalTransactionID: Int64
    /// The app's own id of the account: the customer's, or a family member's.
    public let customer: String
    /// Apple's `productId` of the present product.
    public let productID: String
    /// The state: that of a subscription, or `bought` and `refunded`.
    public let state: String
    /// The end of access; `nil` for a one-time purchase.
    public let accessEndsAt: Instant?
  }

  /// The app's own id of the customer.
  public let customer: String
  /// What the customer has, in the order of buying.
  public let items: [Item]
}

extension LocalAppStore {
  /// Returns what a customer has now.
  public func card(of customer: LocalCustomer) -> LocalCustomerCard {
    let store = store(of: customer)
    let products = store.catalog.products
    let subscriptions = store.subscriptions.map { subscription in
      let truth = subscription.truth(at: clock)
      return LocalCustomerCard.Item(
        originalTransactionID: subscription.id, customer: store.accounts[subscription.account].customer,
        productID: products[truth?.product ?? subscription.last.product].id,
        state: (truth?.state ?? subscription.state).rawValue,
        accessEndsAt: truth?.accessEndsAt)
    }
    let purchases = store.purchases.map { one in
      LocalCustomerCard.Item(
        originalTransactionID: one.originalID, customer: store.accounts[one.account].customer,
        productID: products[one.product].id, state: one.revocation == nil ? "bought" : "refunded", accessEndsAt: nil)
    }
    return LocalCustomerCard(customer: store.accounts[0].customer, items: subscriptions + purchases)
  }

  /// Returns the customer with a number, from 0.
  public func customer(number: Int) -> LocalCustomer? {
    customers.indices.contains(number)
      ? LocalCustomer(environment: simulation.rate.environment, number: number, target: nil) : nil
  }
}

public import AppStore

/// Something that a customer bought in a local App Store, as the app on the device learns of it: a subscription, also
/// again or of another product, or a one-time purchase.
public struct LocalPurchase: Sendable {
  /// The app's own id of the customer.
  public let customer: String
  /// Apple's `appAccountToken`; `nil` where the app set none.
  public let appAccountToken: String?
  /// Apple's `originalTransactionId` of the purchase.
  public let originalTransactionID: Int64
  /// Apple's `productId` of what was bought.
  public let productID: String
  /// Apple's `environment`, as the Server API writes it.
  public let environment: String
  /// The instant of the purchase.
  public let purchasedAt: Instant
  /// The customer's number, and the account as an index into the accounts of the customer's store.
  let (number, account): (Int, Int)
}

extension LocalAppStore {
  /// Returns what was bought since the last call, in order.
  public mutating func takePurchases() -> [LocalPurchase] {
    defer { bought.removeAll() }
    return bought
  }

  /// Returns the app receipt of the device on which something was bought, as it is now, in Base64: what verifyReceipt takes
  /// as `receipt-data`.
  /// - Throws: an error of the cryptographic library.
  public func receipt(of purchase: LocalPurchase) throws -> String {
    try encoder(of: purchase.number).latestReceipt(purchase.account, at: clock)
  }

  /// Keeps what a customer has bought since the last look.
  mutating func noteBought(_ number: Int) {
    let store = customers[number].store
    let count = store.subscriptions.reduce(store.purchases.count) { $0 + $1.transactions.count }
    guard count > boughtBefore[number].count else { return }
    let known = boughtBefore[number].transactions
    let new = store.transactions.filter { !$0.isRenewal && !known.contains($0.id) }
    boughtBefore[number] = (count, known.union(new.map(\.id)))
    for transaction in new.sorted(by: { ($0.purchaseAt, $0.id) < ($1.purchaseAt, $1.id) }) {
      bought.append(
        LocalPurchase(
          customer: store.accounts[transaction.account].customer,
          appAccountToken: store.appAccountToken(of: transaction), originalTransactionID: transaction.originalID,
          productID: store.catalog.products[transaction.product].id, environment: store.rate.environment.name,
          purchasedAt: transaction.purchaseAt, number: number, account: transaction.account))
    }
  }
}

import AppStore

extension LocalAppStore {
  /// What one of Apple's ids belongs to.
  struct Found {
    /// The number of the customer.
    let customer: Int
    let encoder: ResponseEncoder
    let account: Int
    /// The transaction with this id; `nil` where the id is an app transaction's.
    let transaction: Transaction?

    var appTransactionID: Int64 { encoder.store.accounts[account].appTransactionID }
    /// The subscription or one-time purchase of the transaction.
    var target: SimulatedStore.Target? { transaction.flatMap { encoder.store.target(of: $0) } }
  }

  /// Finds the account that has any of Apple's ids: of a transaction, an original transaction or an app transaction.
  /// - Parameters:
  ///   - text: the id.
  ///   - invalid: the error for a text that cannot be an id.
  ///   - unknown: the error for an id that nothing has.
  func find(
    _ text: String, invalid: APIError = .invalidTransactionID, unknown: APIError = .transactionIDNotFound
  ) throws(APIError) -> Found {
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text)
    else { throw invalid }
    guard let number = simulation.customer(of: id) else { throw unknown }
    let encoder = encoder(of: number)
    let store = encoder.store
    if let account = store.accounts.firstIndex(where: { $0.appTransactionID == id }), hasBought(account, store) {
      return Found(customer: number, encoder: encoder, account: account, transaction: nil)
    }
    guard let transaction = store.transactions.first(where: { $0.id == id }) else { throw unknown }
    return Found(customer: number, encoder: encoder, account: transaction.account, transaction: transaction)
  }

  /// Finds the subscription or one-time purchase that has an original transaction id.
  func findOriginal(_ text: String) throws(APIError) -> Found {
    let found = try find(text, invalid: .invalidOriginalTransactionID, unknown: .originalTransactionIDNotFound)
    guard let original = found.transaction?.originalID, String(original) == text else {
      throw .originalTransactionIDNotFound
    }
    return found
  }

  /// Returns an encoder of answers about a customer, by the customer's number.
  func encoder(of number: Int) -> ResponseEncoder {
    var store = customers[number].store
    // Nothing is due until now, so this only moves the clock.
    store.clock = max(store.clock, clock)
    return ResponseEncoder(store: store, signer: signer)
  }

  private func hasBought(_ account: Int, _ store: SimulatedStore) -> Bool {
    store.subscriptions.contains { $0.account == account } || store.purchases.contains { $0.account == account }
  }
}

extension SimulatedStore {
  /// The transactions of all subscriptions and one-time purchases.
  var transactions: [Transaction] { subscriptions.flatMap(\.transactions) + purchases }

  /// Returns the subscription or one-time purchase of a transaction.
  func target(of transaction: Transaction) -> Target? {
    let subscription = subscriptions.firstIndex { $0.id == transaction.originalID }
    return subscription.map { .subscription($0) }
      ?? purchases.firstIndex { $0.id == transaction.id }.map { .purchase($0) }
  }
}

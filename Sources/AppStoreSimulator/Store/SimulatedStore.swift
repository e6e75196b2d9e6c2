public import AppStore

/// A simulated App Store for one customer and the customer's family.
///
/// It does for the developer of a server what Xcode's transaction manager does for the developer of an app.
///
/// The store has its own clock, which moves only when a caller moves it. Each event has its own second, so all of
/// Apple's answers about an instant agree. The store does not use the ledger's rules. ``OriginalTransaction`` records
/// what is true when the store changes it.
public struct SimulatedStore: Sendable {
  /// The products on sale.
  public let catalog: Catalog
  /// The speed of simulated time.
  public let rate: RenewalRate
  /// The length of the grace period that the app grants, in days; 0 grants none.
  public let graceDays: Int64
  /// The current simulated instant.
  public internal(set) var clock: Instant
  /// The accounts: the purchaser first, then family members.
  public internal(set) var accounts: [Account]
  /// All subscriptions, in the order in which they began.
  public internal(set) var subscriptions: [OriginalTransaction] = []
  /// All one-time purchases, in the order of purchase.
  public internal(set) var purchases: [Transaction] = []

  var random: SeededGenerator
  var ids: IDIssuer
  var storeEvents: [StoreEvent] = []
  private var reportedCount: Int64 = 0
  var withdrawn: Set<Int> = []
  var asked: Int?
  var interrupted: Int?
  /// The tokens that replaced those of the accounts, by original transaction id: each from a transaction on.
  private var appAccountTokens: [Int64: [(from: Int64, token: String)]] = [:]
  /// The indexes of the one-time purchases with an open refund request.
  var askedPurchases: Set<Int> = []
  /// What the last refund revoked: the subscription's index and its transactions' indexes. For a one-time purchase,
  /// `line` is `nil`, and `indices` has the purchase's index.
  var refunded: (subscription: Int?, indices: [Int])?
  /// The last refund of some seats: the subscription's index and its transaction's index.
  var refundedSeats: (subscription: Int, index: Int)?

  /// Creates a store that has sold nothing yet.
  /// - Parameters:
  ///   - catalog: the products on sale.
  ///   - seed: the seed of ids and delays. The same seed and customer give the same ones.
  ///   - customer: the customer's number, from 0 to 999,999.
  ///   - start: the first instant; fractions of a second are dropped.
  ///   - rate: the speed of simulated time.
  ///   - graceDays: 0, 3, 16 or 28. A weekly subscription gets at most 6 (App Store Connect).
  public init(
    catalog: Catalog, seed: UInt64 = 1, customer: Int = 0, start: Instant, rate: RenewalRate = .realTime,
    graceDays: Int64 = 16
  ) {
    self.catalog = catalog
    self.rate = rate
    self.graceDays = graceDays
    clock = Instant(milliseconds: start.milliseconds / 1000 * 1000)
    random = SeededGenerator(seed: seed, part: 0xACC0, UInt64(customer))
    let territory = Territory.random(&random)
    ids = IDIssuer(seed: seed, customer: Int64(customer), prefix: territory.prefix, environment: rate.environment)
    accounts = []
    let digits = String(customer)
    let name = "user-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    addAccount(in: territory, customer: name, hasToken: random.happens(0.8))
  }

  /// Adds an Apple Account, with new random ids.
  mutating func addAccount(in territory: Territory, customer: String, hasToken: Bool) {
    accounts.append(
      Account(
        territory: territory, customer: customer, appAccountToken: hasToken ? random.uuid() : nil,
        device: "device-" + random.uuid().prefix(8), appTransactionID: 700_000_000_000_000_000 + ids.next(),
        downloadedAt: clock + -random.number(in: 60..<86_400) * 1000,
        originalApplicationVersion: String(random.number(in: 1..<60))))
  }

  /// Returns Apple's `appAccountToken` of a transaction; `nil` where nobody set one.
  func appAccountToken(of transaction: Transaction) -> String? {
    appAccountTokens[transaction.originalID]?.last { $0.from <= transaction.id }?.token
      ?? accounts[transaction.account].appAccountToken
  }

  mutating func setAppAccountToken(_ token: String, _ target: Target?) throws(ActionError) {
    let transaction: Transaction
    if case .purchase(let index) = target, purchases.indices.contains(index) {
      purchases[index].changedAt = clock
      transaction = purchases[index]
    } else {
      let index = try subscription(target)
      subscriptions[index].transactions[subscriptions[index].transactions.count - 1].changedAt = clock
      transaction = subscriptions[index].last
    }
    appAccountTokens[transaction.originalID, default: []].append((transaction.id, token))
  }

  /// Returns the events since the last call in order, and removes them.
  public mutating func takeStoreEvents() -> [StoreEvent] {
    defer { storeEvents.removeAll(keepingCapacity: true) }
    return storeEvents
  }

  /// Performs the store's next due event, if one is due up to an instant. Otherwise moves the clock to the instant.
  /// - Returns: whether an event was due. To reach the instant, call again until the result is false.
  public mutating func step(to limit: Instant) -> Bool {
    var next: (at: Instant, subscription: Int)?
    for index in subscriptions.indices {
      guard let due = due(index), due <= limit, next.map({ due < $0.at }) ?? true else { continue }
      next = (due, index)
    }
    guard let next else {
      clock = max(clock, limit)
      return false
    }
    begin(at: next.at)
    act(on: next.subscription)
    return true
  }

  /// Performs all due events up to an instant, and moves the clock there.
  public mutating func advance(to instant: Instant) {
    while step(to: instant) {}
  }

  /// The instant of the store's next event; `nil` where none is due.
  public var nextDue: Instant? { subscriptions.indices.compactMap { due($0) }.min() }

  /// Moves the clock to an event, and begins a new second of messages.
  mutating func begin(at instant: Instant) {
    clock = max(clock, instant)
    reportedCount = 0
  }

  /// Returns the instant of the next message in this second, some milliseconds after the message before.
  private mutating func telling() -> Instant {
    reportedCount += 1
    return clock + (100 + reportedCount * 20 + random.number(in: 0..<15))
  }

  /// Adds a message to the events, at the next instant of this second.
  mutating func emit(_ content: StoreEvent.Content, account: Int) {
    storeEvents.append(StoreEvent(at: telling(), account: account, content: content))
  }

  /// Adds a notification about a subscription in its current state.
  /// - Parameters:
  ///   - typeV1: the notification type of version 1; `nil` where version 1 sends nothing.
  ///   - transaction: the transaction that it is about; `nil` for the subscription's last.
  mutating func emit(
    _ type: String, _ subtype: String? = nil, v1 typeV1: String?, subscription: Int, transaction: Transaction? = nil,
    consumptionRequestReason: String? = nil
  ) {
    let content = StoreNotification(
      type: type, subtype: subtype, typeV1: typeV1, uuid: random.uuid(), subscription: subscription,
      transaction: transaction ?? subscriptions[subscription].last, renewal: renewalInfo(of: subscription),
      state: subscriptions[subscription].state,
      consumptionRequestReason: consumptionRequestReason)
    emit(.notification(content), account: subscriptions[subscription].account)
  }

  /// Adds a notification about a one-time purchase.
  mutating func emit(
    _ type: String, v1 typeV1: String?, purchase: Int, consumptionRequestReason: String? = nil
  ) {
    let transaction = purchases[purchase]
    let content = StoreNotification(
      type: type, subtype: nil, typeV1: typeV1, uuid: random.uuid(), subscription: nil, transaction: transaction,
      renewal: nil,
      state: nil, consumptionRequestReason: consumptionRequestReason)
    emit(.notification(content), account: transaction.account)
  }

  /// Adds a report of the app about its payment queue.
  mutating func report(
    _ event: String, _ state: String?, product: Int, account: Int = 0, transaction: Transaction? = nil,
    errorCode: Int64? = nil
  ) {
    let content = DeviceReport(
      event: event, state: state, product: product, transactionID: transaction?.id,
      originalID: transaction?.originalID, errorCode: errorCode)
    emit(.report(content), account: account)
  }
}

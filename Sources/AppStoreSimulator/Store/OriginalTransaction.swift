public import AppStore

/// A subscription of the simulated store, with everything that Apple knows of one original transaction id.
public struct OriginalTransaction: Sendable {
  /// Apple's `originalTransactionId` of the subscription.
  public let id: Int64
  /// The account that owns it, as an index into ``SimulatedStore/accounts``.
  public let account: Int
  /// Apple's `subscriptionGroupIdentifier` of its products.
  let group: String
  /// The subscription that it is shared from, as an index; `nil` for the purchaser's own.
  let sharedFrom: Int?
  /// Whether it is a seat that somebody else bought.
  var isAssigned = false
  /// The seats, where one buys for many; `nil` for other subscriptions.
  var seating: Seating?
  /// The instant at which the subscription began.
  let startedAt: Instant
  /// The transactions, in the order in which the store made them.
  public internal(set) var transactions: [Transaction] = []

  /// The state at the store's current instant.
  var state = PurchaseState.active
  var autoRenews = true
  /// Whether a shared subscription no longer follows the purchaser's, whose product cannot be shared any more.
  var isDetached = false
  /// The instant of the last change of ``autoRenews``, which V1 notifications state.
  var autoRenewChangedAt: Instant?
  var nextProduct: Int
  var nextIsBilledMonthly = false
  /// Whether a year that is billed by the month renews after its end.
  var commitmentRenews = true
  var expirationIntent: Int64?
  var isRetrying = false
  /// The end of the grace period. It keeps its past date after grace has failed, as Apple's field does (rules §5).
  var graceEndsAt: Instant?
  var retryEndsAt: Instant?
  /// Whether the following payments fail.
  var paymentFails = false
  /// The price of the next renewals in milliunits; `nil` for the catalogue's price.
  var price: Int64?
  var priceIncrease: PriceIncrease?
  /// The offers of the next transactions: the terms, and how many transactions of each are left.
  var offers: [(terms: OfferTerms, left: Int64)] = []
  /// The start of the billing cycle, from which the ends of periods are computed. ``periodsSinceAnchor`` counts its
  /// periods.
  var anchor: Instant
  var periodsSinceAnchor: Int64 = 0
  var renewalCount = 0
  /// The instant at which the store charges for the next period, a little before this period ends.
  var chargesAt: Instant?
  /// Apple's `recentSubscriptionStartDate`: the start, ignoring lapses shorter than 60 days.
  var recentStartAt: Instant
  /// Whether a refund request waits for Apple's decision.
  var refundIsAsked = false

  /// The true states over time, as they were when they happened.
  var history: [GroundTruth] = []
  /// The true states over time, as they read after reversed refunds and extensions.
  var hindsight: [GroundTruth] = []

  /// A raised price, with whether the customer must agree and did agree.
  struct PriceIncrease: Sendable {
    let price: Int64
    let needsConsent: Bool
    var isAgreed: Bool
    var isRefused = false
  }

  /// The last transaction. It may begin only at the end of the current period.
  var last: Transaction { transactions[transactions.count - 1] }

  /// Whether one bought it for many.
  public var hasSeats: Bool { seating != nil }

  /// Returns the last transaction that had begun at an instant. Of several ids for one purchase, the newest counts.
  func current(at instant: Instant) -> Transaction {
    transactions.last { $0.purchaseAt <= instant } ?? last
  }

  /// Returns the last transaction that is not an addition of seats: it began the period.
  var lastPeriod: Transaction { transactions.last { !$0.isAddition } ?? last }

  /// Returns the indexes of the transactions that cover the same time as one: all ids of one order, and where seats were
  /// added, the additions too.
  func samePeriod(as one: Transaction) -> [Int] {
    guard seating != nil,
      let start = transactions.lastIndex(where: { !$0.isAddition && $0.purchaseAt <= one.purchaseAt })
    else { return transactions.indices.filter { transactions[$0].webOrderLineItemID == one.webOrderLineItemID } }
    let next = transactions[(start + 1)...].firstIndex { !$0.isAddition } ?? transactions.endIndex
    return Array(start..<next)
  }

  /// Returns whether the next period is paid for and has not begun at an instant.
  func isCharged(at instant: Instant) -> Bool { last.purchaseAt > instant && last.stands }

  /// Records the state from an instant on, and removes what was recorded for later.
  mutating func note(_ state: PurchaseState, product: Int, since: Instant, accessEndsAt: Instant) {
    let truth = GroundTruth(
      since: since, state: state, product: product, accessEndsAt: accessEndsAt, seats: seats(in: state))
    history.removeAll { $0.since >= since }
    hindsight.removeAll { $0.since >= since }
    history.append(truth)
    hindsight.append(truth)
  }

  /// The number of seats in a state; `nil` for access that somebody else pays for.
  func seats(in state: PurchaseState) -> Int64? {
    guard sharedFrom == nil else { return nil }
    return [.active, .gracePeriod].contains(state) ? seating?.quantity ?? 1 : 0
  }

  /// Records that the running period ends later. ``history`` has the new end from now on, ``hindsight`` from the
  /// period's start.
  mutating func noteExtension(since instant: Instant, to end: Instant) {
    let longer = { (truth: GroundTruth) in
      GroundTruth(
        since: truth.since, state: truth.state, product: truth.product, accessEndsAt: end, seats: truth.seats)
    }
    hindsight = hindsight.map { $0.since >= lastPeriod.purchaseAt && $0.state == .active ? longer($0) : $0 }
    history.append(
      GroundTruth(
        since: instant, state: .active, product: last.product, accessEndsAt: end, seats: seats(in: .active)))
  }

  /// Returns the true state at an instant, as it was at that time.
  /// - Returns: `nil` before the subscription began.
  public func truth(at instant: Instant) -> GroundTruth? { history.last { $0.since <= instant } }

  /// Returns the true states up to an instant, as they were at their time. A renewal that was charged ahead counts from
  /// its start.
  public func entries(until instant: Instant) -> [GroundTruth] { history.filter { $0.since <= instant } }

  /// Returns the true state at an instant, as it reads now. A reversed refund does not appear.
  /// - Returns: `nil` before the subscription began.
  public func truthInHindsight(at instant: Instant) -> GroundTruth? { hindsight.last { $0.since <= instant } }
}

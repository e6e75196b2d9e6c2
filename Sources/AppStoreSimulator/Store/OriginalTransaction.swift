public import AppStore

/// One subscription line of the simulated store: all that Apple would know of one original transaction id.
public struct OriginalTransaction: Sendable {
  /// `originalTransactionId`.
  public let id: Int64
  /// Whose it is, by place in the store's accounts.
  public let account: Int
  /// `subscriptionGroupIdentifier`.
  let group: String
  /// The line that it is shared from, by place; `nil` for the purchaser's own.
  let sharedFrom: Int?
  /// When the line began.
  let startedAt: Instant
  /// Its transactions, in the order in which they were made.
  public internal(set) var transactions: [Transaction] = []

  /// What is true now.
  var state = PurchaseState.active
  var autoRenews = true
  /// Whether a shared line no longer follows its purchaser, whose product is not shared any more.
  var isDetached = false
  /// When that was last changed, for V1.
  var autoRenewChangedAt: Instant?
  var nextProduct: Int
  var nextIsBilledMonthly = false
  /// Whether the year is renewed when it is over, where it is billed by the month.
  var commitmentRenews = true
  var expirationIntent: Int64?
  var isRetrying = false
  /// Stays behind, in the past, when grace has failed.
  var graceEndsAt: Instant?
  var retryEndsAt: Instant?
  /// Whether the next payments fail.
  var paymentFails = false
  /// What is billed instead of the catalogue's price, from the next renewal on.
  var price: Int64?
  var priceIncrease: PriceIncrease?
  /// Offers that begin with the next transactions: the terms, and how many transactions of them are left.
  var offers: [(terms: OfferTerms, left: Int64)] = []
  /// The start of the cycle that periods are counted from, and how many have been.
  var anchor: Instant
  var periodsSinceAnchor: Int64 = 0
  var renewalCount = 0
  /// When the App Store will charge for the next period: a little before this one ends.
  var chargesAt: Instant?
  /// `recentSubscriptionStartDate`: forgets lapses shorter than 60 days.
  var recentStartAt: Instant
  /// What Apple is asked to decide on.
  var refundIsAsked = false

  /// What was true, as it happened.
  var history: [GroundTruth] = []
  /// What was true, as it reads after refunds that were undone.
  var hindsight: [GroundTruth] = []

  /// A price that was raised, and whether the customer must and did agree.
  struct PriceIncrease: Sendable {
    let price: Int64
    let needsConsent: Bool
    var isAgreed: Bool
    var isRefused = false
  }

  /// The transaction that is last in time, which may begin only when this period ends.
  var last: Transaction { transactions[transactions.count - 1] }

  /// The transaction that runs, or ran last, at an instant; of those given out anew for one purchase, the newest.
  func current(at instant: Instant) -> Transaction {
    transactions.last { $0.purchaseAt <= instant } ?? last
  }

  /// Whether the next period is already paid for, and has not begun.
  func isCharged(at instant: Instant) -> Bool { last.purchaseAt > instant && last.stands }

  /// Writes down what is true from now on, in place of what was foreseen.
  mutating func note(_ state: PurchaseState, product: Int, since: Instant, accessEndsAt: Instant) {
    let truth = GroundTruth(since: since, state: state, product: product, accessEndsAt: accessEndsAt)
    history.removeAll { $0.since >= since }
    hindsight.removeAll { $0.since >= since }
    history.append(truth)
    hindsight.append(truth)
  }

  /// Writes down that the running period ends later: from now on, and in hindsight ever since it began.
  mutating func noteExtension(since instant: Instant, to end: Instant) {
    let longer = { (truth: GroundTruth) in
      GroundTruth(since: truth.since, state: truth.state, product: truth.product, accessEndsAt: end)
    }
    hindsight = hindsight.map { $0.since >= last.purchaseAt && $0.state == .active ? longer($0) : $0 }
    history.append(GroundTruth(since: instant, state: .active, product: last.product, accessEndsAt: end))
  }

  /// What was true at an instant, as it was then.
  /// - Returns: `nil` before the line began.
  public func truth(at instant: Instant) -> GroundTruth? { history.last { $0.since <= instant } }

  /// All that was true up to an instant, as it happened; a renewal that is charged ahead is true when it begins.
  public func entries(until instant: Instant) -> [GroundTruth] { history.filter { $0.since <= instant } }

  /// What was true at an instant, as it reads now: a refund that was undone never was.
  public func truthInHindsight(at instant: Instant) -> GroundTruth? { hindsight.last { $0.since <= instant } }
}

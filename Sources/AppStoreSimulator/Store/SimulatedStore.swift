public import AppStore

/// The App Store, as far as one customer and the family have to do with it: what Xcode's transaction manager is to an app's
/// developer, for whoever builds the server.
///
/// It has a clock of its own, which only goes where it is sent. Everything that happens has a second to itself, so that
/// what Apple says of an instant is the same whichever way it is asked. It knows nothing of the ledger's rules: ``OriginalTransaction``
/// remembers what was true because it was done.
public struct SimulatedStore: Sendable {
  /// What is sold.
  public let assortment: Catalog
  /// How fast time goes.
  public let rate: RenewalRate
  /// How many days of grace the app grants; 0 grants none.
  public let graceDays: Int64
  /// Now.
  public internal(set) var clock: Instant
  /// The purchaser first, then family members.
  public internal(set) var accounts: [Account]
  /// All subscription lines, in the order in which they began.
  public internal(set) var lines: [OriginalTransaction] = []
  /// What was bought once.
  public internal(set) var purchases: [Transaction] = []

  var random: SeededGenerator
  var ids: IDIssuer
  var happenings: [StoreEvent] = []
  private var toldCount: Int64 = 0
  var withdrawn: Set<Int> = []
  var asked: Int?
  var interrupted: Int?
  /// The one-time purchases whose refund Apple was asked for.
  var askedPurchases: Set<Int> = []
  /// What the last refund took back: the line or none, and the transactions' places there.
  var refunded: (line: Int?, places: [Int])?

  /// A store that has sold nothing yet.
  /// - Parameters:
  ///   - assortment: what is sold.
  ///   - seed: the same seed and customer make the same ids and delays.
  ///   - customer: which of a million customers it is, from 0.
  ///   - start: its first instant; parts of a second are left away.
  ///   - rate: how fast time goes.
  ///   - graceDays: 0, 3, 16 or 28 (a week's subscription has 6 at most: App Store Connect).
  public init(
    assortment: Catalog, seed: UInt64 = 1, customer: Int = 0, start: Instant, rate: RenewalRate = .realTime,
    graceDays: Int64 = 16
  ) {
    self.assortment = assortment
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

  /// Adds one more Apple Account.
  mutating func addAccount(in territory: Territory, customer: String, hasToken: Bool) {
    accounts.append(
      Account(
        territory: territory, customer: customer, appAccountToken: hasToken ? random.uuid() : nil,
        device: "device-" + random.uuid().prefix(8), appTransactionID: 700_000_000_000_000_000 + ids.next(),
        downloadedAt: clock + -random.number(in: 60..<86_400) * 1000,
        originalApplicationVersion: String(random.number(in: 1..<60))))
  }

  /// What has happened since this was asked last, in order.
  public mutating func takeHappenings() -> [StoreEvent] {
    defer { happenings.removeAll(keepingCapacity: true) }
    return happenings
  }

  /// Lets the next thing happen that the App Store does by itself, if there is one up to an instant; otherwise moves the
  /// clock there.
  /// - Returns: whether something was due. Call again until nothing is, to reach the instant.
  public mutating func step(to limit: Instant) -> Bool {
    var next: (at: Instant, line: Int)?
    for place in lines.indices {
      guard let due = due(place), due <= limit, next.map({ due < $0.at }) ?? true else { continue }
      next = (due, place)
    }
    guard let next else {
      clock = max(clock, limit)
      return false
    }
    begin(at: next.at)
    act(on: next.line)
    return true
  }

  /// Lets everything happen up to an instant, and moves the clock there.
  public mutating func advance(to instant: Instant) {
    while step(to: instant) {}
  }

  /// When the App Store will next do something by itself; `nil` where nothing is due.
  public var nextDue: Instant? { lines.indices.compactMap { due($0) }.min() }

  /// Opens a new second for something that happens.
  mutating func begin(at instant: Instant) {
    clock = max(clock, instant)
    toldCount = 0
  }

  /// The instant at which the next thing of this second is told.
  private mutating func telling() -> Instant {
    toldCount += 1
    return clock + (100 + toldCount * 20 + random.number(in: 0..<15))
  }

  /// Tells something, when the next thing of this second is told.
  mutating func tell(_ content: StoreEvent.Content, account: Int) {
    happenings.append(StoreEvent(at: telling(), account: account, content: content))
  }

  /// Tells of a line, as it is now.
  /// - Parameters:
  ///   - typeV1: the word of version 1; `nil` where that said nothing.
  ///   - transaction: the one it is about; the line's last where none is named.
  mutating func tell(
    _ type: String, _ subtype: String? = nil, v1 typeV1: String?, line: Int, transaction: Transaction? = nil,
    consumptionRequestReason: String? = nil
  ) {
    let content = StoreNotification(
      type: type, subtype: subtype, typeV1: typeV1, uuid: random.uuid(), line: line,
      transaction: transaction ?? lines[line].last, renewal: renewalInfo(of: line), state: lines[line].state,
      consumptionRequestReason: consumptionRequestReason)
    tell(.notification(content), account: lines[line].account)
  }

  /// Tells of something bought once.
  mutating func tell(
    _ type: String, v1 typeV1: String?, purchase: Int, consumptionRequestReason: String? = nil
  ) {
    let transaction = purchases[purchase]
    let content = StoreNotification(
      type: type, subtype: nil, typeV1: typeV1, uuid: random.uuid(), line: nil, transaction: transaction, renewal: nil,
      state: nil, consumptionRequestReason: consumptionRequestReason)
    tell(.notification(content), account: transaction.account)
  }

  /// Lets the app report what its queue does.
  mutating func report(
    _ event: String, _ state: String?, product: Int, account: Int = 0, transaction: Transaction? = nil,
    errorCode: Int64? = nil
  ) {
    let content = DeviceReport(
      event: event, state: state, product: product, transactionID: transaction?.id,
      originalID: transaction?.originalID, errorCode: errorCode)
    tell(.report(content), account: account)
  }
}

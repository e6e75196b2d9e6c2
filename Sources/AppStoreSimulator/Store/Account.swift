import AppStore

/// An Apple Account, with its device and the app's own user.
public struct Account: Sendable {
  /// The storefront in which the account buys.
  public let territory: Territory
  /// The app's own id of the user, which client events state.
  public let customer: String
  /// Apple's `appAccountToken`; `nil` where the app sets none, and for family members.
  public let appAccountToken: String?
  /// The device's id, which client events state.
  let device: String
  /// Apple's `appTransactionId` of this account and app.
  let appTransactionID: Int64
  /// The instant of the app's first download.
  let downloadedAt: Instant
  /// Apple's `original_application_version`: the version of the first download.
  let originalApplicationVersion: String
  /// The groups in which the account has subscribed before. Introductory offers there are for new subscribers.
  var introducedGroups: Set<String> = []
}

/// An issuer of ids with as many digits as Apple's. No two customers of one simulation share an id.
struct IDIssuer: Sendable {
  private let base: Int64
  private var issued: Int64 = 0

  /// The greatest number of ids for one customer.
  static let capacity: Int64 = 10_000
  /// The greatest number of customers in one simulation.
  static let customers: Int64 = 1_000_000

  init(seed: UInt64, customer: Int64, prefix: Int64, environment: Environment) {
    var random = SeededGenerator(seed: seed, part: 0x1D)
    let simulation = random.number(in: 10..<100) * Self.customers * Self.capacity
    let start: Int64 = environment == .production ? prefix * 1_000_000_000_000 : 2_000_000_000_000_000
    base = start + simulation + customer * Self.capacity
  }

  /// Returns the number of the customer to whom one of Apple's ids belongs.
  static func customer(of id: Int64) -> Int64 { id / capacity % customers }

  /// Whether the customer has at most 100 ids left.
  var isExhausted: Bool { issued >= Self.capacity - 100 }

  mutating func next() -> Int64 {
    issued += 1
    return base + issued
  }
}

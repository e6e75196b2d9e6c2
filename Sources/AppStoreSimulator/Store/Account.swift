import AppStore

/// One Apple Account, and the device and the app's own user behind it.
public struct Account: Sendable {
  /// Where its purchases are made.
  public let territory: Territory
  /// The app's own id of the user, for what the app reports itself.
  public let customer: String
  /// `appAccountToken`, where the app sets one; a family member's shared purchases have none.
  public let appAccountToken: String?
  /// The device, for what the app reports itself.
  let device: String
  /// `appTransactionId`.
  let appTransactionID: Int64
  /// When the app was first downloaded.
  let downloadedAt: Instant
  /// `original_application_version`.
  let originalApplicationVersion: String
  /// The groups in which it had an introductory offer.
  var introducedGroups: Set<String> = []
}

/// Gives out ids that no other customer of any seed has, with as many digits as Apple's.
struct IDIssuer: Sendable {
  private let base: Int64
  private var issued: Int64 = 0

  /// So many ids one customer may use up.
  static let capacity: Int64 = 10_000
  /// So many customers there may be.
  static let customers: Int64 = 1_000_000

  init(seed: UInt64, customer: Int64, prefix: Int64, environment: Environment) {
    var random = SeededGenerator(seed: seed, part: 0x1D)
    let world = random.number(in: 10..<100) * Self.customers * Self.capacity
    let start: Int64 = environment == .production ? prefix * 1_000_000_000_000 : 2_000_000_000_000_000
    base = start + world + customer * Self.capacity
  }

  /// Whether a life has used up its ids.
  var isExhausted: Bool { issued >= Self.capacity - 100 }

  mutating func next() -> Int64 {
    issued += 1
    return base + issued
  }
}

public import AppStore

/// The seats that one transaction bought.
struct Seats: Sendable {
  /// Who gives the seats to members: Apple's `invitationManagement`.
  enum Management: String, Sendable {
    case apple = "APPLE"
    case developer = "DEVELOPER"
  }

  /// Seats of one price, as Apple's `priceTiers` state them.
  struct Tier: Sendable {
    /// The price of one seat, in milliunits of the territory's currency.
    let price: Int64
    let quantity: Int64
  }

  let management: Management
  /// Apple's `quantity`: the seats of this transaction alone.
  let quantity: Int64
  let tiers: [Tier]
  /// Whether they were added to a period that had begun.
  let isAddition: Bool
  /// Whether several transactions cover the period, which each of them states.
  var isOneOfSeveral: Bool
  /// The refunds of some seats: when, and how many.
  var refunds: [(at: Instant, quantity: Int64)] = []
  /// Whether Apple reversed a refund of some seats. The simulated store then refunds no other ones.
  var hasReversal = false

  /// Apple's `revokedSeatQuantity`; 0 where none was refunded.
  var revoked: Int64 { refunds.reduce(0) { $0 + $1.quantity } }
  /// The seats that were not refunded.
  var left: Int64 { quantity - revoked }
  /// What all seats cost, in milliunits.
  var total: Int64 { tiers.reduce(0) { $0 + $1.price * $1.quantity } }

  /// Apple's `price` of several seats: their average, in milliunits.
  var average: Int64 { total / quantity }

  /// The seats of a period that have the full price; further ones cost four fifths.
  private static let dearest: Int64 = 5

  /// Creates seats at the price of one.
  /// - Parameter others: for an addition, the seats of the period that were bought before; else `nil`.
  init(_ quantity: Int64, of management: Management, price: Int64, after others: Int64? = nil) {
    (self.quantity, self.management) = (quantity, management)
    (isAddition, isOneOfSeveral) = (others != nil, others != nil)
    let dear = max(0, min(quantity, Self.dearest - (others ?? 0)))
    tiers = [Tier(price: price, quantity: dear), Tier(price: price / 50 * 40, quantity: quantity - dear)]
      .filter { $0.quantity > 0 }
  }
}

/// What a subscription that one buys for many has.
struct Seating: Sendable {
  let management: Seats.Management
  /// The seats of the running period that were not refunded.
  var quantity: Int64
  /// Apple's `renewalQuantity`: the seats of the next period.
  var next: Int64
  /// The seat claims of a group that the app manages, in their order.
  var claims: [SeatClaim] = []
}

/// A seat that the app gave to a member, in a group that the app manages.
public struct SeatClaim: Sendable, Equatable {
  /// Apple's `seatClaimId`, a UUID.
  public let id: String
  /// The app's own id of the member.
  public let customer: String
  /// The instant of the claim.
  public let claimedAt: Instant
  /// The instant at which the app or Apple released it; `nil` while it is open.
  public internal(set) var endedAt: Instant?
  /// Whether Apple released it, by a notification `UNCLAIM_SEATS`.
  public internal(set) var isReleasedByApple = false
}

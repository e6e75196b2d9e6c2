import AppStore

/// What Apple states of a transaction of several seats at one instant.
package struct SeatFixture: Sendable {
  package var id: String
  package var originalID = "t1"
  package var from: Instant
  package var until: Instant
  package var seats: Int
  package var product = "team"
  package var hasReason = false
  package var reason = "SEAT_ADDITION"
  package var token: String?
  package var refunded: Int?
  package var revoked: Instant?
  package var isUpgraded = false
  package var ownership = "PURCHASED"
  package var revocationType: String?
  package var percentage: Int?
  /// Who gives the seats to members: `APPLE`, `DEVELOPER`, or `nil` where no seats are stated.
  package var management: String? = "APPLE"
  /// The price of each seat, in units of the currency.
  package var tiers: [(price: Int, seats: Int)] = []

  package init(
    _ id: String, _ from: Instant, _ until: Instant, seats: Int, product: String = "team", hasReason: Bool = false,
    ownership: String = "PURCHASED", tiers: [(price: Int, seats: Int)] = []
  ) {
    (self.id, self.from, self.until, self.seats, self.product) = (id, from, until, seats, product)
    (self.hasReason, self.ownership, self.tiers) = (hasReason, ownership, tiers)
  }

  /// The transaction with all that Apple states of it.
  package var fixture: TransactionFixture {
    var members = [("quantity", "\(seats)"), ("inAppOwnershipType", "\"\(ownership)\"")]
    if hasReason { members.append(("additionalTransactionReason", reason.quoted)) }
    if let token { members.append(("appAccountToken", token.quoted)) }
    if let revocationType { members.append(("revocationType", "\"\(revocationType)\"")) }
    if let percentage { members.append(("revocationPercentage", "\(percentage)")) }
    let paid = tiers.reduce(0) { $0 + $1.price * $1.seats }
    if !tiers.isEmpty { members += [("price", "\(paid * 1000 / seats)"), ("currency", "\"USD\"")] }
    let prices = tiers.map { "{\"price\":\($0.price * 1000),\"quantity\":\($0.seats)}" }.joined(separator: ",")
    let refund = refunded.map { ",\"revokedSeatQuantity\":\($0)" } ?? ""
    if let management {
      members.append(
        ("multiSeatInfo", "{\"invitationManagement\":\"\(management)\",\"priceTiers\":[\(prices)]\(refund)}"))
    }
    return TransactionFixture(
      id, originalID: originalID, product: product, from, until, revoked: revoked, isUpgraded: isUpgraded,
      extra: members)
  }

  /// Returns the signed text, stated at an instant: that of the purchase, where none is given.
  package func at(_ instant: Instant? = nil, received: Instant? = nil) -> ReceivedText {
    ReceivedText(fixture.signed(instant ?? from), received: received ?? instant ?? from)
  }

  package func with(_ change: (inout SeatFixture) -> Void) -> SeatFixture {
    var copy = self
    change(&copy)
    return copy
  }
}

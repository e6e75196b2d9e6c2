public import AppStore

/// A purchase or renewal, in its current version.
public struct Transaction: Sendable {
  /// Apple's `transactionId` of the purchase.
  public let id: Int64
  /// Apple's `originalTransactionId` of the subscription or purchase.
  public let originalID: Int64
  /// Apple's `webOrderLineItemId`; `nil` for one-time purchases.
  let webOrderLineItemID: Int64?
  /// The product, as an index into ``Catalog/products``.
  public let product: Int
  /// The account, as an index into ``SimulatedStore/accounts``.
  let account: Int
  /// Apple's `purchaseDate`: when the period begins.
  public let purchaseAt: Instant
  /// Apple's `originalPurchaseDate`: when the subscription began.
  let originalPurchaseAt: Instant
  /// Apple's `expiresDate`; `nil` for one-time purchases.
  public internal(set) var expiresAt: Instant?
  /// Whether the App Store renewed it by itself.
  let isRenewal: Bool
  /// Whether it came through Family Sharing.
  let isShared: Bool
  /// Whether somebody assigned it a seat.
  var isAssigned = false
  /// Apple's `price`, in milliunits of the territory's currency: for several seats their average. `nil` for a purchase
  /// that somebody else paid for.
  let price: Int64?
  /// The offer of the purchase; `nil` at the full price.
  let offer: OfferTerms?
  /// The month of a year that is billed by the month; `nil` for other purchases.
  let commitment: Commitment?
  /// The refund or revocation; `nil` where there is none.
  var revocation: Revocation?
  /// The instant at which an upgrade replaced it; `nil` where none did.
  var upgradedAt: Instant?
  /// The seats; `nil` for a purchase for one person.
  var seats: Seats?
  /// The instant at which it was made, or was changed by anything but a revocation or an upgrade.
  var changedAt: Instant

  /// The instant of the last change, by which Apple sorts a transaction history.
  var modifiedAt: Instant { max(changedAt, revocation?.at ?? changedAt, upgradedAt ?? changedAt) }

  /// Whether it is neither revoked nor upgraded.
  var stands: Bool { revocation == nil && upgradedAt == nil }
  /// What was paid, in milliunits of the territory's currency; `nil` where somebody else paid.
  var paid: Int64? { price.map { seats?.total ?? $0 } }
  /// Apple's `inAppOwnershipType` of the transaction.
  var ownership: String { isAssigned ? "ASSIGNED" : isShared ? "FAMILY_SHARED" : "PURCHASED" }
  /// Takes a refund back.
  mutating func endRevocation(at instant: Instant) {
    revocation = nil
    changedAt = instant
  }

  /// Whether it added seats to a period that had begun.
  var isAddition: Bool { seats?.isAddition ?? false }
}

/// The refund or revocation of a transaction.
struct Revocation: Sendable {
  /// Apple's `revocationDate` of the transaction.
  let at: Instant
  /// Apple's `revocationReason`: 1 for an issue with the app, 0 for anything else.
  let reason: Int64
  /// Apple's `revocationType`, such as `REFUND_FULL`.
  let type: String
  /// Apple's `revocationPercentage`, in thousandths of a percent.
  let percentage: Int64?
}

/// A month of a year that is billed by the month (App Store Server API, 2026-04-27).
struct Commitment: Sendable {
  /// Apple's `billingPeriodNumber`, counted from 1.
  let number: Int64
  /// Apple's `totalBillingPeriods` of the year.
  static let total: Int64 = 12
  /// Apple's `commitmentExpiresDate`: the end of the year.
  let expiresAt: Instant
}

/// The five states of a subscription, as Apple's `status` names them.
public enum PurchaseState: String, Sendable, CaseIterable {
  /// A paid period or a trial has not ended.
  case active
  /// The last period has ended, and Apple does not retry a payment.
  case expired
  /// A payment failed, and Apple retries it. Access has ended.
  case billingRetry = "billing_retry"
  /// A payment failed, and access continues in the grace period.
  case gracePeriod = "grace_period"
  /// Apple refunded the purchase, or revoked it for a family member.
  case revoked

  /// Apple's `status` number, from 1 to 5.
  var status: Int64 {
    switch self {
    case .active: 1
    case .expired: 2
    case .billingRetry: 3
    case .gracePeriod: 4
    case .revoked: 5
    }
  }
}

/// The true state of a subscription, from an instant until the next entry.
public struct GroundTruth: Sendable, Equatable {
  /// The first instant of the state.
  public let since: Instant
  /// The state from that instant on.
  public let state: PurchaseState
  /// The product, as an index into ``Catalog/products``.
  public let product: Int
  /// The instant at which access ends or has ended.
  public let accessEndsAt: Instant
  /// The number of seats, 0 without access; `nil` for access that somebody else pays for.
  public internal(set) var seats: Int64?
}

public import AppStore

/// One purchase or renewal, as the simulated store knows it now.
public struct Transaction: Sendable {
  /// `transactionId`.
  public let id: Int64
  /// `originalTransactionId`.
  public let originalID: Int64
  /// `webOrderLineItemId`; `nil` for one-time purchases.
  let webOrderLineItemID: Int64?
  /// The product's place in the assortment.
  public let product: Int
  /// Whose it is, by place.
  let account: Int
  /// `purchaseDate`.
  public let purchaseAt: Instant
  /// `originalPurchaseDate`.
  let originalPurchaseAt: Instant
  /// `expiresDate`; `nil` for one-time purchases.
  public internal(set) var expiresAt: Instant?
  /// Whether the App Store renewed it by itself.
  let isRenewal: Bool
  /// Whether it came through Family Sharing.
  let isShared: Bool
  /// `price`, in milliunits; `nil` where it is shared.
  let price: Int64?
  /// The offer it was bought with.
  let offer: OfferTerms?
  /// Which month of a year that is billed by the month.
  let commitment: Commitment?
  /// How it was taken back.
  var revocation: Revocation?
  /// When another product took its place.
  var upgradedAt: Instant?

  /// Whether it still counts.
  var stands: Bool { revocation == nil && upgradedAt == nil }
}

/// How a transaction was taken back.
struct Revocation: Sendable {
  /// `revocationDate`.
  let at: Instant
  /// `revocationReason`: 1 an issue with the app, 0 anything else.
  let reason: Int64
  /// `revocationType`.
  let type: String
  /// `revocationPercentage`, in thousandths of a percent.
  let percentage: Int64?
}

/// A year that is billed by the month (App Store Server API, 2026-04-27).
struct Commitment: Sendable {
  /// `billingPeriodNumber`, from 1.
  let number: Int64
  /// `totalBillingPeriods`.
  static let total: Int64 = 12
  /// `commitmentExpiresDate`.
  let expiresAt: Instant
}

/// The five states of a subscription, as Apple's `status` names them.
public enum PurchaseState: String, Sendable, CaseIterable {
  /// Paid for.
  case active
  /// Lapsed, and Apple is no longer trying.
  case expired
  /// The payment failed and Apple tries again; no access.
  case billingRetry = "billing_retry"
  /// The payment failed, and access goes on meanwhile.
  case gracePeriod = "grace_period"
  /// Refunded, or taken back from a family member.
  case revoked

  /// `status`.
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

/// What was true of a line from an instant on, until the next such entry.
public struct GroundTruth: Sendable, Equatable {
  /// From when.
  public let since: Instant
  /// The state.
  public let state: PurchaseState
  /// The product, by place in the assortment.
  public let product: Int
  /// When access ends, or has ended.
  public let accessEndsAt: Instant
}

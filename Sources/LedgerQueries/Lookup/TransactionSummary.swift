public import AppStore

/// One transaction in its current version (rules §2), with the fields that a list of periods shows.
public struct TransactionSummary: Sendable {
  /// The transaction id, `transactionId`.
  public var transactionID: String
  /// The product id, Apple's `productId`; `nil` when it is not known.
  public var productID: String?
  /// The type of the product, Apple's `type`. For one-time purchases it may come from the catalogue (rules §9).
  public var type: String?
  /// When the customer bought it.
  public var purchaseAt: Instant
  /// When the period ends; `nil` for one-time purchases.
  public var expiresAt: Instant?
  /// When Apple refunded or revoked it; `nil` when it is not revoked.
  public var revokedAt: Instant?
  /// Whether an upgrade replaced it.
  public var isUpgraded: Bool
  /// Whether it is a free trial.
  public var isTrialPeriod: Bool
  /// Apple's `inAppOwnershipType`, such as `PURCHASED` or `FAMILY_SHARED`.
  public var inAppOwnershipType: String?
  /// The price, in milliunits of ``currency``; `nil` when Apple stated none (rules §10).
  public var price: Milliunits?
  /// The currency, as an ISO 4217 code.
  public var currency: String?
  /// The refunded amount, in milliunits of ``currency``; `nil` without a refund or without a known price.
  public var refundedAmount: Milliunits?
  /// Apple's `webOrderLineItemId`, the id of the paid period.
  public var webOrderLineItemID: String?
  /// Apple's `revocationType`; `nil` when it is not stated.
  public var revocationType: String?
  /// Apple's `revocationReason`; `nil` when it is not stated.
  public var revocationReason: Int64?
  /// The state of a one-time purchase: `active`, `expired`, `revoked`, `consumable` or `unknown` (rules §9). It is
  /// `nil` for a period of a subscription.
  public var oneTimeState: CustomerAccess.State?
  /// The trust in the evidence of the current version.
  public var trust: Trust
  /// When the access of a one-time purchase ends or ended; `nil` for no end.
  public var oneTimeEnd: Instant?
  /// Apple's `quantity`, for a subscription the seats of this transaction; `nil` when it is not stated.
  public var quantity: Int?
  /// How many of these seats were refunded; `nil` for none.
  public var revokedSeatQuantity: Int?
  /// Whether the refunded amount is an estimate: Apple refunded seats and stated no share of the price.
  public var isRefundEstimated = false
  /// Apple's `additionalTransactionReason`: why several transactions cover the period; `nil` for one.
  public var additionalTransactionReason: String?
}

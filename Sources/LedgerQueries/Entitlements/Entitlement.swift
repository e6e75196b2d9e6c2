public import AppStore
internal import LedgerSchema
public import LedgerStore

/// The state of one subscription at the instants of a `Question`, with the rule that decided (rules §3 to §7).
public struct Entitlement: Sendable, Equatable {
  /// The states of a subscription (rules §4 and §5).
  public enum State: String, Sendable, CaseIterable {
    /// A paid period or a trial covers the instant: access.
    case active
    /// A payment failed, and Apple grants a grace period: access.
    case gracePeriod = "grace_period"
    /// A payment failed, and Apple tries again: no access.
    case billingRetry = "billing_retry"
    /// The last period has ended: no access.
    case expired
    /// Apple refunded the purchase, or took it from a family member: no access.
    case revoked
  }

  /// The name of the environment, such as `Production`.
  public var environment: String
  /// The bundle id of the app; `nil` when no evidence states it.
  public var bundleID: String?
  /// The original transaction id of the subscription.
  public var originalTransactionID: String
  /// The product id of the deciding transaction.
  public var productID: String?
  /// The state at the instant of the question.
  public var state: State
  /// Whether the customer has access: the state is `active` or `grace_period`.
  public var hasAccess: Bool
  /// When access ends or ended.
  public var accessEndsAt: Instant?
  /// Whether the ledger has evidence from after the last known end (rules §6). When it has none, a renewal may be
  /// missing.
  public var isConfirmed: Bool
  /// Whether it will renew, as last stated; `nil` when nothing states it (rules §7).
  public var willRenew: Bool?
  /// The id of the product that it will renew to, as last stated (rules §7).
  public var nextProductID: String?
  /// Why it expired; `nil` when nothing states it (rules §5).
  public var expirationReason: String?
  /// The rule that decided: `covered`, `revoked`, `grace`, `retry`, `retry_exhausted`, `lapsed`, `unconfirmed`,
  /// `superseded`.
  public var rule: String
  /// The newest evidence instant of the subscription (rules §7).
  public var evidenceAt: Instant?
  /// The id of the deciding transaction.
  public var transactionID: String?
  /// The subscription group, Apple's `subscriptionGroupIdentifier`.
  public var subscriptionGroupIdentifier: String?
  /// Apple's `inAppOwnershipType`, such as `PURCHASED` or `FAMILY_SHARED`.
  public var inAppOwnershipType: String?
  /// Apple's `webOrderLineItemId`, the id of the paid period.
  public var webOrderLineItemID: String?
  /// Apple's `appAccountToken`, which the app gave to the purchase.
  public var appAccountToken: String?
  /// Whether the period of the deciding transaction is a free trial.
  public var isTrialPeriod: Bool?
  /// When the customer first bought the subscription.
  public var originalPurchaseAt: Instant?
  /// When the period of the deciding transaction began.
  public var purchaseAt: Instant?
  /// When the period of the deciding transaction ends.
  public var expiresAt: Instant?
  /// When the deciding transaction was revoked; `nil` when it was not.
  public var revokedAt: Instant?
  /// When the grace period ends; `nil` when Apple stated none.
  public var gracePeriodExpiresAt: Instant?
  /// The number of seats: 0 without access; `nil` for a member, and when it is not known (rules §7).
  public var seats: Int?
  /// The number of seats at the next renewal, as last stated; `nil` when nothing states it (rules §7).
  public var seatsNext: Int?
  /// The trust in the evidence that decided: `verified`, `unsigned` or `unverified`. The lesser one counts when two
  /// versions decided.
  public var trust: String?
  /// The name of the added root that its signature leads to; `nil` for Apple's root or without a signature.
  public var addedRoot: String?
  /// Whether a payload that decided contradicts itself. It may be forged or edited, and it confirms nothing by itself
  /// (rules §6).
  public var isContradictory: Bool
  /// Whether the deciding renewal info contradicts itself: the customer turned renewal off, and renewal is on.
  public var isRenewalContradictory: Bool
  /// The instants that the answer is for, and the evidence that counts.
  public var question: Question

  let originalTransactionKey: OriginalTransactionKey
  let versionID: Int64
  let renewalVersionID: Int64?

  /// The names of ``values``, in their order. They are the columns and the JSON keys of every output.
  public static let columns = [
    "environment", "bundle_id", "original_transaction_id", "product_id", "state", "has_access", "access_ends_at",
    "confirmed", "will_renew", "next_product_id", "expiration_reason", "rule", "evidence_at", "transaction_id",
    "subscription_group_identifier", "in_app_ownership_type", "web_order_line_item_id", "app_account_token",
    "is_trial_period", "original_purchase_at", "purchase_at", "expires_at", "revoked_at", "grace_period_expires_at",
    "seats", "seats_next", "trust", "added_root", "is_contradictory", "as_of", "known_at",
  ]

  /// Compares ``values``. The numbers of rows in the file do not count.
  public static func == (left: Entitlement, right: Entitlement) -> Bool { left.values == right.values }

  /// Every field, in the order of ``columns``.
  public var values: [Value] {
    [
      .text(environment), Value(bundleID), .text(originalTransactionID), Value(productID), .text(state.rawValue),
      .flag(hasAccess), Value(accessEndsAt), .flag(isConfirmed), Value(willRenew), Value(nextProductID),
      Value(expirationReason), .text(rule), Value(evidenceAt), Value(transactionID),
      Value(subscriptionGroupIdentifier), Value(inAppOwnershipType), Value(webOrderLineItemID), Value(appAccountToken),
      Value(isTrialPeriod), Value(originalPurchaseAt), Value(purchaseAt), Value(expiresAt), Value(revokedAt),
      Value(gracePeriodExpiresAt), Value(seats), Value(seatsNext), Value(trust), Value(addedRoot),
      .flag(isContradictory), .instant(question.asOf),
      .instant(question.knownAt),
    ]
  }
}

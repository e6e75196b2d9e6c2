public import AppStore
internal import LedgerSchema
public import LedgerStore

/// Who has access, and why: one line at the instants of a ``Question`` (rules §3 to §7).
public struct Entitlement: Sendable, Equatable {
  /// The states of a line.
  public enum State: String, Sendable, CaseIterable {
    /// Paid for, or on trial: in.
    case active
    /// A payment failed and Apple grants a grace period: in.
    case gracePeriod = "grace_period"
    /// A payment failed and Apple tries again: out.
    case billingRetry = "billing_retry"
    /// Over: out.
    case expired
    /// Refunded, or taken from a family member: out.
    case revoked
  }

  /// The environment of the line.
  public var environment: String
  /// The app.
  public var bundleID: String?
  /// The line's id.
  public var originalTransactionID: String
  /// The product of the head.
  public var productID: String?
  /// The state.
  public var state: State
  /// May this user in?
  public var hasAccess: Bool
  /// When access ends or ended.
  public var accessEndsAt: Instant?
  /// Whether something has been heard since the last known end; where not, a renewal may have happened unseen.
  public var isConfirmed: Bool
  /// Whether it will renew, as last stated.
  public var willRenew: Bool?
  /// The product it will renew to, as last stated.
  public var nextProductID: String?
  /// Why it expired, where that is stated.
  public var expirationReason: String?
  /// The rule that decided: `covered`, `revoked`, `grace`, `retry`, `retry_exhausted`, `lapsed`, `unconfirmed`,
  /// `superseded`.
  public var rule: String
  /// The newest word of Apple's on this line.
  public var evidenceAt: Instant?
  /// The transaction that decides.
  public var transactionID: String?
  /// `subscriptionGroupIdentifier`.
  public var subscriptionGroupIdentifier: String?
  /// `inAppOwnershipType`.
  public var inAppOwnershipType: String?
  /// `webOrderLineItemId`.
  public var webOrderLineItemID: String?
  /// `appAccountToken`.
  public var appAccountToken: String?
  /// Whether the present period is a free trial.
  public var isTrialPeriod: Bool?
  /// When the line was first bought.
  public var originalPurchaseAt: Instant?
  /// When the present period began.
  public var purchaseAt: Instant?
  /// When the present period ends.
  public var expiresAt: Instant?
  /// When it was revoked.
  public var revokedAt: Instant?
  /// When its grace period ends.
  public var gracePeriodExpiresAt: Instant?
  /// Why the evidence that decided is believed: `verified`, `unsigned`, `unverified`; of two pieces the less.
  public var trust: String?
  /// The name of the root that it is believed by, where that is not Apple's.
  public var addedRoot: String?
  /// Whether a payload that decided contradicts itself: it may be forged or edited, and confirms nothing by itself
  /// (rules §6).
  public var isContradictory: Bool
  /// Whether the renewal info that decided says both that the customer turned renewal off and that renewal is on.
  public var isRenewalContradictory: Bool
  /// The question.
  public var question: Question

  let originalTransactionKey: Int64
  let versionID: Int64
  let renewalVersionID: Int64?

  /// The names of ``values``, in their order: the command line's columns and JSON keys.
  public static let columns = [
    "environment", "bundle_id", "original_transaction_id", "product_id", "state", "has_access", "access_ends_at",
    "confirmed", "will_renew", "next_product_id", "expiration_reason", "rule", "evidence_at", "transaction_id",
    "subscription_group_identifier", "in_app_ownership_type", "web_order_line_item_id", "app_account_token",
    "is_trial_period", "original_purchase_at", "purchase_at", "expires_at", "revoked_at", "grace_period_expires_at",
    "trust", "added_root", "is_contradictory", "as_of", "known_at",
  ]

  /// Equal in everything that is told; the file's own row numbers do not count.
  public static func == (left: Entitlement, right: Entitlement) -> Bool { left.values == right.values }

  /// Everything as cells.
  public var values: [Value] {
    [
      .text(environment), Value(bundleID), .text(originalTransactionID), Value(productID), .text(state.rawValue),
      .flag(hasAccess), Value(accessEndsAt), .flag(isConfirmed), Value(willRenew), Value(nextProductID),
      Value(expirationReason), .text(rule), Value(evidenceAt), Value(transactionID),
      Value(subscriptionGroupIdentifier), Value(inAppOwnershipType), Value(webOrderLineItemID), Value(appAccountToken),
      Value(isTrialPeriod), Value(originalPurchaseAt), Value(purchaseAt), Value(expiresAt), Value(revokedAt),
      Value(gracePeriodExpiresAt), Value(trust), Value(addedRoot), .flag(isContradictory), .instant(question.asOf),
      .instant(question.knownAt),
    ]
  }
}

public import AppStore
internal import LedgerSchema
public import LedgerStore

/// The state of one subscription at the instants of a `QueryParameters`, with the rule that decided (rules §3 to §7).
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

  /// Why a subscription expired, as Apple's `expirationIntent` states it (rules §5).
  public enum ExpirationReason: String, Sendable, CaseIterable {
    /// The customer had turned off renewal.
    case customerCancelled = "customer_cancelled"
    /// Apple could not collect the payment.
    case billingError = "billing_error"
    /// The customer did not accept a higher price.
    case priceIncreaseNotAccepted = "price_increase_not_accepted"
    /// The product was no longer for sale.
    case productUnavailable = "product_unavailable"
    /// Apple gave another number, or none of these reasons.
    case other
  }

  /// The name of the environment, such as `Production`.
  public var environment: String
  /// The bundle id of the app; `nil` when no evidence states it.
  public var bundleID: String?
  /// The original transaction id of the subscription.
  public var originalTransactionID: String
  /// The product id of the deciding transaction.
  public var productID: String?
  /// The state at the instant of the query.
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
  public var expirationReason: ExpirationReason?
  /// The rule that decided.
  public var rule: Rule
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
  /// The trust in the evidence that decided. The lesser one counts when two versions decided.
  public var trust: Trust?
  /// The name of the added root that its signature leads to; `nil` for Apple's root or without a signature.
  public var addedRoot: String?
  /// Whether a payload that decided contradicts itself. It may be forged or edited, and it confirms nothing by itself
  /// (rules §6).
  public var isContradictory: Bool
  /// Whether the deciding renewal info contradicts itself: the customer turned renewal off, and renewal is on.
  public var isRenewalContradictory: Bool
  /// The instants that the answer is for, and the evidence that counts.
  public var parameters: QueryParameters

  let originalTransactionKey: OriginalTransactionKey
  let versionID: TransactionVersionID
  let renewalVersionID: RenewalInfoVersionID?

  /// Compares ``values``. The numbers of rows in the file do not count.
  public static func == (left: Entitlement, right: Entitlement) -> Bool { left.values == right.values }
}

extension Entitlement: AnswerRow {
  /// The fields of an answer about a subscription. They are the columns and the JSON keys of every output.
  public static let fields: [AnswerField<Self>] = [
    AnswerField("environment") { .text($0.environment) },
    AnswerField("bundle_id") { Value($0.bundleID) },
    AnswerField("original_transaction_id") { .text($0.originalTransactionID) },
    AnswerField("product_id") { Value($0.productID) },
    AnswerField("state") { Value($0.state) },
    AnswerField("has_access") { .flag($0.hasAccess) },
    AnswerField("access_ends_at") { Value($0.accessEndsAt) },
    AnswerField("confirmed") { .flag($0.isConfirmed) },
    AnswerField("will_renew") { Value($0.willRenew) },
    AnswerField("next_product_id") { Value($0.nextProductID) },
    AnswerField("expiration_reason") { Value($0.expirationReason) },
    AnswerField("rule") { Value($0.rule) },
    AnswerField("evidence_at") { Value($0.evidenceAt) },
    AnswerField("transaction_id") { Value($0.transactionID) },
    AnswerField("subscription_group_identifier") { Value($0.subscriptionGroupIdentifier) },
    AnswerField("in_app_ownership_type") { Value($0.inAppOwnershipType) },
    AnswerField("web_order_line_item_id") { Value($0.webOrderLineItemID) },
    AnswerField("app_account_token") { Value($0.appAccountToken) },
    AnswerField("is_trial_period") { Value($0.isTrialPeriod) },
    AnswerField("original_purchase_at") { Value($0.originalPurchaseAt) },
    AnswerField("purchase_at") { Value($0.purchaseAt) },
    AnswerField("expires_at") { Value($0.expiresAt) },
    AnswerField("revoked_at") { Value($0.revokedAt) },
    AnswerField("grace_period_expires_at") { Value($0.gracePeriodExpiresAt) },
    AnswerField("seats") { Value($0.seats) },
    AnswerField("seats_next") { Value($0.seatsNext) },
    AnswerField("trust") { Value($0.trust) },
    AnswerField("added_root") { Value($0.addedRoot) },
    AnswerField("is_contradictory") { .flag($0.isContradictory) },
    AnswerField("as_of") { .instant($0.parameters.asOf) },
    AnswerField("known_at") { .instant($0.parameters.knownAt) },
  ]
}

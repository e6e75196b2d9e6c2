internal import LedgerSchema
internal import LedgerStore

extension Metric {
  /// All metrics, in the order of a list.
  public static let all = subscriptions + movements + money + trials + billing + others

  private static let subscriptions = [
    Metric(
      "active_subscriptions", "Active subscriptions", .balance, .count,
      "Subscriptions with paid access at the end of the period. Grace periods count. It does not matter whether the "
        + "subscription will renew.",
      "As RevenueCat. But a free period that starts before a paid period has ended does not interrupt the "
        + "subscription."),
    Metric(
      "active_trials", "Active trials", .balance, .count,
      "Subscriptions in a free period at the end of the period. A free period directly after a paid one does not "
        + "count."),
    Metric(
      "auto_renew_off", "Renewal switched off", .balance, .count,
      "Active subscriptions with auto-renewal off at the end of the period, as a part of all active subscriptions.",
      "RevenueCat shows only the present value. This metric has a value for every day."),
    Metric(
      "in_grace", "In grace period", .balance, .count,
      "Active subscriptions whose payment failed and which have access in a grace period, at the end of the period."),
    Metric(
      "in_billing_retry", "In billing retry", .balance, .count,
      "Subscriptions without access for which Apple still tries to collect a payment, at the end of the period."),
    Metric(
      "family_members", "Family members", .balance, .count,
      "Subscriptions with access through Family Sharing at the end of the period. No other metric counts them."),
    Metric(
      "active_seats", "Active seats", .balance, .count,
      "The seats of the subscriptions with access at the end of the period, less the refunded ones. Trials count. "
        + "Assigned members are not added, because their purchaser's seats count."),
    Metric(
      "assigned_members", "Assigned members", .balance, .count,
      "Subscriptions with access through an assigned seat at the end of the period. No other metric counts them."),
    Metric(
      "active_unpriced", "Active without a price", .balance, .count,
      "Active subscriptions for which Apple stated no price (receipts contain none). mrr and arr leave them out."),
  ]

  private static let movements = [
    Metric(
      "active_movement", "Movement of active subscriptions", .flow, .count,
      "The change in active subscriptions: those newly paid and those paid again, minus those whose paid access ended.",
      "Grouped by product it leaves out switches between products; see switched_in and switched_out."),
    Metric(
      "new_paid", "New paid subscriptions", .flow, .count,
      "Subscriptions that were paid for the first time. Reasons: trial_conversion, paid_offer, direct."),
    Metric(
      "resubscribed", "Resubscribed", .flow, .count,
      "Subscriptions that are paid for again after they had churned. Reasons: billing_recovery (a late payment), "
        + "returned.",
      "App Store Connect counts a payment during billing retry as a new subscription. RevenueCat subtracts both "
        + "reasons from churn."),
    Metric(
      "churned", "Churned", .flow, .count,
      "Subscriptions whose paid access ended. Reasons: customer_cancelled, billing_error, "
        + "price_increase_not_accepted, product_unavailable, refunded, other, unknown, unconfirmed (no later "
        + "evidence), superseded, free_period.",
      "Subscriptions that came back are not subtracted (see resubscribed). A cancellation counts when the access "
        + "ends."),
    Metric(
      "churn_rate", "Churn rate", .share, .share,
      "Subscriptions whose paid access ended, minus those paid again, as a part of the subscriptions that were active "
        + "when the period began. It can be negative."),
    Metric(
      "switched_in", "Switched to this product", .flow, .count,
      "Active subscriptions that changed to another product, by the new product."),
    Metric(
      "switched_out", "Switched from this product", .flow, .count,
      "Active subscriptions that changed to another product, by the old product."),
    Metric(
      "retention", "Retention", .cohort, .count,
      "The cohort: subscriptions whose first full payment for a product was in the period. The figure: how many of "
        + "them made payment number k (0 is the first). Refunded payments are subtracted. due: how many could have "
        + "made it by now. share: the part that made every payment up to this one; where a payment was not yet due for "
        + "some, only those count for whom it was. A late payment, or one after a return, continues the same journey.",
      "As RevenueCat. App Store Connect starts a new subscription with a payment during billing retry or later."),
    Metric(
      "retention_unbroken", "Retention without a gap", .cohort, .count,
      "As retention, but a payment after the access had ended starts a new journey.",
      "As App Store Connect: a payment during billing retry or later is a new subscription."),
  ]

  private static let money = [
    Metric(
      "mrr", "Monthly recurring revenue", .balance, .money,
      "The monthly price of the active subscriptions at the end of the period. A weekly price counts 4 times, a "
        + "yearly price is divided by 12, and so on. The price of several seats is their total, less refunded seats. "
        + "It includes Apple's commission and taxes.",
      "As RevenueCat. But a pay-up-front offer counts with the length that it covers. A commitment that is billed "
        + "monthly counts as a month."),
    Metric(
      "arr", "Annual recurring revenue", .balance, .money,
      "mrr times 12."),
    Metric(
      "revenue", "Revenue", .flow, .money,
      "What was paid in the period, minus what was refunded of it at any time. So a refund changes past figures. "
        + "Reasons: new, renewal, one_time.",
      "new is the first payment of a subscription (RevenueCat: of a customer). Apple's financial reports use the "
        + "settlement date."),
    Metric(
      "proceeds", "Proceeds", .flow, .money,
      "What Apple owes you for the purchases and refunds of the period, as its daily reports state it (Summary Sales). "
        + "Days are Pacific days, and a refund counts on its own day. Reasons: as for revenue.",
      "As App Store Connect, without the settlement of a month. RevenueCat estimates it."),
    Metric(
      "proceeds_estimated", "Proceeds, estimated", .flow, .money,
      "revenue without the taxes in the prices and less Apple's commission, by the rates of subledger terms. A refund "
        + "returns both. Reasons: as for revenue.",
      "As RevenueCat. Here you can see and replace every rate, and a note names those that count."),
    Metric(
      "expansion", "Expansion", .flow, .money,
      "What was paid in the period for seats that were added to a running subscription, minus what was refunded of it "
        + "at any time. It is a part of revenue."),
    Metric(
      "revenue_gross", "Revenue before refunds", .flow, .money,
      "What was paid in the period, before refunds. Reasons: as for revenue."),
    Metric(
      "revenue_refunded", "Refunded of the period's revenue", .flow, .money,
      "What was refunded, at any time, of what was paid in the period. An upgrade is not a refund."),
    Metric(
      "refunds_paid", "Refunds by their own date", .flow, .money,
      "What was refunded in the period, by the date of the refund. The payment can be older."),
    Metric(
      "refunds", "Number of refunds", .flow, .count,
      "Payments that were refunded in the period. The payments can be older. Refunds of some seats are not counted "
        + "(see seat_refunds)."),
    Metric(
      "seat_refunds", "Refunds of seats", .flow, .count,
      "Refunds of some seats of a payment, by the date of the refund. refunds_paid contains their amounts."),
    Metric(
      "refund_rate", "Refund rate", .share, .share,
      "Payments of the period that were refunded at any time, as a part of all payments of the period. Trials are "
        + "not payments."),
    Metric(
      "refund_rate_by_amount", "Refund rate by amount", .share, .share,
      "What was refunded, at any time, as a part of what was paid in the period."),
    Metric(
      "refund_requests", "Refund requests", .flow, .count,
      "Refund requests that Apple reported in the period. Reasons: refunded, declined, open. Details: the customer's "
        + "reason.",
      "Open requests stay open. RevenueCat assumes after 48 hours that requests of version 1 were declined."),
    Metric(
      "transactions_paid", "Payments", .flow, .count,
      "Paid periods and purchases that began in the period, and additions of seats."),
    Metric(
      "transactions_unpriced", "Payments without a price", .flow, .count,
      "Payments for which Apple stated no price (receipts contain none). revenue leaves them out."),
  ]

  private static let trials = [
    Metric(
      "trial_starts", "Trials started", .flow, .count,
      "Free periods that began, of subscriptions without paid access just before. Several in a row are one trial."),
    Metric(
      "trial_conversion", "Trial conversion", .share, .share,
      "Trials that a payment followed so far, as a part of the trials that began in the period. A refunded payment "
        + "does not count."),
    Metric(
      "offers_redeemed", "Offers redeemed", .flow, .count,
      "Periods in which an offer began. Reasons: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME."),
  ]

  private static let billing = [
    Metric(
      "grace_entered", "Grace periods begun", .flow, .count,
      "Subscriptions whose payment failed and which entered a grace period."),
    Metric(
      "grace_recovery", "Recovered in grace", .share, .share,
      "Grace periods that ended with a payment, as a part of those that ended in the period.",
      "App Store Connect and RevenueCat have no such chart."),
    Metric(
      "retry_entered", "Billing retries begun", .flow, .count,
      "Subscriptions that lost access while Apple tries to collect a payment."),
    Metric(
      "retry_recovery", "Recovered in billing retry", .share, .share,
      "Billing retries that ended with a payment, as a part of those that ended in the period."),
    Metric(
      "recovery_days", "Days until recovery", .cohort, .count,
      "Late payments in the period, by the number of whole days after the end of the paid period."),
  ]

  private static let others = [
    Metric(
      "price_consent", "Price increases", .flow, .count,
      "Answers to price increases. Reasons: asked, agreed, refused (the subscription ended because of it).")
  ]
}

internal import LedgerSchema
internal import LedgerStore

extension Metric {
  /// All metrics, in the order in which they are listed.
  public static let all = subscriptions + movements + money + trials + billing + others

  private static let subscriptions = [
    Metric(
      "active_subscriptions", "Active subscriptions", .balance, .count,
      "Lines with access that was paid for, at the end of the period: in grace too, and whether or not they will renew.",
      "As RevenueCat's, but a free period given to a payer before the paid one ended does not interrupt it."),
    Metric(
      "active_trials", "Active trials", .balance, .count,
      "Lines with access by a free period that did not follow upon a paid one, at the end of the period."),
    Metric(
      "auto_renew_off", "Renewal switched off", .balance, .count,
      "Active subscriptions whose renewal was off at the end of the period, of all active subscriptions.",
      "RevenueCat shows this for the present only; here it is kept for every day."),
    Metric(
      "in_grace", "In grace period", .balance, .count,
      "Active subscriptions whose payment failed and whose access goes on meanwhile, at the end of the period."),
    Metric(
      "in_billing_retry", "In billing retry", .balance, .count,
      "Lines without access whose payment Apple is still trying to get, at the end of the period."),
    Metric(
      "family_members", "Family members", .balance, .count,
      "Lines with access through Family Sharing, at the end of the period: in no other figure."),
    Metric(
      "seats", "Assigned seats", .balance, .count, "Lines with access by an assigned seat, at the end of the period."),
    Metric(
      "active_unpriced", "Active without a price", .balance, .count,
      "Active subscriptions whose price Apple never named (receipts carry none): what mrr and arr leave out."),
  ]

  private static let movements = [
    Metric(
      "active_movement", "Movement of active subscriptions", .flow, .count,
      "New and resubscribed less churned: by how much active subscriptions changed.",
      "Broken down by product it leaves out switches between products; see switched_in and switched_out."),
    Metric(
      "new_paid", "New paid subscriptions", .flow, .count,
      "Lines that were paid for the first time. Reasons: trial_conversion, paid_offer, direct."),
    Metric(
      "resubscribed", "Resubscribed", .flow, .count,
      "Lines that are paid for again after they had churned. Reasons: billing_recovery (a late payment), returned.",
      "App Store Connect counts a payment during billing retry as a new subscription; RevenueCat subtracts both from churn."
    ),
    Metric(
      "churned", "Churned", .flow, .count,
      "Lines whose paid access ended. Reasons: customer_cancelled, billing_error, price_increase_not_accepted, "
        + "product_unavailable, refunded, other, unknown, unconfirmed (nothing was heard since), superseded, free_period.",
      "Counted without what came back (see resubscribed); a cancellation counts when the access ends."),
    Metric(
      "churn_rate", "Churn rate", .share, .share,
      "Churned less resubscribed, of the subscriptions that were active when the period began. It may be negative."),
    Metric(
      "switched_in", "Switched to this product", .flow, .count,
      "Active subscriptions that went on with another product, by the one they went to."),
    Metric(
      "switched_out", "Switched from this product", .flow, .count,
      "Active subscriptions that went on with another product, by the one they left."),
    Metric(
      "retention", "Retention", .cohort, .count,
      "Of the lines whose first full payment for a product was in the period, how many made payment number k (0 is the "
        + "first), refunded ones taken back; due: how many could have made it by now. A payment that came late, or after a return, goes on with the same journey.",
      "As RevenueCat's. App Store Connect begins a new subscription with a payment during billing retry or later."),
    Metric(
      "retention_unbroken", "Retention without a gap", .cohort, .count,
      "The same, but a payment that came after the access had ended begins another journey.",
      "As App Store Connect counts: a payment during billing retry or later is a new subscription."),
  ]

  private static let money = [
    Metric(
      "mrr", "Monthly recurring revenue", .balance, .money,
      "What active subscriptions pay a month, at the end of the period: a week's price times 4, a year's by 12, and so on; "
        + "gross of Apple's commission and of taxes.",
      "As RevenueCat's, but what an offer paid up front covers counts as its length, and a commitment billed monthly as a month."
    ),
    Metric(
      "arr", "Annual recurring revenue", .balance, .money, "mrr times 12."),
    Metric(
      "revenue", "Revenue", .flow, .money,
      "What was paid in the period less what of it was refunded, whenever that was: a refund restates the past. "
        + "Reasons: new, renewal, one_time.",
      "new is a line's first payment (RevenueCat: a customer's). Apple's financial reports go by the date of settlement."
    ),
    Metric(
      "revenue_gross", "Revenue before refunds", .flow, .money, "What was paid in the period. Reasons: as for revenue."),
    Metric(
      "revenue_refunded", "Refunded of the period's revenue", .flow, .money,
      "What was refunded, at any time, of what was paid in the period. An upgrade is no refund."),
    Metric(
      "refunds_paid", "Refunds by their own date", .flow, .money,
      "What was refunded in the period, whenever it was paid."),
    Metric(
      "refunds", "Number of refunds", .flow, .count,
      "Payments that were refunded in the period, whenever they were made."),
    Metric(
      "refund_rate", "Refund rate", .share, .share,
      "Payments made in the period that were refunded, at any time, of all payments made in it. Trials are none."),
    Metric(
      "refund_rate_by_amount", "Refund rate by amount", .share, .share,
      "What was refunded, at any time, of what was paid in the period."),
    Metric(
      "refund_requests", "Refund requests", .flow, .count,
      "Requests that Apple told of in the period. Reasons: refunded, declined, open; details: the customer's reason.",
      "Open requests stay open, where RevenueCat assumes those of version 1 to be declined after 48 hours."),
    Metric(
      "transactions_paid", "Payments", .flow, .count, "Periods and purchases begun in the period that were not free."),
    Metric(
      "transactions_unpriced", "Payments without a price", .flow, .count,
      "Payments whose price Apple never named (receipts carry none): what revenue leaves out."),
  ]

  private static let trials = [
    Metric(
      "trial_starts", "Trials started", .flow, .count,
      "Free periods begun by lines that had no paid access just before; several in a row are one trial."),
    Metric(
      "trial_conversion", "Trial conversion", .share, .share,
      "Of the trials begun in the period, those that were followed by a payment so far; one that was refunded is taken back."
    ),
    Metric(
      "offers_redeemed", "Offers redeemed", .flow, .count,
      "Periods with which an offer began. Reasons: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME."),
  ]

  private static let billing = [
    Metric(
      "grace_entered", "Grace periods begun", .flow, .count,
      "Lines whose payment failed and that entered a grace period."),
    Metric(
      "grace_recovery", "Recovered in grace", .share, .share,
      "Of the grace periods that ended in the period, those that ended with a payment.",
      "App Store Connect and RevenueCat have no such chart."),
    Metric(
      "retry_entered", "Billing retries begun", .flow, .count,
      "Lines that lost access while Apple tries to get a payment."),
    Metric(
      "retry_recovery", "Recovered in billing retry", .share, .share,
      "Of the billing retries that ended in the period, those that ended with a payment."),
    Metric(
      "recovery_days", "Days until recovery", .cohort, .count,
      "Payments that came late in the period, by the number of whole days after the end of the paid period."),
  ]

  private static let others = [
    Metric(
      "price_consent", "Price increases", .flow, .count,
      "Answers to price increases. Reasons: asked, agreed, refused (the line ended for it).")
  ]
}

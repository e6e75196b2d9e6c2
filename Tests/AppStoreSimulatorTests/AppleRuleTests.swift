import AppStore
import Foundation
import AppStoreSimulator
import TestSupport
import Testing

/// Apple's own rules, read from the JSON that is said.
@Suite struct AppleRuleTests {
  static let dayLength: Int64 = 86_400_000

  // MARK: Taking back

  @Test func `a refund is a new version of the same transaction, ends renewal, and states 5`() throws {
    let story = try Story("refund")
    let bought = try story.one("SUBSCRIBED INITIAL_BUY").transaction
    let refund = try story.one("REFUND")
    #expect(refund.transaction.text("transactionId") == bought.text("transactionId"))
    #expect(refund.transaction.number("expiresDate") == bought.number("expiresDate"))
    #expect(refund.transaction.number("revocationReason") == 1)
    #expect(refund.transaction.text("revocationType") == "REFUND_FULL")
    #expect(refund.transaction.number("revocationPercentage") == 100_000)
    let revokedAt = try #require(refund.transaction.number("revocationDate"))
    #expect(revokedAt <= refund.signedAt && refund.signedAt - revokedAt < 1000)
    #expect(refund.status == 5)
    #expect(try story.one("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED").renewal.number("autoRenewStatus") == 0)
    #expect(story.text.filter { $0.hasPrefix("DID_RENEW") || $0.hasPrefix("EXPIRED") } == [])
    #expect(try story.one("CONSUMPTION_REQUEST").object("data").text("consumptionRequestReason") != nil)
  }

  @Test func `a refund that is reversed leaves the transaction as it was`() throws {
    let story = try Story("refund-reversed")
    let reversed = try story.one("REFUND_REVERSED")
    #expect(
      reversed.transaction.text("transactionId") == (try story.one("REFUND").transaction.text("transactionId")))
    #expect(reversed.transaction.keys.filter { $0.hasPrefix("revocation") } == [])
    #expect(reversed.status == 1)
    #expect(try story.one("EXPIRED VOLUNTARY").status == 2)
  }

  @Test func `a refund of an earlier period is about that period, and the subscription continues`() throws {
    let story = try Story("refund-of-an-earlier-period")
    let refund = try story.one("REFUND")
    #expect(refund.transaction.text("transactionId") == refund.transaction.text("originalTransactionId"))
    #expect(refund.transaction.text("revocationType") == "REFUND_PRORATED")
    #expect(refund.transaction.number("revocationPercentage") == 50_000)
    #expect(refund.status == 1)
    #expect(refund.renewal.number("autoRenewStatus") == 1)
  }

  @Test func `something bought once has no renewal info and no status, refunded or not`() throws {
    let story = try Story("consumable-refunded")
    #expect(story.text == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND"])
    for stated in story.stated {
      #expect(stated.renewal.isEmpty)
      #expect(stated.status == nil)
      #expect(stated.transaction.text("type") == "Consumable")
      #expect(stated.transaction["expiresDate"] == nil)
    }
  }

  // MARK: Payment

  @Test func `a payment within grace keeps the cycle: the new period ends where it would have`() throws {
    let story = try Story("grace-recovered")
    let failed = try story.one("DID_FAIL_TO_RENEW GRACE_PERIOD")
    #expect(failed.status == 4)
    #expect(failed.renewal.flag("isInBillingRetryPeriod") == true)
    #expect(failed.renewal.number("expirationIntent") == 2)
    let ended = try #require(failed.transaction.number("expiresDate"))
    #expect(failed.renewal.number("gracePeriodExpiresDate") == ended + 16 * Self.dayLength)
    let recovered = try story.one("DID_RENEW BILLING_RECOVERY")
    let paid = try #require(recovered.transaction.number("purchaseDate"))
    #expect(paid > ended && paid < ended + 16 * Self.dayLength)
    // January's end to February's: the month is counted from the old end.
    #expect(recovered.transaction.number("expiresDate") == ended + 28 * Self.dayLength)
    #expect(recovered.status == 1)
    #expect(recovered.renewal.keys.filter { $0.hasPrefix("gracePeriod") || $0 == "expirationIntent" } == [])
  }

  @Test func `a payment after grace begins a new cycle`() throws {
    let story = try Story("retry-recovered")
    let over = try story.one("GRACE_PERIOD_EXPIRED")
    #expect(over.status == 3)
    #expect(over.renewal.flag("isInBillingRetryPeriod") == true)
    #expect(try #require(over.renewal.number("gracePeriodExpiresDate")) <= over.signedAt)
    let recovered = try story.one("DID_RENEW BILLING_RECOVERY").transaction
    let (paid, ends) = (recovered.number("purchaseDate") ?? 0, recovered.number("expiresDate") ?? 0)
    #expect([28, 29, 30, 31].contains((ends - paid) / Self.dayLength) && (ends - paid) % Self.dayLength == 0)
  }

  @Test func `Apple gives up after 60 days`() throws {
    let story = try Story("retry-lost", graceDays: 0)
    let failed = try story.one("DID_FAIL_TO_RENEW")
    #expect(failed.status == 3)
    #expect(failed.renewal["gracePeriodExpiresDate"] == nil)
    let expired = try story.one("EXPIRED BILLING_RETRY")
    #expect((expired.signedAt - (failed.transaction.number("expiresDate") ?? 0)) / Self.dayLength == 60)
    #expect(expired.renewal.number("expirationIntent") == 2)
    #expect(expired.renewal.flag("isInBillingRetryPeriod") == false)
    #expect(expired.renewal.number("autoRenewStatus") == 0)
  }

  @Test func `every payload about one event is true after it: a retry that is cancelled states 2 twice`() throws {
    // Found by ten thousand lives: the first of two notifications still said 3.
    let story = try Story("retry-cancelled")
    #expect(try story.one("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED").status == 2)
    #expect(try story.one("EXPIRED VOLUNTARY").status == 2)
  }

  @Test func `a renewal is charged and signed before its period begins`() throws {
    let renewal = try Story("trial-to-paid").one("DID_RENEW")
    #expect(renewal.signedAt < (renewal.transaction.number("purchaseDate") ?? 0))
    #expect(renewal.transaction.text("transactionReason") == "RENEWAL")
  }

  @Test(arguments: [
    "2026-01-31": ["2026-02-28", "2026-03-31", "2026-04-30"], "2028-01-30": ["2028-02-29", "2028-03-30"],
  ])
  func `a month ends on the day it began, or on the month's last`(start: String, ends: [String]) throws {
    var store = SimulatedStore(catalog: try .builtIn(), start: try #require(Instant(start)))
    try store.perform(.buy("family"))
    store.advance(to: Instant(milliseconds: store.clock.milliseconds + 80 * Self.dayLength))
    let found = store.subscriptions[0].transactions.map { String(($0.expiresAt?.description ?? "").prefix(10)) }
    #expect(Array(found.prefix(ends.count)) == ends)
  }

  // MARK: Changes

  @Test func `a downgrade waits for the renewal`() throws {
    let story = try Story("downgrade")
    let chosen = try story.one("DID_CHANGE_RENEWAL_PREF DOWNGRADE")
    let bought = try story.one("SUBSCRIBED INITIAL_BUY").transaction
    #expect(chosen.transaction.text("productId") == bought.text("productId"))
    #expect(chosen.transaction.number("expiresDate") == bought.number("expiresDate"))
    let next = try #require(chosen.renewal.text("autoRenewProductId"))
    #expect(next != bought.text("productId"))
    #expect(chosen.renewal.text("productId") == bought.text("productId"))
    let renewed = try story.one("DID_RENEW").transaction
    #expect(renewed.text("productId") == next)
    #expect(renewed.number("purchaseDate") == bought.number("expiresDate"))
  }

  @Test func `a downgrade that is undone has a notification without a subtype, and the same product renews`() throws {
    let story = try Story("downgrade-undone")
    let undone = try story.one("DID_CHANGE_RENEWAL_PREF")
    #expect(undone.renewal.text("autoRenewProductId") == undone.transaction.text("productId"))
    #expect(try story.one("DID_RENEW").transaction.text("productId") == undone.transaction.text("productId"))
  }

  @Test func `an upgrade begins at once, and what it replaces is marked and not refunded`() throws {
    let story = try Story("upgrade", [.notificationV2, .history, .receipt])
    let bought = try story.one("SUBSCRIBED INITIAL_BUY").transaction
    let upgrade = try story.one("DID_CHANGE_RENEWAL_PREF UPGRADE").transaction
    #expect(upgrade.text("originalTransactionId") == bought.text("originalTransactionId"))
    #expect(upgrade.text("transactionId") != bought.text("transactionId"))
    #expect(upgrade.text("transactionReason") == "PURCHASE")
    let began = try #require(upgrade.number("purchaseDate"))
    #expect(began < (bought.number("expiresDate") ?? 0))
    let history = try #require(story.stated.last { $0.format == .history }).rows("signedTransactions")
    let old = try #require(history.first { $0.text("transactionId") == bought.text("transactionId") })
    #expect(old.flag("isUpgraded") == true)
    #expect(old["revocationDate"] == nil)
    let receipt = try #require(story.stated.last { $0.format == .receipt }).rows("latest_receipt_info")
    let row = try #require(receipt.first { $0.text("transaction_id") == bought.text("transactionId") })
    #expect(row.text("is_upgraded") == "true")
    #expect(row.text("cancellation_date_ms") == String(began))
    #expect(story.text.contains("REFUND") == false)
  }

  @Test func `an extension moves the end of the same transaction, and the next begins there`() throws {
    let story = try Story("renewal-extended")
    let bought = try story.one("SUBSCRIBED INITIAL_BUY").transaction
    let extended = try story.one("RENEWAL_EXTENDED")
    #expect(extended.transaction.text("transactionId") == bought.text("transactionId"))
    let end = try #require(extended.transaction.number("expiresDate"))
    #expect(end == (bought.number("expiresDate") ?? 0) + 10 * Self.dayLength)
    #expect(extended.renewal.number("renewalDate") == end)
    #expect(try story.one("DID_RENEW").transaction.number("purchaseDate") == end)
  }

  @Test func `an extension for all ends with a summary of its own kind`() throws {
    let summary = try Story("extended-for-all").one("RENEWAL_EXTENSION SUMMARY")
    #expect(summary.json["data"] == nil)
    #expect(summary.object("summary").number("succeededCount") == 1)
    #expect(summary.object("summary").text("requestIdentifier")?.count == 36)
  }

  // MARK: Prices and offers

  @Test func `a price increase asks, and is paid from the next renewal on`() throws {
    let story = try Story("price-increase-agreed")
    let bought = try story.one("SUBSCRIBED INITIAL_BUY").transaction
    #expect(try story.one("PRICE_INCREASE PENDING").renewal.number("priceIncreaseStatus") == 0)
    let agreed = try story.one("PRICE_INCREASE ACCEPTED")
    #expect(agreed.renewal.number("priceIncreaseStatus") == 1)
    let renewed = try story.one("DID_RENEW")
    #expect(renewed.transaction.number("price") == agreed.renewal.number("renewalPrice"))
    #expect((renewed.transaction.number("price") ?? 0) > (bought.number("price") ?? 0))
    #expect(renewed.renewal["priceIncreaseStatus"] == nil)
  }

  @Test(arguments: ["price-increase-refused", "price-increase-unanswered"])
  func `without consent the subscription ends for it`(scenario: String) throws {
    let expired = try Story(scenario).one("EXPIRED PRICE_INCREASE")
    #expect(expired.renewal.number("expirationIntent") == 3)
    #expect(expired.status == 2)
  }

  @Test func `a code beside a trial runs after it, and each renewal info names the next period's offer`() throws {
    let story = try Story("offer-code-stacked")
    let periods = [try story.one("SUBSCRIBED INITIAL_BUY")] + story.stated.filter { $0.type == "DID_RENEW" }
    #expect(periods.map { $0.transaction.number("offerType") }.prefix(3) == [1, 3, nil])
    #expect(periods.map { $0.renewal.number("offerType") }.prefix(3) == [3, nil, nil])
    #expect(periods[1].transaction.text("offerIdentifier") == "SPRING")
    #expect(periods[0].renewal.text("offerIdentifier") == "SPRING")
    #expect(periods.map { $0.transaction.number("price") == 0 }.prefix(3) == [true, true, false])
    #expect(periods[0].transaction.text("offerDiscountType") == "FREE_TRIAL")
    #expect(periods[0].transaction.text("offerPeriod") == "P1W")
  }

  @Test func `pay as you go is one transaction a period, pay up front one for all`() throws {
    let each = try Story("pay-as-you-go").stated.map { $0.transaction.text("offerDiscountType") }
    #expect(each.prefix(3) == ["PAY_AS_YOU_GO", "PAY_AS_YOU_GO", nil])
    let once = try Story("pay-up-front").stated
    #expect(once.map { $0.transaction.text("offerDiscountType") }.prefix(2) == ["PAY_UP_FRONT", nil])
    let first = once[0].transaction
    #expect(((first.number("expiresDate") ?? 0) - (first.number("purchaseDate") ?? 0)) / Self.dayLength == 59)
  }

  @Test func `a customer who left gets an offer, and returns to the same subscription`() throws {
    let story = try Story("win-back")
    let expired = try story.one("EXPIRED VOLUNTARY")
    #expect((expired.renewal["eligibleWinBackOfferIds"] as? [any Sendable])?.count == 1)
    let back = try story.one("SUBSCRIBED RESUBSCRIBE")
    #expect(back.transaction.number("offerType") == 4)
    #expect(
      back.transaction.text("originalTransactionId") == expired.transaction.text("originalTransactionId"))
    // A lapse of sixty days begins a new subscription; a shorter one does not.
    #expect(back.renewal.number("recentSubscriptionStartDate") == back.transaction.number("purchaseDate"))
  }

  // MARK: Families, restores, years by the month

  @Test func `a family member has an original transaction id of its own, and no price`() throws {
    let story = try Story("family-shared")
    // The trial is over when the subscription is shared.
    #expect(story.text.prefix(3) == ["SUBSCRIBED INITIAL_BUY", "DID_RENEW", "SUBSCRIBED INITIAL_BUY"])
    let (purchaser, member) = (story.stated[1].transaction, story.stated[2].transaction)
    #expect(purchaser.text("inAppOwnershipType") == "PURCHASED")
    #expect(member.text("inAppOwnershipType") == "FAMILY_SHARED")
    #expect(member.text("originalTransactionId") != purchaser.text("originalTransactionId"))
    #expect(member.text("webOrderLineItemId") != purchaser.text("webOrderLineItemId"))
    #expect(member.text("appTransactionId") != purchaser.text("appTransactionId"))
    #expect(member.number("expiresDate") == purchaser.number("expiresDate"))
    #expect(member["price"] == nil && member["currency"] == nil && member["appAccountToken"] == nil)
    #expect(story.text.filter { $0 == "EXPIRED VOLUNTARY" }.count == 2)
  }

  @Test func `a member's access is revoked, and a refund takes it with the purchaser's reason`() throws {
    let revoked = try Story("family-revoked").one("REVOKE")
    #expect(revoked.transaction.text("revocationType") == "FAMILY_REVOKE")
    #expect(revoked.status == 5)
    let refunded = try Story("family-refund").one("REVOKE")
    #expect(refunded.transaction.number("revocationReason") == 1)
  }

  @Test func `a restore gives one purchase a second transaction id, and a refund takes both`() throws {
    let story = try Story("restored", [.notificationV2, .history])
    let refunds = story.stated.filter { $0.type == "REFUND" }.map(\.transaction)
    #expect(Set(refunds.map { $0.text("transactionId") }).count == 2)
    #expect(Set(refunds.map { $0.text("webOrderLineItemId") }).count == 1)
    let history = try #require(story.stated.last { $0.format == .history }).rows("signedTransactions")
    #expect(history.count == 2)
  }

  @Test func `a year billed by the month counts its months, and is cancelled for its end`() throws {
    let story = try Story("billed-monthly-cancelled")
    let cancelled = try story.one("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED")
    #expect(cancelled.renewal.number("autoRenewStatus") == 1)
    let renewal = try #require(cancelled.renewal["commitmentInfo"] as? Story.Object)
    #expect(renewal.number("commitmentAutoRenewStatus") == 0)
    let periods = story.stated.filter { ["SUBSCRIBED", "DID_RENEW"].contains($0.type) }
    let months = periods.compactMap {
      ($0.transaction["commitmentInfo"] as? Story.Object)?.number("billingPeriodNumber")
    }
    #expect(months == Array(1...12))
    #expect(Set(periods.map { $0.transaction.text("billingPlanType") }) == ["MONTHLY"])
    #expect(periods.last?.renewal.number("autoRenewStatus") == 0)
    #expect(story.text.last == "EXPIRED VOLUNTARY")
    let again = try Story("billed-monthly").stated.filter { $0.type == "DID_RENEW" }.last?.transaction
    #expect((again?["commitmentInfo"] as? Story.Object)?.number("billingPeriodNumber") == 1)
  }

  // MARK: The sandbox, and who is told

  @Test func `in the sandbox a month is five minutes, and a purchase renews twelve times`() throws {
    let story = try Story("resubscribed", rate: .sandbox)
    let first = story.stated[0].transaction
    #expect((first.number("expiresDate") ?? 0) - (first.number("purchaseDate") ?? 0) == 300_000)
    #expect(first.text("environment") == "Sandbox")
    let simulation = try Simulation(
      catalog: .builtIn(), seed: 3, customers: 1, from: day(0), to: day(1), rate: .sandbox,
      rates: Rates.quiet())
    let renewals = try Story(simulation).stated.filter { $0.type == "DID_RENEW" }.count
    #expect(renewals <= 12)
  }

  @Test func `Ask to Buy: the app hears that it is deferred, Apple's server is silent until it is approved`() throws {
    let story = try Story("ask-to-buy-approved", [.notificationV2, .clientEvents])
    let before = story.stated.prefix { $0.format == .clientEvents }
    #expect(before.compactMap { $0.json.text("transaction_state") } == ["purchasing", "deferred"])
    #expect(story.stated.first { $0.format == .notificationV2 }?.text == "SUBSCRIBED INITIAL_BUY")
    #expect(try Story("ask-to-buy-declined").stated.isEmpty)
  }
}

extension Rates {
  /// Rates of a world in which customers only buy and renew.
  static func quiet() -> Rates {
    var rates = Rates()
    for rate in Rate.allCases { rates[rate] = 0 }
    return rates
  }
}

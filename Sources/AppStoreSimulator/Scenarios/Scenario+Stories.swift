extension Scenario {
  static let beginnings = [
    Scenario("trial-to-paid", "A free trial ends, and the first payment is made.") {
      let (product, _) = try $0.offered("a free trial") { $0.type == 1 && $0.discountType == "FREE_TRIAL" }
      try $0.perform(.buy(product.id))
      try $0.waitForEnd()
      try $0.waitForEnd()
    },
    Scenario("trial-cancelled", "Renewal is turned off during the trial, which runs out.") {
      let (product, _) = try $0.offered("a free trial") { $0.type == 1 && $0.discountType == "FREE_TRIAL" }
      try $0.perform(.buy(product.id))
      try $0.waitInPeriod()
      try $0.perform(.cancel)
      try $0.waitForEnd()
    },
    Scenario("cancelled", "Renewal is turned off; access lasts to the end of what was paid.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitForEnd()
      try $0.waitInPeriod()
      try $0.perform(.cancel)
      try $0.waitForEnd()
    },
    Scenario("cancelled-and-resumed", "Renewal is turned off and on again before the end.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.cancel)
      try $0.waitInPeriod()
      try $0.perform(.resume)
      try $0.waitForEnd()
    },
    Scenario("resubscribed", "A subscription ends, and months later the customer returns to it.") {
      let product = try $0.plain()
      try $0.perform(.buy(product.id))
      try $0.perform(.cancel)
      try $0.waitForEnd()
      try $0.wait(days: 90)
      try $0.perform(.buy(product.id))
      try $0.waitForEnd()
    },
    Scenario("ask-to-buy-approved", "A child asks, and the family approves a day later.") {
      try $0.perform(.askToBuy($0.plain().id))
      try $0.wait(days: 1)
      try $0.perform(.answerAskToBuy(isApproved: true))
      try $0.waitForEnd()
    },
    Scenario(
      "ask-to-buy-declined", "A child asks, and the family declines: the app reports it, Apple sends nothing."
    ) {
      try $0.perform(.askToBuy($0.plain().id))
      try $0.wait(days: 1)
      try $0.perform(.answerAskToBuy(isApproved: false))
    },
    Scenario("interrupted-purchase", "A purchase fails in the app, goes on outside it, and comes through.") {
      try $0.perform(.interrupt($0.plain().id))
      try $0.wait(days: 1)
      try $0.perform(.finishInterrupted)
    },
  ]

  static let payments = [
    Scenario("grace-recovered", "A payment fails, and is made within the grace period: the cycle stays.") {
      try $0.failARenewal()
      try $0.wait(days: 2)
      try $0.perform(.resolvePayment)
      try $0.waitForEnd()
    },
    Scenario("retry-recovered", "Grace runs out, and weeks later a retry succeeds: a new cycle begins.") {
      try $0.failARenewal()
      try $0.wait(days: 40)
      try $0.perform(.resolvePayment)
      try $0.waitForEnd()
    },
    Scenario("retry-lost", "A payment fails, and Apple gives up after 60 days.") {
      try $0.failARenewal()
      try $0.wait(days: 61)
    },
    Scenario("retry-cancelled", "A payment fails, and the customer turns renewal off while Apple retries.") {
      try $0.failARenewal()
      try $0.wait(days: 35)
      try $0.perform(.cancel)
    },
  ]

  static let refunds = [
    Scenario("refund", "Apple refunds the running period for the app's fault: access ends at once.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.askForRefund)
      try $0.wait(days: 1)
      try $0.perform(.refund(isAppsFault: true))
      try $0.waitForEnd()
    },
    Scenario("refund-declined", "A refund is asked for, and Apple declines it.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.askForRefund)
      try $0.wait(days: 1)
      try $0.perform(.declineRefund)
    },
    Scenario("refund-reversed", "A refund is undone some days later, and access comes back.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod(percent: 20)
      try $0.perform(.refund())
      try $0.wait(days: 3)
      try $0.perform(.reverseRefund)
      try $0.waitForEnd()
    },
    Scenario("refund-of-an-earlier-period", "The period before is refunded, and the running one goes on.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitForEnd()
      try $0.waitInPeriod()
      try $0.perform(.refund(before: 1, percentage: 50_000))
      try $0.waitForEnd()
    },
    Scenario("consumable-refunded", "Something bought once is refunded.") {
      let product = try $0.product("something that is bought once") { $0.period == nil }
      try $0.perform(.buy(product.id))
      try $0.wait(days: 1)
      try $0.perform(.askForRefund)
      try $0.wait(days: 1)
      try $0.perform(.refund())
    },
  ]

  static let changes = [
    Scenario("upgrade", "A higher level begins at once, and Apple refunds the rest of the lower one.") {
      let (low, high) = try $0.levels()
      try $0.perform(.buy(low.id))
      try $0.waitInPeriod()
      try $0.perform(.change(to: high.id))
      try $0.waitForEnd()
    },
    Scenario("downgrade", "A lower level is chosen, and begins with the next renewal.") {
      let (low, high) = try $0.levels()
      try $0.perform(.buy(high.id))
      try $0.waitInPeriod()
      try $0.perform(.change(to: low.id))
      try $0.waitForEnd()
    },
    Scenario("downgrade-undone", "A lower level is chosen, and the choice undone before the renewal.") {
      let (low, high) = try $0.levels()
      try $0.perform(.buy(high.id))
      try $0.waitInPeriod()
      try $0.perform(.change(to: low.id))
      try $0.waitInPeriod()
      try $0.perform(.change(to: high.id))
      try $0.waitForEnd()
    },
    Scenario("crossgrade", "Another product of the same level and length begins at once.") {
      let products = $0.store.catalog.products
      func isTwin(_ one: SoldProduct, _ other: SoldProduct) -> Bool {
        one.id != other.id && one.group == other.group && one.level == other.level && one.period == other.period
      }
      let first = try $0.product("two products of one level and length") { one in
        one.period != nil && products.contains { isTwin(one, $0) }
      }
      try $0.perform(.buy(first.id))
      try $0.waitInPeriod()
      try $0.perform(.change(to: $0.product("a twin") { isTwin(first, $0) }.id))
      try $0.waitForEnd()
    },
  ]

  static let prices = [
    Scenario("price-increase-agreed", "The customer agrees to a higher price, and pays it at the next renewal.") {
      try $0.raiseThePrice()
      try $0.perform(.agreeToPrice)
      try $0.waitForEnd()
    },
    Scenario("price-increase-refused", "The customer refuses a higher price, and the subscription ends for it.") {
      try $0.raiseThePrice()
      try $0.perform(.refusePrice)
      try $0.waitForEnd()
    },
    Scenario("price-increase-unanswered", "The customer does not answer, and the subscription ends.") {
      try $0.raiseThePrice()
      try $0.waitForEnd()
    },
    Scenario("price-increase-told", "A small increase needs no consent: Apple informs the customer, who pays.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.raisePrice(percent: 10, needsConsent: false))
      try $0.waitForEnd()
    },
  ]
}

extension ScenarioPlayer {
  fileprivate mutating func failARenewal() throws {
    try perform(.buy(plain().id))
    try waitInPeriod(percent: 20)
    try perform(.failPayments)
    try waitForEnd()
  }

  fileprivate mutating func raiseThePrice() throws {
    try perform(.buy(plain().id))
    try waitInPeriod(percent: 20)
    try perform(.raisePrice(percent: 30, needsConsent: true))
    try waitInPeriod(percent: 20)
  }
}

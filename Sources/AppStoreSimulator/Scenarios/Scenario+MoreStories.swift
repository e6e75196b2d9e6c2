extension Scenario {
  static let offers = [
    Scenario("offer-code-stacked", "A code redeemed beside a trial runs after it, and then the full price.") {
      let product = try $0.product("a code that stacks on an introductory offer") {
        $0.offers.contains { $0.type == 1 } && $0.offers.contains { $0.type == 3 && $0.isStackable }
      }
      let code = product.offers.first { $0.type == 3 && $0.isStackable }?.identifier
      try $0.perform(.buy(product.id, offer: code))
      for _ in 0..<3 { try $0.waitForEnd() }
    },
    Scenario("promotional-offer", "A subscriber redeems a promotional offer, from the next renewal on.") {
      let (product, offer) = try $0.offered("a promotional offer") { $0.type == 2 }
      try $0.perform(.buy(product.id))
      try $0.waitInPeriod()
      try $0.perform(.redeem(offer.identifier ?? ""))
      for _ in 0..<offer.transactionCount + 1 { try $0.waitForEnd() }
    },
    Scenario("win-back", "A customer who left returns with a win-back offer.") {
      let (product, offer) = try $0.offered("a win-back offer") { $0.type == 4 }
      try $0.perform(.buy(product.id))
      try $0.perform(.cancel)
      try $0.waitForEnd()
      try $0.wait(days: 60)
      try $0.perform(.buy(product.id, offer: offer.identifier))
      try $0.waitForEnd()
    },
    Scenario("pay-as-you-go", "An introductory price for some periods, each paid for, and then the full one.") {
      let (product, offer) = try $0.offered("an introductory offer that is paid as you go") {
        $0.type == 1 && $0.discountType == "PAY_AS_YOU_GO"
      }
      try $0.perform(.buy(product.id))
      for _ in 0..<offer.transactionCount { try $0.waitForEnd() }
    },
    Scenario("pay-up-front", "An introductory price paid once for a longer time, and then the full one.") {
      let (product, _) = try $0.offered("an introductory offer that is paid up front") {
        $0.type == 1 && $0.discountType == "PAY_UP_FRONT"
      }
      try $0.perform(.buy(product.id))
      try $0.waitForEnd()
    },
  ]

  static let teams = [
    Scenario("team", "One buys seats for many. Apple gives them to members. More are added, and some are refunded.") {
      try $0.perform(.buySeats(try $0.plain().id, seats: 8))
      for _ in 0..<3 { try $0.perform(.joinTeam) }
      try $0.wait(days: 9)
      try $0.perform(.addSeats(4))
      try $0.perform(.joinTeam)
      try $0.wait(days: 9)
      try $0.perform(.refundSeats(3))
      try $0.perform(.reassignSeat)
      try $0.perform(.reduceSeats(to: 6))
      try $0.waitForEnd()
      try $0.waitInPeriod()
      try $0.perform(.leaveTeam)
      try $0.perform(.cancel)
      try $0.waitForEnd()
    },
    Scenario("team-refund", "Seats are added, and Apple refunds first this addition and then everything.") {
      try $0.perform(.buySeats(try $0.plain().id, seats: 8))
      try $0.perform(.joinTeam)
      try $0.wait(days: 9)
      try $0.perform(.addSeats(4))
      try $0.wait(days: 5)
      try $0.perform(.refund())
      try $0.wait(days: 5)
      try $0.perform(.refundAll)
    },
    Scenario("team-claims", "The app gives the seats to members. Apple refunds some, and releases the claims.") {
      try $0.perform(.buySeats(try $0.plain().id, seats: 4, isManagedByDeveloper: true))
      for _ in 0..<4 { try $0.perform(.joinTeam) }
      try $0.wait(days: 9)
      try $0.perform(.leaveTeam)
      try $0.wait(days: 5)
      try $0.perform(.refundSeats(3))
      try $0.waitForEnd()
    },
  ]

  static let families = [
    Scenario("family-shared", "A family member gets access of an own, and loses it when the purchaser leaves.") {
      try $0.shareASubscription()
      try $0.waitForEnd()
      try $0.perform(.cancel)
      try $0.waitForEnd()
    },
    Scenario("family-revoked", "The purchaser stops sharing: the member's access is revoked at once.") {
      try $0.shareASubscription()
      try $0.waitForEnd()
      try $0.waitInPeriod()
      try $0.perform(.stopSharing)
      try $0.waitForEnd()
    },
    Scenario("family-refund", "The purchaser is refunded, and the member loses access with the same reason.") {
      try $0.shareASubscription()
      try $0.perform(.refund(isAppsFault: true))
    },
  ]

  static let others = [
    Scenario("renewal-extended", "The app gives ten days for an outage: the end moves, the transaction stays.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.extend(days: 10))
      try $0.waitForEnd()
    },
    Scenario("extended-for-all", "The app gives all subscribers five days, and Apple sends a summary.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.extendAll(days: 5))
    },
    Scenario("product-withdrawn", "The product is not for sale any more: it runs out.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod()
      try $0.perform(.withdrawProduct)
      try $0.waitForEnd()
    },
    Scenario("restored", "A restore gives one purchase a second transaction id; later both are refunded.") {
      try $0.perform(.buy($0.plain().id))
      try $0.waitInPeriod(percent: 20)
      try $0.perform(.restore)
      try $0.waitInPeriod(percent: 20)
      try $0.perform(.refund())
    },
    Scenario("billed-monthly", "A year that is billed by the month, to its end and into the next.") {
      let product = try $0.product("a year that is billed by the month") { $0.isBilledMonthly }
      try $0.perform(.buy(product.id, billedMonthly: true))
      for _ in 0..<12 { try $0.waitForEnd() }
    },
    Scenario("billed-monthly-cancelled", "Cancelled in the third month, and paid for until the twelfth.") {
      let product = try $0.product("a year that is billed by the month") { $0.isBilledMonthly }
      try $0.perform(.buy(product.id, billedMonthly: true))
      for _ in 0..<2 { try $0.waitForEnd() }
      try $0.perform(.cancel)
      for _ in 0..<10 { try $0.waitForEnd() }
    },
    Scenario("one-time-purchases", "One of everything that is bought once.") {
      for product in $0.store.catalog.products where product.period == nil {
        try $0.perform(.buy(product.id))
        try $0.wait(days: 1)
      }
    },
  ]
}

extension ScenarioPlayer {
  fileprivate mutating func shareASubscription() throws {
    let product = try product("a subscription that a family may share") { $0.period != nil && $0.isFamilyShareable }
    try perform(.buy(product.id))
    // A trial is free, so Apple could not refund it.
    if product.offers.contains(where: { $0.type == 1 }) { try waitForEnd() }
    try waitInPeriod(percent: 20)
    try perform(.share)
  }
}

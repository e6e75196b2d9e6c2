import AppStore
import AppStoreSimulator
import TestSupport
import Testing

/// What makes no sense in the present state is refused: nothing happens, nothing is told, no time passes.
@Suite struct ActionTests {
  static func playing(_ steps: [Action] = [], rate: RenewalRate = .realTime) throws -> SimulatedStore {
    var store = SimulatedStore(catalog: try .builtIn(), start: day(0), rate: rate)
    for step in steps { try store.perform(step) }
    _ = store.takeStoreEvents()
    return store
  }

  static let active: [Action] = [.buy("family")]

  static let refused: [(String, [Action], Action, ActionError.Code)] = [
    ("a refund before a purchase", [], .refund(), .noPurchase),
    ("renewal off before a purchase", [], .cancel, .noPurchase),
    ("a payment resolved that did not fail", active, .resolvePayment, .nothingPending),
    ("an approval that nobody asked for", [], .answerAskToBuy(isApproved: true), .nothingPending),
    ("the end of an interruption that was none", [], .finishInterrupted, .nothingPending),
    ("a second purchase of the same", active, .buy("family"), .wrongState),
    ("renewal on that is on", active, .resume, .wrongState),
    ("renewal off that is off", active + [.cancel], .cancel, .wrongState),
    ("a change to what it is", active, .change(to: "family"), .wrongState),
    ("a change to another group", active, .change(to: "stories"), .unknownProduct),
    ("a product that is not sold", [], .buy("gold"), .unknownProduct),
    ("an offer that there is not", active, .redeem("SUMMER"), .unknownOffer),
    ("a win-back for who never left", [], .buy("monthly", offer: "welcome-back"), .unknownOffer),
    ("a year by the month of what is a month", [], .buy("monthly", billedMonthly: true), .unknownOffer),
    ("a refund of what was free", [.buy("monthly")], .refund(), .wrongState),
    ("a refund asked for of what was free", [.buy("monthly")], .askForRefund, .wrongState),
    ("a refund twice", active + [.refund()], .refund(), .wrongState),
    ("a refund of a period that never was", active, .refund(before: 3), .outOfRange),
    ("a refund of more than all", active, .refund(percentage: 100_001), .outOfRange),
    ("a refund of what an upgrade replaced", [.buy("basic"), .change(to: "family")], .refund(before: 1), .wrongState),
    ("a reversal without a refund", active, .reverseRefund, .nothingPending),
    ("a refund declined that nobody asked for", active, .declineRefund, .nothingPending),
    ("the same, of something bought once", [.buy("bells")], .declineRefund, .nothingPending),
    ("the same, after it was refunded", [.buy("bells"), .askForRefund, .refund()], .declineRefund, .nothingPending),
    ("a price agreed to that was not raised", active, .agreeToPrice, .nothingPending),
    (
      "a price agreed to that was only told", active + [.raisePrice(percent: 5, needsConsent: false)], .agreeToPrice,
      .nothingPending
    ),
    ("a price raised by nothing", active, .raisePrice(percent: 0, needsConsent: true), .outOfRange),
    ("an extension by more than 90 days", active, .extend(days: 91), .outOfRange),
    ("an extension of what was refunded", active + [.refund()], .extend(days: 5), .wrongState),
    ("sharing what cannot be shared", [.buy("basic")], .share, .wrongState),
    ("sharing with a seventh", active + Array(repeating: .share, count: 5), .share, .outOfRange),
    ("an end of sharing with nobody", active, .stopSharing, .nothingPending),
  ]

  @Test(arguments: refused)
  func `what makes no sense now is refused, and nothing happens`(
    _ name: String, _ steps: [Action], _ action: Action, _ code: ActionError.Code
  ) throws {
    var store = try Self.playing(steps)
    let before = store.clock
    let refusal = #expect(throws: ActionError.self, "\(name)") { try store.perform(action) }
    #expect(refusal?.code == code, "\(name): \(refusal?.message ?? "")")
    #expect(refusal?.message.isEmpty == false && refusal?.message.last != ".")
    #expect(store.clock == before, "\(name)")
    #expect(store.takeStoreEvents().isEmpty, "\(name)")
  }

  @Test func `the next period that is charged must begin before it is changed or refunded`() throws {
    var store = try Self.playing(Self.active)
    store.advance(to: try #require(store.nextDue))
    for action in [Action.refund(), .change(to: "monthly"), .extend(days: 3), .restore, .share] {
      let refusal = #expect(throws: ActionError.self) { try store.perform(action) }
      #expect(refusal?.code == .renewalUnderWay)
    }
    // What concerns the period after it may be.
    try store.perform(.cancel)
  }

  @Test func `a product is named by its id, or by the end of it`() throws {
    for name in ["monthly", "com.example.meditation.monthly"] {
      #expect(try Self.playing([.buy(name)]).subscriptions.count == 1)
    }
  }

  @Test func `what is done to a subscription leaves alone a member of the family whose access had ended`() throws {
    // Found by ten thousand lives: an extension brought an expired member's period back to life.
    var store = try Self.playing([.buy("family"), .share, .cancel])
    store.advance(to: day(40))
    try store.perform(.buy("basic"))
    store.advance(to: day(50))
    _ = store.takeStoreEvents()
    try store.perform(.extend(days: 20))
    let reported = store.takeStoreEvents().compactMap { storeEvent in
      if case .notification(let notification) = storeEvent.content {
        "\(notification.type) \(notification.subscription ?? -1)"
      } else {
        nil
      }
    }
    #expect(reported == ["RENEWAL_EXTENDED 0"])
    #expect(store.subscriptions[1].truth(at: store.clock)?.state == .expired)
  }

  @Test func `everything has a second to itself, and the clock goes nowhere by itself`() throws {
    var store = try Self.playing(Self.active + [.cancel, .resume])
    #expect(store.clock == Instant(milliseconds: day(0).milliseconds + 3000))
    #expect(store.nextDue != nil)
    store.advance(to: day(20))
    #expect(store.clock == day(20))
    #expect(store.takeStoreEvents().isEmpty)
  }

  @Test func `every scenario can be played, in real time and in the sandbox, and has a name of its own`() throws {
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    for scenario in Scenario.all {
      #expect(!scenario.summary.isEmpty)
      for rate in [RenewalRate.realTime, .sandbox] {
        let simulation = try Simulation(
          catalog: .builtIn(), seed: 1, customers: 1, from: day(0), to: day(900), rate: rate, scenario: scenario)
        let stated = try Story(simulation, [.notificationV2, .clientEvents]).stated
        #expect(!stated.isEmpty, "\(scenario.name)")
      }
    }
  }

  @Test func `scenarios end as their names promise`() throws {
    let endings: [String: PurchaseState] = [
      "trial-to-paid": .active, "trial-cancelled": .expired, "cancelled": .expired, "grace-recovered": .active,
      "retry-recovered": .active, "retry-lost": .expired, "retry-cancelled": .expired, "refund": .revoked,
      "refund-reversed": .expired, "upgrade": .active, "price-increase-refused": .expired,
      "product-withdrawn": .expired,
      "win-back": .active, "billed-monthly-cancelled": .expired, "family-refund": .revoked,
    ]
    for (name, state) in endings {
      let simulation = try Simulation(
        catalog: .builtIn(), seed: 1, customers: 1, from: day(0), to: day(900), scenario: Scenario(named: name))
      let store = try simulation.live(0) { _, _ in }
      #expect(
        store.subscriptions.map { $0.truth(at: store.clock)?.state } == store.subscriptions.map { _ in state },
        "\(name)")
    }
  }
}

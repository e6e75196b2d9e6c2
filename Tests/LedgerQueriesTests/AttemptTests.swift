import AppStore
import Ledger
import TestSupport
import Testing

/// The app's own reports, replayed as StoreKit's queue made them in experiments, and what becomes of the attempts.
@Suite struct AttemptTests {
  static let token = CustomerFixture.token

  /// Hours after day 0.
  static func hour(_ number: Double) -> Instant { day(number / 24) }

  static func at(_ number: Double) -> QueryParameters { QueryParameters(asOf: hour(number), knownAt: hour(number)) }

  /// A ledger that heard of each event at its own instant.
  static func ledger(_ events: [(Double, String)], _ evidence: [ReceivedText] = []) async throws -> (
    LedgerRecorder, TemporaryFolder
  ) {
    try await ReceivedText.ledger(events.map { .init($0.1, received: hour($0.0)) } + evidence)
  }

  /// `state kind id xN finding`, in the order of the list.
  static func words(_ attempts: [PurchaseAttempt]) -> [String] {
    attempts.map { attempt in
      [
        attempt.state.rawValue, attempt.kind.rawValue, attempt.transactionID ?? "-", "+\(attempt.redeliveryCount)",
        attempt.isOpen ? "open" : "closed by \(attempt.closedBy?.rawValue ?? "?")", attempt.finding?.rawValue ?? "",
      ].joined(separator: " ").trimmingSuffix
    }
  }

  /// Both ways to ask must agree: over all queues, and over one customer's.
  static func attempts(_ ledger: LedgerRecorder, _ hour: Double, settled: Bool = true) throws -> [String] {
    let all = try ledger.reader.attempts(includesSettled: settled, at(hour)).filter { $0.customer == "user" }
    #expect(try ledger.reader.attempts(of: "user", includesSettled: settled, at(hour)) == all)
    return words(all)
  }

  static func event(
    _ hour: Double, _ state: String, id: String? = nil, originalID: String? = nil, product: String = "monthly",
    error: (String, Int)? = nil
  )
    -> (Double, String)
  {
    (
      hour,
      PayloadFixture.event(state, at: self.hour(hour), id: id, originalID: originalID, product: product, error: error)
    )
  }

  static func removed(_ hour: Double, _ state: String? = nil, id: String? = nil) -> (Double, String) {
    (hour, PayloadFixture.removed(state, at: self.hour(hour), id: id))
  }

  @Test(
    arguments: [
      ("just begun", [event(0, "purchasing")], ["in_flight purchase - +0 open"]),
      (
        "paid", [event(0, "purchasing"), event(1, "purchased", id: "7")],
        ["paid_unfinished purchase 7 +0 open paid_never_verified"]
      ),
      (
        "paid and finished",
        [event(0, "purchasing"), event(1, "purchased", id: "7"), removed(2, "purchased", id: "7")],
        ["finished purchase 7 +0 closed by device paid_never_verified"]
      ),
      (
        "cancelled by the customer",
        [event(0, "purchasing"), event(1, "failed", error: ("SKErrorDomain", 2)), removed(2)],
        ["cancelled purchase - +0 closed by device"]
      ),
      (
        "failed by another error",
        [event(0, "purchasing"), event(1, "failed", error: ("SKErrorDomain", 0)), removed(2)],
        ["failed purchase - +0 closed by device failed"]
      ),
      (
        "a failure that nothing announced", [event(1, "failed", error: ("ASDErrorDomain", 500))],
        ["failed purchase - +0 closed by device failed"]
      ),
      (
        "Ask to Buy, waiting", [event(0, "purchasing"), event(1, "deferred"), removed(1.1, "deferred")],
        ["waiting_for_approval purchase - +0 open"]
      ),
      (
        "Ask to Buy, approved later as a new purchased",
        [
          event(0, "purchasing"), event(1, "deferred"), event(9, "purchased", id: "7"),
          removed(9.1, "purchased", id: "7"),
        ],
        ["finished purchase 7 +0 closed by device paid_never_verified"]
      ),
      (
        "Ask to Buy, declined",
        [event(0, "purchasing"), event(1, "deferred"), event(9, "failed", error: ("SKErrorDomain", 2))],
        ["cancelled purchase - +0 closed by device"]
      ),
      (
        "finishing a purchasing transaction is a bug of the app", [event(0, "purchasing"), removed(1, "purchasing")],
        ["finished purchase - +0 closed by device finished_while_purchasing"]
      ),
      (
        "the same, told by itself", [removed(1, "purchasing")],
        ["finished purchase - +0 closed by device finished_while_purchasing"]
      ),
      (
        "removed without updated", [removed(1, id: "7")],
        ["finished delivery 7 +0 closed by device removed_without_update"]
      ),
      (
        "two products do not meet", [event(0, "purchasing"), event(1, "purchased", id: "7", product: "yearly")],
        ["in_flight purchase - +0 open", "paid_unfinished delivery 7 +0 open paid_never_verified"]
      ),
      (
        "a failed one with an id", [event(0, "purchasing"), event(1, "failed", id: "7", error: ("SKErrorDomain", 2))],
        ["cancelled purchase 7 +0 closed by device"]
      ),
      (
        "one after the other",
        [
          event(0, "purchasing"), event(1, "failed", error: ("SKErrorDomain", 2)), removed(1.1), event(2, "purchasing"),
          event(3, "purchased", id: "7"), removed(4, id: "7"), event(5, "purchasing"),
        ],
        [
          "in_flight purchase - +0 open", "cancelled purchase - +0 closed by device",
          "finished purchase 7 +0 closed by device paid_never_verified",
        ]
      ),
    ] as [(String, [(Double, String)], [String])])
  func `an attempt's state is the one that the device reported last`(
    name: String, events: [(Double, String)], expected: [String]
  ) async throws {
    let (ledger, folder) = try await Self.ledger(events)
    #expect(try Self.attempts(ledger, 48) == expected, "\(name)")
    withExtendedLifetime(folder) {}
  }

  // MARK: - The experiments

  @Test func `a launch that redelivers four in odd order counts four, each delivered again`() async throws {
    let first = [7, 8, 9, 10].map { Self.event(Double($0), "purchased", id: "\($0)", originalID: "7") }
    let launch = [9, 10, 8, 7].map {
      (20.0, PayloadFixture.event("purchased", at: Self.hour(20), id: "\($0)", originalID: "7"))
    }
    let again = [10, 7, 9, 8].map {
      (30.0, PayloadFixture.event("purchased", at: Self.hour(30), id: "\($0)", originalID: "7"))
    }
    let (ledger, folder) = try await Self.ledger(first + launch + again)
    let expected = [7, 8, 9, 10].map { "paid_unfinished delivery \($0) +2 open paid_never_verified" }
    #expect(try Self.attempts(ledger, 40) == expected)
    withExtendedLifetime(folder) {}
  }

  @Test func `one restore of nine periods makes nine new ids and not one purchase`() async throws {
    let periods = (0..<9).map { index in
      TransactionFixture("p\(index)", originalID: "p0", day(Double(index) * 30 - 270), day(Double(index) * 30 - 240))
    }
    let receipt = ReceivedText(
      PayloadFixture.receipt(at: day(-1), latest: periods, environment: "Production"), received: day(-1))
    let restored = (0..<9).map { Self.event(1, "restored", id: "r\($0)", originalID: "p0") }
    // Unfinished, they come again at the next launch, and then they say that they were purchased.
    let launch = (0..<9).reversed().map { Self.event(5, "purchased", id: "r\($0)", originalID: "p0") }
    let (ledger, folder) = try await Self.ledger(restored + launch, [receipt])
    let all = try ledger.reader.attempts(of: "user", Self.at(10))
    #expect(all.count == 9 && all.allSatisfy { $0.kind == .restore && $0.redeliveryCount == 1 })
    #expect(all.allSatisfy { $0.isInEvidence && !$0.isOpen && $0.finding == nil })
    #expect(try Self.attempts(ledger, 10, settled: false) == [])
    #expect(
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(10)).mayPurchase)
    // A restore of a line that no back end ever heard of is another matter.
    let (bare, bareFolder) = try await Self.ledger(restored)
    #expect(
      try bare.reader.attempts(of: "user", includesSettled: false, Self.at(10)).map(\.finding)
        == Array(repeating: .paidNeverVerified, count: 9))
    withExtendedLifetime((folder, bareFolder)) {}
  }

  @Test func `the counter that never falls: an account that signed out locks nobody out for ever`() async throws {
    let begun = [Self.event(0, "purchasing", product: "coins")]
    let (ledger, folder) = try await Self.ledger(begun)
    func clearance(_ ledger: LedgerRecorder, _ hour: Double) throws -> PurchaseClearance {
      try ledger.reader.clearance(of: "user", toPurchase: "coins", attemptTimeout: 600_000, Self.at(hour))
    }
    let soon = try clearance(ledger, 0.1)
    #expect(soon.obstacles.map(\.reason) == [.inFlight])
    #expect(soon.obstacles.first?.until == Instant(milliseconds: Self.hour(0).milliseconds + 600_000))
    #expect(try clearance(ledger, 0.2).mayPurchase)
    #expect(
      try ledger.reader.clearance(of: "user", toPurchase: "other", attemptTimeout: 600_000, Self.at(0.1)).mayPurchase)
    // The payment shows up in evidence, by a link or by the account's token: the attempt is over, whatever the device says.
    let token = PayloadFixture.event(
      "purchasing", at: Self.hour(0), product: "coins", customer: Self.token, device: "pad")
    let bought = CustomerFixture.bought("t1", token: Self.token, product: "coins", 0, nil, stated: 0)
    let (paid, paidFolder) = try await Self.ledger(begun + [(0, token)], [bought])
    #expect(try !clearance(paid, 0.1).mayPurchase)
    #expect(
      try paid.reader.clearance(of: Self.token, toPurchase: "coins", attemptTimeout: 600_000, Self.at(0.1)).mayPurchase)
    try paid.link("user", to: "t1", CustomerFixture.staffAction(0))
    #expect(try clearance(paid, 0.1).mayPurchase)
    #expect(try paid.reader.attempts(of: "user", Self.at(0.1)).map(\.closedBy) == [.evidence])
    withExtendedLifetime((folder, paidFolder)) {}
  }

  @Test func `killed between payment and delivery, and bought again: both attempts are paid`() async throws {
    let (ledger, folder) = try await Self.ledger([
      Self.event(0, "purchasing"), Self.event(1, "purchasing"), Self.event(1.01, "purchased", id: "7"),
      Self.event(1.02, "purchased", id: "8"), Self.removed(2, id: "7"), Self.removed(2, id: "8"),
    ])
    #expect(
      try Self.attempts(ledger, 3) == [
        "finished purchase 8 +0 closed by device paid_never_verified",
        "finished purchase 7 +0 closed by device paid_never_verified",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test func `renewals that happened while the app slept are deliveries, verified where the evidence has them`()
    async throws
  {
    let renewals = (1...3).map { Self.event(100, "purchased", id: "p\($0)", originalID: "p0") }
    let receipt = ReceivedText(
      PayloadFixture.receipt(
        at: day(2),
        latest: (0...2).map {
          TransactionFixture("p\($0)", originalID: "p0", Self.hour(Double($0)), Self.hour(Double($0) + 1))
        },
        environment: "Production"), received: day(2))
    let (ledger, folder) = try await Self.ledger(renewals, [receipt])
    #expect(
      try Self.attempts(ledger, 101) == [
        "paid_unfinished delivery p3 +0 open paid_never_verified",
        "paid_unfinished delivery p1 +0 closed by evidence", "paid_unfinished delivery p2 +0 closed by evidence",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test func `waiting for approval ends by itself after a day; what is theirs, with its period`() async throws {
    let (ledger, folder) = try await Self.ledger(
      [Self.event(0, "purchasing"), Self.event(1, "deferred")],
      [CustomerFixture.bought("t1", token: Self.token, product: "yearly", 0, 30, stated: 0)])
    let waiting = try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(20))
    #expect(waiting.obstacles.map(\.reason) == [.waitingForApproval] && waiting.obstacles[0].until == Self.hour(25))
    #expect(
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(25)).mayPurchase)
    let theirs = try ledger.reader.clearance(of: Self.token, toPurchase: "yearly", attemptTimeout: 0, Self.at(20))
    #expect(theirs.obstacles.map(\.reason) == [.alreadyEntitled] && theirs.obstacles[0].until == day(30))
    #expect(
      try ledger.reader.clearance(of: Self.token, toPurchase: "yearly", in: .sandbox, attemptTimeout: 0, Self.at(20))
        .mayPurchase)
    #expect(
      try ledger.reader.clearance(of: Self.token, toPurchase: "monthly", attemptTimeout: 0, Self.at(20)).mayPurchase)
    withExtendedLifetime(folder) {}
  }

  @Test func `a device's clock is not believed beyond the instant at which its word arrived`() async throws {
    let future = (1.0, PayloadFixture.event("purchasing", at: Self.hour(9000)))
    let (ledger, folder) = try await Self.ledger([future])
    let attempt = try #require(try ledger.reader.attempts(of: "user", Self.at(2)).first)
    #expect(attempt.isFromFuture && attempt.beganAt == Self.hour(1))
    #expect(
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(2)).mayPurchase)
    withExtendedLifetime(folder) {}
  }

  @Test func `an order that cannot be still ends the attempt`() async throws {
    // Removed before it was purchased, purchased before it was purchasing: by a clock that was set back.
    let (ledger, folder) = try await Self.ledger([
      (1, PayloadFixture.removed("purchased", at: Self.hour(0.1), id: "7")),
      (1, PayloadFixture.event("purchased", at: Self.hour(0.2), id: "7")),
      (1, PayloadFixture.event("purchasing", at: Self.hour(0.3))),
      (1, PayloadFixture.event("failed", at: Self.hour(0.3), error: ("SKErrorDomain", 2))),
    ])
    #expect(
      try Self.attempts(ledger, 2) == [
        "finished delivery 7 +0 closed by device paid_never_verified", "cancelled purchase - +0 closed by device",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test func `one person's devices are one row of purchases: an approval may reach another, a removal may name none`()
    async throws
  {
    func on(_ device: String?, _ hour: Double, _ state: String, id: String? = nil) -> (Double, String) {
      (hour, PayloadFixture.event(state, at: Self.hour(hour), id: id, device: device))
    }
    let (ledger, folder) = try await Self.ledger([
      on("phone", 0, "purchasing"), on("phone", 1, "deferred"), on("pad", 5, "purchased", id: "7"),
      (6, PayloadFixture.removed("purchased", at: Self.hour(6), id: "7", device: nil)),
      on("phone", 7, "purchased", id: "7"),
    ])
    #expect(
      try Self.attempts(ledger, 10) == ["finished purchase 7 +1 closed by device paid_never_verified"])
    withExtendedLifetime(folder) {}
  }

  @Test func `an attempt that a later one has overtaken does not stay in flight`() async throws {
    let (ledger, folder) = try await Self.ledger([
      Self.event(0, "purchasing"), Self.event(1, "purchasing"), Self.event(2, "purchased", id: "7"),
    ])
    #expect(
      try Self.attempts(ledger, 3) == [
        "paid_unfinished purchase 7 +0 open paid_never_verified", "abandoned purchase - +0 closed by device",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test
  func `a payment that is known and is not linked to who made it is for support to look at, and not to be repeated`()
    async throws
  {
    let (ledger, folder) = try await Self.ledger(
      [Self.event(0, "purchasing"), Self.event(1, "purchased", id: "t1")],
      [CustomerFixture.bought("t1", 0, 30, stated: 0)])
    #expect(try Self.attempts(ledger, 2) == ["paid_unfinished purchase t1 +0 closed by evidence"], "nobody's yet")
    #expect(try ledger.reader.attempts(of: "user", Self.at(2)).map(\.isTheirs) == [false])
    try ledger.link("other", to: "t1", CustomerFixture.staffAction(0))
    #expect(try Self.attempts(ledger, 2) == ["paid_unfinished purchase t1 +0 closed by evidence paid_not_theirs"])
    let clearance = try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(2))
    #expect(clearance.obstacles.map(\.reason) == [.paidNotTheirs] && clearance.obstacles[0].until == day(30))
    guard case .purchase(let originalID)? = try ledger.reader.search("t1").matches.first else {
      Issue.record("not found")
      return
    }
    #expect(try ledger.reader.reporters(of: originalID, Self.at(2)) == ["user"])
    try ledger.link("user", to: "t1", since: day(0), CustomerFixture.staffAction(0))
    #expect(try Self.attempts(ledger, 2) == ["paid_unfinished purchase t1 +0 closed by evidence"])
    #expect(
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(2)).obstacles.map(
        \.reason)
        == [.alreadyEntitled])
    withExtendedLifetime(folder) {}
  }

  @Test func `what was answered with what was known stays answered so, and nobody's word is no evidence`() async throws
  {
    let (ledger, folder) = try await Self.ledger(
      [Self.event(0, "purchasing"), Self.event(1, "purchased", id: "t1")],
      [
        CustomerFixture.bought("t1", token: Self.token, 0, 30, stated: 0),
        .init(TransactionFixture("x9", originalID: "x9", day(0), day(30)).signed(day(0), environment: "Production")),
      ])
    let parameters = QueryParameters(asOf: Self.hour(2), knownAt: Self.hour(2))
    func reasons() throws -> [PurchaseClearance.Obstacle.Reason] {
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 0, parameters).obstacles.map(
        \.reason)
    }
    #expect(try reasons() == [.paidNotTheirs])
    try ledger.link("user", to: "t1", CustomerFixture.staffAction(9))
    #expect(try reasons() == [.paidNotTheirs])
    let (doubtful, other) = try await Self.ledger(
      [Self.event(1, "purchased", id: "x9")],
      [.init(TransactionFixture("x9", originalID: "x9", day(0), day(30)).signed(day(0), environment: "Production"))])
    #expect(try Self.attempts(doubtful, 2) == ["paid_unfinished delivery x9 +0 open paid_never_verified"])
    withExtendedLifetime((folder, other)) {}
  }

  @Test func `who has just paid and finished is asked to wait until the evidence can have come`() async throws {
    let (ledger, folder) = try await Self.ledger([
      Self.event(0, "purchasing"), Self.event(1, "purchased", id: "7"), Self.removed(1.01, id: "7"),
    ])
    func reasons(_ hour: Double) throws -> [PurchaseClearance.Obstacle.Reason] {
      try ledger.reader.clearance(of: "user", toPurchase: "monthly", attemptTimeout: 600_000, Self.at(hour)).obstacles
        .map(\.reason)
    }
    #expect(try reasons(1.1) == [.paidNotVerified])
    #expect(try reasons(1.2) == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `words that StoreKit does not have are problems, and begin nothing`() async throws {
    let (ledger, folder) = try await Self.ledger([Self.event(0, "wibble"), Self.event(1, "SKPaymentPurchased")])
    #expect(try Self.attempts(ledger, 3) == [])
    var problems: [Value] = []
    try ledger.reader.query("SELECT code, path FROM problem", Self.at(9), columns: { _ in }, row: { problems += $0 })
    #expect(
      problems == [
        .text("unknown_value"), .text("$.transaction_state"), .text("unknown_value"), .text("$.transaction_state"),
      ])
    withExtendedLifetime(folder) {}
  }

  // MARK: - Laws

  static func random(_ seed: UInt64) -> [(Double, String)] {
    var random = SplitMix(seed: seed)
    return (0..<Int.random(in: 5...40, using: &random)).map { _ in
      let hour = Double(Int.random(in: 0...30, using: &random))
      let state = ["purchasing", "purchased", "failed", "deferred", "restored"].randomElement(using: &random) ?? ""
      let hasID = state != "purchasing" && random.once(in: 2)
      let id = hasID ? "L1-\(Int.random(in: 0...3, using: &random))" : nil
      let device = ["phone", "pad", nil][Int.random(in: 0...2, using: &random)]
      let text =
        random.once(in: 3)
        ? PayloadFixture.removed(random.once(in: 2) ? state : nil, at: self.hour(hour), id: id, device: device)
        : PayloadFixture.event(
          state, at: self.hour(hour), id: id, originalID: "L1", product: random.once(in: 4) ? "yearly" : "monthly",
          device: device,
          error: random.once(in: 2) ? ("SKErrorDomain", Int.random(in: 0...3, using: &random)) : nil)
      return (hour + Double(Int.random(in: 0...3, using: &random)), text)
    }
  }

  @Test(arguments: RandomChoice.seeds)
  func `reports in any order, repeated and split, give the same attempts`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 9)
    let events = Self.random(seed)
    let (first, folder) = try await Self.ledger(events)
    let again = (events + events.filter { _ in random.once(in: 3) }).shuffled(using: &random)
    let (second, other) = try await Self.ledger(again)
    for hour in [0.5, 7, 20, 50] {
      #expect(try Self.attempts(first, hour) == Self.attempts(second, hour), "seed \(seed)")
    }
    let all = try first.reader.attempts(Self.at(50))
    // Each event is in one attempt: no id in two of one queue, none without a state.
    let ids = all.compactMap { attempt in
      attempt.transactionID.map { "\(attempt.device ?? "-") \(attempt.productID) \($0)" }
    }
    #expect(Set(ids).count == ids.count, "seed \(seed)")
    withExtendedLifetime((folder, other)) {}
  }

  @Test(arguments: RandomChoice.seeds)
  func `no client event ever gives or takes access`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 20)
    let bench = try LedgerBench([history.arrivals])
    let tokens = try bench.ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    #expect(tokens == 1)
    try bench.ledger.link("user", to: "L1", CustomerFixture.staffAction(0))
    let questions = [day(10), day(40), day(90)].map { QueryParameters(asOf: $0, knownAt: day(1e5)) }
    func answers() throws -> [String] {
      try questions.flatMap { parameters in
        try bench.answers(parameters).map(\.description)
          + bench.ledger.reader.accesses(of: "user", parameters).map { "\($0)" }
      }
    }
    let before = try answers()
    for (hour, text) in Self.random(seed) {
      let outcomes = await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes
      try bench.ledger.record(
        outcomes.map { Arrival(outcome: $0, receivedAt: Self.hour(hour), isExplicit: true, origin: "app") })
    }
    #expect(try answers() == before, "seed \(seed)")
  }
}

extension String {
  fileprivate var trimmingSuffix: String { hasSuffix(" ") ? String(dropLast()) : self }
}

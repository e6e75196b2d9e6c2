import AppStore
import Ledger
import TestSupport
import Testing

/// Seats that the app gives to customers (rules §9): what they give, what ends them, and what is refused.
@Suite struct SeatClaimTests {
  /// Three seats for a month, which the app gives.
  static let three = team("t1", seats: 3)

  static func team(_ id: String, seats: Int, management: String? = "DEVELOPER") -> SeatFixture {
    SeatFixture(id, day(0), day(30), seats: seats, tiers: [(10, seats)]).with {
      ($0.originalID, $0.management) = (id, management)
    }
  }

  static func staffAction(_ at: Double) -> StaffAction {
    StaffAction(author: "server", reason: "joined", enteredAt: day(at))
  }

  /// Apple's notification about claims that it released.
  static func released(_ ids: [String], at instant: Double) -> ReceivedText {
    let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
    return ReceivedText(
      """
      {"notificationType":"UNCLAIM_SEATS","notificationUUID":"u\(instant)","version":"2.0",\
      "signedDate":\(day(instant).milliseconds),"unclaimInfo":{"unclaimSeatIds":[\(list)]}}
      """, received: day(instant))
  }

  /// A ledger with the purchaser's evidence and a catalogue in which the product grants `pro`.
  struct SeatBench {
    let ledger: LedgerRecorder
    private let folder: TemporaryFolder

    init(_ texts: [ReceivedText] = [three.at()]) async throws {
      (ledger, folder) = try await ReceivedText.ledger(texts)
      _ = try ledger.entitle("pro", products: ["team"], of: "b", now: day(0))
    }

    func add(_ texts: [ReceivedText]) async throws { try await ReceivedText.record(texts, in: ledger) }

    /// Whether a customer has `pro`, and by what.
    func access(_ customer: String, _ asOf: Double, knownAt: Double = 1000) throws -> String {
      let parameters = QueryParameters(asOf: day(asOf), knownAt: day(knownAt))
      switch try ledger.reader.access(of: customer, to: "pro", in: .sandbox, parameters) {
      case .decided(let access): return (access.hasAccess ? "yes" : "no") + " by \(access.basis.rawValue)"
      case .nothing: return "nothing"
      case .unknownCustomer: return "unknown"
      case .unknownEntitlement: return "unknown entitlement"
      }
    }

    func claims(_ asOf: Double) throws -> [CustomerSeatClaim] {
      try ledger.reader.claimedSubscriptions(QueryParameters(asOf: day(asOf), knownAt: day(1000)))
    }
  }

  @Test func `a claim gives the purchaser's entitlements, as long as both last`() async throws {
    let bench = try await SeatBench()
    let first = try bench.ledger.claimSeat(of: "t1", for: "ann", seatClaimID: "c1", at: day(5), Self.staffAction(5))
    #expect(first == (true, 3, 1))
    for (asOf, knownAt, expected) in [
      (4.0, 1000.0, "nothing"), (5, 1000, "yes by seat_claim"), (5, 4, "unknown"), (29, 1000, "yes by seat_claim"),
      (31, 1000, "no by seat_claim"),
    ] {
      #expect(try bench.access("ann", asOf, knownAt: knownAt) == expected, "\(asOf) known at \(knownAt)")
    }
    try bench.ledger.unclaimSeat(of: "t1", from: "ann", at: day(10), Self.staffAction(10))
    #expect(try bench.access("ann", 9) == "yes by seat_claim")
    #expect(try bench.access("ann", 10) == "nothing")
    #expect(try bench.access("ann", 11, knownAt: 9) == "yes by seat_claim")
    // A claim is not a link: the purchase does not belong to the member.
    let parameters = QueryParameters(asOf: day(9), knownAt: day(1000))
    #expect(try bench.ledger.reader.record(of: "ann", parameters).claims == [])
    #expect(try bench.ledger.reader.seatClaims(of: "ann", parameters).map(\.isReleasedByApple) == [false])
    #expect(try await bench.ledger.reader.audit([.file]) == [])
  }

  @Test func `Apple ends the claims that it names, at its signed date`() async throws {
    let bench = try await SeatBench()
    for (customer, id) in [("ann", "c1"), ("ben", "c2")] {
      try bench.ledger.claimSeat(of: "t1", for: customer, seatClaimID: id, at: day(5), Self.staffAction(5))
    }
    try await bench.add([Self.released(["c2", "unknown"], at: 12), Self.released(["never stated"], at: 13)])
    #expect(try bench.access("ben", 11) == "yes by seat_claim")
    #expect(try bench.access("ben", 12) == "nothing")
    #expect(try bench.access("ann", 14) == "yes by seat_claim")
    let parameters = QueryParameters(asOf: day(14), knownAt: day(1000))
    #expect(try bench.ledger.reader.seatClaims(of: "ben", parameters).map(\.isReleasedByApple) == [true])
    #expect(try bench.ledger.unclaimSeat(of: "t1", from: "ben", at: day(15), Self.staffAction(15)) == false)
  }

  @Test func `more claims than seats are reported, and end nobody's access`() async throws {
    let bench = try await SeatBench()
    for customer in ["ann", "ben", "cy"] {
      try bench.ledger.claimSeat(of: "t1", for: customer, at: day(5), Self.staffAction(5))
    }
    try await bench.add([Self.three.with { $0.refunded = 2 }.at(day(10))])
    #expect(try bench.claims(9).map { "\($0.openClaimCount) \($0.seats ?? -1)" } == ["3 3"])
    #expect(try bench.claims(11).map { "\($0.openClaimCount) \($0.seats ?? -1)" } == ["3 1"])
    for customer in ["ann", "ben", "cy"] { #expect(try bench.access(customer, 11) == "yes by seat_claim") }
    #expect(throws: LedgerError.self) {
      try bench.ledger.claimSeat(of: "t1", for: "dan", at: day(11), Self.staffAction(11))
    }
  }

  /// What must not give anybody access: the name, what is tried, and the words of the refusal.
  private static let refusals: [(name: String, attempt: @Sendable (LedgerRecorder) throws -> Void, words: String)] = [
    ("an unknown id", { try $0.claimSeat(of: "t9", for: "eve", at: day(6), staffAction(6)) }, "does not know this id"),
    (
      "a group whose seats Apple gives", { try $0.claimSeat(of: "apple", for: "eve", at: day(6), staffAction(6)) },
      "Apple gives the seats"
    ),
    (
      "a subscription for one", { try $0.claimSeat(of: "single", for: "eve", at: day(6), staffAction(6)) },
      "states no seats"
    ),
    (
      "a member's transaction, which states the purchaser's seats",
      { try $0.claimSeat(of: "member", for: "eve", at: day(6), staffAction(6)) }, "a member's subscription"
    ),
    (
      "one claim more than seats", { try $0.claimSeat(of: "t1", for: "eve", at: day(6), staffAction(6)) },
      "All 3 seats are claimed"
    ),
    (
      "the claim id of another customer",
      { try $0.claimSeat(of: "t1", for: "eve", seatClaimID: "c1", at: day(6), staffAction(6)) },
      "belongs to another claim"
    ),
    (
      "a claim id that was released",
      { try $0.claimSeat(of: "t1", for: "eve", seatClaimID: "c9", at: day(6), staffAction(6)) },
      "a claim that has ended"
    ),
    (
      "a second claim id for one customer",
      { try $0.claimSeat(of: "t1", for: "ann", seatClaimID: "c7", at: day(6), staffAction(6)) }, "already"
    ),
    ("before the purchase", { try $0.claimSeat(of: "t1", for: "eve", at: day(-1), staffAction(6)) }, "had not begun"),
    ("after the end", { try $0.claimSeat(of: "t1", for: "eve", at: day(40), staffAction(40)) }, "has no seats"),
    ("no customer", { try $0.claimSeat(of: "t1", for: " ", at: day(6), staffAction(6)) }, "empty"),
    (
      "an unclaim of somebody without a seat",
      { try $0.unclaimSeat(of: "t1", from: "eve", at: day(6), staffAction(6)) },
      "had no seat"
    ),
    (
      "an unclaim of an unknown id", { try $0.unclaimSeat(of: "t9", from: "ann", at: day(6), staffAction(6)) },
      "does not know"
    ),
  ]

  @Test(arguments: refusals.indices) func `what gives no seat is refused, and changes nothing`(index: Int) async throws
  {
    let one = Self.refusals[index]
    let single = Self.team("single", seats: 1, management: nil)
    let member = Self.team("member", seats: 3).with { $0.ownership = "ASSIGNED" }
    let bench = try await SeatBench([
      Self.three.at(), Self.team("apple", seats: 3, management: "APPLE").at(), single.at(), member.at(),
    ])
    for (customer, id) in [("ann", "c1"), ("ben", "c2"), ("cy", "c3")] {
      try bench.ledger.claimSeat(of: "t1", for: customer, seatClaimID: id, at: day(5), Self.staffAction(5))
    }
    try bench.ledger.unclaimSeat(of: "t1", from: "ben", at: day(5.5), Self.staffAction(5.5))
    try bench.ledger.claimSeat(of: "t1", for: "ben", seatClaimID: "c9", at: day(5.6), Self.staffAction(5.6))
    try bench.ledger.unclaimSeat(of: "t1", from: "ben", at: day(5.7), Self.staffAction(5.7))
    try bench.ledger.claimSeat(of: "t1", for: "ben", seatClaimID: "c8", at: day(5.8), Self.staffAction(5.8))
    let error = #expect(throws: LedgerError.self, "\(one.name)") { try one.attempt(bench.ledger) }
    #expect(error.map { $0.description.contains(one.words) } ?? false, "\(one.name): \(String(describing: error))")
    #expect(try bench.access("eve", 7) != "yes by seat_claim", "\(one.name)")
    #expect(try bench.claims(7).map(\.openClaimCount) == [3], "\(one.name)")
    #expect(try bench.access("ann", 7) == "yes by seat_claim", "\(one.name)")
  }

  @Test func `a claim that is repeated is recorded once`() async throws {
    let bench = try await SeatBench()
    for turn in 0..<3 {
      let done = try bench.ledger.claimSeat(of: "t1", for: "ann", seatClaimID: "c1", at: day(5), Self.staffAction(5))
      #expect(done == (turn == 0, 3, 1))
    }
    #expect(try bench.claims(6).map(\.openClaimCount) == [1])
  }
}

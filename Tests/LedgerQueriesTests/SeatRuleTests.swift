import AppStore
import Ledger
import TestSupport
import Testing

/// The rules about seats (rules §3, §4e and §7), as worked examples: what was bought for a team, and what follows.
@Suite struct SeatRuleTests {
  static func may(_ number: Double) -> Instant { day(119 + number) }
  static func june(_ number: Double) -> Instant { day(150 + number) }

  /// What Apple states of a transaction at one instant.
  struct Stated {
    var id: String
    var from: Instant
    var until = june(1)
    var seats: Int
    var product = "team"
    var hasReason = false
    var refunded: Int?
    var revoked: Instant?
    var isUpgraded = false
    var ownership = "PURCHASED"
    var revocationType: String?

    /// The transaction with all that Apple states of it.
    var fixture: TransactionFixture {
      var members = [("quantity", "\(seats)"), ("inAppOwnershipType", "\"\(ownership)\"")]
      if hasReason { members.append(("additionalTransactionReason", "\"SEAT_ADDITION\"")) }
      if let revocationType { members.append(("revocationType", "\"\(revocationType)\"")) }
      let refund = refunded.map { ",\"revokedSeatQuantity\":\($0)" } ?? ""
      members.append(("multiSeatInfo", "{\"invitationManagement\":\"APPLE\"\(refund)}"))
      return TransactionFixture(
        id, product: product, from, until, revoked: revoked, isUpgraded: isUpgraded, extra: members)
    }

    /// Returns the signed text, stated at an instant: that of the purchase, where none is given.
    func at(_ instant: Instant? = nil, received: Instant? = nil) -> ReceivedText {
      ReceivedText(fixture.signed(instant ?? from), received: received ?? instant ?? from)
    }

    func with(_ change: (inout Stated) -> Void) -> Stated {
      var copy = self
      change(&copy)
      return copy
    }
  }

  /// Eight seats for a month.
  static let eight = Stated(id: "A", from: may(1), seats: 8)
  /// The same, after seats were added in the month.
  static let eightOfSeveral = eight.with { $0.hasReason = true }
  /// Four seats that were added.
  static let four = Stated(id: "B", from: may(10), seats: 4, hasReason: true)
  static let member = Stated(id: "M", from: may(3), seats: 8, hasReason: true, ownership: "ASSIGNED")

  static func refunded(_ stated: Stated, _ instant: Instant) -> ReceivedText {
    stated.with { $0.revoked = instant }.at(instant)
  }

  static func receipt(_ stated: [Stated], at instant: Instant) -> ReceivedText {
    ReceivedText(PayloadFixture.receipt(at: instant, latest: stated.map(\.fixture)), received: instant)
  }

  static func renewal(_ renewal: RenewalFixture, at instant: Instant) -> ReceivedText {
    ReceivedText(renewal.signed(instant), received: instant)
  }

  typealias Case = (name: String, texts: [ReceivedText], answers: [(asOf: Instant, knownAt: Instant?, answer: String)])

  static let examples: [Case] = [
    (
      "a failed payment with a grace period",
      [eight.at(), renewal(RenewalFixture(product: "team", retry: true, grace: june(17)), at: june(1))],
      [(may(31), nil, "active 8"), (june(5), nil, "grace_period 8"), (june(18), nil, "billing_retry 0")]
    ),
    (
      "seats are added", [eightOfSeveral.at(may(10)), four.at()],
      [(may(9), nil, "active 8"), (may(10), nil, "active 12"), (may(31), nil, "active 12")]
    ),
    (
      "an addition that is recorded later, and an older version that does not name it",
      [eight.at(), four.at(received: may(12))],
      [(may(20), may(11), "active 8"), (may(20), may(12), "active 12"), (may(9), nil, "active 8")]
    ),
    (
      "one of two transactions is refunded", [eightOfSeveral.at(may(10)), four.at(), refunded(four, may(20))],
      [(may(19), nil, "active 12"), (may(20), nil, "active 8"), (may(31), nil, "active 8")]
    ),
    (
      "both are refunded, one after the other", [refunded(eightOfSeveral, may(20)), refunded(four, may(22))],
      [(may(20), nil, "active 4"), (may(22), nil, "revoked 0"), (june(2), nil, "revoked 0")]
    ),
    (
      "some seats are refunded", [eight.at(), eight.with { $0.refunded = 3 }.at(may(20))],
      [(may(19), nil, "active 8"), (may(20), nil, "active 5"), (may(31), nil, "active 5")]
    ),
    (
      "some seats of one transaction, and all of the other",
      [
        eightOfSeveral.at(may(10)), eightOfSeveral.with { $0.refunded = 2 }.at(may(20)), four.at(),
        refunded(four, may(20)),
      ], [(may(19), nil, "active 12"), (may(20), nil, "active 6"), (may(31), nil, "active 6")]
    ),
    (
      "a refund of seats is taken back",
      [eight.at(), eight.with { $0.refunded = 3 }.at(may(20)), eight.at(may(25))],
      [(may(22), may(24), "active 5"), (may(22), may(26), "active 8"), (may(26), nil, "active 8")]
    ),
    (
      "fewer seats from the renewal on",
      [
        eight.at(), renewal(RenewalFixture(product: "team", status: true, seats: 5), at: may(15)),
        Stated(id: "C", from: june(1), until: day(181), seats: 5).at(),
      ], [(may(20), nil, "active 8 next 5"), (june(1), nil, "active 5 next 5"), (june(15), nil, "active 5 next 5")]
    ),
    (
      "an upgrade to another product",
      [
        eightOfSeveral.with { $0.isUpgraded = true }.at(may(15)), four.with { $0.isUpgraded = true }.at(may(15)),
        Stated(id: "U", from: may(15), until: june(15), seats: 12, product: "max").at(),
      ], [(may(14), nil, "active 12"), (may(15), nil, "active 12"), (june(14), nil, "active 12")]
    ),
    (
      "a member, whose transaction states the seats of all, leaves",
      [
        member.at(),
        member.with {
          $0.revoked = may(20)
          $0.revocationType = "ASSIGNMENT_REVOKE"
        }.at(may(20)),
      ], [(may(19), nil, "active -"), (may(20), nil, "revoked -"), (may(31), nil, "revoked -")]
    ),
    (
      "the only known one of several is refunded", [four.at(), refunded(four, may(20))],
      [(may(19), nil, "active -"), (may(20), nil, "active - unconfirmed"), (june(2), nil, "expired - unconfirmed")]
    ),
    (
      "a later receipt, which cannot state seats, does not take access from the rest",
      [
        eightOfSeveral.with { $0.refunded = 2 }.at(may(10)), four.at(),
        receipt([eight, four.with { $0.revoked = may(20) }], at: may(21)),
      ], [(may(19), nil, "active 10"), (may(20), nil, "active 6"), (june(1), nil, "expired 0 unconfirmed")]
    ),
    (
      "an upgrade whose successor is missing",
      [eightOfSeveral.with { $0.isUpgraded = true }.at(may(15)), four.with { $0.isUpgraded = true }.at(may(16))],
      [
        (may(15), nil, "active 4"), (may(16), nil, "expired 0 unconfirmed"), (june(2), nil, "expired 0 unconfirmed"),
      ]
    ),
    (
      "an addition that ends later than the rest",
      [eightOfSeveral.at(may(10)), four.with { $0.until = june(10) }.at(), refunded(eightOfSeveral, may(20))],
      [(may(19), nil, "active 12"), (june(5), nil, "active 4"), (june(10), nil, "expired 0 unconfirmed")]
    ),
    (
      "a later transaction of another product is no addition",
      [eightOfSeveral.at(may(10)), four.with { $0.product = "max" }.at(), refunded(eightOfSeveral, may(20))],
      [(may(9), nil, "active -"), (may(10), nil, "active -"), (may(21), nil, "active -")]
    ),
  ]

  @Test(arguments: examples.indices) func `3, 4e, 7: the period decides, and its seats are counted`(place: Int)
    async throws
  {
    let one = Self.examples[place]
    // The order of import has no effect.
    for texts in [one.texts, one.texts.reversed()] {
      let (ledger, folder) = try await ReceivedText.ledger(texts)
      for (asOf, knownAt, expected) in one.answers {
        let question = Question(asOf: asOf, knownAt: knownAt ?? day(1e5))
        let answer = try #require(try ledger.reader.entitlements(question).first)
        let words =
          [answer.state.rawValue, answer.seats.map(String.init) ?? "-"]
          + (answer.isConfirmed ? [] : ["unconfirmed"]) + (answer.seatsNext.map { ["next \($0)"] } ?? [])
        #expect(words.joined(separator: " ") == expected, "\(one.name), as of \(asOf)")
      }
      #expect(try await ledger.reader.audit([.file]) == [])
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `7: a subscription without price tiers and additions has the seats of its transaction`() async throws {
    for (quantity, ownership, seats) in [
      (nil, nil, nil), ("1", nil, 1), ("3", "PURCHASED", 3), ("3", "FAMILY_SHARED", nil),
    ]
      as [(String?, String?, Int?)]
    {
      let members =
        (quantity.map { [("quantity", $0)] } ?? []) + (ownership.map { [("inAppOwnershipType", "\"\($0)\"")] } ?? [])
      let text = ReceivedText(TransactionFixture(day(0), day(30), extra: members).signed(day(0)))
      #expect(try await RuleTests.answer([text], asOf: 10)?.seats == seats)
      #expect(try await RuleTests.answer([text], asOf: 40)?.seats == seats.map { _ in 0 })
    }
  }
}

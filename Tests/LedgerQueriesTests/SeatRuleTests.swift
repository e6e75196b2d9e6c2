import AppStore
import Ledger
import TestSupport
import Testing

/// The rules about seats (rules §3, §4e and §7), as worked examples: what was bought for a team, and what follows.
@Suite struct SeatRuleTests {
  static func may(_ number: Double) -> Instant { day(119 + number) }
  static func june(_ number: Double) -> Instant { day(150 + number) }

  /// Eight seats for a month.
  static let eight = SeatFixture("A", may(1), june(1), seats: 8, tiers: [(10, 5), (8, 3)])
  /// The same, after seats were added in the month.
  static let eightOfSeveral = eight.with { $0.hasReason = true }
  /// Four seats that were added.
  static let four = SeatFixture("B", may(10), june(1), seats: 4, hasReason: true, tiers: [(8, 4)])
  static let member = SeatFixture(
    "M", may(3), june(1), seats: 8, hasReason: true, ownership: "ASSIGNED", tiers: [(10, 5), (8, 3)])

  static func refunded(_ stated: SeatFixture, _ instant: Instant) -> ReceivedText {
    stated.with { $0.revoked = instant }.at(instant)
  }

  static func receipt(_ stated: [SeatFixture], at instant: Instant) -> ReceivedText {
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
      [(may(31), nil, "active 8 | 74"), (june(5), nil, "grace_period 8 | 74"), (june(18), nil, "billing_retry 0 | 74")]
    ),
    (
      "seats are added", [eightOfSeveral.at(may(10)), four.at()],
      [(may(9), nil, "active 8 | 74"), (may(10), nil, "active 12 | 106"), (may(31), nil, "active 12 | 106")]
    ),
    (
      "an addition that is recorded later, and an older version that does not name it",
      [eight.at(), four.at(received: may(12))],
      [(may(20), may(11), "active 8 | 74"), (may(20), may(12), "active 12 | 106"), (may(9), nil, "active 8 | 74")]
    ),
    (
      "one of two transactions is refunded", [eightOfSeveral.at(may(10)), four.at(), refunded(four, may(20))],
      [(may(19), nil, "active 12 | 106"), (may(20), nil, "active 8 | 74"), (may(31), nil, "active 8 | 74")]
    ),
    (
      "both are refunded, one after the other", [refunded(eightOfSeveral, may(20)), refunded(four, may(22))],
      [(may(20), nil, "active 4 | 32"), (may(22), nil, "revoked 0 | 0"), (june(2), nil, "revoked 0 | 0")]
    ),
    (
      "some seats are refunded", [eight.at(), eight.with { $0.refunded = 3 }.at(may(20))],
      [
        (may(19), nil, "active 8 | 74"), (may(20), nil, "active 5 | 46.25 estimated"),
        (may(31), nil, "active 5 | 46.25 estimated"),
      ]
    ),
    (
      "some seats of one transaction, and all of the other",
      [
        eightOfSeveral.at(may(10)), four.at(),
        eightOfSeveral.with { ($0.refunded, $0.percentage) = (2, 25_000) }.at(may(20)), refunded(four, may(20)),
      ], [(may(19), nil, "active 12 | 106"), (may(20), nil, "active 6 | 55.5"), (may(31), nil, "active 6 | 55.5")]
    ),
    (
      "a refund of seats is taken back",
      [eight.at(), eight.with { $0.refunded = 3 }.at(may(20)), eight.at(may(25))],
      [
        (may(22), may(24), "active 5 | 46.25 estimated"), (may(22), may(26), "active 8 | 74"),
        (may(26), nil, "active 8 | 74"),
      ]
    ),
    (
      "fewer seats from the renewal on",
      [
        eight.at(), renewal(RenewalFixture(product: "team", status: true, seats: 5), at: may(15)),
        SeatFixture("C", june(1), day(181), seats: 5, tiers: [(10, 5)]).at(),
      ],
      [
        (may(20), nil, "active 8 next 5 | 74"), (june(1), nil, "active 5 next 5 | 124"),
        (june(15), nil, "active 5 next 5 | 124"),
      ]
    ),
    (
      "an upgrade to another product",
      [
        eightOfSeveral.with { $0.isUpgraded = true }.at(may(15)), four.with { $0.isUpgraded = true }.at(may(15)),
        SeatFixture("U", may(15), june(15), seats: 12, product: "max", tiers: [(15, 12)]).at(),
      ], [(may(14), nil, "active 12 | 106"), (may(15), nil, "active 12 | 286"), (june(14), nil, "active 12 | 286")]
    ),
    (
      "a member, whose transaction states the seats of all, leaves",
      [
        member.at(),
        member.with {
          $0.revoked = may(20)
          $0.revocationType = "ASSIGNMENT_REVOKE"
        }.at(may(20)),
      ], [(may(19), nil, "active - | -"), (may(20), nil, "revoked - | -"), (may(31), nil, "revoked - | -")]
    ),
    (
      "the only known one of several is refunded", [four.at(), refunded(four, may(20))],
      [
        (may(19), nil, "active - | 32"), (may(20), nil, "active - unconfirmed | 0"),
        (june(2), nil, "expired - unconfirmed | 0"),
      ]
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
      "a later transaction of another product is not an addition",
      [eightOfSeveral.at(may(10)), four.with { $0.product = "max" }.at(), refunded(eightOfSeveral, may(20))],
      [(may(9), nil, "active -"), (may(10), nil, "active -"), (may(21), nil, "active -")]
    ),
    (
      "a transaction of before a change to another product and back is not of the period, though it has not ended",
      [
        eight.at(), SeatFixture("B", may(5), june(5), seats: 1, product: "max").at(),
        SeatFixture("C", may(8), june(8), seats: 3, hasReason: true).at(may(10)),
        SeatFixture("D", may(10), june(8), seats: 6, hasReason: true).at(),
      ], [(may(4), nil, "active 8"), (may(9), nil, "active 3"), (may(11), nil, "active 9"), (june(2), nil, "active 9")]
    ),
  ]

  @Test(arguments: examples.indices) func `3, 4e, 7: the period decides, and its seats are counted`(index: Int)
    async throws
  {
    let one = Self.examples[index]
    // The order of import has no effect.
    for texts in [one.texts, one.texts.reversed()] {
      let (ledger, folder) = try await ReceivedText.ledger(texts)
      for (asOf, knownAt, expected) in one.answers {
        let parameters = QueryParameters(asOf: asOf, knownAt: knownAt ?? day(1e5))
        let answer = try #require(try ledger.reader.entitlements(parameters).first)
        let words =
          [answer.state.rawValue, answer.seats.map(String.init) ?? "-"]
          + (answer.isConfirmed ? [] : ["unconfirmed"]) + (answer.seatsNext.map { ["next \($0)"] } ?? [])
        let parts = expected.components(separatedBy: " | ")
        #expect(words.joined(separator: " ") == parts[0], "\(one.name), as of \(asOf)")
        if parts.count > 1 { #expect(try Self.money(ledger, parameters) == parts[1], "\(one.name), as of \(asOf)") }
      }
      #expect(try await ledger.reader.audit([.file]) == [])
      withExtendedLifetime(folder) {}
    }
  }

  /// Returns what was paid less the refunds, in units of the currency, and whether a refund is estimated.
  private static func money(_ ledger: LedgerRecorder, _ parameters: QueryParameters) throws -> String {
    var sums: [String] = []
    let sql = """
      SELECT
        COALESCE(SUM(price_milliunits - COALESCE(refunded_milliunits, 0)) / 1000.0, '-')
          || CASE WHEN MAX(is_refund_estimated) = 1 THEN ' estimated' ELSE '' END
      FROM transaction_current WHERE is_counted = 1
      """
    try ledger.reader.query(sql, parameters) { _ in
    } row: { row in
      if case .text(let text) = row[0] { sums.append(text) }
    }
    return try #require(sums.first).replacing(".0", with: "")
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

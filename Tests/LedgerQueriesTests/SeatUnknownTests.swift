import AppStore
import Ledger
import TestSupport
import Testing

private typealias Rules = SeatRuleTests
private let (several, four) = (Rules.eightOfSeveral, Rules.four)
private func may(_ number: Double) -> Instant { Rules.may(number) }
private func june(_ number: Double) -> Instant { Rules.june(number) }

/// What the ledger does where Apple's documents do not say how seats behave. Access never ends because evidence is
/// missing.
@Suite struct SeatUnknownTests {
  /// A period of which each case changes something, and the state and seats at some instants.
  private static let answers: [(name: String, texts: [ReceivedText], answers: [(Instant, String)])] = [
    (
      "how many transactions a period has: all known ones are revoked",
      [Rules.refunded(several, may(20)), Rules.refunded(four, may(22))],
      [(may(21), "active 4"), (may(23), "revoked 0")]
    ),
    (
      "an addition that begins with the period",
      [several.at(may(10)), four.with { $0.from = may(1) }.at(may(10)), Rules.refunded(several, may(20))],
      [(may(9), "active 12"), (may(21), "active 4")]
    ),
    (
      "an addition that ends before the period", [several.at(may(10)), four.with { $0.until = may(25) }.at()],
      [(may(24), "active 12"), (may(26), "active 12"), (june(2), "expired 0")]
    ),
    (
      "an addition that ends after the period", [several.at(may(10)), four.with { $0.until = june(10) }.at()],
      [(june(5), "active 12"), (june(11), "expired 0")]
    ),
    (
      "an extension that reaches one transaction only",
      [several.at(may(10)), four.at(), several.with { $0.until = june(15) }.at(may(20))],
      [(june(10), "active 12"), (june(16), "expired 0")]
    ),
    (
      "a reason with another name",
      [
        several.with { $0.reason = "SEAT_GIFT" }.at(may(10)),
        four.with { $0.reason = "SEAT_GIFT" }.at(), Rules.refunded(four, may(20)),
      ], [(may(19), "active 12"), (may(21), "active 8")]
    ),
    (
      "a subscription for one that becomes one for many",
      [
        SeatFixture("S", may(1), june(1), seats: 1).with { $0.management = nil }.at(),
        SeatFixture("T", june(1), day(181), seats: 8, tiers: [(10, 8)]).at(),
      ], [(may(20), "active 1"), (june(2), "active 8")]
    ),
    (
      "an addition with an original transaction id of its own",
      [
        Rules.eight.at(), four.with { $0.originalID = "B" }.at(),
        four.with { ($0.originalID, $0.revoked) = ("B", may(20)) }.at(may(20)),
      ],
      [(may(12), "active 8, active -"), (may(21), "active 8, active -")]
    ),
  ]

  @Test(arguments: answers.indices) func `the dates decide, and what may still be valid gives access`(index: Int)
    async throws
  {
    let one = Self.answers[index]
    let (ledger, folder) = try await ReceivedText.ledger(one.texts)
    for (asOf, expected) in one.answers {
      let found = try ledger.reader.entitlements(QueryParameters(asOf: asOf, knownAt: day(1e5)))
        .sorted { $0.originalTransactionID > $1.originalTransactionID }
        .map { "\($0.state.rawValue) \($0.seats.map(String.init) ?? "-")" }
      #expect(found.joined(separator: ", ") == expected, "\(one.name), as of \(asOf)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a later claim of active, after all known transactions were revoked, is a disagreement`() async throws {
    let status = PayloadFixture.v2(
      "DID_CHANGE_RENEWAL_STATUS", at: may(25), status: 1, transaction: four.with { $0.revoked = may(22) }.fixture)
    let (ledger, folder) = try await ReceivedText.ledger([
      Rules.refunded(several, may(20)), Rules.refunded(four, may(22)), ReceivedText(status, received: may(25)),
    ])
    #expect(try ledger.reader.disagreements().count == 1)
    withExtendedLifetime(folder) {}
  }

  @Test func `a period with a transaction that is missing is reported`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([four.at()])
    var rows: [String] = []
    try ledger.reader.query(
      "SELECT gap, subscription_count FROM data_quality WHERE subscription_count > 0",
      QueryParameters(asOf: may(20), knownAt: day(1e5)), columns: { _ in }, row: { rows.append("\($0)") })
    #expect(rows.contains { $0.contains("incomplete_period") })
    withExtendedLifetime(folder) {}
  }

  @Test func `after a refund of seats, each member waits for a transaction of its own`() async throws {
    let member = Rules.member.with { $0.originalID = "M" }
    let (ledger, folder) = try await ReceivedText.ledger([
      Rules.eight.at(), member.at(), Rules.eight.with { $0.refunded = 7 }.at(may(20)),
      member.with { ($0.revoked, $0.revocationType) = (may(22), "ASSIGNMENT_REVOKE") }.at(may(22)),
    ])
    for (asOf, expected) in [(may(21), "active"), (may(23), "revoked")] {
      let answer = try ledger.reader.entitlement(of: "M", in: .sandbox, QueryParameters(asOf: asOf, knownAt: day(1e5)))
      #expect(answer?.state.rawValue == expected)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a member with the purchaser's account token is not the purchaser`() async throws {
    let token = CustomerFixture.token
    let (ledger, folder) = try await ReceivedText.ledger([
      Rules.eight.with { $0.token = token }.at(), Rules.member.with { ($0.originalID, $0.token) = ("M", token) }.at(),
    ])
    let parameters = QueryParameters(asOf: may(20), knownAt: day(1e5))
    #expect(try ledger.reader.record(of: token, parameters).claims.map(\.originalTransactionID) == ["t1"])
    // Staff may link the member.
    try ledger.link("mia", to: "M", CustomerFixture.staffAction(200))
    #expect(try ledger.reader.record(of: "mia", parameters).claims.map(\.originalTransactionID) == ["M"])
    withExtendedLifetime(folder) {}
  }
}

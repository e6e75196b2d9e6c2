import Ledger
import TestSupport
import Testing

/// Metrics of a subscription for a team: eight seats in January and four more ten days later, twelve in February and in
/// March.
@Suite struct SeatMetricTests {
  typealias Life = MetricTests.Life

  static let eight = SeatFixture("A", day(0), day(31), seats: 8, hasReason: true, tiers: [(10, 5), (8, 3)])
  static let four = SeatFixture("B", day(10), day(31), seats: 4, hasReason: true, tiers: [(8, 4)])
  static let february = SeatFixture("C", day(31), day(59), seats: 12, tiers: [(10, 12)])
  static let march = SeatFixture("D", day(59), day(90), seats: 12, tiers: [(10, 12)])

  static func life(_ texts: [ReceivedText]) async throws -> Life {
    let first = [
      eight.with { $0.hasReason = false }.at(), four.at(), eight.at(day(10)), february.at(), march.at(),
    ]
    return try await Life(texts: first + texts)
  }

  private func expect(_ life: Life, _ table: [(metric: String, figures: [String])]) throws {
    for (metric, figures) in table {
      let found = try life.figures(metric)
      #expect(found == figures, "\(metric)")
    }
  }

  @Test func `an addition of seats is a payment and an expansion, and no period`() async throws {
    let life = try await Self.life([])
    let table: [(metric: String, figures: [String])] = [
      ("active_subscriptions", ["01 1", "02 1", "03 1"]), ("active_seats", ["01 12", "02 12", "03 12"]),
      ("new_paid", ["01 1"]), ("resubscribed", []), ("switched_in", []),
      ("transactions_paid", ["01 2", "02 1", "03 1"]),
      ("revenue", ["01 USD 106000", "02 USD 120000", "03 USD 120000"]), ("expansion", ["01 USD 32000"]),
      ("retention", ["01 step 0 1", "01 step 1 1/1", "01 step 2 1/1", "01 step 3 0/1"]),
      ("mrr", ["01 USD 106000", "02 USD 120000", "03 USD 120000"]),
    ]
    try expect(life, table)
    #expect(try life.figures("revenue", by: .reason).first == "01 new USD 74000")
    #expect(try life.figures("revenue", by: .reason).contains("01 renewal USD 32000"))
  }

  @Test func `a refund of seats counts in the amounts, until a later refund replaces it`() async throws {
    let life = try await Self.life([
      Self.four.with { $0.revoked = day(20) }.at(day(20)), Self.february.with { $0.refunded = 3 }.at(day(40)),
      Self.february.with { $0.refunded = 5 }.at(day(65)),
      Self.february.with { ($0.refunded, $0.revoked) = (5, day(70)) }.at(day(70)),
    ])
    let table: [(metric: String, figures: [String])] = [
      ("active_subscriptions", ["01 1", "02 1", "03 1"]), ("active_seats", ["01 8", "02 9", "03 12"]), ("churned", []),
      ("revenue_gross", ["01 USD 106000", "02 USD 120000", "03 USD 120000"]),
      ("revenue_refunded", ["01 USD 32000", "02 USD 120000"]),
      // By their own date: 3 of 12 seats, then 2 more, then the rest.
      ("refunds_paid", ["01 USD 32000", "02 USD 30000", "03 USD 90000"]), ("refunds", ["01 1", "03 1"]),
      ("seat_refunds", ["02 1", "03 1"]), ("refund_rate", ["01 1/2", "02 1/1", "03 0/1"]), ("expansion", []),
      ("mrr", ["01 USD 74000", "02 USD 90000", "03 USD 120000"]),
    ]
    try expect(life, table)
    #expect(try life.figures("expansion", knownAt: 19) == ["01 USD 32000"])
    for (knownAt, refunded) in [(39.0, [String]()), (64, ["02 USD 30000"]), (69, ["02 USD 50000"])] {
      #expect(
        try life.figures("revenue_refunded", knownAt: knownAt).filter { $0.hasPrefix("02") } == refunded, "\(knownAt)")
    }
  }

  @Test func `a stated share of the price is not an estimate`() async throws {
    let life = try await Self.life([
      Self.february.with { ($0.refunded, $0.percentage) = (3, 20_000) }.at(day(40))
    ])
    #expect(try life.figures("revenue_refunded") == ["02 USD 24000"])
    #expect(try life.figures("mrr") == ["01 USD 106000", "02 USD 96000", "03 USD 120000"])
  }

  @Test func `additions in a free trial are neither trials nor first payments`() async throws {
    let life = try await Life(texts: [
      Self.eight.with { ($0.tiers, $0.hasReason) = ([(0, 8)], false) }.at(), Self.four.at(), Self.february.at(),
    ])
    #expect(try life.figures("trial_starts") == ["01 1"])
    #expect(try life.figures("trial_conversion") == ["01 1/1"])
    let revenue = try life.figures("revenue", by: .reason)
    #expect(revenue == ["02 new USD 120000", "01 renewal USD 32000"])
  }
}

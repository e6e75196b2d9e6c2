import AppStore
import Ledger
import TestSupport
import Testing

@testable import AppStoreSimulator

/// The proceeds that the simulated store reports, and those that the ledger estimates with the store's rates.
@Suite struct ProceedsTruthTests {
  /// Until 2025-05-28, before the edge of the simulation: for each product, country and year of service: the units that Apple sold, and their proceeds.
  static let apple = """
    SELECT f.product_id, c.alpha_3, CASE f.proceeds_reason WHEN 'Rate After One Year' THEN 1 ELSE 0 END,
      SUM(f.units), SUM(f.proceeds_amount_milliunits)
    FROM apple_report_figure f JOIN country_code c ON c.alpha_2 = f.country
    WHERE f.report = 'sales' AND f.units > 0 AND f.customer_price_milliunits > 0 AND f.day_at < 1748476800000
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """
  static let ledger = """
    SELECT product_id, country, is_after_paid_year, COUNT(*), SUM(proceeds_milliunits)
    FROM proceeds_estimate e JOIN pacific_clock c ON c.begins_at <= e.purchase_at AND c.ends_at > e.purchase_at
    WHERE e.environment = 'Production' AND e.purchase_at + c.utc_offset < 1748476800000 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """

  /// With the first seed, a customer comes back 74 days after the paid period and 58 days after its grace period. With the
  /// second, customer 194 buys again before a refund is reversed.
  @Test(arguments: SampleSize.pick([3_219_728_141], full: [3_219_728_141, 1_913_612_106]) + [RandomChoice.seed])
  func `each payment's proceeds are the store's within a minor unit, before and after a paid year`(
    seed: UInt64
  ) async throws {
    let from = try #require(Instant("2023-01-01")), to = try #require(Instant("2025-06-01"))
    let simulation = try Simulation(
      catalog: .builtIn(), seed: seed, customers: SampleSize.pick(60, full: 300), from: from, to: to)
    let portfolio = try await Portfolio(simulation, [.notificationV2])
    let reports = try SimulatedReports(simulation)
    _ = try await ReconciliationTests.importReports(reports, into: portfolio.ledger)
    let terms = try ProceedsTerm.table(Array(SimulatedReports.termsTable.utf8))
    _ = try portfolio.ledger.record(terms, isWhole: true, origin: "test", now: from)

    func rows(_ sql: String) throws -> [[Value]] {
      var rows: [[Value]] = []
      try portfolio.ledger.reader.query(
        sql, QueryParameters(asOf: to, knownAt: ReconciliationTests.to), columns: { _ in }, row: { rows.append($0) })
      return rows
    }
    let (stated, estimated) = (try rows(Self.apple), try rows(Self.ledger))
    #expect(stated.map { $0[0...3] } == estimated.map { $0[0...3] }, "seed \(seed)")
    #expect(stated.contains { $0[2] == .integer(1) }, "seed \(seed): nobody paid for a year")
    for (one, other) in zip(stated, estimated) {
      guard case .integer(let units) = one[3], case .integer(let proceeds) = one[4],
        case .integer(let estimate) = other[4], case .text(let country) = one[1]
      else { throw LedgerError(.cannotRead, "\(one) \(other)") }
      let minor: Int64 = ["JPN", "KOR"].contains(country) ? 1000 : 10
      #expect(abs(proceeds - estimate) <= units * minor, "seed \(seed): \(one) \(other)")
    }

    // The metrics are the sums of these rows.
    let sums = [
      (
        // A purchase of the first hours is on the Pacific day before.
        "proceeds", "proceeds_currency", "proceeds_amount_milliunits",
        "apple_report_figure WHERE report = 'sales' AND day_at >= \(from.milliseconds)"
      ),
      (
        "proceeds_estimated", "currency", "proceeds_milliunits - COALESCE(refunded_proceeds_milliunits, 0)",
        "proceeds_estimate WHERE environment = 'Production'"
      ),
    ]
    for (name, currency, amount, source) in sums {
      let expected = try rows("SELECT \(currency), SUM(\(amount)) FROM \(source) GROUP BY 1 ORDER BY 1")
      let periods = try #require(ReportPeriods(.month, from: from, to: to))
      let request = ReportRequest(
        try #require(Metric.named(name)), periods, QueryParameters(asOf: to, knownAt: ReconciliationTests.to))
      let figures = try portfolio.ledger.reader.report(request).figures
      for row in expected {
        guard case .text(let currency) = row[0], case .integer(let sum) = row[1] else { continue }
        let reported = figures.filter { $0.currency == currency }.reduce(0) { $0 + $1.amount }
        // The metric rounds the sum of a day, and the view each payment.
        #expect(abs(reported - sum) <= units(of: name), "seed \(seed): \(name) \(currency)")
      }
      #expect(Set(figures.compactMap(\.currency)).count == expected.count, "seed \(seed): \(name)")
    }
    func units(of metric: String) -> Int64 {
      guard metric == "proceeds_estimated" else { return 0 }
      return estimated.reduce(0) { if case .integer(let count) = $1[3] { $0 + count } else { $0 } }
    }
  }
}

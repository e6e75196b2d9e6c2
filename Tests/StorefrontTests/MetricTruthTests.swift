import AppStore
import Ledger
import Storefront
import TestSupport
import Testing

/// Over many lives by chance, told by V2, every figure equals what was true. SUBLEDGER_LIVES, SUBLEDGER_SEED.
@Suite struct MetricTruthTests {
  private static func months(_ portfolio: Portfolio) throws -> ReportPeriods {
    try #require(ReportPeriods(.month, from: portfolio.world.from, to: portfolio.world.to))
  }

  private static func reports(
    _ portfolio: Portfolio, _ names: [String], _ periods: ReportPeriods
  ) throws -> [Report] {
    let question = Question(
      asOf: portfolio.world.to, knownAt: Instant(milliseconds: portfolio.world.to.milliseconds + 864_000_000))
    try portfolio.ledger.measure()
    return try portfolio.ledger.report(
      names.map { ReportRequest(try #require(Metric.named($0)), periods, question) })
  }

  /// Each metric beside the true figures that it is made of: for the amount, and for what a share is of.
  private static let made: [(metric: String, amount: [String], of: [String])] = [
    ("active_subscriptions", ["active_subscriptions"], []), ("active_trials", ["active_trials"], []),
    ("in_grace", ["in_grace"], []), ("in_billing_retry", ["in_billing_retry"], []),
    ("family_members", ["family_members"], []), ("new_paid", ["new_paid"], []), ("resubscribed", ["resubscribed"], []),
    ("churned", ["churned"], []), ("active_movement", ["new_paid", "resubscribed", "-churned"], []),
    ("switched_in", ["switched_in"], []), ("switched_out", ["switched_in"], []),
    ("revenue_gross", ["revenue_gross"], []), ("revenue_refunded", ["revenue_refunded"], []),
    ("revenue", ["revenue_gross", "-revenue_refunded"], []), ("refunds_paid", ["refunds_paid"], []),
    ("refunds", ["refunds"], []), ("transactions_paid", ["transactions_paid"], []),
    ("refund_rate", ["transactions_refunded"], ["transactions_paid"]),
    ("refund_rate_by_amount", ["revenue_refunded"], ["revenue_gross"]), ("trial_starts", ["trials_started"], []),
    ("trial_conversion", ["trials_converted"], ["trials_started"]), ("offers_redeemed", ["offers_redeemed"], []),
    ("grace_entered", ["grace_entered"], []), ("retry_entered", ["retry_entered"], []),
    ("grace_recovery", ["grace_recovered"], []), ("retry_recovery", ["retry_recovered"], []),
    ("retention", ["retention"], []), ("retention_unbroken", ["retention_unbroken"], []),
  ]

  @Test func `told everything by V2, every metric is what was true`() async throws {
    let portfolio = try await Portfolio(
      AgreementTests.world(.realTime, customers: max(SampleSize.pick(80, full: 200), AgreementTests.lives)),
      [.notificationV2])
    let catalogue = try ProductCatalogue(Array(Assortment.builtInCatalogue.utf8))
    _ = try portfolio.ledger.record(
      catalogue, bundleID: "com.example.meditation", origin: "p", now: portfolio.world.from)
    let periods = try Self.months(portfolio)
    let truth = TrueFigures(portfolio, periods)
    let reports = try Self.reports(portfolio, Self.made.map(\.metric) + ["mrr"], periods)
    for (report, made) in zip(reports, Self.made) {
      var told: (amount: [String: Int64], of: [String: Int64]) = ([:], [:])
      for figure in report.figures {
        let key = ["\(figure.period)", figure.currency, figure.step.map(String.init)].compactMap(\.self)
          .joined(separator: " ")
        if figure.amount != 0 { told.amount[key] = figure.amount }
        if let of = figure.of, of != 0, !made.of.isEmpty { told.of[key] = of }
      }
      #expect(told.amount == truth.sum(made.amount), "\(made.metric), seed \(portfolio.world.seed)")
      #expect(told.of == truth.sum(made.of), "\(made.metric), seed \(portfolio.world.seed)")
      #expect(!told.amount.isEmpty, "\(made.metric)")
    }
    let monthly = reports[reports.count - 1].figures
    #expect(monthly.filter { $0.amount > 0 }.count == truth.monthly.count && monthly.count > 20)
    for figure in monthly {
      let expected = truth.monthly["\(figure.period) \(figure.currency ?? "")"] ?? 0
      // Rounded by length: there are not ten.
      #expect(abs(Double(figure.amount) - expected) <= 10, "mrr \(figure)")
    }
  }

  @Test func `canary: what was lost makes a difference`() async throws {
    let portfolio = try await Portfolio(
      AgreementTests.world(.realTime, customers: 30), [.notificationV2], Delivery("lost=0.5"))
    let periods = try Self.months(portfolio)
    let truth = TrueFigures(portfolio, periods)
    let report = try Self.reports(portfolio, ["transactions_paid"], periods)[0]
    #expect(report.figures.reduce(0) { $0 + $1.amount } < truth.sum(["transactions_paid"]).values.reduce(0, +))
  }
}

extension TrueFigures {
  /// Several figures added up, or taken away where their name begins with a minus.
  fileprivate func sum(_ names: [String]) -> [String: Int64] {
    var sum: [String: Int64] = [:]
    for name in names {
      let sign: Int64 = name.hasPrefix("-") ? -1 : 1
      for (key, amount) in figures[name.trimmingPrefix("-").description] ?? [:] {
        sum[key, default: 0] += sign * amount
      }
    }
    return sum.filter { $0.value != 0 }
  }
}

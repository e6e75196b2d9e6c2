import AppStore
import Ledger
import AppStoreSimulator
import TestSupport
import Testing

/// Over many lives by chance, told by V2, every figure of every metric equals what was true: amounts, and what shares are
/// of. SUBLEDGER_LIVES, SUBLEDGER_SEED.
@Suite struct MetricTruthTests {
  private static func months(_ portfolio: Portfolio) throws -> ReportPeriods {
    try #require(ReportPeriods(.month, from: portfolio.simulation.from, to: portfolio.simulation.to))
  }

  private static func reports(
    _ portfolio: Portfolio, _ names: [String], _ periods: ReportPeriods, by dimensions: Metric.Dimension...
  ) throws -> [Report] {
    let parameters = QueryParameters(
      asOf: portfolio.simulation.to, knownAt: Instant(milliseconds: portfolio.simulation.to.milliseconds + 864_000_000))
    try ProjectionMaintainer(path: portfolio.ledger.path).deriveMetricDeltas()
    return try portfolio.ledger.reader.report(
      names.map { name in
        var request = ReportRequest(try #require(Metric.named(name)), periods, parameters)
        request.dimensions = dimensions
        return request
      })
  }

  private static func differences(_ reported: [String: Int64], _ truth: [String: Int64]) -> [String] {
    Set(reported.keys).union(truth.keys).sorted().filter { reported[$0] != truth[$0] }.map {
      "\($0): told \(reported[$0] ?? 0), true \(truth[$0] ?? 0)"
    }
  }

  /// Each metric beside the true figures that it is made of: for the amount, and for what a share is of.
  private static let made: [(metric: String, amount: [String], of: [String])] = [
    ("active_subscriptions", ["active_subscriptions"], []), ("active_trials", ["active_trials"], []),
    ("auto_renew_off", ["auto_renew_off"], ["active_subscriptions"]), ("in_grace", ["in_grace"], []),
    ("in_billing_retry", ["in_billing_retry"], []),
    ("family_members", ["family_members"], []), ("assigned_members", ["assigned_members"], []),
    ("active_seats", ["active_seats"], []), ("expansion", ["expansion"], []), ("seat_refunds", ["seat_refunds"], []),
    ("active_unpriced", ["active_unpriced"], []), ("new_paid", ["new_paid"], []),
    ("resubscribed", ["resubscribed"], []),
    ("churned", ["churned"], []), ("active_movement", ["new_paid", "resubscribed", "-churned"], []),
    ("churn_rate", ["churned", "-resubscribed"], ["active_at_beginning"]), ("switched_in", ["switched_in"], []),
    ("switched_out", ["switched_in"], []),
    ("revenue_gross", ["revenue_gross"], []), ("revenue_refunded", ["revenue_refunded"], []),
    ("revenue", ["revenue_gross", "-revenue_refunded"], []), ("refunds_paid", ["refunds_paid"], []),
    ("refunds", ["refunds"], []), ("transactions_paid", ["transactions_paid"], []),
    ("transactions_unpriced", ["transactions_unpriced"], []), ("refund_requests", ["refund_requests"], []),
    ("refund_rate", ["transactions_refunded"], ["transactions_paid"]),
    ("refund_rate_by_amount", ["revenue_refunded"], ["revenue_gross"]), ("trial_starts", ["trials_started"], []),
    ("trial_conversion", ["trials_converted"], ["trials_started"]), ("offers_redeemed", ["offers_redeemed"], []),
    ("grace_entered", ["grace_entered"], []), ("retry_entered", ["retry_entered"], []),
    ("grace_recovery", ["grace_recovered"], ["grace_recovered", "grace_lost"]),
    ("retry_recovery", ["retry_recovered"], ["retry_recovered", "retry_lost"]),
    ("recovery_days", ["recovery_days"], []), ("price_consent", ["price_consent"], []),
    ("retention", ["retention"], ["retention_due"]),
    ("retention_unbroken", ["retention_unbroken"], ["retention_unbroken_due"]),
  ]
  /// What is recurring is compared with a tolerance, because the ledger rounds by length: there are not ten.
  private static let recurring: [(metric: String, months: Double)] = [("mrr", 1), ("arr", 12)]

  /// Lives in which what metrics count apart happens often: failed payments, refunds, cancellations, sharing.
  private static let eventful = {
    var rates = Rates()
    for (rate, share) in [
      (Rate.paymentFailure, 0.25), (.recoverSoon, 0.3), (.recoverLate, 0.3), (.cancel, 0.3), (.resume, 0.5),
      (.refundAsked, 0.15), (.refundGranted, 0.7), (.refundEarlier, 0.2), (.share, 0.6), (.oneTime, 0.6),
      (.priceIncrease, 0.06), (.comeBack, 0.6), (.seats, 0.3), (.seatsRefunded, 0.2), (.seatPeriodRefunded, 0.15),
    ] { rates[rate] = share }
    return rates
  }()

  @Test func `no metric of the list is left out`() {
    // ProceedsTruthTests compare proceeds.
    let compared = Self.made.map(\.metric) + Self.recurring.map(\.metric) + ["proceeds", "proceeds_estimated"]
    #expect(compared.sorted() == Metric.all.map(\.name).sorted())
  }

  @Test func `from all V2 notifications every metric is what was true`() async throws {
    let portfolio = try await Portfolio(
      AgreementTests.simulation(
        .realTime, customers: max(SampleSize.pick(80, full: 100), AgreementTests.lives), rates: Self.eventful),
      [.notificationV2], wording: Wording(namesPricesSince: day(400), assignsSeats: true))
    let catalogue = try ProductCatalogue(Array(Catalog.builtInCatalogue.utf8))
    _ = try portfolio.ledger.record(
      catalogue, bundleID: "com.example.meditation", origin: "p", now: portfolio.simulation.from)
    let periods = try Self.months(portfolio)
    let truth = TrueFigures(portfolio, periods)
    let reports = try Self.reports(portfolio, Self.made.map(\.metric), periods)
    for (report, made) in zip(reports, Self.made) {
      var reported: (amount: [String: Int64], of: [String: Int64]) = ([:], [:])
      for figure in report.figures {
        let key = ["\(figure.period)", figure.currency, figure.step.map(String.init)].compactMap(\.self)
          .joined(separator: " ")
        if figure.amount != 0 { reported.amount[key] = figure.amount }
        if let of = figure.of, of != 0 { reported.of[key] = of }
      }
      let (amount, of) = (truth.sum(made.amount), truth.sum(made.of))
      #expect(Self.differences(reported.amount, amount) == [], "\(made.metric), seed \(portfolio.simulation.seed)")
      #expect(Self.differences(reported.of, of) == [], "of \(made.metric), seed \(portfolio.simulation.seed)")
      #expect(!reported.amount.isEmpty && reported.of.isEmpty == made.of.isEmpty, "\(made.metric)")
    }
    for (report, (_, months)) in zip(
      try Self.reports(portfolio, Self.recurring.map(\.metric), periods), Self.recurring)
    {
      #expect(report.figures.filter { $0.amount > 0 }.count == truth.monthly.count && report.figures.count > 20)
      let wrong = report.figures.filter { figure in
        let expected = truth.monthly["\(figure.period) \(figure.currency ?? "")"] ?? 0
        return abs(Double(figure.amount) - expected * months) > 10 * months
      }
      #expect(wrong == [], "\(report.request.metric.name), seed \(portfolio.simulation.seed)")
    }
    for report in try Self.reports(portfolio, ["refund_requests", "price_consent"], periods, by: .reason) {
      let metric = report.request.metric.name
      var reported: [String: Int64] = [:]
      for figure in report.figures where figure.amount != 0 {
        reported["\(figure.period) \(figure.groups[0])"] = figure.amount
      }
      #expect(reported == truth.sum(["\(metric) by reason"]), "\(metric), seed \(portfolio.simulation.seed)")
      #expect(!reported.isEmpty)
    }
  }

  @Test func `canary: what was lost makes a difference`() async throws {
    let portfolio = try await Portfolio(
      AgreementTests.simulation(.realTime, customers: 30), [.notificationV2], Delivery("lost=0.5"))
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

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// Metrics of lives that can be worked out by hand, in months: January ends on day 31, February on day 59, March on day 90.
@Suite struct MetricTests {
  /// A paid period, as Apple signs it.
  static func paid(
    _ id: String, _ start: Double, _ end: Double, product: String = "monthly", price: Int = 9990,
    refunded: Double? = nil,
    isUpgraded: Bool = false, currency: String = "USD", extra: [(String, String)] = []
  ) -> TransactionFixture {
    TransactionFixture(
      id, product: product, day(start), day(end), revoked: refunded.map { day($0) }, isUpgraded: isUpgraded,
      extra: [("price", "\(price)"), ("currency", "\"\(currency)\"")] + extra)
  }

  static let trial = [("offerType", "1"), ("offerDiscountType", "\"FREE_TRIAL\"")]

  /// A life that was told as it went on.
  struct Life {
    let ledger: LedgerRecorder
    private let folder: TemporaryFolder

    init(_ words: [(at: Double, text: String)]) async throws {
      try await self.init(texts: words.map { ReceivedText($0.text, received: day($0.at)) })
    }

    init(texts: [ReceivedText]) async throws {
      (ledger, folder) = try await ReceivedText.ledger(texts)
      try ProjectionMaintainer(path: ledger.path).deriveMetricDeltas()
    }

    /// A metric's figures as text: `2026-01 monthly USD 9990/9990 step 1`, less what is not said.
    func figures(
      _ name: String, by dimensions: Metric.Dimension..., to end: Double = 90, knownAt: Double = 200,
      currency: String? = nil
    ) throws -> [String] {
      let periods = try #require(ReportPeriods(.month, from: day(0), to: day(end)))
      let parameters = QueryParameters(asOf: day(knownAt), knownAt: day(knownAt))
      var request = ReportRequest(try #require(Metric.named(name)), periods, parameters)
      (request.dimensions, request.environment, request.currency) = (dimensions, .sandbox, currency)
      return try ledger.reader.report(request).figures.filter { $0.amount != 0 || ($0.of ?? 0) != 0 }.map { figure in
        let parts: [String?] =
          [String(periods.label(figure.period).suffix(2))] + figure.groups + [
            figure.currency, figure.step.map { "step \($0)" }, "\(figure.amount)" + (figure.of.map { "/\($0)" } ?? ""),
          ]
        return parts.compactMap(\.self).joined(separator: " ")
      }
    }

    func notes(
      _ name: String, currency: String? = nil, environment: AppStore.Environment = .sandbox, bundleID: String? = nil
    ) throws -> [ReportNote] {
      let periods = try #require(ReportPeriods(.month, from: day(0), to: day(90)))
      var request = ReportRequest(
        try #require(Metric.named(name)), periods, QueryParameters(asOf: day(200), knownAt: day(200)))
      (request.environment, request.currency, request.bundleID) = (environment, currency, bundleID)
      return try ledger.reader.report(request).notes
    }
  }

  /// Two payments, in January and February; the first is refunded in April.
  static func refundedLater() async throws -> Life {
    let first = paid("t1", 0, 31)
    return try await Life([
      (0, first.signed(day(0))), (31, paid("t2", 31, 59).signed(day(31))),
      (100, paid("t1", 0, 31, refunded: 100).signed(day(100))),
    ])
  }

  @Test func `a refund months later restates the month of the payment, which can still be asked as it was known`()
    async throws
  {
    let life = try await Self.refundedLater()
    #expect(try life.figures("revenue", knownAt: 99) == ["01 USD 9990", "02 USD 9990"])
    #expect(try life.figures("revenue") == ["02 USD 9990"])
    #expect(try life.figures("revenue_gross") == ["01 USD 9990", "02 USD 9990"])
    #expect(try life.figures("revenue_refunded", knownAt: 99) == [])
    #expect(try life.figures("revenue_refunded") == ["01 USD 9990"])
    #expect(try life.figures("refunds_paid", to: 119) == ["04 USD 9990"])
    #expect(try life.figures("refunds", to: 119) == ["04 1"])
    #expect(try life.figures("refund_rate") == ["01 1/1", "02 0/1"])
    #expect(try life.figures("refund_rate", knownAt: 99) == ["01 0/1", "02 0/1"])
    #expect(try life.figures("refund_rate_by_amount") == ["01 USD 9990/9990", "02 USD 0/9990"])
    // A refund of an earlier period takes no access away (rules §3).
    #expect(try life.figures("active_subscriptions") == ["01 1", "02 1"])
    #expect(try life.figures("churned", by: .reason) == ["03 unknown 1"])
  }

  @Test func `part of a price that is given back is part of the revenue`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (5, Self.paid("t1", 0, 31, refunded: 5, extra: [("revocationPercentage", "25000")]).signed(day(5))),
    ])
    // 9.99 × 25 % = 2.4975, rounded to 2.498.
    #expect(try life.figures("revenue_refunded") == ["01 USD 2498"])
    #expect(try life.figures("revenue") == ["01 USD 7492"])
    #expect(try life.figures("churned", by: .reason) == ["01 refunded 1"])
  }

  @Test func `a trial that is taken back ends, and is neither a payment nor a refund`() async throws {
    let free = Self.paid("t1", 0, 14, price: 0, extra: Self.trial)
    let life = try await Life([
      (0, free.signed(day(0))), (3, Self.paid("t1", 0, 14, price: 0, refunded: 3, extra: Self.trial).signed(day(3))),
    ])
    #expect(try life.figures("trial_starts") == ["01 1"])
    #expect(try life.figures("trial_conversion") == ["01 0/1"])
    for metric in [
      "transactions_paid", "refunds", "refund_rate", "revenue", "active_subscriptions", "new_paid", "churned",
    ] {
      #expect(try life.figures(metric) == [], "\(metric)")
    }
    let daily = try #require(ReportPeriods(.day, from: day(0), to: day(5)))
    var request = ReportRequest(
      try #require(Metric.named("active_trials")), daily, QueryParameters(asOf: day(9), knownAt: day(9)))
    request.environment = .sandbox
    #expect(try life.ledger.reader.report(request).figures.map(\.amount) == [1, 1, 1, 0, 0])
  }

  @Test func `a trial is converted by the payment after it, and no longer where that is refunded`() async throws {
    let free = Self.paid("t1", 0, 14, price: 0, extra: Self.trial)
    let life = try await Life([
      (0, free.signed(day(0))), (14, Self.paid("t2", 14, 45).signed(day(14))),
      (50, Self.paid("t2", 14, 45, refunded: 50).signed(day(50))),
    ])
    #expect(try life.figures("trial_conversion", knownAt: 49) == ["01 1/1"])
    #expect(try life.figures("trial_conversion") == ["01 0/1"])
    #expect(try life.figures("new_paid", by: .reason) == ["01 trial_conversion 1"])
    #expect(try life.figures("active_trials", knownAt: 13) == ["01 1"])
    #expect(try life.figures("active_subscriptions") == ["01 1"])
  }

  @Test func `an upgrade in the midst of a period is no refund and no churn, and counts once`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (15, Self.paid("t1", 0, 31, refunded: 15, isUpgraded: true).signed(day(15))),
      (15, Self.paid("t2", 15, 380, product: "yearly", price: 59990).signed(day(15))),
    ])
    #expect(try life.figures("revenue", to: 31) == ["01 USD 69980"])
    #expect(try life.figures("refunds") == [])
    #expect(try life.figures("churned") == [])
    #expect(try life.figures("active_subscriptions", by: .product, to: 31) == ["01 yearly 1"])
    #expect(try life.figures("switched_out", by: .product) == ["01 monthly 1"])
    #expect(try life.figures("switched_in", by: .product) == ["01 yearly 1"])
    // A twelfth of 59.99.
    #expect(try life.figures("mrr", to: 31) == ["01 USD 4999"])
    #expect(try life.figures("mrr", to: 31, knownAt: 14) == ["01 USD 9990"])
    #expect(try life.figures("arr", to: 31) == ["01 USD 59988"])
    #expect(
      try life.notes("mrr").contains {
        $0 == .unknownPeriods(of: ["monthly", "yearly"], hasMore: false, isGroup: false)
      })
  }

  @Test func `a payment in billing retry continues a retention, or begins one, as the request says`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (31, RenewalFixture(status: true, intent: 2, retry: true).signed(day(31))),
      (40, Self.paid("t2", 40, 68).signed(day(40))), (40, RenewalFixture(status: true).signed(day(40))),
    ])
    // (A payment is due when the period before it has ended: that after the last one, too.)
    #expect(try life.figures("retention") == ["01 step 0 1", "01 step 1 1/1", "01 step 2 0/1"])
    #expect(
      try life.figures("retention_unbroken") == ["01 step 0 1", "01 step 1 0/1", "02 step 0 1", "02 step 1 0/1"])
    #expect(try life.figures("churned", by: .reason) == ["02 billing_error 1", "03 unconfirmed 1"])
    #expect(try life.figures("resubscribed", by: .reason) == ["02 billing_recovery 1"])
    #expect(try life.figures("retry_entered") == ["02 1"])
    #expect(try life.figures("retry_recovery") == ["02 1/1"])
    #expect(try life.figures("recovery_days") == ["02 step 9 1"])
    #expect(try life.figures("churn_rate") == ["02 0/1", "03 1/1"])
    #expect(try life.figures("active_movement") == ["01 1", "03 -1"])
  }

  @Test func `a payment in a grace period is in time in both countings, and the subscription stayed active`()
    async throws
  {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (31, RenewalFixture(status: true, intent: 2, retry: true, grace: day(47)).signed(day(31))),
      (40, Self.paid("t2", 40, 59).signed(day(40))), (40, RenewalFixture(status: true).signed(day(40))),
    ])
    #expect(try life.figures("retention_unbroken") == ["01 step 0 1", "01 step 1 1/1", "01 step 2 0/1"])
    #expect(try life.figures("grace_entered") == ["02 1"])
    #expect(try life.figures("grace_recovery") == ["02 1/1"])
    #expect(try life.figures("churned", by: .reason) == ["03 unconfirmed 1"])
    #expect(try life.figures("in_grace", to: 58, knownAt: 39) == ["02 1"])
    #expect(try life.figures("active_subscriptions", to: 58, knownAt: 39) == ["01 1", "02 1"])
  }

  @Test func `a commitment that is billed monthly pays a month's price a month`() async throws {
    func month(_ number: Int, _ start: Double, _ end: Double) -> TransactionFixture {
      Self.paid(
        "t\(number)", start, end, product: "yearly", price: 5990,
        extra: [
          ("billingPlanType", "\"MONTHLY\""),
          (
            "commitmentInfo",
            "{\"billingPeriodNumber\":\(number),\"totalBillingPeriods\":12,\"commitmentPrice\":71880}"
          ),
        ])
    }
    let life = try await Life([
      (0, month(1, 0, 31).signed(day(0))), (31, month(2, 31, 59).signed(day(31))),
      (59, month(3, 59, 90).signed(day(59))),
    ])
    let text = "[{\"product_id\":\"yearly\",\"type\":\"Auto-Renewable Subscription\",\"period\":\"P1Y\"}]"
    _ = try life.ledger.record(try ProductCatalogue(Array(text.utf8)), bundleID: "b", origin: "c", now: day(1))
    #expect(try life.figures("mrr", to: 89) == ["01 USD 5990", "02 USD 5990", "03 USD 5990"])
    #expect(try life.figures("mrr", to: 89, knownAt: 80) == ["01 USD 5990", "02 USD 5990", "03 USD 5990"])
    #expect(try life.figures("revenue", to: 89) == ["01 USD 5990", "02 USD 5990", "03 USD 5990"])
    #expect(try life.figures("active_subscriptions", by: .duration, to: 58) == ["01 P1Y 1", "02 P1Y 1"])
    // The year that is paid at once has one payment where this one has twelve. Their cohorts stay apart.
    #expect(
      try life.figures("retention", by: .duration)
        == [
          "01 P1Y monthly step 0 1", "01 P1Y monthly step 1 1/1", "01 P1Y monthly step 2 1/1",
          "01 P1Y monthly step 3 0/1",
        ])
  }

  @Test func `another billing plan of the same product begins another journey`() async throws {
    let monthly = Self.paid(
      "t1", 0, 31, product: "yearly", price: 5990, extra: [("billingPlanType", "\"MONTHLY\"")])
    let atOnce = Self.paid("t2", 31, 396, product: "yearly", price: 49990, extra: [("billingPlanType", "\"UPFRONT\"")])
    let life = try await Life([(0, monthly.signed(day(0))), (31, atOnce.signed(day(31)))])
    #expect(
      try life.figures("retention", by: .duration)
        == ["01 P1Y monthly step 0 1", "01 P1Y monthly step 1 0/1", "02 unknown step 0 1"])
  }

  @Test func `a price becomes a month's by the length of what it pays for`() async throws {
    let table: [(days: Double, extra: [(String, String)], price: Int, monthly: Int)] = [
      (7, [], 1000, 4000), (14, [], 1000, 2000), (3, [], 1000, 10000), (1, [], 1000, 30000), (28, [], 1000, 1000),
      (61, [], 1000, 500), (92, [], 1000, 333), (182, [], 1000, 167), (366, [], 1200, 100), (10, [], 1000, 2800),
      (61, [("offerType", "1"), ("offerDiscountType", "\"PAY_UP_FRONT\""), ("offerPeriod", "\"P2M\"")], 3000, 1500),
      (400, [("offerType", "2"), ("offerDiscountType", "\"PAY_UP_FRONT\""), ("offerPeriod", "\"P1Y\"")], 1200, 100),
    ]
    for row in table {
      let life = try await Life([
        (30.5, Self.paid("t1", 30.5, 30.5 + row.days, price: row.price, extra: row.extra).signed(day(30.5)))
      ])
      #expect(try life.figures("mrr", to: 31, knownAt: 31) == ["01 USD \(row.monthly)"], "\(row)")
    }
  }

  @Test func `what nobody paid for is in no figure of payments; two purchases under one order are one`() async throws {
    let family = [("inAppOwnershipType", "\"FAMILY_SHARED\"")]
    let order = [("webOrderLineItemId", "\"w1\"")]
    let life = try await Life([
      (0, TransactionFixture("f1", originalID: "f1", day(0), day(40), extra: family).signed(day(0))),
      (0, Self.paid("t1", 0, 40, extra: order).signed(day(0))),
      (9, Self.paid("t9", 0, 40, extra: order).signed(day(9))),
    ])
    #expect(try life.figures("family_members", to: 31) == ["01 1"])
    #expect(try life.figures("active_subscriptions", to: 31) == ["01 1"])
    #expect(try life.figures("revenue", to: 31) == ["01 USD 9990"])
    #expect(try life.figures("transactions_paid", to: 31) == ["01 1"])
  }

  @Test
  func
    `renewal that was off at the end of a day is known for every day, also for customers about whom Apple stated it later`()
    async throws
  {
    let life = try await Life([
      (0, Self.paid("t1", 0, 70).signed(day(0))), (0, RenewalFixture(status: true).signed(day(0))),
      (10, RenewalFixture(status: false).signed(day(10))), (40, RenewalFixture(status: true).signed(day(40))),
    ])
    #expect(try life.figures("auto_renew_off", to: 59) == ["01 1/1", "02 0/1"])
  }

  @Test func `price increases: asked, agreed, refused`() async throws {
    func asked(_ at: Double, _ status: Int, originalID: String, intent: Int? = nil) -> (Double, String) {
      let words = RenewalFixture(originalID: originalID, status: true, intent: intent).signed(day(at))
      return (at, words.dropLast() + ",\"priceIncreaseStatus\":\(status)}")
    }
    func life(_ originalID: String) -> (Double, String) {
      let one = TransactionFixture(
        originalID, originalID: originalID, day(0), day(45), extra: [("price", "1000"), ("currency", "\"USD\"")])
      return (0, one.signed(day(0)))
    }
    let one = try await Life([
      life("a"), life("b"), asked(5, 0, originalID: "a"), asked(6, 0, originalID: "b"), asked(33, 1, originalID: "a"),
      asked(45, 0, originalID: "b", intent: 3),
    ])
    #expect(try one.figures("price_consent", by: .reason) == ["02 agreed 1", "01 asked 2", "02 refused 1"])
    #expect(try one.figures("churned", by: .reason).contains("02 price_increase_not_accepted 1"))
  }

  @Test func `offers count where they begin`() async throws {
    let offer = [("offerType", "2"), ("offerIdentifier", "\"stay\""), ("offerDiscountType", "\"PAY_AS_YOU_GO\"")]
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (31, Self.paid("t2", 31, 59, price: 4990, extra: offer).signed(day(31))),
      (59, Self.paid("t3", 59, 90, price: 4990, extra: offer).signed(day(59))),
    ])
    #expect(try life.figures("offers_redeemed", by: .offer) == ["02 stay 1"])
    #expect(try life.figures("offers_redeemed", by: .reason) == ["02 PAY_AS_YOU_GO 1"])
    #expect(
      try life.figures("active_subscriptions", by: .offerType) == ["01 none 1", "02 promotional 1", "03 promotional 1"])
  }

  @Test func `a request for a refund is open until it is answered`() async throws {
    let first = Self.paid("t1", 0, 31)
    func notification(_ type: String, _ at: Double, _ transaction: TransactionFixture) -> (Double, String) {
      let text = PayloadFixture.v2(type, at: day(at), transaction: transaction)
      return (
        at,
        text.replacing(
          "\"bundleId\":\"b\",\"signed", with: "\"bundleId\":\"b\",\"consumptionRequestReason\":\"LEGAL\",\"signed")
      )
    }
    let life = try await Life([
      notification("SUBSCRIBED", 0, first), notification("CONSUMPTION_REQUEST", 20, first),
      notification("REFUND", 40, Self.paid("t1", 0, 31, refunded: 40)),
    ])
    #expect(try life.figures("refund_requests", by: .reason, knownAt: 39) == ["01 open 1"])
    #expect(try life.figures("refund_requests", by: .reason) == ["01 refunded 1"])
    #expect(try life.figures("refund_requests", by: .detail) == ["01 LEGAL 1"])
  }

  @Test func `money of several currencies stays apart, and is converted where rates were given`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 40).signed(day(0))),
      (
        0,
        TransactionFixture("e", originalID: "e", day(0), day(40), extra: [("price", "8990"), ("currency", "\"EUR\"")])
          .signed(
            day(0))
      ),
    ])
    #expect(try life.figures("revenue", to: 31) == ["01 EUR 8990", "01 USD 9990"])
    #expect(try life.notes("revenue").contains { $0 == .severalCurrencies(2) })
    #expect(try life.notes("revenue", currency: "USD").contains { $0 == .notConverted(into: "USD", from: ["EUR"]) })
    let rates = try ExchangeRate.table(
      Array("date,currency,into,rate\n2025-12-30,EUR,USD,1.1\n2026-01-10,EUR,USD,1.25".utf8))
    #expect(try life.ledger.record(rates, origin: "r", now: day(1)) == 2)
    #expect(try life.ledger.record(rates, origin: "r", now: day(2)) == 0)
    // 8.99 × 1.1, at the payment's day; 8.99 × 1.25 at the month's end.
    #expect(try life.figures("revenue", to: 31, currency: "USD") == ["01 USD 19879"])
    #expect(try life.figures("mrr", to: 31, knownAt: 31, currency: "USD").count == 1)
    #expect(try life.notes("revenue", currency: "USD").contains { $0 == .converted(into: "USD") })
  }

  @Test func `a report that knows no rate yet says when the first one was imported`() async throws {
    let life = try await Life([(0, Self.paid("t1", 0, 40).signed(day(0)))])
    let rates = try ExchangeRate.table(Array("date,currency,into,rate\n2025-12-30,USD,EUR,0.9".utf8))
    #expect(try life.notes("revenue", currency: "EUR").contains { $0 == .nothingConverted(into: "EUR", from: ["USD"]) })
    #expect(try life.ledger.record(rates, origin: "r", now: day(300)) == 1)
    #expect(try life.notes("revenue", currency: "EUR").contains { $0 == .ratesKnownLater(into: "EUR", at: day(300)) })
  }

  @Test func `a figure says what it leaves out`() async throws {
    let row = TransactionFixture("r1", originalID: "r1", day(0), day(100))
    let life = try await Life([
      (1, PayloadFixture.receipt(at: day(1), latest: [row])), (0, Self.paid("t1", 0, 100).signed(day(0))),
    ])
    #expect(try life.figures("transactions_unpriced") == ["01 1"])
    #expect(try life.notes("revenue").contains { $0 == .unpricedPayments(1, of: 2) })
    #expect(try life.notes("mrr").contains { $0 == .unpricedSubscriptions(1, of: 2) })
    #expect(
      try life.notes("revenue", environment: .production) == [
        .noPurchases(in: "Production", others: [.init(environment: "Sandbox", count: 2)])
      ])
    let empty = try await Life([])
    #expect(try empty.notes("mrr") == [.emptyLedger])
  }

  @Test func `a restored copy without a price has that of its order, whichever of them decides`() async throws {
    let copy = TransactionFixture("t9", day(0), day(40), extra: [("web_order_line_item_id", "\"w1\"")])
    let life = try await Life([
      (0, Self.paid("t1", 0, 40, extra: [("webOrderLineItemId", "\"w1\""), ("storefront", "\"FRA\"")]).signed(day(0))),
      (9, PayloadFixture.receipt(at: day(9), latest: [copy])),
    ])
    #expect(try life.figures("mrr", by: .country, to: 31, knownAt: 31) == ["01 FRA USD 6993"])
    #expect(try life.figures("mrr", by: .product, .country, to: 31, knownAt: 31) == ["01 monthly FRA USD 6993"])
    #expect(try life.figures("mrr", by: .country, .product, to: 31, knownAt: 31) == ["01 FRA monthly USD 6993"])
    #expect(try life.notes("mrr").allSatisfy { if case .unpricedSubscriptions = $0 { false } else { true } })
  }

  @Test func `a conversion is counted for the trial's product and offer`() async throws {
    let free = Self.paid("t1", 0, 14, price: 0, extra: Self.trial)
    let life = try await Life([
      (0, free.signed(day(0))), (14, Self.paid("t2", 14, 45, product: "yearly").signed(day(14))),
    ])
    #expect(try life.figures("trial_conversion", by: .product) == ["01 monthly 1/1"])
    #expect(try life.figures("trial_conversion", by: .offerType) == ["01 introductory 1/1"])
  }

  @Test func `the price of a signed transaction holds where a later receipt names none`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))),
      (5, PayloadFixture.receipt(at: day(5), latest: [TransactionFixture("t1", day(0), day(31))])),
    ])
    #expect(try life.figures("revenue") == ["01 USD 9990"])
    #expect(try life.notes("revenue") == [.evidenceEnds(day(5))])
  }

  @Test func `a period that ends after the evidence is not complete`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))), (40, Self.paid("t2", 31, 59).signed(day(40))),
    ])
    let periods = try #require(ReportPeriods(.month, from: day(0), to: day(90)))
    for (asOf, isComplete) in [(40.5, [true, false, false]), (200, [true, false, false])] {
      var request = ReportRequest(
        try #require(Metric.named("mrr")), periods, QueryParameters(asOf: day(asOf), knownAt: day(asOf)))
      request.environment = .sandbox
      let report = try life.ledger.reader.report(request)
      #expect((0..<3).map(report.isComplete) == isComplete)
      #expect(report.notes.contains(.evidenceEnds(day(40))) == (asOf == 200))
    }
  }

  @Test func `a report about the past has a note where it counts what was recorded later`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))), (40, Self.paid("t2", 31, 59).signed(day(40))),
    ])
    let periods = try #require(ReportPeriods(.month, from: day(0), to: day(20)))
    for (asOf, knownAt, isNoted) in [(20, 50, true), (20, 20, false), (41, 50, false), (50, 50, false)]
      as [(Double, Double, Bool)]
    {
      var request = ReportRequest(
        try #require(Metric.named("mrr")), periods, QueryParameters(asOf: day(asOf), knownAt: day(knownAt)))
      request.environment = .sandbox
      let notes = try life.ledger.reader.report(request).notes
      #expect(notes.contains(.knownLater(day(asOf))) == isNoted, "\(asOf) \(knownAt): \(notes)")
    }
  }

  @Test func `what will end, and what is not known about subscriptions, is derived for any instant`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31).signed(day(0))), (0, RenewalFixture(status: false).signed(day(0))),
      (1, PayloadFixture.receipt(at: day(1), latest: [TransactionFixture("r1", originalID: "r1", day(0), day(45))])),
    ])
    func rows(_ sql: String, _ asOf: Double) throws -> [String] {
      var rows: [String] = []
      try life.ledger.reader.query(sql, QueryParameters(asOf: day(asOf), knownAt: day(200)), columns: { _ in }) { row in
        rows.append(
          row.map {
            if case .integer(let number) = $0 { "\(number)" } else if case .text(let text) = $0 { text } else { "-" }
          }
          .joined(separator: " "))
      }
      return rows
    }
    let expiring =
      "SELECT (month_begins_at - \(day(0).milliseconds)) / 86400000, will_renew, subscription_count FROM expiring ORDER BY 1, 2"
    #expect(try rows(expiring, 10) == ["31 - 1", "31 0 1"])
    #expect(try rows(expiring, 40) == ["31 - 1"])
    let gaps = "SELECT gap, subscription_count, of_subscription_count FROM data_quality ORDER BY 1"
    #expect(
      try rows(gaps, 44) == [
        "incomplete_period 0 2", "no_evidence_in_35_days 1 2", "no_price 1 2", "no_renewal_info 1 2", "unconfirmed 1 2",
      ])
  }
}

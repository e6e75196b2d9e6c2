import AppStore
import Ledger
import TestSupport
import Testing

/// Proceeds that follow from prices, taxes and commissions. Amounts are in milliunits.
@Suite struct ProceedsTests {
  typealias Life = MetricTests.Life

  static func paid(_ id: String, _ start: Double, _ end: Double, _ country: String, _ currency: String, _ price: Int)
    -> TransactionFixture
  {
    MetricTests.paid(
      id, start, end, price: price, currency: currency, extra: [("storefront", "\"\(country)\"")])
  }

  static func state(_ rows: String, to life: Life, at instant: Double = 0) throws {
    let terms = try ProceedsTerm.table(Array(("term,storefront,app,from,value\n" + rows).utf8))
    _ = try life.ledger.record(terms, isWhole: false, origin: "test", now: day(instant))
  }

  /// Proceeds that Apple reported for these prices, in `Data/reports` and in public tests of others.
  @Test(arguments: [
    ("MEX", "MXN", 119_000, "tax,MEX,,2020-01-01,16", 71_810), ("SAU", "SAR", 22_990, "tax,SAU,,2020-01-01,15", 13_994),
    ("BLR", "USD", 10_490, "tax,BLR,,2020-01-01,20", 6_119), ("RUS", "RUB", 299_000, "", 209_300),
    ("JPN", "JPY", 5_500_000, "tax,JPN,,2020-01-01,10\nprogram,,,2020-01-01,yes", 4_250_000),
    ("MEX", "MXN", 99_000, "tax,MEX,,2020-01-01,16\nprogram,,,2020-01-01,yes", 72_543),
  ])
  func `proceeds are the price without tax, less the commission`(
    _ country: String, _ currency: String, _ price: Int, _ rows: String, _ expected: Int
  ) async throws {
    let life = try await Life([(0, Self.paid("t1", 0, 31, country, currency, price).signed(day(0)))])
    try Self.state(rows, to: life)
    #expect(try life.figures("proceeds_estimated") == ["01 \(currency) \(expected)"])
  }

  /// 10.00 in Germany in January, with the program's own commission of 30 %.
  @Test(
    arguments: [
      ("", 7_000), ("tax,,,2020-01-01,25", 5_600), ("tax,,,2020-01-01,25\ntax,DEU,,2021-01-01,0", 7_000),
      ("tax,DEU,,2026-01-02,25", 7_000), ("tax,DEU,,2020-01-01,25\ntax,DEU,,2026-01-01,0", 7_000),
      ("commission,,,2020-01-01,20", 8_000), ("commission,DEU,,2020-01-01,20\ncommission,,,2025-01-01,10", 8_000),
      ("commission,,b,2020-01-01,20\ncommission,DEU,,2020-01-01,10", 8_000), ("commission,,other,2020-01-01,20", 7_000),
      ("program,,,2020-01-01,yes", 8_500), ("program,,,2020-01-01,yes\nprogram,,,2025-01-01,no", 7_000),
      ("program,,b,2020-01-01,yes\nprogram,,,2025-01-01,no", 8_500),
      ("program,,,2020-01-01,yes\nreduced_commission,,,2016-06-13,none", 7_000), ("commission,,,2008-07-10,none", nil),
    ] as [(String, Int?)])
  func `the row of the app counts before that of the storefront, and this before that for all`(
    _ rows: String, _ expected: Int?
  ) async throws {
    let life = try await Life([(0, Self.paid("t1", 0, 31, "DEU", "EUR", 10_000).signed(day(0)))])
    try Self.state(rows, to: life)
    #expect(try life.figures("proceeds_estimated") == (expected.map { ["01 EUR \($0)"] } ?? []))
  }

  @Test func `a refund returns the tax and the commission, and restates the period of its payment`() async throws {
    let life = try await MetricTests.refundedLater()
    #expect(try life.figures("proceeds_estimated", knownAt: 99) == ["01 USD 6993", "02 USD 6993"])
    #expect(try life.figures("proceeds_estimated") == ["02 USD 6993"])
  }

  @Test func `rows that were imported later change no earlier answer`() async throws {
    let life = try await Life([(0, Self.paid("t1", 0, 31, "USA", "USD", 10_000).signed(day(0)))])
    try Self.state("commission,,,2020-01-01,20", to: life, at: 50)
    #expect(try life.figures("proceeds_estimated", knownAt: 49) == ["01 USD 7000"])
    #expect(try life.figures("proceeds_estimated", knownAt: 51) == ["01 USD 8000"])
  }

  /// Yearly payments of 100.00, the second one so many days after the end of the first.
  @Test(arguments: [(0.0, 85_000), (60, 85_000), (61, 70_000)])
  func `after a year of paid service the commission is lower, unless a gap is longer than 60 days`(
    _ gap: Double, _ second: Int
  ) async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 365, "USA", "USD", 100_000).signed(day(0))),
      (365 + gap, Self.paid("t2", 365 + gap, 730 + gap, "USA", "USD", 100_000).signed(day(365 + gap))),
    ])
    let figures = try life.figures("proceeds_estimated", to: 460, knownAt: 900)
    #expect(figures.map { $0.split(separator: " ").last } == ["70000", "\(second)"])
  }

  @Test func `free time is no paid service`() async throws {
    let free = TransactionFixture(
      "t1", day(0), day(30), extra: [("price", "0"), ("currency", "\"USD\"")] + MetricTests.trial)
    let life = try await Life([
      (0, free.signed(day(0))), (30, Self.paid("t2", 30, 380, "USA", "USD", 100_000).signed(day(30))),
      (380, Self.paid("t3", 380, 410, "USA", "USD", 10_000).signed(day(380))),
      (410, Self.paid("t4", 410, 440, "USA", "USD", 10_000).signed(day(410))),
    ])
    let figures = try life.figures("proceeds_estimated", to: 460, knownAt: 900)
    #expect(figures.map { $0.split(separator: " ").last } == ["70000", "7000", "8500"])
  }

  /// A customer bought again while a refund lasted that was reversed later.
  @Test func `time that two purchases cover is paid service once`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 95, "USA", "USD", 100_000).signed(day(0))),
      (72, Self.paid("t2", 72, 345, "USA", "USD", 100_000).signed(day(72))),
      (345, Self.paid("t3", 345, 375, "USA", "USD", 10_000).signed(day(345))),
      (375, Self.paid("t4", 375, 405, "USA", "USD", 10_000).signed(day(375))),
    ])
    let figures = try life.figures("proceeds_estimated", to: 460, knownAt: 900)
    #expect(figures.map { $0.split(separator: " ").last } == ["70000", "70000", "7000", "8500"])
  }

  @Test func `a note names the rows that an estimate rests on, and the storefronts without a tax`() async throws {
    let life = try await Life([
      (0, Self.paid("t1", 0, 31, "DEU", "EUR", 10_000).signed(day(0))),
      (
        0,
        TransactionFixture(
          "u1", originalID: "u1", day(0), day(31),
          extra: [
            ("price", "10000"), ("currency", "\"EUR\""), ("storefront", "\"FRA\""),
          ]
        ).signed(day(0))
      ),
    ])
    try Self.state("tax,DEU,,2026-02-01,19\ntax,FRA,,2020-01-01,20", to: life)
    let note = try life.notes("proceeds_estimated").first { if case .estimated = $0 { true } else { false } }
    guard case .estimated(let terms, let untaxed)? = note else { throw LedgerError(.cannotRead, "no note") }
    #expect(
      terms.map { "\($0.kind.rawValue) \($0.value) \($0.storefront ?? "all")" } == [
        "commission 30 all", "reduced_commission 15 all", "tax 19 DEU", "tax 20 FRA",
      ])
    #expect(untaxed == ["DEU"])
  }

  /// What Apple reported on two days, and the days of which a report is imported.
  @Test func `proceeds are Apple's own, on the day of the sale or of the refund`() async throws {
    let life = try await Life([(0, Self.paid("t1", 0, 31, "DEU", "EUR", 10_000).signed(day(0)))])
    let header =
      "SKU\tApple Identifier\tProduct Type Identifier\tUnits\tDeveloper Proceeds\tBegin Date\tEnd Date\t"
      + "Customer Currency\tCountry Code\tCurrency of Proceeds\tCustomer Price\tSubscription\n"
    let rows = [
      ("01/31/2026", "a\t1\tIAY\t3\t5.88\t01/31/2026\t01/31/2026\tEUR\tDE\tEUR\t9.99\tNew\n"),
      (
        "02/01/2026",
        "a\t1\tIAY\t-1\t5.88\t02/01/2026\t02/01/2026\tEUR\tDE\tEUR\t-9.99\tNew\n"
          + "b\t2\tIA1\t2\t0.70\t02/01/2026\t02/01/2026\tUSD\tUS\tUSD\t0.99\t \n"
      ),
    ]
    var importer = AppleReportImporter(ledger: life.ledger, now: day(40))
    let summary = try await importer.run(
      rows.map { row in { AppleReportImporter.File(name: row.0, bytes: Array((header + row.1).utf8)) } })
    #expect(summary.recorded == 2)
    func figures(_ dimensions: [Metric.Dimension]) throws -> [String] {
      let periods = try #require(ReportPeriods(.month, from: day(0), to: day(59)))
      var request = ReportRequest(
        try #require(Metric.named("proceeds")), periods, QueryParameters(asOf: day(60), knownAt: day(60)))
      request.dimensions = dimensions
      return try life.ledger.reader.report(request).figures.filter { $0.amount != 0 }.map { figure in
        ([periods.label(figure.period)] + figure.groups + [figure.currency ?? "–", "\(figure.amount)"])
          .joined(separator: " ")
      }
    }
    #expect(try figures([]) == ["2026-01 EUR 17640", "2026-02 EUR -5880", "2026-02 USD 1400"])
    #expect(
      try figures([.product, .country, .reason]) == [
        "2026-01 a DEU new EUR 17640", "2026-02 a DEU new EUR -5880", "2026-02 b USA one_time USD 1400",
      ])
    #expect(try life.notes("proceeds", environment: .production).contains(.reportedDays(2, of: 90)))
    let ofApp = try life.notes("proceeds", environment: .production, bundleID: "com.example")
    #expect(ofApp.contains(.proceedsOfNoApp("com.example")) && !ofApp.contains(.reportedDays(2, of: 90)))
  }
}

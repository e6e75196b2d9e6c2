import AppStore
import Ledger
import TestSupport
import Testing

/// The catalogue in the ledger: kept with its history, typing what evidence leaves untyped, and never changing evidence.
@Suite struct CatalogueRecordTests {
  static func take(_ text: String, _ ledger: LedgerRecorder, at instant: Instant) throws -> CatalogueSummary {
    try ledger.record(ProductCatalogue(Array(text.utf8)), bundleID: "b", origin: "test", now: instant)
  }

  static func now(_ number: Double = 1000) -> QueryParameters {
    QueryParameters(asOf: day(number), knownAt: day(number))
  }

  @Test func `importing again changes what is new, and what a file does not say stays`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([])
    let full = CatalogueTests.configuration
    #expect(try Self.take(full, ledger, at: day(1)) == Self.summary(products: 2, added: 2))
    #expect(try Self.take(full, ledger, at: day(2)) == Self.summary(products: 2))
    #expect(
      try Self.take("product_id,price,currency\nmonth,5.99,EUR\n", ledger, at: day(3))
        == Self.summary(products: 1, changed: 1))
    let month = try #require(try ledger.reader.products(Self.now()).first { $0.id == "month" })
    #expect(month.prices == [Product.Price(5990, currency: "EUR")])
    #expect(
      month.period?.months == 1 && month.subscriptionGroupID == "G" && month.names?.first?.displayName == "Monthly")
    let before = try #require(
      try ledger.reader.products(QueryParameters(asOf: day(9), knownAt: day(2))).first { $0.id == "month" })
    #expect(before.prices == [Product.Price(4990, storefront: "USA")])
    withExtendedLifetime(folder) {}
  }

  private static func summary(products: Int, added: Int = 0, changed: Int = 0, entitlements: Int = 0)
    -> CatalogueSummary
  {
    var summary = CatalogueSummary()
    (summary.products, summary.added, summary.changed, summary.entitlementChanges) = (
      products, added, changed, entitlements
    )
    return summary
  }

  @Test func `a product grants several entitlements and several products one, with history`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([])
    #expect(
      try Self.take("[{\"product_id\":\"m\",\"entitlements\":[\"pro\",\"extra\"]}]", ledger, at: day(1))
        .entitlementChanges == 2)
    #expect(try ledger.entitle("pro", products: ["m", "y"], of: "b", now: day(2)) == 1)
    #expect(
      try Self.take("[{\"product_id\":\"m\",\"entitlements\":[\"pro\"]}]", ledger, at: day(3)).entitlementChanges == 1)
    func granted(_ known: Double) throws -> [String] {
      try ledger.reader.products(QueryParameters(asOf: day(9), knownAt: day(known))).map {
        "\($0.id): \(($0.entitlements ?? []).joined(separator: " "))"
      }
    }
    #expect(try granted(9) == ["m: pro", "y: pro"])
    #expect(try granted(2) == ["m: extra pro", "y: pro"])
    #expect(try granted(0) == [])
    #expect(try ledger.entitle("pro", products: ["y"], of: "b", isGranted: false, now: day(4)) == 1)
    #expect(try granted(9) == ["m: pro"])
    #expect(throws: LedgerError.self) { try ledger.entitle(" ", products: ["m"], of: "b", now: day(4)) }
    withExtendedLifetime(folder) {}
  }

  /// Rules §9: a duration in calendar months ends on the same day, or on a shorter month's last.
  @Test(arguments: [
    ("P1M", "2026-01-31T12:30:00Z", "2026-02-28T12:30:00Z"), ("P1M", "2024-01-31T00:00:00Z", "2024-02-29T00:00:00Z"),
    ("P1Y", "2024-02-29T23:59:59Z", "2025-02-28T23:59:59Z"), ("P6M", "2025-08-31T01:00:00Z", "2026-02-28T01:00:00Z"),
    ("P1M", "2026-12-15T10:00:00Z", "2027-01-15T10:00:00Z"), ("P30D", "2026-01-31T12:30:00Z", "2026-03-02T12:30:00Z"),
    ("P2W", "2026-02-20T00:00:00Z", "2026-03-06T00:00:00Z"), ("P1M1D", "2026-01-31T00:00:00Z", "2026-03-01T00:00:00Z"),
  ])
  func `9: a non-renewing subscription ends after the catalogue's duration`(period: String, bought: String, end: String)
    async throws
  {
    let (boughtAt, ends) = (try #require(Instant(bought)), try #require(Instant(end)))
    let (ledger, folder) = try await ReceivedText.ledger([.init(TransactionFixture(boughtAt, nil).signed(boughtAt))])
    _ = try Self.take("product_id,type,period\nmonthly,Non-Renewing Subscription,\(period)\n", ledger, at: day(0))
    let purchase = try #require(
      try ledger.reader.search("t1").matches.compactMap {
        if case .purchase(let purchase) = $0 { purchase } else { nil }
      }.first)
    func state(_ instant: Instant) throws -> (String?, Instant?) {
      let found = try ledger.reader.transactions(of: purchase, QueryParameters(asOf: instant, knownAt: day(1e5))).first
      return (found?.oneTimeState?.rawValue, found?.oneTimeEnd)
    }
    let before = try state(Instant(milliseconds: ends.milliseconds - 1))
    #expect(before.0 == "active" && before.1 == ends, "\(String(describing: before.1))")
    #expect(try state(ends).0 == "expired")
    withExtendedLifetime(folder) {}
  }

  @Test func `9: the type is the transaction's, else the catalogue's, else other evidence's, else unknown`()
    async throws
  {
    func bought(_ id: String, _ product: String, type: String? = nil) -> ReceivedText {
      .init(
        TransactionFixture(
          id, originalID: id, product: product, day(0), nil, extra: type.map { [("type", "\"\($0)\"")] } ?? []
        )
        .signed(day(0)))
    }
    let (ledger, folder) = try await ReceivedText.ledger([
      bought("t1", "own", type: "Consumable"), bought("t2", "catalogue"), bought("t3", "both", type: "Non-Consumable"),
      bought("t4", "both"), bought("t5", "none"), bought("t6", "endless"),
    ])
    _ = try Self.take(
      "product_id,type\nown,NonConsumable\ncatalogue,NonConsumable\nendless,Non-Renewing Subscription\n", ledger,
      at: day(1))
    var states: [String: String] = [:]
    try ledger.reader.query(
      "SELECT transaction_id, state FROM one_time_purchase", Self.now(), columns: { _ in },
      row: { if case .text(let id) = $0[0], case .text(let state) = $0[1] { states[id] = state } })
    #expect(
      states == ["t1": "consumable", "t2": "active", "t3": "active", "t4": "active", "t5": "unknown", "t6": "active"])
    withExtendedLifetime(folder) {}
  }

  @Test func `9: other evidence types a product only in its own environment, and from when it was known`() async throws
  {
    func bought(_ id: String, type: String?, environment: String, received: Double) -> ReceivedText {
      .init(
        TransactionFixture(
          id, originalID: id, product: "p", day(0), nil, extra: type.map { [("type", "\"\($0)\"")] } ?? []
        )
        .signed(day(0), environment: environment), received: day(received))
    }
    let (ledger, folder) = try await ReceivedText.ledger([
      bought("t1", type: nil, environment: "Sandbox", received: 1),
      bought("t2", type: "Non-Consumable", environment: "Xcode", received: 1),
      bought("t3", type: "Non-Consumable", environment: "Sandbox", received: 5),
    ])
    func state(_ known: Double) throws -> Value? {
      var found: Value?
      try ledger.reader.query(
        "SELECT state FROM one_time_purchase WHERE transaction_id = 't1'",
        QueryParameters(asOf: day(9), knownAt: day(known)),
        columns: { _ in }, row: { found = $0[0] })
      return found
    }
    #expect(try state(4) == .text("unknown"))
    #expect(try state(5) == .text("active"))
    withExtendedLifetime(folder) {}
  }

  @Test func `products seen in evidence and in no catalogue are listed, by environment`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(
        TransactionFixture("t1", originalID: "t1", product: "a", day(0), day(30)).signed(day(0), environment: "Xcode")),
      .init(TransactionFixture("t2", originalID: "t1", product: "b", day(30), day(60)).signed(day(30))),
      .init(TransactionFixture("t3", originalID: "t1", product: "b", day(60), day(90)).signed(day(60))),
    ])
    let unknown = try ledger.reader.unknownProducts(Self.now())
    #expect(unknown.map { "\($0.environment) \($0.id) \($0.transactionCount)" } == ["Sandbox b 2", "Xcode a 1"])
    #expect(unknown[0].firstPurchaseAt == day(30) && unknown[0].lastPurchaseAt == day(60))
    _ = try Self.take("product_id\nb\n", ledger, at: day(1))
    #expect(try ledger.reader.unknownProducts(Self.now()).map(\.id) == ["a"])
    withExtendedLifetime(folder) {}
  }
}

/// A configuration of Xcode's with two products.
private enum CatalogueTests {
  static let configuration = """
    {"products":[{"displayPrice":"0.99","productID":"coins","type":"Consumable"}],"settings":{"_storefront":"USA"},\
    "subscriptionGroups":[{"id":"G","name":"pro","subscriptions":[{"displayPrice":"4.99","productID":"month","type":\
    "RecurringSubscription","groupNumber":1,"subscriptionGroupID":"G","recurringSubscriptionPeriod":"P1M","localizations":\
    [{"locale":"en_US","displayName":"Monthly"}],"introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},\
    "codeOffers":[{"eligibility":["new","existing"],"paymentMode":"free","referenceName":"c","subscriptionPeriod":"P3D"}]}]}],\
    "version":{"major":3,"minor":0}}
    """
}

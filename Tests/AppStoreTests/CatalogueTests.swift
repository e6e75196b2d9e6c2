import Testing

@testable import AppStore

/// Product catalogues: Xcode's configurations of every schema, JSON lists, tables.
@Suite struct CatalogueTests {
  static func catalogue(_ text: String) throws -> ProductCatalogue { try ProductCatalogue(Array(text.utf8)) }

  static func refusal(_ text: String) -> CatalogueError? {
    do throws(CatalogueError) {
      _ = try ProductCatalogue(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  /// A configuration whose one subscription has more members.
  static func configuration(_ version: String, subscription: String = "", more: String = "") -> String {
    """
    {"identifier":"A","products":[{"displayPrice":"0.99","familyShareable":true,"productID":"coins","type":"Consumable",\
    "referenceName":"Coins","localizations":[{"locale":"de_DE","displayName":"Münzen","description":"Hundert"}]}],\
    \(more)"settings":{"_storefront":"DEU"},"subscriptionGroups":[{"id":"G","name":"pro","subscriptions":[{"displayPrice":\
    "4.99","productID":"month","type":"RecurringSubscription","groupNumber":2,"subscriptionGroupID":"G",\
    \(subscription)"recurringSubscriptionPeriod":"P1M"}]}],"version":\(version)}
    """
  }

  @Test func `a configuration states id, type, names, group, level, period, price, storefront and sharing`() throws {
    let found = try Self.catalogue(Self.configuration("{\"major\":1,\"minor\":1}"))
    #expect(found.format == .storeKitConfiguration)
    let coins = found.products[0]
    #expect(coins.id == "coins" && coins.type == .consumable && coins.isFamilyShareable == true)
    #expect(coins.names == [Product.Name(locale: "de_DE", displayName: "Münzen", description: "Hundert")])
    #expect(coins.prices == [Product.Price(990, storefront: "DEU")])
    let month = found.products[1]
    #expect(month.type == .autoRenewable && month.period?.months == 1 && month.serviceLevel == 2)
    #expect(month.subscriptionGroupID == "G" && month.subscriptionGroupName == "pro")
  }

  @Test(arguments: [
    ("{\"major\":1,\"minor\":0}", "", []),
    (
      "{\"major\":1,\"minor\":1}",
      #""introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},"#, ["1 FREE_TRIAL P1W - - -"]
    ),
    (
      "{\"major\":2,\"minor\":0}",
      #""introductoryOffer":null,"adHocOffers":[{"offerID":"back","paymentMode":"payAsYouGo","displayPrice":"0.99","#
        + #""numberOfPeriods":2,"subscriptionPeriod":"P1M"}],"#, ["2 PAY_AS_YOU_GO P1M back 2 990"]
    ),
    (
      "{\"major\":3,\"minor\":0}",
      #""codeOffers":[{"eligibility":["new","expired"],"isStackable":true,"paymentMode":"free","referenceName":"spring","#
        + #""subscriptionPeriod":"P3D"}],"#, ["3 FREE_TRIAL P3D spring - - expired new stackable"]
    ),
    (
      "{\"major\":4,\"minor\":0}",
      #""winbackOffers":[{"offerID":"w","paymentMode":"payUpFront","displayPrice":"9","subscriptionPeriod":"P1Y"}],"#,
      ["4 PAY_UP_FRONT P1Y w - 9000"]
    ),
    (
      "{\"major\":5,\"minor\":0}",
      #""introductoryOffers":[{"paymentMode":"free","subscriptionPeriod":"P1W"},{"paymentMode":"payUpFront","#
        + #""displayPrice":"1.99","subscriptionPeriod":"P2M"}],"introductoryOffer":{"paymentMode":"free","#
        + #""subscriptionPeriod":"P1W"},"#, ["1 FREE_TRIAL P1W - - -", "1 PAY_UP_FRONT P2M - - 1990"]
    ),
  ])
  func `each schema has its kinds of offers`(version: String, members: String, expected: [String]) throws {
    let month = try Self.catalogue(Self.configuration(version, subscription: members)).products[1]
    let offers = (month.offers ?? []).map { offer in
      ([
        "\(offer.type)", offer.discountType ?? "-", offer.period?.description ?? "-", offer.identifier ?? "-",
        offer.periodCount.map(String.init) ?? "-", (offer.price?.rawValue).map(String.init) ?? "-",
      ] + offer.eligibility + (offer.isStackable == true ? ["stackable"] : [])).joined(separator: " ")
    }
    #expect(offers == expected)
  }

  @Test func `schema 5 sells one product by several billing plans`() throws {
    let plans = #"""
      "billingPlans":[{"billingPlanType":"BILLED_UPFRONT","displayPrice":"49.99","isEnabled":false},{"billingPlanType":\#
      "MONTHLY","displayPrice":"4.99","commitmentDisplayPrice":"59.88","isEnabled":true}],
      """#
    let month = try Self.catalogue(Self.configuration("{\"major\":5,\"minor\":0}", subscription: plans)).products[1]
    #expect(
      month.prices == [
        Product.Price(4990, storefront: "DEU"),
        Product.Price(4990, storefront: "DEU", billingPlanType: "MONTHLY", commitmentAmount: 59_880),
      ])
  }

  @Test func `a JSON list and a table say the same`() throws {
    let list = try Self.catalogue(
      """
      {"products":[{"product_id":"a,b","type":"Auto-Renewable Subscription","name":"A \\"B\\"","group":"G","level":1,\
      "period":"P1Y","price":39.99,"currency":"EUR","family_shareable":false,"entitlements":["pro","extra"]},\
      {"id":"pass","type":"NonRenewingSubscription","period":"P30D"}]}
      """)
    let table = try Self.catalogue(
      "\u{FEFF}product_id,type,name,group,level,period,price,currency,family_shareable,entitlements\r\n"
        + "\"a,b\",auto-renewable subscription,\"A \"\"B\"\"\",G,1,P1Y,39.99,EUR,no,pro;extra\r\n"
        + "pass,Non-Renewing Subscription,,,,P30D,,,,\r\n\r\n")
    #expect(list.format == .json && table.format == .csv)
    #expect(list.products == table.products)
    #expect(list.products[0].prices == [Product.Price(39_990, currency: "EUR")])
    #expect(list.products[1].period?.days == 30)
  }

  @Test func `a list maps entitlements to products, and names, prices and offers may be many`() throws {
    let found = try Self.catalogue(
      """
      {"products":[{"product_id":"m","names":{"en":"M","fr":"Mois"},"prices":[{"price":"1","storefront":"USA"},{"price":"2",\
      "currency":"EUR"}],"offers":[{"type":"win_back","payment_mode":"free","period":"P1W"}]},{"product_id":"y"},\
      {"product_id":"coins"}],"entitlements":{"pro":["m","y"],"extra":["y"]}}
      """
    ).products
    #expect(found.map(\.entitlements) == [["pro"], ["pro", "extra"], []])
    #expect(found[0].names?.count == 2 && found[0].prices?.count == 2 && found[0].offers?.first?.type == 4)
  }

  @Test(
    arguments: [
      ("P1M", 1, 0), ("P1Y", 12, 0), ("P2W", 0, 14), ("P3D", 0, 3), ("P1Y6M", 18, 0), ("P1M3D", 1, 3),
      ("", nil, nil), ("P", nil, nil), ("1M", nil, nil), ("P1", nil, nil), ("PT1H", nil, nil), ("P0D", nil, nil),
      ("P1D1M", nil, nil), ("P-1M", nil, nil), ("P1.5M", nil, nil), ("P99999Y", nil, nil), ("P1M1M", nil, nil),
    ] as [(String, Int64?, Int64?)])
  func `a period is an ISO 8601 duration of whole years, months, weeks and days`(
    text: String, months: Int64?, days: Int64?
  ) {
    let period = Period(text)
    #expect(period?.months == months && period?.days == days)
  }

  @Test(
    arguments: [
      ("4.99", 4990), ("0", 0), ("39", 39_000), ("1.5", 1500), ("0.005", 5), ("9.9900", 9990), ("-1", nil),
      ("4,99", nil),
      ("", nil), (".5", nil), ("1.", nil), ("1e3", nil), ("0.0005", nil), ("9999999999999", nil), ("1.2.3", nil),
    ] as [(String, Int64?)])
  func `a price is an exact decimal`(text: String, milliunits: Int64?) {
    #expect(Milliunits(text)?.rawValue == milliunits)
  }

  @Test(arguments: [
    ("", "unreadable", "$"),
    ("{\"torn\":", "unreadable", "$.torn"),
    ("{\"a\":1}", "unreadable", "$"),
    ("name,price\nx,1\n", "unreadable", "line 1"),
    ("product_id,colour\nx,red\n", "invalid", "line 1"),
    ("product_id,name\nx,\"open\n", "unreadable", "$"),
    ("product_id,price\nx,1,2,3\n", "invalid", "row 1 below the header"),
    ("product_id,price\nx,1\ny,cheap\n", "invalid", "row 2 below the header"),
    ("product_id,price\n,1\n", "missing", "row 1 below the header"),
    ("[{\"product_id\":\"x\",\"period\":\"monthly\"}]", "invalid", "$[0].period"),
    ("[{\"product_id\":\"x\",\"type\":\"Gadget\"}]", "invalid", "$[0].type"),
    ("[{\"name\":\"x\"}]", "missing", "$[0]"),
    ("[{\"product_id\":\"x\",\"typ\":\"Consumable\"}]", "invalid", "$[0]"),
    ("[{\"product_id\":\"x\\u0000\"}]", "invalid", "$[0].product_id"),
    ("[{\"product_id\":\"x\"},{\"product_id\":\"x\"}]", "contradiction", "$"),
    (
      "{\"products\":[{\"product_id\":\"x\"}],\"entitlements\":{\"pro\":[\"y\"]}}", "contradiction",
      "$.entitlements.pro[0]"
    ),
    ("[{\"product_id\":\"x\",\"type\":\"Consumable\",\"group\":\"G\"}]", "contradiction", "$"),
    ("{\"version\":{\"major\":6,\"minor\":0},\"products\":[]}", "unknown_schema", "$.version.major"),
    ("{\"version\":{\"minor\":0},\"products\":[]}", "unknown_schema", "$.version.major"),
  ])
  func `a catalogue that cannot be right is refused as a whole, with its place`(
    text: String, code: String, path: String
  ) {
    let refusal = Self.refusal(text)
    #expect(refusal?.code.rawValue == code && refusal?.path == path, "\(String(describing: refusal))")
    #expect(refusal?.advice.isEmpty == false)
  }

  @Test func `a product in two groups is a contradiction that names both`() {
    func group(_ id: String, says: String) -> String {
      "{\"id\":\"\(id)\",\"subscriptions\":[{\"productID\":\"x\",\"subscriptionGroupID\":\"\(says)\"}]}"
    }
    let twice = "{\"version\":{\"major\":3},\"subscriptionGroups\":[\(group("G", says: "G")),\(group("H", says: "H"))]}"
    #expect(Self.refusal(twice)?.detail == "product x is in two groups: G and H")
    let inside = "{\"version\":{\"major\":3},\"subscriptionGroups\":[\(group("G", says: "H"))]}"
    #expect(Self.refusal(inside)?.code == .contradiction)
  }
}

import AppStore
import Foundation
import TestSupport
import Testing

@testable import AppStoreSimulator

/// What a back end can do at a local App Store: answer about refunds, extend for all, verify receipts.
@Suite struct LocalActionTests {
  typealias Client = LocalAppStoreTests.Client
  typealias Object = [String: Any]
  static let hour = LocalNotificationTests.hour

  /// A store of one customer without random events, who has bought a subscription and a consumable.
  static func client(
    rate: RenewalRate = .realTime, version: NotificationVersion = .v2
  ) throws -> (Client, subscription: Int64, consumable: Int64) {
    let scenario = try #require(Scenario.all.first)
    let simulation = try Simulation(
      catalog: .builtIn(), seed: 3, customers: 1, from: day(0), to: day(1), rate: rate, scenario: scenario)
    let client = try Client(simulation, at: day(0) + 1000)
    client.store.version = version
    try client.store.perform(.buy("monthly"), on: nil, of: 0)
    try client.store.perform(.buy("bells"), on: nil, of: 0)
    let store = client.store.encoder(of: 0).store
    return (client, try #require(store.subscriptions.last).id, try #require(store.purchases.last).id)
  }

  static func types(_ client: Client) -> [String] { client.store.sentNotifications().map(\.type) }

  // MARK: - Consumption

  static let consumption =
    "{\"customerConsented\":true,\"deliveryStatus\":\"DELIVERED\",\"sampleContentProvided\":false"

  @Test func `consumption information is checked member by member`() throws {
    let (client, subscription, consumable) = try Self.client()
    func send(_ id: Int64, _ body: String, version: Int = 2) throws -> Int {
      let (status, object) = try client.get(
        "/inApps/v\(version)/transactions/consumption/\(id)", method: "PUT", body: body)
      return object["errorCode"] as? Int ?? status
    }
    let good = Self.consumption
    for (id, body, code) in [
      (consumable, good + "}", 202), (subscription, good + "}", 202), (1, good + "}", 4_040_010), (consumable, "", 400),
      (consumable, "{}", 4_000_035), (consumable, good.replacing("true", with: "false") + "}", 4_000_035),
      (consumable, good.replacing("DELIVERED", with: "LOST") + "}", 4_000_036),
      (consumable, good.replacing(",\"sampleContentProvided\":false", with: "") + "}", 4_000_041),
      (consumable, good + ",\"refundPreference\":\"MAYBE\"}", 4_000_044),
      (subscription, good + ",\"consumptionPercentage\":5}", 4_000_209),
      (consumable, good + ",\"consumptionPercentage\":100001}", 4_000_000),
      (consumable, good.replacing("DELIVERED", with: "UNDELIVERED_OTHER") + ",\"consumptionPercentage\":5}", 4_000_000),
      (consumable, good + ",\"refundPreference\":\"GRANT_PRORATED\"}", 4_000_000),
      (consumable, good + ",\"refundPreference\":\"GRANT_PRORATED\",\"consumptionPercentage\":5000}", 202),
    ] as [(Int64, String, Int)] {
      #expect(try send(id, body) == code, "\(id) \(body)")
    }
    #expect(try send(client.store.encoder(of: 0).store.accounts[0].appTransactionID, good + "}") == 4_000_048)
    let v1 = "{\"customerConsented\":true"
    for (body, code) in [
      (v1 + "}", 202), ("{}", 4_000_035), (v1 + ",\"accountTenure\":8}", 4_000_032),
      (v1 + ",\"appAccountToken\":\"x\"}", 4_000_033), (v1 + ",\"appAccountToken\":\"\"}", 202),
      (v1 + ",\"consumptionStatus\":4}", 4_000_034), (v1 + ",\"deliveryStatus\":\"DELIVERED\"}", 4_000_036),
      (v1 + ",\"lifetimeDollarsPurchased\":-1}", 4_000_037), (v1 + ",\"lifetimeDollarsRefunded\":8}", 4_000_038),
      (v1 + ",\"platform\":3}", 4_000_039), (v1 + ",\"playTime\":8}", 4_000_040),
      (v1 + ",\"sampleContentProvided\":1.5}", 4_000_041), (v1 + ",\"userStatus\":5}", 4_000_042),
      (v1 + ",\"refundPreference\":4}", 4_000_044), ("[1]", 400),
    ] {
      #expect(try send(consumable, body, version: 1) == code, "\(body)")
    }
  }

  static let wishes: [(preference: String, type: String, percentage: Int64?)] = [
    ("DECLINE", "REFUND_DECLINED", nil), ("GRANT_FULL", "REFUND", 100_000), ("GRANT_PRORATED", "REFUND", 75_000),
  ]

  @Test(arguments: wishes.indices)
  func `Apple decides about a refund as the app wishes, an hour later`(row: Int) throws {
    let (preference, type, percentage) = Self.wishes[row]
    let (client, _, consumable) = try Self.client()
    try client.store.perform(.askForRefund, on: .purchase(0), of: 0)
    let share = preference == "GRANT_PRORATED" ? ",\"consumptionPercentage\":25000" : ""
    let answer = try client.get(
      "/inApps/v2/transactions/consumption/\(consumable)", method: "PUT",
      body: Self.consumption + ",\"refundPreference\":\"\(preference)\"\(share)}")
    #expect(answer.status == 202)
    _ = try LocalNotificationTests.advance(client, to: client.store.clock + 59 * 60_000)
    #expect(Self.types(client).last == "CONSUMPTION_REQUEST")
    _ = try LocalNotificationTests.advance(client, to: client.store.clock + 2 * 60_000)
    #expect(Self.types(client).last == type)
    let bought = try #require(client.store.encoder(of: 0).store.purchases.first)
    #expect(bought.revocation?.percentage == percentage)
    _ = try LocalNotificationTests.advance(client, to: client.store.clock + 48 * Self.hour)
    #expect(Self.types(client).filter { $0 == "CONSUMPTION_REQUEST" }.count == 1, "\(Self.types(client))")
  }

  @Test func `Apple asks three times, each under another UUID, where nobody answers`() throws {
    let (client, _, _) = try Self.client()
    try client.store.perform(.askForRefund, on: .purchase(0), of: 0)
    let begun = client.store.clock
    _ = try LocalNotificationTests.advance(client, to: begun + 48 * Self.hour)
    let asked = client.store.sentNotifications().filter { $0.type == "CONSUMPTION_REQUEST" }
    #expect(asked.map { ($0.signedAt - begun) / Self.hour } == [0, 7, 15] || asked.count == 3)
    #expect(Set(asked.map(\.uuid)).count == 3 && Set(asked.map(\.transactionID)).count == 1)
  }

  // MARK: - Extensions for all

  @Test func `an extension for all runs for an hour, and says how many succeeded`() throws {
    let client = try Client(LocalAppStoreTests.simulation(60), at: day(600))
    client.store.version = .v2
    let identifier = "c0ffee00-1111-4222-8333-444455556666"
    let product = "com.example.meditation.monthly"
    let status = "/inApps/v1/subscriptions/extend/mass/\(product)/\(identifier)"
    func extend(_ change: [String: Any]) throws -> (status: Int, object: Object) {
      let body: [String: Any] = [
        "requestIdentifier": identifier, "extendByDays": 5, "extendReasonCode": 3, "productId": product,
      ]
      let text = try JSONSerialization.data(withJSONObject: body.merging(change) { $1 })
      return try client.get(
        "/inApps/v1/subscriptions/extend/mass", method: "POST", body: String(decoding: text, as: UTF8.self))
    }
    for (change, code) in [
      (["requestIdentifier": "x"], 4_000_011), (["extendByDays": 0], 4_000_009), (["extendReasonCode": 4], 4_000_010),
      (["productId": "x"], 4_000_023), (["storefrontCountryCodes": [String]()], 4_000_027),
      (["storefrontCountryCodes": ["US"]], 4_000_028),
    ] as [([String: Any], Int)] {
      #expect(try extend(change).object["errorCode"] as? Int == code, "\(change)")
    }
    #expect(try client.code(status) == 4_040_009)
    var activeCount = 0
    for number in 0..<60 {
      for subscription in client.store.encoder(of: number).store.subscriptions
      where subscription.sharedFrom == nil && subscription.state == .active {
        let id = client.store.simulation.catalog.products[subscription.last.product].id
        activeCount += id == product ? 1 : 0
      }
    }
    #expect(try extend([:]).status == 200 && extend([:]).status == 200)
    #expect(try client.get(status).object["complete"] as? Bool == false)
    _ = try LocalNotificationTests.advance(client, to: client.store.clock + Self.hour + 120_000)
    let outcome = try client.get(status).object
    let (succeeded, failed) = (outcome["succeededCount"] as? Int ?? 0, outcome["failedCount"] as? Int ?? 0)
    #expect(outcome["complete"] as? Bool == true && outcome["completeDate"] is Int)
    #expect(succeeded > 1)
    #expect(abs(succeeded + failed - activeCount) <= 2, "\(succeeded) and \(failed) of \(activeCount)")
    let sent = client.store.sentNotifications().filter { $0.signedAt > day(600) }
    #expect(sent.filter { $0.type == "RENEWAL_EXTENSION" && $0.subtype == "SUMMARY" }.count == 1)
    #expect(sent.filter { $0.type == "RENEWAL_EXTENSION" && $0.subtype == "FAILURE" }.count == failed)
    #expect(sent.filter { $0.type == "RENEWAL_EXTENDED" }.count >= succeeded)
  }

  // MARK: - verifyReceipt

  @Test func `a receipt of what was bought is answered by the environment that it is of`() throws {
    let production = try Client(LocalAppStoreTests.simulation(40))
    let sandbox = try Client(LocalAppStoreTests.simulation(40, rate: .sandbox))
    func ask(_ client: Client, _ members: [String: Any], method: String = "POST") throws -> Object {
      let body = try JSONSerialization.data(withJSONObject: members)
      let request = try #require(APIRequest(method, "/verifyReceipt", authorization: nil, body: Array(body)))
      let response = try client.store.answer(request, now: LocalAppStoreTests.now)
      #expect(response.status == 200)
      return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? Object)
    }
    let secret = LocalAppStore.sharedSecret
    var old = 0
    for (client, other, crossing) in [(production, sandbox, 21_008), (sandbox, production, 21_007)] {
      let bought = client.store.takePurchases()
      #expect(bought.count > 40 && client.store.takePurchases().isEmpty)
      for purchase in bought {
        let body: [String: Any] = ["receipt-data": try client.store.receipt(of: purchase), "password": secret]
        let answer = try ask(client, body)
        #expect(answer["status"] as? Int == 0)
        #expect(answer["environment"] as? String == purchase.environment)
        #expect(try ask(other, body)["status"] as? Int == crossing)
        guard let latest = answer["latest_receipt"] as? String else { continue }
        let rows = try #require(answer["latest_receipt_info"] as? [Object])
        let newest = try ask(client, ["receipt-data": latest, "password": secret, "exclude-old-transactions": true])
        let last = try #require(newest["latest_receipt_info"] as? [Object])
        #expect(Set(last.compactMap { $0["original_transaction_id"] as? String }).count == last.count)
        old += rows.count - last.count
        #expect(try ask(client, ["receipt-data": latest, "password": "x"])["status"] as? Int == 21_004)
        #expect(try ask(client, ["receipt-data": latest])["status"] as? Int == 21_004)
      }
    }
    #expect(old > 100)
    let wider = try Client(LocalAppStoreTests.simulation(50))
    let unknown = try #require(wider.store.takePurchases().last { $0.number >= 40 })
    let receipt = try wider.store.receipt(of: unknown)
    let changed = receipt.dropLast(40) + String(repeating: "A", count: 20) + receipt.suffix(20)
    for (members, status) in [
      ([:], 21_002), (["receipt-data": ""], 21_002), (["receipt-data": "hello"], 21_002),
      (["receipt-data": 5], 21_002), (["receipt-data": receipt], 21_010),
      (["receipt-data": changed], 21_003),
    ] as [([String: Any], Int)] {
      #expect(try ask(production, members)["status"] as? Int == status, "\(members)")
    }
    #expect(try ask(production, [:], method: "GET")["status"] as? Int == 21_000)
  }

  // MARK: - Groups, limits and faults

  @Test func `a group of seats lists its members in the sandbox, and production does not know groups`() throws {
    let (client, _, _) = try Self.client(rate: .sandbox)
    try client.store.perform(.buySeats("stories", seats: 5), on: nil, of: 0)
    for _ in 0..<3 { try client.store.perform(.joinTeam, on: nil, of: 0) }
    let store = client.store.encoder(of: 0).store
    let subscription = try #require(store.subscriptions.last { $0.seating != nil })
    let groups = try #require(
      try client.get("/groups/v1/currentGroups/\(subscription.id)").object["groups"] as? [Object])
    let id = try #require(groups.first?["groupId"] as? String)
    #expect(groups.count == 1 && groups[0]["groupType"] as? String == "CONSUMER")
    var (members, token): ([Object], String?) = ([], nil)
    repeat {
      let page = try client.get(
        "/groups/v1/group/\(id)?limit=2" + (token.map { "&paginationToken=\($0)" } ?? "")
      ).object
      members += page["members"] as? [Object] ?? []
      token = page["paginationToken"] as? String
    } while token != nil
    let seats = store.subscriptions.filter(\.isAssigned).map { String(store.accounts[$0.account].appTransactionID) }
    #expect(members.compactMap { $0["appTransactionId"] as? String } == seats && seats.count == 3)
    for (target, code) in [
      ("/groups/v1/group/x", 4_000_000), ("/groups/v1/group/G1", 4_040_000),
      ("/groups/v1/group/\(id)?limit=101", 4_000_004), ("/groups/v1/group/\(id)?paginationToken=x", 4_000_014),
      ("/groups/v1/currentGroups/1", 4_040_010),
    ] {
      #expect(try client.code(target) == code, "\(target)")
    }
    #expect(try Self.client().0.get("/groups/v1/group/\(id)").status == 404)
  }

  @Test func `too many requests in an hour are refused until the next`() throws {
    var limit = RateLimit(.sandbox)
    let now = Instant(milliseconds: 5 * Self.hour + 7)
    for _ in 0..<360 { #expect(limit.count(.testNotification, at: now) == nil) }
    #expect(limit.count(.testNotification, at: now)?.milliseconds == 6 * Self.hour)
    #expect(limit.count(.transactionInfo, at: now) == nil)
    #expect(limit.count(.testNotification, at: now + Self.hour) == nil)
  }

  static let faults: [(kind: APIFault.Kind, status: Int, code: Int?, manner: APIResponse.Manner)] = [
    (.tooManyRequests, 429, 4_290_000, .whole), (.unknown, 500, 5_000_000, .whole), (.tryAgain, 500, 5_000_001, .whole),
    (.unavailable, 503, nil, .whole), (.revokedKey, 401, nil, .whole), (.notYetKnown, 404, 4_040_010, .whole),
    (.notYetKnownOriginal, 404, 4_040_006, .whole), (.slow, 200, nil, .slow(seconds: 10)), (.torn, 200, nil, .torn),
    (.accountNotYetKnown, 404, 4_040_002, .whole), (.appNotYetKnown, 404, 4_040_004, .whole),
    (.noAppTransaction, 404, 4_040_019, .whole), (.invalidAppIdentifier, 400, 4_000_002, .whole),
    (.empty, 200, nil, .whole), (.lost, 200, nil, .lost),
  ]

  @Test(arguments: faults.indices)
  func `a fault on demand is for the next requests of its endpoint`(row: Int) throws {
    let (kind, status, code, manner) = Self.faults[row]
    #expect(Self.faults.count == APIFault.Kind.allCases.count)
    let (client, subscription, _) = try Self.client()
    client.store.add(APIFault(kind, endpoint: .transactionHistory, requests: 2))
    func ask(_ path: String) throws -> APIResponse {
      let token = try client.store.key.authorization(bundleID: client.bundleID, now: LocalAppStoreTests.now)
      let request = try #require(APIRequest("GET", path + "\(subscription)", authorization: token))
      return try client.store.answer(request, now: LocalAppStoreTests.now)
    }
    for _ in 0..<2 {
      #expect(try ask("/inApps/v1/subscriptions/").status == 200)
      let response = try ask("/inApps/v2/history/")
      #expect(response.status == status && response.manner == manner)
      #expect(kind != .tooManyRequests || response.retryAfter == LocalAppStoreTests.now + 60_000)
      #expect((response.body.isEmpty) == (kind == .empty || code == nil && status != 200))
      let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? Object
      #expect(object?["errorCode"] as? Int == code)
    }
    let after = try ask("/inApps/v2/history/")
    #expect(after.status == 200 && after.manner == .whole && client.store.comingFaults.isEmpty)
  }

  @Test func `the token of an app that was never released is refused`() throws {
    let store = try LocalAppStore(
      LocalAppStoreTests.simulation(1), at: day(1), signer: LocalAppStoreTests.authority.get().signer,
      notifications: NotificationFile(nil), isReleased: false)
    var copy = store
    let token = try copy.key.authorization(bundleID: copy.simulation.catalog.bundleID, now: LocalAppStoreTests.now)
    let request = try #require(APIRequest("GET", "/inApps/v2/history/1", authorization: token))
    let response = try copy.answer(request, now: LocalAppStoreTests.now)
    #expect(response.status == 401 && response.body.isEmpty && response.refusal != nil)
  }
}

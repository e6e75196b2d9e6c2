import AppStore
import Foundation
import TestSupport
import Testing

@testable import AppStoreSimulator

/// The App Store that answers requests, as a client of the App Store Server API meets it.
@Suite struct LocalAppStoreTests {
  typealias Object = [String: Any]

  static let end = day(800)
  static let now = Instant(milliseconds: 1_800_000_000_000)
  static let authority = Result { try CertificateAuthority() }

  static func simulation(_ customers: Int = 40, seed: UInt64 = 7, rate: RenewalRate = .realTime) throws -> Simulation {
    try Simulation(
      catalog: .builtIn(), seed: seed, customers: customers, from: day(0), to: end, rate: rate)
  }

  /// A client with its own key, which asks one store.
  final class Client {
    var store: LocalAppStore
    var bundleID: String

    init(_ simulation: Simulation, at clock: Instant = end) throws {
      store = try LocalAppStore(
        simulation, at: clock, signer: authority.get().signer, notifications: NotificationFile(nil))
      bundleID = simulation.catalog.bundleID
    }

    func get(
      _ target: String, method: String = "GET", body: String = ""
    ) throws -> (status: Int, object: Object) {
      let token = try store.key.authorization(bundleID: bundleID, now: now)
      let request = try #require(APIRequest(method, target, authorization: token, body: Array(body.utf8)))
      let response = try store.answer(request, now: now)
      let object = response.body.isEmpty ? [:] : try JSONSerialization.jsonObject(with: Data(response.body))
      return (response.status, try #require(object as? Object))
    }

    func code(_ target: String) throws -> Int? { try get(target).object["errorCode"] as? Int }

    /// All pages of a walk, as the transactions without their `signedDate`, and the last revision.
    func walk(_ target: String, after first: String? = nil) throws -> (all: [Object], revision: String) {
      var (all, revision, pages): ([Object], String?, Int) = ([], first, 0)
      while true {
        let separator = target.contains("?") ? "&" : "?"
        let (status, page) = try get(target + (revision.map { "\(separator)revision=\($0)" } ?? ""))
        #expect(status == 200)
        let texts = try #require(page["signedTransactions"] as? [String])
        all += try texts.map { try content($0) }
        pages += 1
        let next = try #require(page["revision"] as? String)
        guard try #require(page["hasMore"] as? Bool) else { return (all, next) }
        #expect(texts.count == 20 && pages < 100 && next != revision)
        revision = next
      }
    }
  }

  /// The payload of a signed text, without the instant of its signature.
  static func content(_ text: String) throws -> Object {
    let parts = text.utf8.split(separator: UInt8(ascii: "."))
    let payload = try #require(parts.count == 3 ? Base64URL.decode(ArraySlice(Array(parts[1]))) : nil)
    var object = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? Object)
    object["signedDate"] = nil
    return object
  }

  static func words(_ objects: [Object]) throws -> Set<String> {
    Set(
      try objects.map {
        try String(decoding: JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self)
      })
  }

  @Test(arguments: [RenewalRate.realTime, .sandbox])
  func `a history is what the simulation writes for the same seed, from whichever of its ids it is asked`(
    _ rate: RenewalRate
  ) throws {
    let simulation = try Self.simulation(200, rate: rate)
    let client = try Client(simulation)
    var count = 0
    for number in 0..<simulation.customers {
      let store = try simulation.live(number) { _, _ in }
      let encoder = ResponseEncoder(store: store, signer: nil)
      for account in store.accounts.indices {
        let transactions = encoder.history(of: account)
        guard let last = transactions.last else { continue }
        let expected = try Self.words(
          transactions.map { one in
            var object = try #require(
              try JSONSerialization.jsonObject(with: Data(encoder.payload(one, at: Self.end))) as? Object)
            object["signedDate"] = nil
            return object
          })
        for id in [last.id, last.originalID, store.accounts[account].appTransactionID] {
          let found = try client.walk("/inApps/v2/history/\(id)").all
          #expect(try Self.words(found) == expected && found.count == transactions.count, "customer \(number), \(id)")
        }
        count += transactions.count
      }
    }
    #expect(count > 1000)
  }

  @Test func `every answer is decoded with the authority's root, and the statuses are those of Apple's numbers`()
    async throws
  {
    let client = try Client(try Self.simulation())
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [Array(Self.authority.get().root.utf8)]))
    var kinds: Set<String> = []
    for number in 0..<40 {
      let store = try client.store.simulation.live(number) { _, _ in }
      guard let subscription = store.subscriptions.first else { continue }
      for target in ["v2/history", "v1/subscriptions", "v2/refund/lookup", "v1/transactions"] {
        let token = try client.store.key.authorization(bundleID: client.bundleID, now: Self.now)
        let request = try #require(APIRequest("GET", "/inApps/\(target)/\(subscription.id)", authorization: token))
        let body = try client.store.answer(request, now: Self.now).body
        // An empty list has nothing that is signed.
        if String(decoding: body, as: UTF8.self).contains("\"signedTransactions\":[]") { continue }
        for outcome in await decoder.decode(body).outcomes {
          guard case .evidence(let evidence) = outcome else {
            Issue.record("\(target) of \(subscription.id) is refused")
            continue
          }
          kinds.insert(evidence.kind.rawValue)
        }
      }
      let statuses = try client.get("/inApps/v1/subscriptions/\(subscription.id)").object
      let groups = try #require(statuses["data"] as? [Object])
      let items = groups.flatMap { $0["lastTransactions"] as? [Object] ?? [] }
      #expect(items.count == store.subscriptions.filter { $0.account == subscription.account }.count)
      for item in items {
        let id = Int64(try #require(item["originalTransactionId"] as? String))
        #expect(item["status"] as? Int64 == store.subscriptions.first { $0.id == id }?.state.status)
      }
    }
    #expect(kinds.isSuperset(of: ["transaction_history", "subscription_statuses", "refund_history"]), "\(kinds)")
  }

  @Test func `each parameter narrows a history, and a wrong one has Apple's code`() throws {
    let simulation = try Self.simulation()
    let client = try Client(simulation)
    var stored = 0
    for number in 0..<40 {
      guard let id = try simulation.live(number, onEvent: { _, _ in }).subscriptions.first?.id else { continue }
      let path = "/inApps/v2/history/\(id)"
      let all = try client.walk(path).all
      let middle = all[all.count / 2]["purchaseDate"] as? Int64 ?? 0
      let table: [(query: String, matches: (Object) -> Bool)] = [
        ("startDate=\(middle)", { $0["purchaseDate"] as? Int64 ?? 0 >= middle }),
        ("endDate=\(middle)", { $0["purchaseDate"] as? Int64 ?? 0 < middle }),
        ("productType=AUTO_RENEWABLE", { $0["type"] as? String == "Auto-Renewable Subscription" }),
        (
          "productType=CONSUMABLE&productType=NON_CONSUMABLE",
          { ($0["type"] as? String)?.hasSuffix("onsumable") ?? false }
        ),
        ("inAppOwnershipType=FAMILY_SHARED", { $0["inAppOwnershipType"] as? String == "FAMILY_SHARED" }),
        ("revoked=true", { $0["revocationDate"] != nil }), ("revoked=false", { $0["revocationDate"] == nil }),
        ("excludeRevoked=true", { $0["revocationDate"] == nil }),
      ]
      for row in table {
        let wanted = try Self.words(all.filter(row.matches))
        #expect(try Self.words(client.walk("\(path)?\(row.query)").all) == wanted, "\(number) \(row.query)")
        stored += wanted.isEmpty ? 0 : 1
      }
      let descending = try client.walk("\(path)?sort=DESCENDING").all.compactMap { $0["transactionId"] as? String }
      #expect(descending == all.compactMap { $0["transactionId"] as? String }.reversed())
    }
    #expect(stored > 100)
    let id = try #require(try simulation.live(0, onEvent: { _, _ in }).subscriptions.first?.id)
    for (query, code) in [
      ("revision=x", 4_000_005), ("revision=", 4_000_005), ("startDate=yesterday", 4_000_015),
      ("endDate=-1", 4_000_016),
      ("sort=UP", 4_000_021), ("productType=Car", 4_000_022), ("productId=", 4_000_023),
      ("subscriptionGroupIdentifier=", 4_000_024), ("excludeRevoked=1", 4_000_025),
      ("inAppOwnershipType=MINE", 4_000_026),
      ("revoked=TRUE", 4_000_030), ("revoked=true&revoked=false", 4_000_030),
    ] {
      let (status, object) = try client.get("/inApps/v2/history/\(id)?\(query)")
      #expect(status == 400 && object["errorCode"] as? Int == code, "\(query)")
    }
    #expect(try client.code("/inApps/v1/subscriptions/\(id)?status=6") == 4_000_031)
  }

  @Test func `a stored revision gives what changed since, and fits its own request only`() throws {
    let simulation = try Self.simulation()
    let client = try Client(simulation, at: day(600))
    let ids = try (0..<40).compactMap { try simulation.live($0) { _, _ in }.subscriptions.first?.id }
    let stored = try ids.filter { try client.code("/inApps/v2/history/\($0)") == nil }.map { id in
      (id, try client.walk("/inApps/v2/history/\(id)"))
    }
    try client.store.advance(to: Self.end)
    var count = 0
    for (id, (known, revision)) in stored {
      let path = "/inApps/v2/history/\(id)"
      let (changed, _) = try client.walk(path, after: revision)
      let unchanged = try Self.words(client.walk(path).all).subtracting(try Self.words(changed))
      #expect(unchanged.isSubset(of: try Self.words(known)), "\(id)")
      count += changed.count
      for other in ["\(path)?revoked=true&", "/inApps/v1/history/\(id)?", "/inApps/v2/refund/lookup/\(id)?"] {
        #expect(try client.code("\(other)revision=\(revision)") == 4_000_005, "\(other)")
      }
    }
    #expect(stored.count > 10 && count > 50)
  }

  @Test func `what is not an id, or is nobody's, has the code that says so`() throws {
    let client = try Client(try Self.simulation())
    let store = try client.store.simulation.live(0) { _, _ in }
    let (subscription, app) = (try #require(store.subscriptions.first), store.accounts[0].appTransactionID)
    for (target, code) in [
      ("/inApps/v1/transactions/abc", 4_000_006), ("/inApps/v1/transactions/1%2F2", 4_000_006),
      ("/inApps/v1/transactions/-1", 4_000_006), ("/inApps/v1/transactions/99999999999999999999", 4_000_006),
      ("/inApps/v1/transactions/9223372036854775807", 4_040_010), ("/inApps/v1/transactions/0", 4_040_010),
      ("/inApps/v1/transactions/\(subscription.id + 5000)", 4_040_010), ("/inApps/v1/transactions/\(app)", 4_000_048),
      ("/inApps/v2/history/1", 4_040_010), ("/inApps/v1/subscriptions/%00", 4_000_006),
      ("/inApps/v1/refund/lookup/x", 4_000_008), ("/inApps/v1/refund/lookup/1", 4_040_005),
      ("/inApps/v1/refund/lookup/\(subscription.transactions.last?.id ?? 0)", 4_040_005),
    ] where !(target.hasSuffix("\(subscription.id)")) {
      let (status, object) = try client.get(target)
      #expect(object["errorCode"] as? Int == code && status == code / 10_000, "\(target): \(object)")
    }
    for target in [
      "/", "/inApps", "/inApps/v1/history/", "/inApps/v3/history/1", "/inApps/v1/transactions/1/2",
      "//inApps/v1/history/1",
    ] {
      let (status, object) = try client.get(target)
      #expect(status == 404 && object.isEmpty, "\(target)")
    }
    #expect(try client.get("/inApps/v1/transactions/\(subscription.id)", method: "DELETE").status == 404)
    #expect(APIRequest("GET", "/inApps/%zz", authorization: nil) == nil)
    let info = try #require(
      try client.get("/inApps/v1/transactions/appTransactions/\(subscription.id)").object.values.first)
    #expect(try Self.content(try #require(info as? String))["appTransactionId"] as? String == "\(app)")
  }

  @Test func `an order of a mail gives its transactions, in production only`() throws {
    let client = try Client(try Self.simulation(20))
    for number in 0..<20 {
      let store = try client.store.simulation.live(number) { _, _ in }
      for transaction in store.transactions {
        let order = OrderID(of: transaction)
        let (status, object) = try client.get("/inApps/v1/lookup/\(order)")
        let ids = try (object["signedTransactions"] as? [String] ?? []).map {
          try Self.content($0)["transactionId"] as? String
        }
        let all = store.transactions.filter { OrderID(of: $0) == order }.map { String($0.id) }
        #expect(status == 200 && object["status"] as? Int == 0 && Set(ids) == Set(all) && ids.count == all.count)
      }
    }
    for text in ["M0", "MABC", "X", "M", "M-1", "MZZZZZZZZZZZZZZZZ", "%20"] {
      let (status, object) = try client.get("/inApps/v1/lookup/\(text)")
      #expect(status == 200 && object["status"] as? Int == 1 && object.count == 1, "\(text)")
    }
    #expect(try Client(try Self.simulation(1, rate: .sandbox)).get("/inApps/v1/lookup/MABC").status == 404)
  }

  @Test func `a renewal date is extended twice a year, the same request once, and nobody else's`() throws {
    let client = try Client(try Self.simulation(60))
    let body = "{\"extendByDays\":10,\"extendReasonCode\":1,\"requestIdentifier\":\"one\"}"
    func extend(_ id: Int64, _ body: String) throws -> (status: Int, object: Object) {
      try client.get("/inApps/v1/subscriptions/extend/\(id)", method: "PUT", body: body)
    }
    var codes: [Int: Int] = [:]
    for number in 0..<60 {
      for subscription in try client.store.simulation.live(number, onEvent: { _, _ in }).subscriptions {
        let before = subscription.last.expiresAt?.milliseconds ?? 0
        let (status, object) = try extend(subscription.id, body)
        codes[object["errorCode"] as? Int ?? status, default: 0] += 1
        guard status == 200 else { continue }
        #expect(object["effectiveDate"] as? Int64 == before + 10 * 86_400_000 && object["success"] as? Bool == true)
        let again = try extend(subscription.id, body.replacing(":10", with: ":20"))
        #expect(again.object["effectiveDate"] as? Int64 == object["effectiveDate"] as? Int64)
        #expect(try extend(subscription.id, body.replacing("one", with: "two")).status == 200)
        #expect(
          try extend(subscription.id, body.replacing("one", with: "three")).object["errorCode"] as? Int == 4_030_005)
        let info = try #require(
          try client.get("/inApps/v1/transactions/\(subscription.last.id)").object.values.first as? String)
        #expect(try Self.content(info)["expiresDate"] as? Int64 == before + 20 * 86_400_000)
      }
    }
    #expect(codes[200] ?? 0 > 5 && codes[4_030_004] ?? 0 > 5 && codes[4_030_007] ?? 0 > 0, "\(codes)")
    let id = try #require(try client.store.simulation.live(0) { _, _ in }.subscriptions.first?.id)
    for (body, status, code) in [
      ("", 400, nil), ("[]", 400, nil), ("{\"extendByDays\":\"x\"}", 400, nil), ("{}", 400, 4_000_009),
      ("{\"extendByDays\":91}", 400, 4_000_009), ("{\"extendByDays\":1}", 400, 4_000_010),
      ("{\"extendByDays\":1,\"extendReasonCode\":4}", 400, 4_000_010),
      ("{\"extendByDays\":1,\"extendReasonCode\":0,\"requestIdentifier\":\"\"}", 400, 4_000_011),
    ] as [(String, Int, Int?)] {
      let answer = try extend(id, body)
      #expect(answer.status == status && answer.object["errorCode"] as? Int == code, "\(body)")
    }
    #expect(try extend(1, body).object["errorCode"] as? Int == 4_040_005)
    #expect(try client.get("/inApps/v1/transactions/\(id)/finish", method: "POST").status == 200)
    #expect(try client.get("/inApps/v1/transactions/1/finish", method: "POST").object["errorCode"] as? Int == 4_040_010)
  }

  @Test func `another account token is that of the last transaction and of all later ones`() throws {
    let client = try Client(try Self.simulation(60), at: day(600))
    let token = "c0ffee00-1111-4222-8333-444455556666"
    func set(_ id: Int64, _ token: String) throws -> Int? {
      let (status, object) = try client.get(
        "/inApps/v1/transactions/\(id)/appAccountToken", method: "PUT", body: "{\"appAccountToken\":\"\(token)\"}")
      return status == 200 ? 200 : object["errorCode"] as? Int
    }
    func tokens(_ id: Int64) throws -> [String?] {
      try client.walk("/inApps/v2/history/\(id)?productType=AUTO_RENEWABLE").all
        .filter { $0["originalTransactionId"] as? String == "\(id)" }
        .sorted { ($0["transactionId"] as? String ?? "") < ($1["transactionId"] as? String ?? "") }
        .map { $0["appAccountToken"] as? String }
    }
    var changed: [Int64: [String?]] = [:]
    for number in 0..<60 {
      var customer = try SimulatedCustomer(number, of: client.store.simulation)
      _ = try customer.advance(to: day(600))
      for subscription in customer.store.subscriptions {
        if subscription.sharedFrom != nil {
          #expect(try [4_000_185, 4_000_227].contains(set(subscription.id, token) ?? 0))
          continue
        }
        if subscription.last.id != subscription.id { #expect(try set(subscription.last.id, token) == 4_000_187) }
        let before = try tokens(subscription.id)
        #expect(try set(subscription.id, token.uppercased()) == 200)
        changed[subscription.id] = before.dropLast() + [token]
        #expect(try tokens(subscription.id) == changed[subscription.id])
      }
    }
    try client.store.advance(to: Self.end)
    var later = 0
    for (id, before) in changed {
      let after = try tokens(id)
      #expect(Array(after.prefix(before.count)) == before && after.dropFirst(before.count).allSatisfy { $0 == token })
      later += after.count - before.count
    }
    #expect(changed.count > 20 && later > 20)
    let id = try #require(changed.keys.first)
    #expect(try set(id, "x") == 4_000_183 && set(1, token) == 4_040_005)
  }

  @Test func `only a token of the key, the app and the hour is accepted`() throws {
    let client = try Client(try Self.simulation(1))
    let key = client.store.key
    let id = try #require(try client.store.simulation.live(0) { _, _ in }.subscriptions.first?.id)
    let seconds = Self.now.milliseconds / 1000
    let good: [String: Any] = [
      "iss": key.issuerID, "iat": seconds, "exp": seconds + 300, "aud": "appstoreconnect-v1", "bid": client.bundleID,
    ]
    func status(_ change: [String: Any], header: [String: String] = [:], by signer: APIKey? = nil) throws -> Int {
      let head = ["alg": "ES256", "kid": key.id, "typ": "JWT"].merging(header) { $1 }
      let token = try (signer ?? key).authorization(
        header: Array(JSONSerialization.data(withJSONObject: head)),
        claims: Array(JSONSerialization.data(withJSONObject: good.merging(change) { $1 })))
      let request = try #require(APIRequest("GET", "/inApps/v2/history/\(id)", authorization: token))
      let response = try client.store.answer(request, now: Self.now)
      #expect(response.status != 401 || response.body.isEmpty)
      return response.status
    }
    #expect(try status([:]) == 200 && status(["exp": seconds + 3600]) == 200 && status(["iat": seconds + 30]) == 200)
    // Apple's own client for Python states no instant of issue.
    #expect(try status(["iat": NSNull()]) == 200)
    for change in [
      ["iss": "other"], ["aud": "appstoreconnect-v2"], ["exp": seconds], ["exp": seconds + 3601],
      ["iat": seconds + 120, "exp": seconds + 300], ["exp": "soon"], ["iat": "now"],
      ["iat": NSNull(), "exp": seconds + 3601],
    ] as [[String: Any]] {
      #expect(try status(change) == 401, "\(change)")
    }
    for header in [["alg": "none"], ["alg": "HS256"], ["kid": "OTHER"]] {
      #expect(try status([:], header: header) == 401, "\(header)")
    }
    #expect(try status([:], by: APIKey()) == 401)
    #expect(try status(["bid": "other.app"]) == 404)
    for text in [nil, "", "Bearer", "Bearer ", "Bearer a.b.c", "Bearer ..", "Basic abc", "Bearer a.b.c.d"] {
      let request = try #require(APIRequest("GET", "/inApps/v2/history/\(id)", authorization: text))
      let response = try client.store.answer(request, now: Self.now)
      #expect(response.status == 401 && response.body.isEmpty, "\(text ?? "none")")
    }
  }
}

import AppStore
import Foundation
import TestSupport
import Testing

@testable import AppStoreSimulator

/// What a local App Store sends to the app's server, and what it answers about it.
@Suite struct LocalNotificationTests {
  typealias Client = LocalAppStoreTests.Client
  typealias Object = [String: Any]

  static let hour: Int64 = 3_600_000

  /// Lets time pass, and answers each delivery as a server would.
  static func advance(
    _ client: Client, to end: Instant, status: (WebhookDelivery) -> Int = { _ in 200 }
  ) throws -> [(at: Instant, delivery: WebhookDelivery)] {
    var posted: [(at: Instant, delivery: WebhookDelivery)] = []
    while let due = client.store.nextDue, due <= end {
      try client.store.advance(to: due)
      while let delivery = try client.store.nextDelivery() {
        posted.append((client.store.clock, delivery))
        let answer = status(delivery)
        client.store.note(SendAttemptResult(status: answer), status: answer, of: delivery)
      }
    }
    try client.store.advance(to: end)
    return posted
  }

  static func payload(_ delivery: WebhookDelivery) throws -> Object {
    let body = try #require(try JSONSerialization.jsonObject(with: Data(delivery.body)) as? Object)
    return try LocalAppStoreTests.content(try #require(body["signedPayload"] as? String))
  }

  static func history(_ client: Client, _ filter: String = "", from start: Int64) throws -> [Object] {
    let body = "{\"startDate\":\(start),\"endDate\":\(client.store.clock.milliseconds + 1000)\(filter)}"
    var (items, token): ([Object], String?) = ([], nil)
    for _ in 0..<200 {
      let (status, page) = try client.get(
        "/inApps/v1/notifications/history" + (token.map { "?paginationToken=\($0)" } ?? ""), method: "POST", body: body)
      #expect(status == 200)
      let found = try #require(page["notificationHistory"] as? [Object])
      items += found
      guard page["hasMore"] as? Bool == true else { return items }
      #expect(found.count == 20)
      token = try #require(page["paginationToken"] as? String)
    }
    Issue.record("the walk does not end")
    return items
  }

  @Test func `what is posted is what the simulation sends, in the order of time, each once`() throws {
    let simulation = try LocalAppStoreTests.simulation()
    let client = try Client(simulation, at: day(600))
    client.store.version = .v2
    let posted = try Self.advance(client, to: LocalAppStoreTests.end)
    var expected: [String: Int64] = [:]
    for number in 0..<simulation.customers {
      _ = try simulation.live(number) { _, events in
        for event in events where event.at > day(600) {
          if case .notification(let one) = event.content { expected[one.uuid] = event.at.milliseconds }
        }
      }
    }
    // Apple asks for consumption information again, and the simulation does not.
    let asked = posted.filter { client.store.outbox[$0.delivery.number]?.type == "CONSUMPTION_REQUEST" }
    #expect(!asked.isEmpty)
    let repeats = Set(
      try asked.filter { expected[try Self.payload($0.delivery)["notificationUUID"] as? String ?? ""] == nil }
        .map(\.delivery.number))
    let sent = try posted.filter { !repeats.contains($0.delivery.number) }.map { try Self.payload($0.delivery) }
    #expect(Set(sent.compactMap { $0["notificationUUID"] as? String }) == Set(expected.keys))
    #expect(sent.count == expected.count && sent.count > 30)
    #expect(posted.map(\.at) == posted.map(\.at).sorted())
  }

  static let schedules: [(rate: RenewalRate, version: NotificationVersion, hours: [Int64])] = [
    (.realTime, .v2, [1, 12, 24, 48, 72]), (.realTime, .v1, [6, 24, 48]), (.sandbox, .v2, []),
  ]

  @Test(arguments: schedules.indices)
  func `a server that fails is asked again on Apple's schedule, with the same bytes`(row: Int) throws {
    let (rate, version, hours) = Self.schedules[row]
    let client = try LocalActionTests.client(rate: rate, version: version).0
    let number = try #require(client.store.sentNotifications().last { $0.type == "SUBSCRIBED" }).number
    let posted = try Self.advance(client, to: day(20)) { _ in 503 }.filter { $0.delivery.number == number }
    let begun = try #require(posted.first?.at.milliseconds)
    #expect(
      posted.map { ($0.at.milliseconds - begun) / Self.hour } == hours.reduce(into: [0]) { $0.append($0.last! + $1) })
    #expect(Set(posted.map { $0.delivery.body }).count == 1)
    let sent = try #require(client.store.sentNotifications().first { $0.number == number })
    #expect(sent.attempts.count == hours.count + 1 && sent.nextAttemptAt == nil && !sent.isReceived)
    #expect(Set(sent.attempts.map(\.result)) == [.unsuccessfulStatus])
  }

  @Test(arguments: [(200, 1), (202, 1), (206, 1), (207, 6), (301, 6), (400, 6), (404, 6), (500, 6)])
  func `200 to 206 are a success, and everything else is tried again`(status: Int, attempts: Int) throws {
    let client = try LocalActionTests.client().0
    let number = try #require(client.store.sentNotifications().last).number
    let posted = try Self.advance(client, to: day(20)) { _ in status }
    #expect(posted.filter { $0.delivery.number == number }.count == attempts)
  }

  @Test func `the history has the bytes that were posted, with every attempt, in pages`() throws {
    let client = try Client(LocalAppStoreTests.simulation(), at: day(700))
    client.store.version = .v2
    var count = 0
    let posted = try Self.advance(client, to: LocalAppStoreTests.end) { _ in
      count += 1
      return count % 3 == 0 ? 500 : 200
    }
    let start = (client.store.clock.milliseconds - 179 * 24 * Self.hour)
    let items = try Self.history(client, from: start)
    let texts = items.compactMap { $0["signedPayload"] as? String }
    var attempts: [String: Int] = [:]
    for one in posted {
      let body = try #require(try JSONSerialization.jsonObject(with: Data(one.delivery.body)) as? Object)
      attempts[try #require(body["signedPayload"] as? String), default: 0] += 1
    }
    #expect(Set(texts).isSuperset(of: attempts.keys) && Set(texts).count == texts.count && texts.count > 60)
    for item in items {
      let listed = try #require(item["sendAttempts"] as? [Object])
      if let number = attempts[try #require(item["signedPayload"] as? String)] { #expect(listed.count == number) }
    }
    let failures = try Self.history(client, ",\"onlyFailures\":true", from: start)
    let isFailure = { (item: Object) in
      !(item["sendAttempts"] as? [Object] ?? []).contains { $0["sendAttemptResult"] as? String == "SUCCESS" }
    }
    #expect(failures.count == items.filter(isFailure).count && failures.allSatisfy(isFailure))
    let renewals = try Self.history(client, ",\"notificationType\":\"DID_RENEW\"", from: start)
    #expect(renewals.count > 5)
    for item in renewals {
      #expect(
        try LocalAppStoreTests.content(item["signedPayload"] as? String ?? "")["notificationType"] as? String
          == "DID_RENEW")
    }
    let id = try #require(
      client.store.sentNotifications().last { $0.originalTransactionID != nil }?.originalTransactionID)
    #expect(try Self.history(client, ",\"transactionId\":\"\(id)\"", from: start).isEmpty == false)
  }

  @Test func `a wrong question about the history has Apple's code`() throws {
    let client = try Client(LocalAppStoreTests.simulation(40), at: LocalAppStoreTests.end)
    let now = client.store.clock.milliseconds
    let day: Int64 = 24 * Self.hour
    func ask(_ body: String, _ query: String = "") throws -> Int {
      let (status, object) = try client.get(
        "/inApps/v1/notifications/history" + query, method: "POST", body: body)
      return object["errorCode"] as? Int ?? status
    }
    let good = "\"startDate\":\(now - 100 * day),\"endDate\":\(now)"
    for (body, code) in [
      ("", 400), ("[]", 400), ("{\"startDate\":\"x\"}", 400), ("{}", 4_000_015), ("{\"startDate\":1}", 4_000_016),
      ("{\"startDate\":-1,\"endDate\":5}", 4_000_015),
      ("{\"startDate\":\(now - 181 * day),\"endDate\":\(now)}", 4_000_012),
      ("{\"startDate\":\(now),\"endDate\":\(now)}", 4_000_013),
      ("{\"startDate\":\(now + 5),\"endDate\":\(now + 50)}", 4_000_013),
      ("{\(good),\"notificationType\":\"NEWS\"}", 4_000_018),
      ("{\(good),\"notificationType\":\"DID_RENEW\",\"notificationSubtype\":\"UPGRADE\"}", 4_000_018),
      ("{\(good),\"notificationSubtype\":\"UPGRADE\"}", 4_000_018),
      ("{\(good),\"notificationType\":\"DID_RENEW\",\"transactionId\":\"1\"}", 4_000_019),
      ("{\(good),\"transactionId\":\"x\"}", 4_000_006), ("{\(good)}", 200),
      ("{\(good),\"notificationType\":\"DID_RENEW\",\"notificationSubtype\":\"BILLING_RECOVERY\"}", 200),
    ] {
      #expect(try ask(body) == code, "\(body)")
    }
    let token = try #require(
      try client.get("/inApps/v1/notifications/history", method: "POST", body: "{\(good)}").object["paginationToken"]
        as? String)
    #expect(try ask("{\(good)}", "?paginationToken=\(token)") == 200)
    #expect(try ask("{\(good),\"onlyFailures\":false}", "?paginationToken=\(token)") == 4_000_014)
    #expect(try ask("{\(good)}", "?paginationToken=x") == 4_000_014)
    try client.store.advance(to: client.store.clock + 25 * Self.hour)
    #expect(try ask("{\(good)}", "?paginationToken=\(token)") == 4_000_017)
  }

  @Test func `a test notification is posted, and its status shows the attempts`() throws {
    let client = try Client(LocalAppStoreTests.simulation(1), at: day(10))
    func send() throws -> (status: Int, object: Object) {
      try client.get("/inApps/v1/notifications/test", method: "POST")
    }
    #expect(try send().object["errorCode"] as? Int == 4_040_007)
    for version in NotificationVersion.allCases {
      client.store.version = version
      let token = try #require(try send().object["testNotificationToken"] as? String)
      #expect(try client.code("/inApps/v1/notifications/test/\(token)") == 4_040_008)
      let posted = try Self.advance(client, to: client.store.clock + 1000)
      let test = try #require(try posted.map { try Self.payload($0.delivery) }.last)
      #expect(test["notificationType"] as? String == "TEST")
      let status = try client.get("/inApps/v1/notifications/test/\(token)").object
      #expect((status["sendAttempts"] as? [Object])?.first?["sendAttemptResult"] as? String == "SUCCESS")
      let body = try #require(posted.last).delivery.body
      #expect(String(decoding: body, as: UTF8.self) == "{\"signedPayload\":\"\(status["signedPayload"] ?? "")\"}")
    }
    for (token, code) in [
      ("x", 4_000_020), ("c0ffee00-1111-4222-8333-444455556666", 4_000_020),
      ("c0ffee00-1111-4222-8333-444455556666_1", 4_040_008),
    ] {
      #expect(try client.code("/inApps/v1/notifications/test/\(token)") == code, "\(token)")
    }
  }

  @Test func `faults of the delivery lose, delay, repeat and cut notifications`() throws {
    let client = try LocalActionTests.client().0
    for fault in WebhookFault.allCases {
      client.store.add(fault, notifications: 1)
      let number = client.store.outbox.nextNumber
      try client.store.perform(.buy("bells"), on: nil, of: 0)
      let sent = client.store.outbox[number]
      let posted = try Self.advance(client, to: client.store.clock + 3 * Self.hour)
        .filter { $0.delivery.number == sent?.number }
      let hours = posted.map { ($0.at - (sent?.signedAt ?? $0.at)) / Self.hour }
      switch fault {
      case .lost: #expect(posted.isEmpty && sent?.isLost == true)
      case .late: #expect(hours == [1])
      case .notRetriedAfter400: #expect(hours == [0])
      case .repeated: #expect(hours == [0, 1] && Set(posted.map { $0.delivery.body }).count == 1)
      case .torn:
        #expect(hours == [0, 1] && posted[0].delivery.body.count < posted[1].delivery.body.count)
        #expect((try? Self.payload(posted[0].delivery)) == nil)
      }
    }
    let all = client.store.sentNotifications().filter { $0.type == "ONE_TIME_CHARGE" }
    #expect(all.count == 5, "the lost one is not in the history")
    for (status, attempts) in [(400, 1), (500, 6)] {
      client.store.add(.notRetriedAfter400, notifications: 1)
      let number = client.store.outbox.nextNumber
      try client.store.perform(.buy("bells"), on: nil, of: 0)
      let posted = try Self.advance(client, to: client.store.clock + 200 * Self.hour) { _ in status }
      #expect(posted.filter { $0.delivery.number == number }.count == attempts, "\(status)")
    }
  }
}

import AppStore
import AppStoreClient
import Crypto
import Foundation
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// The client beside the local App Store: what it asks, how often, and how it ends.
@Suite(.takesTurns) struct AppStoreClientTests {
  /// A client whose waits take no time, with everything that it sent.
  struct Bench: Sendable {
    /// What the client sees of the world.
    final class FakeSystem: Sendable {
      let attempts = Mutex<[AppStoreAttempt]>([])
      let clock = TestClock()
      /// How far the wall clock is ahead, in milliseconds.
      let skew: Mutex<Int64>

      init(skew: Int64) { self.skew = Mutex(skew) }

      private static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

      var dependencies: AppStoreClient.Dependencies {
        var dependencies = AppStoreClient.Dependencies { Self.now + self.skew.withLock(\.self) }
        dependencies.uptime = { self.clock.now }
        dependencies.sleep = { time in
          self.clock.advance(by: time)
          self.skew.withLock { $0 += Int64(time / .milliseconds(1)) }
        }
        dependencies.onAttempt = { attempt in self.attempts.withLock { $0.append(attempt) } }
        return dependencies
      }
    }

    let client: AppStoreClient
    let system: FakeSystem
    var clock: TestClock { system.clock }
    /// What was sent, as `environment verdict`.
    var sent: [String] { system.attempts.withLock { $0.map { "\($0.environment) \($0.verdict.rawValue)" } } }
    var verdicts: [RequestVerdict] { system.attempts.withLock { $0.map(\.verdict) } }

    init(_ settings: AppStoreClient.Settings, skew: Int64 = 0) {
      system = FakeSystem(skew: skew)
      client = AppStoreClient(settings, system.dependencies)
    }
  }

  private static let system = ["--customers", "6", "--seed", "7", "--sandbox-customers", "3"]

  /// Runs a test with a shop and a client of it.
  private func with(
    _ arguments: [String] = system, skew: Int64 = 0, _ change: (inout AppStoreClient.Settings) -> Void = { _ in },
    _ body: (Shop, Bench) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let shop = try Shop(arguments, in: folder)
    var settings = try shop.client()
    change(&settings)
    let bench = Bench(settings, skew: skew)
    do {
      try await body(shop, bench)
      await bench.client.close()
    } catch {
      await bench.client.close()
      throw error
    }
    withExtendedLifetime(folder) {}
  }

  private func purchase(_ shop: Shop, _ environment: String) throws -> (id: String, receipt: String) {
    let row = try #require(try shop.purchases().first { $0["environment"] as? String == environment })
    return try (
      #require(row["original_transaction_id"] as? String), #require(row["receipt_data"] as? String)
    )
  }

  @Test func `every question about a purchase is answered, page after page`() async throws {
    try await with { shop, bench in
      let id = try purchase(shop, "Production").id
      for request in try [
        AppStoreRequest.transactionInfo(id), .transactionHistory(of: id), .subscriptionStatuses(of: id),
        .appTransactionInfo(of: id), .refundHistory(of: id),
      ] {
        let answer = try await bench.client.find(request)
        #expect(answer.environment == .production && answer.body.first == UInt8(ascii: "{"))
      }
      let state = try await shop.admin("GET", "clock")
      let clock = try #require((state.object["clock"] as? String).flatMap { Instant($0) })
      var walk = Pagination(
        try .notificationHistory(from: clock + (-170 * 86_400_000), to: clock + 1))
      var (found, pages) = (0, 0)
      while let request = walk.next {
        let answer = try await bench.client.ask(request, in: .production)
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        found += (object?["notificationHistory"] as? [Any])?.count ?? 0
        pages += 1
        try walk.advance(over: answer)
      }
      #expect(pages == max(1, (found + 19) / 20) && found > 0)
    }
  }

  @Test func `production is asked first, and the sandbox only about what production does not know`() async throws {
    try await with { shop, bench in
      let (production, sandbox) = try (purchase(shop, "Production"), purchase(shop, "Sandbox"))
      let secret = AppSecret(try String(contentsOfFile: shop.folder.file("shop/shared-secret.txt"), encoding: .utf8))
      #expect(try await bench.client.find(.transactionInfo(production.id)).environment == .production)
      #expect(try await bench.client.find(.transactionInfo(sandbox.id)).environment == .sandbox)
      #expect(
        try await bench.client.find(.verifyReceipt(sandbox.receipt, sharedSecret: secret)).environment == .sandbox)
      let failure = await #expect(throws: AppStoreFailure.self) {
        try await bench.client.find(.transactionInfo("1"))
      }
      #expect(failure?.verdict == .unknownTransaction && failure?.environment == .production)
      #expect(
        bench.sent == [
          "Production answered", "Production unknown_transaction", "Sandbox answered", "Production other_environment",
          "Sandbox answered", "Production unknown_transaction", "Sandbox unknown_transaction",
        ])
      await #expect(throws: AppStoreFailure.self) { try await bench.client.find(.orderLookup("NONE")) }
      #expect(bench.sent.count { $0.hasPrefix("Sandbox") } == 3)
    }
  }

  @Test func `production that refuses an app that was never released does not hide the sandbox`() async throws {
    try await with(Self.system + ["--not-released"]) { shop, bench in
      let sandbox = try purchase(shop, "Sandbox")
      for _ in 1...2 { #expect(try await bench.client.find(.transactionInfo(sandbox.id)).environment == .sandbox) }
      #expect(bench.sent == ["Production wrong_settings", "Sandbox answered", "Sandbox answered"])
      #expect(bench.client.refusals.map(\.environment.name) == ["Production"])
    }
  }

  struct Case: Sendable {
    let fault: String
    let times: Int
    let sent: [RequestVerdict]
    let ends: RequestVerdict
  }

  static let faults: [Case] = [
    Case(fault: "500", times: 2, sent: [.tryAgain, .tryAgain, .answered], ends: .answered),
    Case(fault: "503", times: 1, sent: [.tryAgain, .answered], ends: .answered),
    Case(fault: "5000001", times: 9, sent: Array(repeating: .tryAgain, count: 5), ends: .tryAgain),
    Case(fault: "4040006", times: 1, sent: [.tryAgain, .answered], ends: .answered),
    Case(fault: "4040002", times: 1, sent: [.tryAgain, .answered], ends: .answered),
    Case(fault: "4040004", times: 1, sent: [.tryAgain, .answered], ends: .answered),
    Case(fault: "429", times: 1, sent: [.tooManyRequests, .answered], ends: .answered),
    Case(fault: "429", times: 9, sent: Array(repeating: .tooManyRequests, count: 5), ends: .tooManyRequests),
    Case(fault: "torn", times: 1, sent: [.unreachable, .answered], ends: .answered),
    Case(fault: "lost", times: 1, sent: [.unreachable, .answered], ends: .answered),
    Case(fault: "empty", times: 1, sent: [.unreadable, .answered], ends: .answered),
    Case(fault: "4040010", times: 1, sent: [.unknownTransaction], ends: .unknownTransaction),
    Case(fault: "4040019", times: 1, sent: [.wrongRequest], ends: .wrongRequest),
    Case(fault: "4000002", times: 1, sent: [.wrongSettings], ends: .wrongSettings),
    Case(fault: "401", times: 1, sent: [.wrongSettings], ends: .wrongSettings),
  ]

  @Test func `each fault ends in the state that its class of errors names`() async throws {
    for row in Self.faults {
      try await with { shop, bench in
        let id = try purchase(shop, "Production").id
        let made = try await shop.admin(
          "POST", "faults", "{\"fault\":\"\(row.fault)\",\"requests\":\(row.times),\"seconds\":30}")
        #expect(made.status < 300, "\(made.text)")
        var ends = RequestVerdict.answered
        do { _ = try await bench.client.ask(.subscriptionStatuses(of: id), in: .production) } catch let failure
          as AppStoreFailure
        { ends = failure.verdict }
        #expect(ends == row.ends, "\(row)")
        #expect(bench.verdicts == row.sent, "\(row)")
      }
    }
  }

  @Test func `an answer that is too late is asked for again`() async throws {
    try await with(Self.system) {
      $0.timeout = .seconds(5)
    } _: { shop, bench in
      let id = try purchase(shop, "Production").id
      _ = try await shop.admin("POST", "faults", #"{"fault":"slow","requests":1,"seconds":600}"#)
      _ = try await bench.client.ask(.subscriptionStatuses(of: id), in: .production)
      #expect(bench.sent.first == "Production unreachable" && bench.sent.last == "Production answered")
    }
  }

  @Test func `after a long 429 nothing is sent until Apple's instant`() async throws {
    try await with { shop, bench in
      let request = try AppStoreRequest.subscriptionStatuses(of: purchase(shop, "Production").id)
      _ = try await shop.admin("POST", "faults", #"{"fault":"429","requests":1,"seconds":900}"#)
      for _ in 1...3 {
        let failure = await #expect(throws: AppStoreFailure.self) {
          try await bench.client.ask(request, in: .production)
        }
        #expect(failure?.verdict == .tooManyRequests && failure?.retryAt != nil)
      }
      #expect(bench.sent == ["Production too_many_requests"])
      bench.clock.advance(by: .seconds(901))
      _ = try await bench.client.ask(request, in: .production)
      #expect(bench.sent.count == 2)
    }
  }

  @Test func `after a revoked key nothing is sent for an hour, or until somebody sets the clock back`() async throws {
    try await with { shop, bench in
      let request = try AppStoreRequest.transactionInfo(purchase(shop, "Production").id)
      _ = try await shop.admin("POST", "faults", #"{"fault":"401","requests":1}"#)
      for _ in 1...3 {
        let failure = await #expect(throws: AppStoreFailure.self) {
          try await bench.client.ask(request, in: .production)
        }
        #expect(failure?.verdict == .wrongSettings)
        #expect(failure.map { $0.retryAt == $0.at + 3_600_000 } == true)
      }
      #expect(bench.sent.count == 1 && !bench.client.refusals.isEmpty)
      bench.system.skew.withLock { $0 -= 60_000 }
      _ = try await bench.client.ask(request, in: .production)
      #expect(bench.client.refusals.isEmpty)
    }
  }

  @Test(arguments: [-7_200_000, 7_200_000] as [Int64])
  func `a wrong clock is named, because Apple only says 401`(_ skew: Int64) async throws {
    try await with(skew: skew) { shop, bench in
      let id = try purchase(shop, "Production").id
      let failure = await #expect(throws: AppStoreFailure.self) {
        try await bench.client.ask(.transactionInfo(id), in: .production)
      }
      #expect(failure?.verdict == .wrongSettings)
      #expect(failure?.detail.contains(skew > 0 ? "ahead of" : "behind") == true, "\(failure as Any)")
    }
  }

  @Test func `another team's key ends with 401, and no error shows the key or the token`() async throws {
    let other = P256.Signing.PrivateKey().pemRepresentation
    try await with(Self.system) {
      $0.key = (try? AppStoreKey(pem: other, id: $0.key.id, issuerID: $0.key.issuerID)) ?? $0.key
    } _: { shop, bench in
      let id = try purchase(shop, "Production").id
      let failure = await #expect(throws: AppStoreFailure.self) {
        try await bench.client.ask(.transactionInfo(id), in: .production)
      }
      let text = "\(failure as Any)"
      #expect(failure?.verdict == .wrongSettings && text.contains("revoked"))
      #expect(!text.contains("eyJ") && !other.split(separator: "\n").dropFirst().contains { text.contains($0) })
    }
  }

  @Test func `a test notification is not asked for twice when its answer is lost`() async throws {
    let receiver = try await Receiver { _ in .ok }
    try await with(Self.system + ["--webhook", receiver.url]) { shop, bench in
      _ = try await shop.admin("POST", "faults", #"{"fault":"lost","requests":1}"#)
      await #expect(throws: AppStoreFailure.self) { try await bench.client.ask(.testNotification, in: .production) }
      #expect(bench.sent == ["Production unreachable"])
      #expect(try await bench.client.ask(.testNotification, in: .production).body.isEmpty == false)
    }
    await receiver.end()
  }

  @Test func `a redirect is not followed, so the secret stays with Apple's address`() async throws {
    let target = try await Receiver { _ in .ok }
    let proxy = try await Receiver(headers: [.location: target.url]) { _ in .temporaryRedirect }
    var settings = AppStoreClient.Settings(
      key: try AppStoreKey(pem: P256.Signing.PrivateKey().pemRepresentation, id: "K", issuerID: "I"), bundleID: "b")
    settings.addresses = AppStoreAddresses(
      api: [.production: proxy.url], verifyReceipt: [.production: proxy.url])
    let bench = Bench(settings)
    for request in try [AppStoreRequest.verifyReceipt("TUlJ", sharedSecret: AppSecret("s3cr3t")), .finish("1")] {
      let failure = await #expect(throws: AppStoreFailure.self) {
        try await bench.client.ask(request, in: .production)
      }
      #expect(failure?.verdict == .unreadable)
    }
    #expect(target.received.isEmpty && proxy.received.count > 1)
    await bench.client.close()
    await proxy.end()
    await target.end()
  }

  @Test func `an environment without a server is named, and nobody is asked`() async throws {
    try await with(Self.system) {
      $0.addresses.api[.sandbox] = nil
    } _: { shop, bench in
      let id = try purchase(shop, "Sandbox").id
      await #expect(throws: AppStoreFailure.self) { try await bench.client.ask(.transactionInfo(id), in: .sandbox) }
      await #expect(throws: AppStoreFailure.self) { try await bench.client.ask(.transactionInfo(id), in: .xcode) }
      #expect(bench.sent.isEmpty)
    }
  }
}

extension Shop {
  /// The settings of a client, as a user takes them from the folder.
  func client() throws -> AppStoreClient.Settings {
    func value(_ name: String) throws -> String { try #require(settings["SUBLEDGER_" + name]) }
    let key = try AppStoreKey(
      pem: String(contentsOfFile: value("APPLE_KEY_FILE"), encoding: .utf8), id: value("APPLE_KEY_ID"),
      issuerID: value("APPLE_ISSUER_ID"))
    var client = AppStoreClient.Settings(key: key, bundleID: try value("BUNDLE_ID"))
    client.addresses = AppStoreAddresses(
      api: [.production: try value("APPLE_API_URL"), .sandbox: try value("APPLE_SANDBOX_API_URL")],
      verifyReceipt: [
        .production: try value("VERIFY_RECEIPT_URL"), .sandbox: try value("SANDBOX_VERIFY_RECEIPT_URL"),
      ])
    return client
  }
}

import AppStore
import AppStoreClient
import AppStoreServer
import AppStoreSimulator
import Foundation
import Ledger
import LedgerService
import Logging

import TestSupport
import Testing

@testable import LedgerServer

/// A local App Store whose notifications get lost, and a server that lives by its clock.
struct SyncBench {
  let folder: TemporaryFolder
  /// The large sample is another world each time, and finds what Apple lost and the server does not ask about yet. The
  /// small one is the same world each time.
  let seed: UInt64 =
    SampleSize.trials == nil && ProcessInfo.processInfo.environment["SUBLEDGER_SEED"] == nil ? 7 : RandomChoice.seed
  private let shop: AppStoreServer
  private let shopTask: Task<Void, any Error>
  private let client: AppStoreClient.Settings
  private let clock: WallClock
  private let port: Int
  private let asksApple: Bool
  static let begin = Instant("2024-01-01T00:00:00Z") ?? .latest

  init(customers: Int, to end: Instant, deliver: Delivery, asksApple: Bool) async throws {
    (folder, port, self.asksApple) = (try TemporaryFolder(), try FreePort.find(), asksApple)
    let (authority, key, clock) = (try CertificateAuthority(), APIKey(), WallClock(Self.begin))
    let catalogue = try Catalog.builtIn(bundleID: "com.example.meditation")
    _ = try folder.write(authority.root, to: "root.pem")
    var stores: [StoreEnvironment: LocalAppStore] = [:]
    for (environment, count) in [(StoreEnvironment.production, customers), (.sandbox, 1)] {
      let isReal = environment == .production
      let simulation = try Simulation(
        assortment: catalogue, seed: seed, customers: count, from: isReal ? Self.begin : Self.begin + -7_200_000,
        to: isReal ? end : Self.begin, rate: isReal ? .realTime : .sandbox, offset: isReal ? 0 : 900_000)
      var store = try LocalAppStore(
        simulation, at: Self.begin, signer: authority.signer, key: key,
        notifications: NotificationFile(folder.file("\(environment.name).ndjson")), version: .v2)
      store.delivery = deliver
      stores[environment] = store
    }
    var settings = AppStoreServer.Settings()
    // The address of the server is fixed before it begins, so that it can go away and come back.
    settings.webhooks[.production] = "http://127.0.0.1:\(port)/apple/v2"
    // Apple may have lost the notification of a purchase. The app of the customer posts its receipt.
    if asksApple {
      let made = try Program(folder: folder).run(
        [
          "tokens", "create", "app", "--scope", "ingest", "--author", "a", "--reason", "r", "--database",
          folder.file("l.sqlite"),
        ], program: RunningProgram.server)
      let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      settings.receipts = ("http://127.0.0.1:\(port)/v1/receipts", token)
    }
    let shop = try AppStoreServer(
      stores, settings, now: { clock.now }, onPurchase: { _ in }, onClock: { clock.set($0) })
    let (ports, found) = AsyncStream<[StoreEnvironment: Int]>.makeStream()
    shopTask = Task { try await shop.run { found.yield($0) } }
    (self.shop, self.clock) = (shop, clock)
    var client = AppStoreClient.Settings(
      key: try AppStoreKey(pem: key.pem, id: key.id, issuerID: key.issuerID), bundleID: catalogue.bundleID)
    client.isPaced = false
    for await some in ports {
      client.addresses = AppStoreAddresses(
        api: some.mapValues { "http://127.0.0.1:\($0)" },
        verifyReceipt: some.mapValues { "http://127.0.0.1:\($0)/verifyReceipt" })
      break
    }
    self.client = client
  }

  var database: String { folder.file("l.sqlite") }

  /// A server that runs.
  struct Running {
    let server: LedgerServer
    let task: Task<Void, any Error>

    func stop() async throws {
      task.cancel()
      try await task.value
    }
  }

  /// Waits until a server has asked everything that is due. Where it pauses after a failure, time passes.
  func settle(_ running: Running?, at instant: Instant) async throws {
    guard let sync = running?.server.sync else { return }
    try await Eventually.isTrue {
      guard let next = sync.nextAttempt(at: instant) else { return true }
      if next > clock.now { try await advance(to: next) }
      return false
    }
  }

  func start() async throws -> Running {
    let root = try Data(contentsOf: URL(fileURLWithPath: folder.file("root.pem")))
    var settings = LedgerServer.Settings(
      port: port, decoder: PayloadDecoder(trust: try TrustStore(trusting: [[UInt8](root)])))
    settings.drain = .zero
    settings.requestTime = (whole: Eventually.limit, idle: Eventually.limit)
    if asksApple {
      var apple = LedgerServer.AppleSettings(
        apps: [.init(client: client, sharedSecret: AppSecret(LocalAppStore.sharedSecret))])
      apple.pause = .milliseconds(20)
      settings.apple = apple
    }
    let server = try LedgerServer(
      try LedgerRecorder(path: database), settings, log: Logger(label: "sync") { _ in SwiftLogNoOpLogHandler() },
      now: { [clock] in clock.now })
    let (ports, found) = AsyncStream<Int>.makeStream()
    let task = Task { try await server.run { found.yield($0) } }
    for await _ in ports { break }
    return Running(server: server, task: task)
  }

  func advance(to instant: Instant) async throws { try await shop.advance(to: instant) }

  func end() async throws {
    shopTask.cancel()
    try await shopTask.value
  }

  /// Makes the ledger of everything that Apple signed.
  func archive() throws -> LedgerReader {
    let result = try Program(folder: folder).run([
      "import", folder.file("Production.ndjson"), "--database", folder.file("archive.sqlite"),
      "--trust", folder.file("root.pem"),
    ])
    #expect(result.code == 0, "\(result)")
    return try LedgerReader(path: folder.file("archive.sqlite"))
  }

  /// Returns who has what at an instant, in the order of the ids.
  static func states(_ ledger: LedgerReader, at instant: Instant) throws -> [String] {
    let question = Question(asOf: instant, knownAt: .latest)
    return try ledger.entitlements(question, where: .init(environment: "Production")).map {
      "\($0.originalTransactionID) \($0.productID ?? "") \($0.state) \($0.accessEndsAt.map(\.description) ?? "")"
    }.sorted()
  }
}

/// The ledger of a server that listens and asks, beside that of everything that Apple ever signed.
@Suite(.takesTurns) struct SyncTests {
  /// How far the states of two ledgers differ at random instants.
  private static func differences(_ bench: SyncBench, until end: Instant, count: Int) throws -> [String] {
    let (archive, ledger) = (try bench.archive(), try LedgerReader(path: bench.database))
    defer {
      archive.close()
      ledger.close()
    }
    var random = SplitMix(seed: bench.seed)
    return try (0..<count).flatMap { _ in
      let milliseconds = Int64.random(in: SyncBench.begin.milliseconds..<end.milliseconds, using: &random)
      let instant = Instant(milliseconds: milliseconds)
      let (left, right) = (try SyncBench.states(archive, at: instant), try SyncBench.states(ledger, at: instant))
      return Set(left).subtracting(right).map { "\(instant): only in the archive: \($0)" }
        + Set(right).subtracting(left).map { "\(instant): not in the archive: \($0)" }
    }
  }

  @Test(arguments: [true, false])
  func `a server that asks Apple knows what Apple knows, after losses and ten days without it`(asksApple: Bool)
    async throws
  {
    // The large one takes minutes.
    let (customers, text) =
      SampleSize.trials == nil ? (30, "2024-06-01T00:00:00Z") : (1000, "2026-01-01T00:00:00Z")
    let last = try #require(Instant(text))
    let bench = try await SyncBench(
      customers: customers, to: last, deliver: try Delivery("late=0.1,lost=0.2,repeated=0.1"), asksApple: asksApple)
    var running: SyncBench.Running? = try await bench.start()
    var (now, days) = (SyncBench.begin, 0)
    // What Apple lost is found within a week, and the customers live on until then.
    let end = last + 14 * 86_400_000
    while now < end {
      // Ten days without a server.
      if days == 70 {
        try await running?.stop()
        running = nil
        now = now + 10 * 86_400_000
        try await bench.advance(to: now)
        running = try await bench.start()
      }
      now = min(end, now + 7 * 86_400_000)
      days += 7
      try await bench.advance(to: now)
      try await bench.settle(running, at: now)
    }
    try await running?.stop()
    try await bench.end()
    let found = try Self.differences(bench, until: last, count: 20)
    #expect(found.isEmpty == asksApple, "seed \(bench.seed): \(found.prefix(6))")
  }

  @Test func `the first walk finds the past, and only later ones find what was missed`() async throws {
    let last = SyncBench.begin + 60 * 86_400_000
    let bench = try await SyncBench(customers: 30, to: last, deliver: Delivery(), asksApple: true)
    func walk(at instant: Instant) async throws -> NotificationHistoryWalk? {
      try await bench.advance(to: instant)
      let running = try await bench.start()
      try await bench.settle(running, at: instant)
      try await running.stop()
      let ledger = try LedgerReader(path: bench.database)
      defer { ledger.close() }
      return try ledger.notificationHistoryWalks().first { $0.environment == .production }
    }
    let first = try #require(try await walk(at: SyncBench.begin + 30 * 86_400_000))
    #expect(first.notificationCount > 0 && first.missedCount == 0 && first.lostCount == 0, "\(first)")
    // For a month nobody answers, so Apple has no success.
    let second = try #require(try await walk(at: last))
    #expect(second.missedCount > 0 && second.lostCount == 0, "\(second)")
    try await bench.end()
  }
}

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

  /// Creates a local App Store that has sold nothing yet.
  /// - Parameter tries: how often the server sends a request again, in real time, before it pauses by the simulated clock.
  init(customers: Int, to end: Instant, deliver: Delivery, asksApple: Bool, tries: Int = 5) async throws {
    (folder, port, self.asksApple) = (try TemporaryFolder(), try FreePort.find(), asksApple)
    let (authority, key, clock) = (try CertificateAuthority(), APIKey(), WallClock(Self.begin))
    let catalogue = try Catalog.builtIn(bundleID: "com.example.meditation")
    _ = try folder.write(authority.root, to: "root.pem")
    var stores: [StoreEnvironment: LocalAppStore] = [:]
    let production = try Simulation(
      catalog: catalogue, seed: seed, customers: customers, from: Self.begin, to: end)
    for simulation in [production, try production.sandbox(until: Self.begin, customers: 1)] {
      let environment = simulation.rate.environment
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
      stores, settings, now: { clock.now }, onPurchase: { _, _ in }, onClock: { clock.set($0) })
    let (ports, found) = AsyncStream<[StoreEnvironment: Int]>.makeStream()
    shopTask = Task { try await shop.run { found.yield($0) } }
    (self.shop, self.clock) = (shop, clock)
    var client = AppStoreClient.Settings(
      key: try AppStoreKey(pem: key.pem, id: key.id, issuerID: key.issuerID), bundleID: catalogue.bundleID)
    (client.limitsRate, client.tries) = (false, tries)
    for await some in ports {
      client.addresses = AppStoreAddresses(
        api: some.mapValues { "http://127.0.0.1:\($0)" },
        verifyReceipt: some.mapValues { "http://127.0.0.1:\($0)/verifyReceipt" })
      break
    }
    self.client = client
  }

  /// The port of the local App Store's production.
  var storePort: Int { client.addresses.api[.production].flatMap { URL(string: $0) }?.port ?? 0 }

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

  /// Adds a fault to both environments of the local App Store.
  func add(_ fault: String) async throws {
    let answer = try await Shop.send("POST", "\(client.addresses.api[.production] ?? "")/admin/faults", fault)
    #expect(answer.status == 200, "\(answer.text)")
  }

  /// Returns how many requests the server has written down.
  func requestCount() throws -> Int64 {
    let ledger = try LedgerReader(path: database)
    defer { ledger.close() }
    return try ledger.appleRequestCount()
  }

  /// Returns the verdicts of the requests after the first ones.
  func verdicts(after count: Int64) throws -> Set<String> {
    Set(try texts("SELECT DISTINCT verdict FROM apple_request WHERE request_id > \(count)"))
  }

  private func texts(_ sql: String) throws -> [String] {
    let ledger = try LedgerReader(path: database)
    defer { ledger.close() }
    var found: [String] = []
    try ledger.query(sql, QueryParameters(asOf: Self.begin, knownAt: .latest), columns: { _ in }) { row in
      if case .text(let text) = row[0] { found.append(text) }
    }
    return found
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
    let parameters = QueryParameters(asOf: instant, knownAt: .latest)
    return try ledger.entitlements(parameters, where: .init(environment: "Production")).map {
      "\($0.originalTransactionID) \($0.productID ?? "") \($0.state) \($0.accessEndsAt.map(\.description) ?? "")"
    }.sorted()
  }

  /// Returns how far the states of the server's ledger differ from those of the archive at random instants.
  func differences(until end: Instant, count: Int) throws -> [String] {
    let (archive, ledger) = (try archive(), try LedgerReader(path: database))
    defer {
      archive.close()
      ledger.close()
    }
    var random = SplitMix(seed: seed)
    return try (0..<count).flatMap { _ in
      let milliseconds = Int64.random(in: Self.begin.milliseconds..<end.milliseconds, using: &random)
      let instant = Instant(milliseconds: milliseconds)
      let (left, right) = (try Self.states(archive, at: instant), try Self.states(ledger, at: instant))
      return Set(left).subtracting(right).map { "\(instant): only in the archive: \($0)" }
        + Set(right).subtracting(left).map { "\(instant): not in the archive: \($0)" }
    }
  }
}

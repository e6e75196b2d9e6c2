import AppStore
import AppStoreClient
import AppStoreServer
import AppStoreSimulator
import Foundation
import Ledger
import LedgerServer
import LedgerService
import Logging
import ProgramSupport
import Synchronization

/// A local App Store and a server of its app in one process, which live by one simulated clock.
final class DemoSimulation: Sendable {
  /// The first instant of the year.
  static let begin = Instant("2025-01-01T00:00:00Z") ?? .latest

  let shop: AppStoreServer
  let database: String
  /// The token of a person who looks at the server.
  let token: String
  /// The file of everything that Apple signed in production.
  let signed: String
  private let folder: AppStoreFolder
  private let bundleID: String
  private let address: ListeningAddress
  private let clock = Clock()
  private let running = Mutex<Running?>(nil)

  /// What both take for the present instant.
  private final class Clock: Sendable {
    private let instant = Mutex(DemoSimulation.begin)

    var now: Instant { instant.withLock { $0 } }

    func set(_ new: Instant) { instant.withLock { $0 = new } }
  }

  private struct Running {
    let server: LedgerServer
    let task: Task<Void, any Error>
  }

  /// Creates both in a folder.
  /// - Parameters:
  ///   - path: the folder. It is empty, or not there yet.
  ///   - address: where the server listens. The local App Store has the next two ports.
  ///   - customers: the number of customers.
  ///   - seed: the seed of what they do.
  ///   - end: the last instant at which they may buy something.
  init(_ path: String, at address: ListeningAddress, customers: Int, seed: UInt64, until end: Instant) throws {
    let catalogue = try Catalog.builtIn(bundleID: "com.example.meditation")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let folder = try AppStoreFolder(path + "/app-store", of: catalogue)
    (self.folder, self.address, bundleID, database) = (folder, address, catalogue.bundleID, path + "/ledger.sqlite")
    signed = folder.notifications(.production)
    let ledger = try LedgerRecorder(path: database)
    defer { ledger.close() }
    let act = StaffAction(author: "demo", reason: "made by the demo", enteredAt: Self.begin)
    let scopes: Set<APIToken.Scope> = [.ask, .support, .metrics]
    token = try ledger.createToken("you", scopes: scopes, requestsPerSecond: nil, expiresAt: nil, act).text
    let apps = try ledger.createToken(
      "apps on devices", scopes: [.ingest], requestsPerSecond: 1000, expiresAt: nil, act)
    var stores: [Environment: LocalAppStore] = [:]
    let production = try Simulation(
      catalog: catalogue, seed: seed, customers: customers, from: Self.begin, to: end)
    for simulation in [production, try production.sandbox(until: Self.begin, customers: 1)] {
      let environment = simulation.rate.environment
      stores[environment] = try LocalAppStore(
        simulation, at: Self.begin, signer: folder.authority.signer, key: folder.key,
        notifications: NotificationFile(folder.notifications(environment)), version: .v2)
    }
    stores[.production]?.delivery = try Delivery("late=0.1,lost=0.05,repeated=0.1")
    var settings = AppStoreServer.Settings()
    (settings.host, settings.port) = (address.host, address.port + 1)
    let server = AppStoreFolder.address(address.host, address.port)
    settings.webhooks[.production] = server + "/apple/v2"
    settings.receipts = (server + "/v1/receipts", apps.text)
    shop = try AppStoreServer(
      stores, settings, now: { .now }, onPurchase: { try folder.append($0, $1) },
      onClock: { [clock] in clock.set($0) })
  }

  /// The present instant of the simulated clock.
  var now: Instant { clock.now }

  /// The base address of the server, and that of the local App Store.
  var addresses: (server: String, shop: String) {
    (
      AppStoreFolder.address(address.host, address.port),
      AppStoreFolder.address(address.host, address.port + 1)
    )
  }

  /// Writes the settings of a client of the local App Store.
  func writeSettings(_ ports: [Environment: Int]) throws { try folder.writeSettings(host: address.host, ports: ports) }

  /// Returns a decoder that trusts the local App Store.
  func decoder() throws -> PayloadDecoder {
    PayloadDecoder(trust: try TrustStore(trusting: [Array(folder.authority.root.utf8)]))
  }

  // MARK: - The server

  /// Starts the server, and waits until it listens.
  /// - Throws: an error of the network, for example when another program has the port.
  func startServer() async throws {
    var settings = LedgerServer.Settings(host: address.host, port: address.port, decoder: try decoder())
    settings.drain = .zero
    settings.apple = try asking()
    let server = try LedgerServer(
      try LedgerRecorder(path: database, busyTimeout: .seconds(1)), settings,
      log: Logger(label: "demo") { _ in SwiftLogNoOpLogHandler() }, now: { [clock] in clock.now })
    let (ports, found) = AsyncStream<Int>.makeStream()
    let task = Task {
      defer { found.finish() }
      try await server.run { found.yield($0) }
    }
    running.withLock { $0 = Running(server: server, task: task) }
    for await _ in ports { return }
    try await task.value
  }

  /// Stops the server, and waits until it has ended.
  func stopServer() async throws {
    let server = running.withLock { running in
      defer { running = nil }
      return running
    }
    server?.task.cancel()
    try await server?.task.value
  }

  /// Waits until the server has asked everything that is due.
  func waitUntilAsked() async throws {
    while let server = running.withLock({ $0?.server }), server.isAskingApple(whatIsDueAt: now) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func asking() throws -> LedgerServer.AppleSettings {
    let key = try AppStoreKey(pem: folder.key.pem, id: folder.key.id, issuerID: folder.key.issuerID)
    var client = AppStoreClient.Settings(key: key, bundleID: bundleID)
    client.limitsRate = false
    let ports: [Environment: Int] = [.production: address.port + 1, .sandbox: address.port + 2]
    let bases = ports.mapValues { AppStoreFolder.address(address.host, $0) }
    client.addresses = AppStoreAddresses(api: bases, verifyReceipt: bases.mapValues { $0 + "/verifyReceipt" })
    var settings = LedgerServer.AppleSettings(
      apps: [.init(client: client, sharedSecret: AppSecret(LocalAppStore.sharedSecret))])
    // A simulated day passes in less than a second.
    settings.pause = .milliseconds(20)
    return settings
  }
}

import AppStore
import AppStoreClient
import Foundation
import Ledger
import Logging
import TestSupport
import Testing

@testable import LedgerServer

/// A local App Store whose notifications get lost, and a server that lives by the same clock.
struct SyncBench {
  let folder: TemporaryFolder
  let shop: Shop
  let clock: WallClock
  let port: Int
  let asksApple: Bool
  let seed = RandomChoice.seed

  static let begin = Instant("2024-01-01T00:00:00Z") ?? .latest

  init(customers: Int, to end: String, deliver: String, asksApple: Bool) throws {
    folder = try TemporaryFolder()
    // The address of the server is fixed before it begins, so that it can go away and come back.
    port = try FreePort.find()
    shop = try Shop(
      [
        "--customers", "\(customers)", "--seed", "\(seed)", "--sandbox-customers", "1",
        "--from", "2024-01-01", "--to", end, "--clock", "2024-01-01", "--deliver", deliver,
        "--webhook", "http://127.0.0.1:\(port)/apple/v2",
      ], in: folder)
    (clock, self.asksApple) = (WallClock(Self.begin), asksApple)
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

    /// Waits until the server has asked everything that is due.
    func settle(at instant: Instant) async throws {
      guard let sync = server.sync else { return }
      try await Eventually.isTrue { sync.isSettled(at: instant) }
    }
  }

  func start() async throws -> Running {
    let settings = shop.settings
    let root = try Data(contentsOf: URL(fileURLWithPath: try #require(settings["SUBLEDGER_TRUST"])))
    let bundleID = try #require(settings["SUBLEDGER_BUNDLE_ID"])
    var server = LedgerServer.Settings(
      port: port, decoder: PayloadDecoder(trust: try TrustStore(trusting: [[UInt8](root)]), bundleIDs: [bundleID]))
    server.drain = .zero
    server.requestTime = (whole: Eventually.limit, idle: Eventually.limit)
    if asksApple {
      var apple = LedgerServer.AppleSettings(apps: [.init(client: try shop.client())])
      apple.pause = .milliseconds(20)
      server.apple = apple
    }
    let ledger = try LedgerRecorder(path: database)
    let running = try LedgerServer(
      ledger, server, log: Logger(label: "sync") { _ in SwiftLogNoOpLogHandler() }, now: { [clock] in clock.now })
    let (ports, found) = AsyncStream<Int>.makeStream()
    let task = Task { try await running.run { found.yield($0) } }
    for await _ in ports { break }
    return Running(server: running, task: task)
  }

  /// Lets time pass, for the server first: what arrives is never from its future.
  func advance(to instant: Instant) async throws {
    clock.set(instant)
    let answer = try await shop.admin("POST", "clock", #"{"to": "\#(instant)"}"#)
    #expect(answer.status == 200, "\(answer.text)")
  }

  /// Makes the ledger of everything that Apple signed.
  func archive() throws -> LedgerReader {
    let program = Program(folder: folder)
    let result = try program.run([
      "import", folder.file("shop/notifications-production.ndjson"), "--database", folder.file("archive.sqlite"),
      "--trust", folder.file("shop/root.pem"),
    ])
    #expect(result.code == 0, "\(result)")
    return try LedgerReader(path: folder.file("archive.sqlite"))
  }

  /// Returns who has what at an instant, in the order of the ids.
  static func states(_ ledger: LedgerReader, at instant: Instant) throws -> [String] {
    try ledger.entitlements(Question(asOf: instant, knownAt: .latest), where: .init(environment: "Production")).map {
      "\($0.originalTransactionID) \($0.productID ?? "") \($0.state) \($0.accessEndsAt.map(\.description) ?? "")"
    }.sorted()
  }
}

/// The ledger of a server that listens and asks, beside the ledger of everything that Apple ever signed.
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
      return Set(left).symmetricDifference(right).map { "\(instant): \($0)" }
    }
  }

  @Test(arguments: [true, false])
  func `a server that asks Apple knows what Apple knows, after losses and ten days without it`(asksApple: Bool)
    async throws
  {
    // The large one takes minutes.
    let (customers, end) =
      SampleSize.trials == nil ? (12, "2024-06-01T00:00:00Z") : (1000, "2026-01-01T00:00:00Z")
    let bench = try SyncBench(
      customers: customers, to: end, deliver: "late=0.1,lost=0.1,repeated=0.1", asksApple: asksApple)
    let last = try #require(Instant(end))
    var running: SyncBench.Running? = try await bench.start()
    var (now, days) = (SyncBench.begin, 0)
    while now < last {
      // Ten days without a server.
      if days == 70 {
        try await running?.stop()
        running = nil
        now = now + 10 * 86_400_000
        try await bench.advance(to: now)
        running = try await bench.start()
      }
      now = min(last, now + 7 * 86_400_000)
      days += 7
      try await bench.advance(to: now)
      try await running?.settle(at: now)
    }
    try await running?.stop()
    let found = try Self.differences(bench, until: last, count: 20)
    #expect(found.isEmpty == asksApple, "seed \(bench.seed): \(found.prefix(6))")
  }
}

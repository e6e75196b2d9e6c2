import AppStore
import AppStoreServer
import AppStoreSimulator
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

@testable import LedgerServer

/// The ledger of a server that listens and asks, beside that of everything that Apple ever signed.
@Suite(.takesTurns, .serialized) struct SyncTests {
  @Test(arguments: [true, false])
  func `a server that asks Apple knows what Apple knows, after losses and ten days without it`(asksApple: Bool)
    async throws
  {
    // The large one takes minutes.
    let (customers, text) = SampleSize.trials == nil ? (30, "2024-06-01T00:00:00Z") : (1000, "2026-01-01T00:00:00Z")
    let last = try #require(Instant(text))
    let bench = try await SyncBench(
      customers: customers, to: last, deliver: try Delivery("late=0.1,lost=0.2,repeated=0.1"), asksApple: asksApple)
    var running: SyncBench.Running? = try await bench.start()
    var (now, days) = (SyncBench.begin, 0)
    // What Apple lost is found within a week, a lost extension when the month ends. The customers live on until then.
    let end = last + 42 * 86_400_000
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
    let found = try bench.differences(until: last, count: 20)
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

  /// A fault that Apple has, as `app-store` takes it, and the verdict by which its requests are written down.
  private static let faults: [(fault: String, verdict: RequestVerdict)] = [
    (#"{"fault": "429", "requests": 3, "seconds": 1}"#, .tooManyRequests),
    (#"{"fault": "4040002", "requests": 2}"#, .tryAgain),
    (#"{"fault": "4040004", "requests": 2}"#, .tryAgain),
    (#"{"fault": "5000001", "requests": 2}"#, .tryAgain),
    (#"{"fault": "503", "requests": 2}"#, .tryAgain),
    (#"{"fault": "torn", "requests": 2}"#, .unreachable),
    (#"{"fault": "lost", "requests": 2}"#, .unreachable),
    (#"{"fault": "empty", "requests": 1}"#, .unreadable),
    (#"{"fault": "slow", "requests": 2, "seconds": 1}"#, .answered),
    (#"{"fault": "4040010", "requests": 1, "endpoint": "refund_history"}"#, .unknownTransaction),
    // A wrong clock of the server is the same to Apple.
    (#"{"fault": "401", "requests": 1}"#, .wrongSettings),
  ]

  @Test func `each fault of Apple's is written down by its verdict, and heals without a hand`() async throws {
    let last = SyncBench.begin + 20 * 7 * 86_400_000
    let bench = try await SyncBench(
      customers: 15, to: last, deliver: try Delivery("late=0.1,lost=0.1,repeated=0.1"), asksApple: true,
      tries: 1)
    let running = try await bench.start()
    var now = SyncBench.begin + 60 * 86_400_000
    try await bench.advance(to: now)
    try await bench.settle(running, at: now)
    for (fault, verdict) in Self.faults {
      let before = try bench.requestCount()
      try await bench.add(fault)
      now = now + 7 * 86_400_000
      try await bench.advance(to: now)
      try await bench.settle(running, at: now)
      #expect(try bench.verdicts(after: before).contains(verdict.rawValue), "\(fault)")
      #expect(running.server.sync?.status.failures == [], "\(fault)")
    }
    while now < last + 14 * 86_400_000 {
      now = now + 7 * 86_400_000
      try await bench.advance(to: now)
      try await bench.settle(running, at: now)
    }
    try await running.stop()
    try await bench.end()
    let found = try bench.differences(until: last, count: 20)
    #expect(found.isEmpty, "seed \(bench.seed): \(found.prefix(6))")
  }

  @Test func `a local App Store stops in a rush of connections`() async throws {
    for _ in 0..<10 {
      let bench = try await SyncBench(
        customers: 1, to: SyncBench.begin + 86_400_000, deliver: Delivery(), asksApple: false)
      // An accepted connection that nobody takes over would end this process.
      let handles = (0..<60).compactMap { _ in RawConnection.open(to: bench.storePort) }
      #expect(handles.count == 60)
      try await bench.end()
      for handle in handles { close(handle) }
    }
  }
}

import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import LedgerServer

/// How arrivals share transactions.
@Suite struct InboxTests {
  private static func arrivals(_ place: Int) async -> [Arrival] {
    let text = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("t\(place)", line: "t\(place)", day(0), day(30))])
    return await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes.map {
      Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "test")
    }
  }

  @Test func `what waits together is one transaction, and each is recorded`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let inbox = Inbox(ledger)
    var arrivals: [[Arrival]] = []
    for place in 0..<Inbox.limit { arrivals.append(await Self.arrivals(place)) }
    let before = try ServerBench.column(ledger.reader, "SELECT COUNT(*) FROM seal")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for item in arrivals { group.addTask { try await inbox.store(item) } }
      try await group.waitForAll()
    }
    #expect(try ServerBench.column(ledger.reader, "SELECT COUNT(*) FROM payload") == ["\(Inbox.limit)"])
    let seals = try #require(Int(ServerBench.column(ledger.reader, "SELECT COUNT(*) FROM seal")[0]))
    #expect(seals - (Int(before[0]) ?? 0) < Inbox.limit / 2)
    ledger.close()
  }

  @Test func `more than may wait are refused, and nothing of these is recorded`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let inbox = Inbox(ledger)
    let count = 4 * Inbox.limit
    var arrivals: [[Arrival]] = []
    for place in 0..<count { arrivals.append(await Self.arrivals(place)) }
    let holder = try LockHolder(folder.file("l.sqlite"))
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for item in arrivals {
        group.addTask {
          do { try await inbox.store(item) } catch { return false }
          return true
        }
      }
      try? await Task.sleep(for: .milliseconds(300))
      try? holder.release()
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(outcomes > 0 && outcomes <= count - Inbox.limit)
    #expect(try ServerBench.column(ledger.reader, "SELECT COUNT(*) FROM payload") == ["\(outcomes)"])
    ledger.close()
  }

  @Test func `a closed inbox refuses`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let inbox = Inbox(ledger)
    inbox.close()
    await #expect(throws: Inbox.Refusal.self) { try await inbox.store(Self.arrivals(0)) }
    ledger.close()
  }
}

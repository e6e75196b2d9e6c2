import AppStore
import Dispatch
import Foundation
import Ledger
import TestSupport
import Testing

@testable import LedgerServer

/// How arrivals share transactions. The inbox records when a test lets it, and its clock is the test's.
@Suite struct InboxTests {
  /// An inbox whose queue stands still until it is released.
  private struct Bench {
    let folder: TemporaryFolder
    let ledger: LedgerRecorder
    let queue = DispatchQueue(label: "test.inbox")
    let clock = TestClock()
    let inbox: Inbox

    init() throws {
      folder = try TemporaryFolder()
      ledger = try EmptyLedger.make(in: folder)
      inbox = Inbox(ledger, queue: queue) { [clock] in clock.now }
      queue.suspend()
    }

    /// Begins to store arrivals, and waits until they wait.
    func store(_ numbers: Range<Int>) async throws -> [Task<[ArrivalResult], any Error>] {
      var tasks: [Task<[ArrivalResult], any Error>] = []
      for number in numbers {
        let arrivals = await InboxTests.arrivals(number)
        tasks.append(Task { [inbox] in try await inbox.store(arrivals, from: .apple) })
      }
      try await Eventually.isTrue { [inbox] in inbox.waitingCount == numbers.upperBound }
      return tasks
    }

    func count(_ table: String) throws -> Int {
      try #require(Int(try ServerBench.column(ledger.reader, "SELECT COUNT(*) FROM \(table)")[0]))
    }
  }

  private static func arrivals(_ number: Int) async -> [Arrival] {
    let text = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("t\(number)", originalID: "t\(number)", day(0), day(30))])
    return await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes.map {
      Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "test")
    }
  }

  private static func refusal(_ task: Task<[ArrivalResult], any Error>) async -> Inbox.Refusal? {
    if case .failure(let error) = await task.result { error as? Inbox.Refusal } else { nil }
  }

  @Test func `what waits together is one transaction, and each is recorded`() async throws {
    let bench = try Bench()
    let before = try bench.count("seal")
    let tasks = try await bench.store(0..<Inbox.limit)
    bench.queue.resume()
    for task in tasks { #expect(try await task.value == [.recorded]) }
    #expect(try bench.count("payload") == Inbox.limit)
    #expect(try bench.count("seal") == before + 1)
    bench.ledger.close()
  }

  @Test func `more than may wait are refused, and nothing of these is recorded`() async throws {
    let bench = try Bench()
    let tasks = try await bench.store(0..<Inbox.limit)
    for number in Inbox.limit..<Inbox.limit + 3 {
      let more = await Self.arrivals(number)
      let refused = await Self.refusal(Task { [inbox = bench.inbox] in try await inbox.store(more, from: .apple) })
      guard case .full = refused else {
        Issue.record("\(number) was not refused: \(String(describing: refused))"); break
      }
    }
    bench.queue.resume()
    for task in tasks { #expect(try await task.value == [.recorded]) }
    #expect(try bench.count("payload") == Inbox.limit)
    bench.ledger.close()
  }

  @Test func `what waited longer than its timeout is refused, and what came later is recorded`() async throws {
    let bench = try Bench()
    let early = try await bench.store(0..<1)
    bench.clock.advance(by: .milliseconds(900))
    let late = try await bench.store(1..<2)
    bench.clock.advance(by: .milliseconds(200))
    bench.queue.resume()
    let refused = await Self.refusal(early[0])
    guard case .late = refused else { throw try #require(refused, "it was recorded") }
    #expect(try await late[0].value == [.recorded])
    #expect(try bench.count("payload") == 1)
    bench.ledger.close()
  }

  @Test func `a closed inbox refuses`() async throws {
    let bench = try Bench()
    bench.inbox.close()
    await #expect(throws: Inbox.Refusal.self) { try await bench.inbox.store(Self.arrivals(0), from: .apple) }
    bench.queue.resume()
    bench.ledger.close()
  }
}

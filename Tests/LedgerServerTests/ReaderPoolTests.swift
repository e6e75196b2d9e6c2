import Foundation
import Ledger
import LedgerStore
import Synchronization
import TestSupport
import Testing

@testable import LedgerServer

/// Readers: tokens take turns, and a check never waits for a long answer.
@Suite struct ReaderPoolTests {
  /// Two readers, of which one is busy with a long answer until ``release()``.
  private final class BusyPool: Sendable {
    let folder: TemporaryFolder
    let pool: ReaderPool
    private let gate = DispatchSemaphore(value: 0)
    private let hasBegun = Mutex(false)
    let order = Mutex<[Int64]>([])

    init() throws {
      folder = try TemporaryFolder()
      let ledger = try EmptyLedger.make(in: folder)
      pool = try ReaderPool(path: ledger.path, count: 2)
      ledger.close()
    }

    func occupy() async throws -> Task<Void, any Error> {
      let task = Task {
        try await pool.read(.other, by: .token(TokenKey(1))) { _ in
          self.hasBegun.withLock { $0 = true }
          self.gate.wait()
        }
      }
      try await Eventually.isTrue { self.hasBegun.withLock { $0 } }
      return task
    }

    func ask(_ work: ReaderPool.Work, _ token: Int64) async throws {
      try await pool.read(work, by: .token(TokenKey(token))) { _ in self.order.withLock { $0.append(token) } }
    }

    func release() { gate.signal() }
  }

  @Test func `a token that asks much does not hold up another`() async throws {
    let busy = try BusyPool()
    let long = try await busy.occupy()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { try await busy.ask(.other, 1) } }
      try await Eventually.isTrue { busy.pool.waitingCount == 100 }
      group.addTask { try await busy.ask(.other, 2) }
      try await Eventually.isTrue { busy.pool.waitingCount == 101 }
      busy.release()
      try await group.waitForAll()
    }
    try await long.value
    let order = busy.order.withLock { $0 }
    #expect(order.count == 101 && order.prefix(2).contains(2), "\(order)")
    busy.pool.close()
  }

  @Test func `a check is answered while a long answer is made`() async throws {
    let busy = try BusyPool()
    let long = try await busy.occupy()
    for token in 1...20 as ClosedRange<Int64> { try await busy.ask(.check, token) }
    #expect(busy.order.withLock { $0 } == Array(1...20))
    busy.release()
    try await long.value
    busy.pool.close()
  }

  @Test func `too many waiting requests of one token are refused, and those of others are not`() async throws {
    let busy = try BusyPool()
    let long = try await busy.occupy()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<ReaderPool.limit.ofRequester { group.addTask { try await busy.ask(.other, 1) } }
      try await Eventually.isTrue { busy.pool.waitingCount == ReaderPool.limit.ofRequester }
      await #expect(throws: HTTPProblem.tooManyWaitOfToken) { try await busy.ask(.other, 1) }
      let rest = ReaderPool.limit.all - ReaderPool.limit.ofRequester
      for number in 0..<rest { group.addTask { try await busy.ask(.other, Int64(2 + number % 100)) } }
      try await Eventually.isTrue { busy.pool.waitingCount == ReaderPool.limit.all }
      await #expect(throws: HTTPProblem.tooManyWait) { try await busy.ask(.other, 999) }
      busy.release()
      try await group.waitForAll()
    }
    try await long.value
    #expect(busy.pool.waitingCount == 0)
    busy.pool.close()
  }
}

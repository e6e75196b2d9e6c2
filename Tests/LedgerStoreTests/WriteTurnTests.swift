import Foundation
import GRDB
import LedgerStore
import Synchronization
import TestSupport
import Testing

/// A program that wants to write is not held up by one that writes all the time.
@Suite(.takesTurns) struct WriteTurnTests {
  /// Counts the transactions of a program that begins the next one at once, until it is stopped.
  private final class BusyProgram: Sendable {
    private let ledger: LedgerRecorder
    private let state = Mutex((count: 0, isStopped: false))
    private let finished = DispatchSemaphore(value: 0)

    init(_ path: String) throws { ledger = try LedgerRecorder(path: path) }

    var count: Int { state.withLock { $0.count } }

    func start() -> DispatchGroup {
      let group = DispatchGroup()
      DispatchQueue(label: "busy").async(group: group) {
        while !self.state.withLock({ $0.isStopped }) {
          do {
            // Long beside the time between two transactions.
            try self.ledger.record { transaction in
              _ = try transaction.row(
                "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000) SELECT SUM(x) FROM n",
                [])
            }
          } catch { Issue.record(error) }
          self.state.withLock { $0.count += 1 }
          self.finished.signal()
        }
      }
      return group
    }

    /// Waits until the program goes on from one transaction to the next.
    func waitForEnd() {
      while finished.wait(timeout: .now()) == .success {}
      finished.wait()
    }

    func stop() { state.withLock { $0.isStopped = true } }
  }

  @Test func `who waits to write has their turn after one transaction of a program that writes all the time`() throws {
    let folder = try TemporaryFolder()
    let busy = try BusyProgram(folder.file("l.sqlite"))
    let other = try LedgerRecorder(path: folder.file("l.sqlite"))
    let group = busy.start()
    var waits: [Int] = []
    for _ in 0..<9 {
      busy.waitForEnd()
      let before = busy.count
      try other.record { _ in }
      waits.append(busy.count - before)
    }
    busy.stop()
    group.wait()
    // A program that does not run for a moment misses some, so most count.
    #expect(waits.sorted()[4] <= 2, "\(waits)")
  }

  @Test func `where the file of the turns cannot be opened, programs write all the same`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("l.sqlite-lock"), withIntermediateDirectories: true)
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    try ledger.record { _ in }
  }
}

import Synchronization
import TestSupport
import Testing

@testable import LedgerStore

/// Work that is divided into slices, on several threads.
@Suite struct SliceTests {
  private struct Failure: Error, Equatable { var number: Int }

  @Test(arguments: [(1, 1), (1, 3), (100, 1), (100, 4)])
  func `each result is consumed once`(_ count: Int, _ threads: Int) throws {
    var consumed: [Int] = []
    try Slices.forEachResult(of: Array(0..<count), threads: threads) { _, take in
      while try take({ $0 * 10 }) {}
    } consume: {
      consumed.append($1)
    }
    #expect(consumed.sorted() == (0..<count).map { $0 * 10 })
  }

  @Test func `few results wait at a time`() throws {
    let waiting = Mutex((now: 0, most: 0))
    try Slices.forEachResult(of: Array(0..<200), threads: 3) { _, take in
      while try take({ number in
        waiting.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        return number
      }) {}
    } consume: { _, _ in
      waiting.withLock { $0.now -= 1 }
    }
    #expect(waiting.withLock { $0.now } == 0)
    // Each thread may have one more in work.
    #expect(waiting.withLock { $0.most } <= 9)
  }

  @Test(arguments: [0, 7, 99]) func `the first failure of a slice ends the work`(_ bad: Int) throws {
    let started = Mutex(0)
    #expect(throws: Failure(number: bad)) {
      try Slices.forEachResult(of: Array(0..<100), threads: 2) { _, take in
        while try take({ number in
          started.withLock { $0 += 1 }
          if number == bad { throw Failure(number: number) }
          return number
        }) {}
      } consume: { _, _ in
      }
    }
    // At most those that wait for room and those in work were started after the bad one.
    #expect(started.withLock { $0 } <= bad + 8)
  }

  @Test func `a failure of the consumer ends the work`() throws {
    let started = Mutex(0)
    #expect(throws: Failure(number: 5)) {
      try Slices.forEachResult(of: Array(0..<10_000), threads: 2) { _, take in
        while try take({ number in
          started.withLock { $0 += 1 }
          return number
        }) {}
      } consume: { _, number in
        if number >= 5 { throw Failure(number: 5) }
      }
    }
    #expect(started.withLock { $0 } < 100)
  }

  @Test func `a thread that cannot begin ends the work`() throws {
    #expect(throws: Failure(number: 1)) {
      try Slices.forEachResult(of: [1, 2, 3], threads: 2) { thread, take in
        if thread == 1 { throw Failure(number: 1) }
        while try take({ $0 }) {}
      } consume: { (_, _: Int) in
      }
    }
  }
}

import AppStore
import Ledger
import LedgerService
import LedgerStore
import TestSupport
import Testing

/// Requests that their senders repeat.
@Suite struct IdempotencyTests {
  private let bench: LedgerBench
  private let key: TokenKey

  init() throws {
    bench = try LedgerBench([])
    _ = try bench.ledger.createToken("web", scopes: [.support], CustomerFixture.staffAction(0))
    key = try #require(try bench.ledger.reader.tokens().first).key
  }

  private func grant(_ name: String, _ content: String, _ now: Instant) throws -> String {
    let once = IdempotentRequest(.token(key), key: name, content: Array(content.utf8))
    return try bench.ledger.record { transaction in
      try transaction.answer(once: once, now: now) {
        try transaction.grant("pro", to: "ann", from: now, until: nil, CustomerFixture.staffAction(0))
        return "{\"at\": \(now.milliseconds)}"
      }
    }
  }

  private func grants() throws -> Int {
    try bench.ledger.reader.record(of: "ann", QueryParameters(asOf: day(99), knownAt: day(99))).grants.count
  }

  @Test func `a repetition within a day gets the first answer, and changes nothing`() throws {
    let first = try grant("k1", "a", day(1))
    #expect(try grant("k1", "a", day(1.5)) == first)
    #expect(try grants() == 1)
    #expect(try grant("k2", "a", day(1.5)) != first)
    #expect(try grants() == 2)
    // After a day the name is free again.
    #expect(try grant("k1", "a", day(2.1)) != first)
    #expect(try grants() == 3)
  }

  @Test func `another request with the same key is refused`() throws {
    _ = try grant("k1", "a", day(1))
    #expect(throws: IdempotentRequest.Conflict.self) { try grant("k1", "b", day(1)) }
    #expect(try grants() == 1)
  }
}

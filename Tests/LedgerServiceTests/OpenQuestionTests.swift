import AppStore
import GRDB
import Ledger
import LedgerService
import LedgerStore
import TestSupport
import Testing

/// The doubts of a ledger, and the questions that they open.
@Suite struct OpenQuestionTests {
  /// A ledger with a subscription of thirty days, of which nothing later is known.
  private static func bench() async throws -> LedgerBench {
    let text = PayloadFixture.v2(
      "SUBSCRIBED", at: day(0), transaction: TransactionFixture("t1", line: "t1", day(0), day(30)))
    var arrivals: [Arrival] = []
    for outcome in await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes {
      arrivals.append(Arrival(outcome: outcome, receivedAt: day(0), isExplicit: true, origin: "x"))
    }
    return try LedgerBench([arrivals])
  }

  /// Looks for doubts, and returns the questions that are due.
  private static func due(
    _ ledger: LedgerRecorder, since former: Instant?, at now: Instant
  ) throws -> [OpenQuestion] {
    try ledger.record {
      try $0.openQuestions(unconfirmedSince: former, now: now)
      try $0.openQuestions(endingUntil: now + 86_400_000, now: now)
    }
    return try ledger.reader.openQuestions(dueAt: now, limit: 10)
  }

  @Test func `a period that ended without news is a question, once, until news arrives`() async throws {
    let bench = try await Self.bench()
    #expect(try Self.due(bench.ledger, since: nil, at: day(29)).isEmpty)
    let found = try Self.due(bench.ledger, since: day(29), at: day(31))
    #expect(found.map(\.reason) == [.unconfirmed] && found.map(\.subject) == ["t1"])
    #expect(try Self.due(bench.ledger, since: nil, at: day(32)).map(\.id) == found.map(\.id))
    let question = try #require(found.first)
    #expect(try bench.ledger.record { try $0.isOpen(question, at: day(32), endingUntil: day(33)) })
    let news = PayloadFixture.v2(
      "DID_RENEW", at: day(30), transaction: TransactionFixture("t2", line: "t1", day(30), day(60)))
    for outcome in await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(news.utf8)).outcomes {
      try bench.ledger.record([Arrival(outcome: outcome, receivedAt: day(33), isExplicit: true, origin: "x")])
    }
    #expect(try !bench.ledger.record { try $0.isOpen(question, at: day(33), endingUntil: day(34)) })
  }

  @Test func `a doubt that began before the last look is found by the look at all`() async throws {
    let bench = try await Self.bench()
    #expect(try Self.due(bench.ledger, since: day(40), at: day(41)).isEmpty)
    #expect(try Self.due(bench.ledger, since: nil, at: day(41)).count == 1)
  }

  @Test func `a question that Apple did not settle waits, and its attempts are counted`() async throws {
    let bench = try await Self.bench()
    let question = try #require(try Self.due(bench.ledger, since: nil, at: day(31)).first)
    try bench.ledger.record {
      try $0.postpone(question, verdict: .unknownTransaction, code: 4_040_010, due: day(32))
    }
    #expect(try bench.ledger.reader.openQuestions(dueAt: day(31), limit: 10).isEmpty)
    #expect(try bench.ledger.reader.openQuestions(dueAt: day(32), limit: 10).map(\.attemptCount) == [1])
    let count = try #require(try bench.ledger.reader.openQuestionCounts().first)
    #expect(count.count == 1 && count.unsettledCount == 1 && count.oldestAt == day(31))
    try bench.ledger.record { try $0.close(question) }
    #expect(try bench.ledger.reader.openQuestionCounts().isEmpty)
  }

  @Test func `the questions of a large ledger are found by an index`() async throws {
    let bench = try await Self.bench()
    let plans = try bench.ledger.record { transaction in
      try [
        "SELECT 1 FROM main.entitlement_period p WHERE p.confirmed = 0 AND p.begins_at > 1 AND p.begins_at <= 2",
        """
        SELECT 1 FROM main.entitlement_period p
        WHERE p.state IN ('grace_period', 'billing_retry') AND p.ends_at > 1 AND p.ends_at <= 2
        """,
      ].map { try transaction.rows("EXPLAIN QUERY PLAN " + $0).map { $0["detail"] as String }.joined() }
    }
    #expect(plans[0].contains("entitlement_period_unconfirmed"), "\(plans[0])")
    #expect(plans[1].contains("entitlement_period_of_failed_payment"), "\(plans[1])")
  }
}

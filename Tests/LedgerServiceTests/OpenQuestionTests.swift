import AppStore
import GRDB
import Ledger
import LedgerService
import LedgerStore
import TestSupport
import Testing

/// The doubts of a ledger, and the questions that they open.
@Suite struct OpenQuestionTests {
  /// A ledger with a subscription of thirty days, and what else Apple signed.
  private static func bench(_ later: [String] = []) async throws -> LedgerBench {
    let first = PayloadFixture.v2(
      "SUBSCRIBED", at: day(0), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)))
    var found: [Arrival] = []
    for text in [first] + later { found += await arrivals(text) }
    return try LedgerBench([found])
  }

  private static func arrivals(_ text: String) async -> [Arrival] {
    await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes.map {
      Arrival(outcome: $0, receivedAt: day(0), isExplicit: true, origin: "x")
    }
  }

  /// Looks for doubts, and returns the questions that are due.
  private static func due(
    _ ledger: LedgerRecorder, since former: Instant?, at now: Instant
  ) throws -> [OpenQuestion] {
    try ledger.record {
      try $0.openQuestions(unconfirmedSince: former, now: now)
      try $0.openQuestions(aboutEndsAt: now)
      try $0.openQuestions(aboutFailedPaymentsAt: now)
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
    #expect(try bench.ledger.record { try $0.isOpen(question, at: day(32)) })
    let news = PayloadFixture.v2(
      "DID_RENEW", at: day(30), transaction: TransactionFixture("t2", originalID: "t1", day(30), day(60)))
    try bench.ledger.record(await Self.arrivals(news))
    #expect(try !bench.ledger.record { try $0.isOpen(question, at: day(33)) })
  }

  @Test func `an end that a transaction signed again confirms is a question until renewal info since then arrives`()
    async throws
  {
    let signedAgain = PayloadFixture.v2(
      "REFUND_DECLINED", at: day(31), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)))
    let bench = try await Self.bench([signedAgain])
    #expect(try Self.due(bench.ledger, since: nil, at: day(29)).isEmpty)
    let found = try Self.due(bench.ledger, since: nil, at: day(32))
    #expect(found.map(\.reason) == [.ended] && found.map(\.subject) == ["t1"])
    let question = try #require(found.first)
    #expect(try bench.ledger.reader.isOpen(question, at: day(32)))
    let news = PayloadFixture.v2(
      "EXPIRED", at: day(30), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)),
      renewal: RenewalFixture(status: false, intent: 1))
    try bench.ledger.record(await Self.arrivals(news))
    #expect(try !bench.ledger.reader.isOpen(question, at: day(32)))
    try bench.ledger.record { try $0.close(question) }
    #expect(try Self.due(bench.ledger, since: nil, at: day(32)).isEmpty)
  }

  @Test func `an end of long ago raises no question`() async throws {
    let signedAgain = PayloadFixture.v2(
      "REFUND_DECLINED", at: day(31), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)))
    let bench = try await Self.bench([signedAgain])
    #expect(try Self.due(bench.ledger, since: nil, at: day(43)).count == 1)
    let later = try await Self.bench([signedAgain])
    #expect(try Self.due(later.ledger, since: nil, at: day(45)).isEmpty)
  }

  @Test func `a doubt that began before the last search is found by the search of all`() async throws {
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

  @Test(arguments: [(grace: Double?.none, first: 31.0), (46, 31), (31.5, 30.5)])
  func `a failed payment is asked about a day after it, and at the latest a day before the grace period ends`(
    grace: Double?, first: Double
  ) async throws {
    let failure = PayloadFixture.v2(
      "DID_FAIL_TO_RENEW", subtype: grace == nil ? nil : "GRACE_PERIOD", at: day(30),
      transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)),
      renewal: RenewalFixture(status: true, intent: 2, retry: true, grace: grace.map(day)))
    let bench = try await Self.bench([failure])
    #expect(try Self.due(bench.ledger, since: nil, at: day(30.2)).isEmpty)
    #expect(try bench.ledger.reader.openQuestions(dueAt: day(first + -0.01), limit: 10).isEmpty)
    let question = try #require(try bench.ledger.reader.openQuestions(dueAt: day(first), limit: 10).first)
    #expect(question.reason == .paymentFailed && question.stateEndsAt == day(grace ?? 90))
    #expect(try bench.ledger.reader.isOpen(question, at: day(first)))
  }

  @Test func `who has access may be refunded or lose what is shared, and who was refunded may get access back`()
    async throws
  {
    let refund = PayloadFixture.v2(
      "REFUND", at: day(10),
      transaction: TransactionFixture("t2", originalID: "t2", day(0), day(30), revoked: day(9)))
    let shared = PayloadFixture.v2(
      "SUBSCRIBED", at: day(0),
      transaction: TransactionFixture(
        "t4", originalID: "t3", day(0), day(30), extra: [("inAppOwnershipType", "\"FAMILY_SHARED\"")]))
    let bench = try await Self.bench([refund, shared])
    func asked(at now: Instant, _ keys: ClosedRange<Int64> = 1...9) throws -> [String] {
      let keys = OriginalTransactionKey(keys.lowerBound)...OriginalTransactionKey(keys.upperBound)
      try bench.ledger.record { try $0.openQuestions(aboutRefundsOf: keys, now: now) }
      let found = try bench.ledger.reader.openQuestions(dueAt: now, limit: 10)
      try bench.ledger.record { transaction in for question in found { try transaction.close(question) } }
      return found.map { "\($0.reason.rawValue) \($0.subject)" }
    }
    #expect(try asked(at: day(11)) == ["refund_reversal t2", "sharing t4", "refund t1"])
    #expect(try asked(at: day(11), 2...2) == ["refund_reversal t2"])
    #expect(try asked(at: day(119)) == ["refund_reversal t2", "sharing t4", "refund t1"])
    #expect(try asked(at: day(121)) == ["refund_reversal t2"])
    #expect(try asked(at: day(376)).isEmpty)
  }

  @Test func `a transaction that does not begin where the last known one ends is a question about those between`()
    async throws
  {
    for (begin, isMissing) in [(30.0, false), (60, true)] {
      let bench = try await Self.bench()
      let question = try #require(try Self.due(bench.ledger, since: nil, at: day(70)).first)
      let known = try #require(try bench.ledger.reader.lastKnownEnd(of: question))
      let news = PayloadFixture.v2(
        "DID_RENEW", at: day(70), transaction: TransactionFixture("t3", originalID: "t1", day(begin), day(90)))
      try bench.ledger.record(await Self.arrivals(news))
      try bench.ledger.record {
        try $0.openQuestion(aboutTransactionsMissingAfter: known, of: question, now: day(70))
        try $0.close(question)
      }
      let found = try bench.ledger.reader.openQuestions(dueAt: day(70), limit: 10)
      #expect(found.map(\.reason) == (isMissing ? [.missingTransactions] : []))
    }
  }

  @Test func `the questions of a large ledger are found by an index`() async throws {
    let bench = try await Self.bench()
    let plans = try bench.ledger.record { transaction in
      try [
        "SELECT 1 FROM main.entitlement_period p WHERE p.confirmed = 0 AND p.begins_at > 1 AND p.begins_at <= 2",
        """
        SELECT 1 FROM main.entitlement_period p
        WHERE p.state IN ('grace_period', 'billing_retry') AND p.ends_at > 1 AND p.begins_at <= 1
        """,
        "SELECT 1 FROM main.open_question q WHERE q.reason = 'refund' AND q.next_attempt_at <= 1",
        """
        SELECT 1 FROM main.entitlement_period p
        WHERE p.state = 'expired' AND p.confirmed = 1 AND p.begins_at > 1 AND p.begins_at <= 2
        """,
      ].map { try transaction.rows("EXPLAIN QUERY PLAN " + $0).map { $0["detail"] as String }.joined() }
    }
    #expect(plans[0].contains("entitlement_period_unconfirmed"), "\(plans[0])")
    #expect(plans[1].contains("entitlement_period_of_failed_payment"), "\(plans[1])")
    #expect(plans[2].contains("open_question_of_reason"), "\(plans[2])")
    #expect(plans[3].contains("entitlement_period_ended"), "\(plans[3])")
  }
}

import AppStore
import Ledger
import LedgerService
import LedgerSync
import TestSupport
import Testing

/// Which purchases are asked about, and when.
@Suite struct ReconcilerTests {
  private static let hour: Int64 = 3_600_000

  /// A ledger of fifty subscriptions that are active for years.
  private static func ledger() async throws -> LedgerBench {
    var arrivals: [Arrival] = []
    for number in 1...50 {
      let text = PayloadFixture.v2(
        "SUBSCRIBED", at: day(0),
        transaction: TransactionFixture("t\(number)", originalID: "t\(number)", day(0), day(4000)))
      arrivals += await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes.map {
        Arrival(outcome: $0, receivedAt: day(0), isExplicit: true, origin: "x")
      }
    }
    return try LedgerBench([arrivals])
  }

  /// Looks for possible refunds, and returns the subscriptions that are asked about then.
  private static func search(
    _ bench: LedgerBench, after position: inout Reconciler.RefundSearchPosition?, at now: Instant
  ) async throws -> [String] {
    let reconciler = Reconciler([], bench.ledger, reader: bench.ledger.reader)
    position = try await reconciler.openRefundQuestions(after: position, now: now)
    let found = try bench.ledger.reader.openQuestions(dueAt: now, limit: 1000)
    try bench.ledger.record { transaction in for question in found { try transaction.close(question) } }
    return found.map(\.subject)
  }

  @Test func `each purchase is asked about once a week, a few each hour`() async throws {
    let bench = try await Self.ledger()
    var (position, now): (Reconciler.RefundSearchPosition?, Instant) = (nil, day(100))
    #expect(try await Self.search(bench, after: &position, at: now).isEmpty)
    var asked: [String: [Int64]] = [:]
    for number in 1...(5 * 7 * 24) as ClosedRange<Int64> {
      now = now + Self.hour
      let subjects = try await Self.search(bench, after: &position, at: now)
      #expect(subjects.count <= 1)
      for subject in subjects { asked[subject, default: []].append(number) }
    }
    #expect(asked.count == 50)
    for (subject, hours) in asked {
      let pauses = zip(hours, hours.dropFirst()).map { $1 - $0 }
      #expect(pauses.allSatisfy { (167...169).contains($0) } && [4, 5].contains(pauses.count), "\(subject): \(hours)")
    }
  }

  @Test(arguments: [7, 21]) func `after a pause of a week or more everything is asked about, once`(days: Double)
    async throws
  {
    let bench = try await Self.ledger()
    var position: Reconciler.RefundSearchPosition?
    _ = try await Self.search(bench, after: &position, at: day(100))
    let begin = try #require(position).key
    let asked = try await Self.search(bench, after: &position, at: day(100 + days))
    #expect(asked.count == 50 && Set(asked).count == 50)
    #expect(position?.key == begin)
    #expect(try await Self.search(bench, after: &position, at: day(100 + days)).isEmpty)
  }

  @Test func `a server that begins takes the part of the ledger whose turn it is`() async throws {
    let bench = try await Self.ledger()
    var keys: [Int64] = []
    for number in 0..<7 {
      var position: Reconciler.RefundSearchPosition?
      let begin = Instant(milliseconds: (100 * 7 + Int64(number)) * 24 * Self.hour)
      _ = try await Self.search(bench, after: &position, at: begin)
      keys.append(try #require(position).key)
    }
    #expect(keys == [0, 7, 14, 21, 28, 35, 42])
  }
}

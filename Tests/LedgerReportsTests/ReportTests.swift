import AppStore
import Foundation
import Synchronization
import Ledger
import TestSupport
import Testing

import LedgerReports
import LedgerSchema
import LedgerStore

/// Reports that what is kept does not answer, or does in part: about more subscriptions than one slice holds.
@Suite struct ReportTests {
  private static let count = 2 * SubscriptionSlice.width + 100

  /// The subscriptions that are paid for again.
  private static let renewed = (0..<count).filter { !$0.isMultiple(of: 3) }

  /// A payment of each subscription, and later a second one of most.
  private static func arrivals() async -> (first: [Arrival], second: [Arrival]) {
    func payment(_ customer: Int, _ number: Int) -> TransactionFixture {
      let start = Double(customer % 7 + 30 * (number - 1))
      return TransactionFixture("p\(number)-\(customer)", originalID: "l\(customer)", day(start), day(start + 30))
    }
    let first = PayloadFixture.receipt(
      at: day(20), latest: (0..<count).map { payment($0, 1) }, environment: "Production")
    let second = PayloadFixture.receipt(
      at: day(50), latest: renewed.map { payment($0, 2) }, environment: "Production")
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    func arrivals(_ text: String, _ received: Double) async -> [Arrival] {
      await decoder.decode(Array(text.utf8)).outcomes.map {
        Arrival(outcome: $0, receivedAt: day(received), isExplicit: true, origin: "t")
      }
    }
    return (await arrivals(first, 21), await arrivals(second, 51))
  }

  private static func reports(
    _ ledger: LedgerRecorder, _ parameters: QueryParameters,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> [[ReportFigure]] {
    let periods = try #require(ReportPeriods(.day, from: day(0), to: day(70)))
    let requests = ["active_subscriptions", "new_paid", "churned", "transactions_paid", "retention"]
      .compactMap(Metric.named).map { ReportRequest($0, periods, parameters) }
    return try ledger.reader.report(requests, progress: progress).map(\.figures)
  }

  @Test func `what was known once is what a ledger of then says, whether anything is stored or not`() async throws {
    let (first, second) = await Self.arrivals()
    let folders = try [TemporaryFolder(), TemporaryFolder()]
    let then = try EmptyLedger.make(in: folders[0])
    try then.record(first)
    let now = try EmptyLedger.make(in: folders[1])
    try now.record(first)
    try now.record(second)
    let past = QueryParameters(asOf: day(60), knownAt: day(40))
    let expected = try Self.reports(then, past)
    #expect(expected.allSatisfy { !$0.isEmpty })
    #expect(try Self.reports(now, past) == expected)
    try ProjectionMaintainer(path: now.path).deriveMetricDeltas()
    // Of what was paid for again later, that is left out; the others are kept.
    let derived = Mutex<[Int]>([])
    #expect(try Self.reports(now, past) { done, count in derived.withLock { $0 += [done, count] } } == expected)
    #expect(derived.withLock { $0.last } == Self.renewed.count && Self.renewed.count > SubscriptionSlice.width)
    let known = QueryParameters(asOf: day(60), knownAt: day(60))
    let present = try Self.reports(now, known)
    #expect(present != expected)
    try ProjectionMaintainer(path: now.path).rebuild()
    #expect(try Self.reports(now, known) == present)
  }
}

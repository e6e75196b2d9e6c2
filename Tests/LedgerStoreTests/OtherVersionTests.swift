import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerSchema
@testable import LedgerStore

/// Two versions of the program, with other views, use one file.
@Suite struct OtherVersionTests {
  private static let parameters = QueryParameters(asOf: day(60), knownAt: day(20_000))

  private static func bench() async throws -> LedgerBench {
    let bench = try LedgerBench([await RandomHistory(seed: 40, count: 40).arrivals])
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    return bench
  }

  private static func change(_ bench: LedgerBench, _ sql: String) throws {
    try DatabaseQueue(path: bench.ledger.path).write { try $0.execute(sql: sql) }
  }

  private static func number(_ bench: LedgerBench, _ sql: String) throws -> Int {
    try DatabaseQueue(path: bench.ledger.path).read { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  /// Opens the file for recording, as an import does.
  /// - Returns: whether anything was derived again.
  private static func open(_ bench: LedgerBench) throws -> Bool {
    var isDerived = false
    let ledger = try LedgerRecorder(path: bench.ledger.path) { if case .deriving = $0 { isDerived = true } }
    ledger.close()
    return isDerived
  }

  @Test func `views with other comments are replaced, and nothing is derived again`() async throws {
    let bench = try await Self.bench()
    let coverage = "SELECT COUNT(*) FROM projection_metric_coverage"
    let before = try Self.number(bench, coverage)
    try Self.change(bench, "UPDATE generated_schema SET digest = 'other comments'")
    #expect(try !Self.open(bench))
    #expect(try Self.number(bench, coverage) == before && before > 1)
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [])
  }

  @Test func `answers by other rules are not read, and the next program that records derives them again`() async throws
  {
    let bench = try await Self.bench()
    let before = try bench.answers(Self.parameters)
    try Self.change(
      bench,
      """
      UPDATE generated_schema SET digest = 'other', answer_digest = 'other', metric_digest = 'other';
      UPDATE entitlement_period SET state = 'revoked', has_access = 0;
      """)
    #expect(try bench.answers(Self.parameters) == before)
    for originalID in before.map({ $0.subscription.split(separator: "/") }) where originalID[0] != "Unverified" {
      let one = try bench.ledger.reader.entitlement(
        of: String(originalID[1]), in: Environment(apple: String(originalID[0])), Self.parameters)
      #expect(one.map(SlowModel.Answer.init).map { before.contains($0) } == true)
    }
    #expect(try Self.open(bench))
    #expect(try bench.answers(Self.parameters) == before)
    #expect(try Self.number(bench, "SELECT COUNT(*) FROM projection_metric_coverage") == 0)
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [])
  }

  @Test(arguments: [
    ("1.0.1", "1.0.0", true), ("1.10.0", "1.9.3", true), ("2", "1.99.99", true), ("1.0.0", "1.0.0", false),
    ("1.0", "1.0.0", false), ("0.9.9", "1.0.0", false), ("0", "1.0.0", false),
  ])
  func `versions are compared by their numbers`(version: String, other: String, isNewer: Bool) {
    #expect(Schema.isNewer(version, than: other) == isNewer)
  }

  @Test func `an older program leaves what a newer one made, says so, and answers by its own rules`() async throws {
    let history = await RandomHistory(seed: 42, count: 40).arrivals
    let half = history.count / 2
    let (bench, whole) = (try LedgerBench([Array(history[..<half])]), try LedgerBench([history]))
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    let file = try DatabaseQueue(path: bench.ledger.path)
    let own = try await file.read { database -> [String] in
      let row = try Row.fetchOne(database, sql: "SELECT answer_digest, metric_digest FROM generated_schema")
      return (0..<2).compactMap { row?[$0] }
    }
    try Self.change(
      bench,
      """
      DROP VIEW expiring; CREATE VIEW expiring AS SELECT 1 AS one;
      UPDATE generated_schema SET program_version = '99.0.0', digest = 'a', answer_digest = 'b', metric_digest = 'c';
      """)
    bench.ledger.close()

    var progress: [UpgradeProgress] = []
    let ledger = try LedgerRecorder(path: bench.ledger.path) { progress.append($0) }
    #expect(progress == [.keepingViews(of: "99.0.0")])
    try ledger.record(Array(history[half...]))
    ledger.close()
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    #expect(try Self.number(bench, "SELECT one FROM expiring") == 1)
    #expect(try bench.answers(Self.parameters) == whole.answers(Self.parameters))
    #expect(throws: LedgerError.self) { try ProjectionMaintainer(path: bench.ledger.path).rebuild() }

    // What it stored is derived again by the rules of the newer program, of which only the digests are others here.
    let others = "SELECT COUNT(*) FROM entitlement_period_gap WHERE is_by_other_rules = 1"
    #expect(try Self.number(bench, others) > 0)
    try await file.write {
      try $0.execute(
        sql: "UPDATE generated_schema SET program_version = '1.0.0', answer_digest = ?, metric_digest = ?",
        arguments: StatementArguments(own))
      try $0.execute(
        sql: """
          UPDATE projection_transaction SET purchase_at = 1
          WHERE original_transaction_key IN (SELECT original_transaction_key FROM entitlement_period_gap)
          """)
    }
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    #expect(try Self.number(bench, "SELECT COUNT(*) FROM entitlement_period_gap") == 0)
    #expect(try !Self.open(bench))
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [])
  }

  @Test func `a program that has the file open goes on when another version replaces the views`() async throws {
    let history = await RandomHistory(seed: 41, count: 40).arrivals
    let half = history.count / 2
    let bench = try LedgerBench([Array(history[..<half])])
    try Self.change(
      bench,
      """
      DROP VIEW expiring; CREATE VIEW expiring AS SELECT 1 AS one;
      UPDATE generated_schema SET digest = 'newer', answer_digest = 'newer', metric_digest = 'newer';
      """)
    try bench.ledger.record(Array(history[half...]))
    let whole = try LedgerBench([history])
    #expect(try bench.answers(Self.parameters) == whole.answers(Self.parameters))
    #expect(try Self.number(bench, "SELECT COUNT(*) FROM entitlement_period_gap") > 0)
    // A foreign trigger is still refused.
    try Self.change(bench, "CREATE TRIGGER evil AFTER INSERT ON payload BEGIN DELETE FROM entitlement_period; END")
    #expect(throws: LedgerError.self) { try bench.ledger.record([]) }
    try Self.change(bench, "DROP TRIGGER evil")
    #expect(try Self.open(bench))
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [])
    #expect(try bench.answers(Self.parameters) == whole.answers(Self.parameters))
  }
}

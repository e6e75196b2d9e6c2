import AppStore
import Foundation
import GRDB
import Synchronization
import Ledger
import TestSupport
import Testing

@testable import LedgerMaintenance
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// What an audit looks at: all, what came after a seal, a sample; and what it does with a file that is damaged or changes.
@Suite struct AuditTests {
  /// A ledger with two batches and the seal after the first.
  private static func bench(_ seed: UInt64) async throws -> (bench: LedgerBench, first: Anchor) {
    let history = await RandomHistory(seed: seed, count: 30)
    let half = history.arrivals.count / 2
    let bench = try LedgerBench([Array(history.arrivals.prefix(half))])
    let first = try #require(try bench.ledger.reader.anchor())
    try bench.ledger.record(Array(history.arrivals.suffix(from: half)))
    return (bench, first)
  }

  private static func options(since: ContentDigest? = nil, sample: Double = 1) -> AuditOptions {
    var options = AuditOptions()
    (options.since, options.sample) = (since, sample)
    return options
  }

  /// Changes rows on a connection for which nothing refuses changes.
  private static func change(_ bench: LedgerBench, _ table: String, _ sql: String) async throws {
    try await DatabaseQueue(path: bench.ledger.path).writeWithoutTransaction { database in
      let guards = try Row.fetchAll(
        database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", arguments: [table]
      )
      for guardian in guards { try database.execute(sql: "DROP TRIGGER \(guardian["name"] as String)") }
      try database.execute(sql: sql)
      for guardian in guards { try database.execute(sql: guardian["sql"]) }
    }
  }

  @Test func `a report has each check, how much it checked, and that nothing was left out`() async throws {
    let (bench, _) = try await Self.bench(71)
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    let report = try await bench.ledger.reader.audit(Self.options())
    #expect(report.findings.filter { $0.code != .disagreement } == [])
    let checks = report.checks.map(\.check)
    #expect(checks == [.structure, .references, .schema, .seals, .texts, .projections, .metrics, .status])
    #expect(report.checks.allSatisfy { $0.gap == nil })
    let counts = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.check, $0.count) })
    let (rows, texts, subscriptions) = try await DatabaseQueue(path: bench.ledger.path).read { database in
      (
        try Int.fetchOne(database, sql: "SELECT SUM(row_count) FROM seal"),
        try Int.fetchOne(
          database,
          sql: """
            SELECT (SELECT COUNT(*) FROM payload) + (SELECT COUNT(*) FROM transaction_info)
              + (SELECT COUNT(*) FROM renewal_info) + (SELECT COUNT(*) FROM app_transaction_info)
            """),
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM original_transaction")
      )
    }
    #expect(counts[.seals] == rows && counts[.texts] == texts && counts[.projections] == subscriptions)
    #expect(counts[.metrics] == subscriptions)
  }

  @Test func `after a seal only what was recorded since is proved`() async throws {
    let (bench, first) = try await Self.bench(72)
    let whole = try await bench.ledger.reader.audit(Self.options())
    let part = try await bench.ledger.reader.audit(Self.options(since: first.digest))
    #expect(part.findings.filter { $0.code != .disagreement } == [])
    for check in [AuditCheck.seals, .texts, .projections] {
      let (some, all) = (part.checks.first { $0.check == check }, whole.checks.first { $0.check == check })
      #expect(try #require(some).count < #require(all).count && some?.gap != nil, "\(check)")
    }
    // The first payload was recorded before the seal, and the last one after it.
    for (order, isFound) in [("MIN", false), ("MAX", true)] {
      try await Self.change(
        bench, "payload",
        "UPDATE payload SET kind = 'x' WHERE payload_id = (SELECT \(order)(payload_id) FROM payload)")
      let found = try await bench.ledger.reader.audit(Self.options(since: first.digest)).findings
      #expect(found.contains { $0.code == .changedRow } == isFound, "\(order)")
    }
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .changedRow }.count == 2)
  }

  @Test func `a projection is compared after a seal, where its subscription was touched`() async throws {
    let (bench, first) = try await Self.bench(73)
    let touched = """
      SELECT original_transaction_key FROM transaction_version
      WHERE payload_id > (SELECT COUNT(*) / 2 FROM payload) + 2
      """
    try await DatabaseQueue(path: bench.ledger.path).write {
      try $0.execute(
        sql: """
          UPDATE projection_original_transaction SET last_recorded_at = last_recorded_at + 1
          WHERE original_transaction_key = (\(touched) LIMIT 1)
          """)
    }
    #expect(
      try await bench.ledger.reader.audit(Self.options(since: first.digest)).findings.contains {
        $0.code == .projection
      })
  }

  @Test func `after the last seal nothing is left to prove`() async throws {
    let (bench, _) = try await Self.bench(74)
    let last = try #require(try bench.ledger.reader.anchor())
    let report = try await bench.ledger.reader.audit(Self.options(since: last.digest))
    #expect(report.findings == [])
    #expect(report.checks.filter { [.seals, .texts, .projections].contains($0.check) }.map(\.count) == [0, 0, 0])
  }

  @Test func `a seal that is not there is a finding, and everything is checked instead`() async throws {
    let (bench, _) = try await Self.bench(75)
    let unknown = ContentDigest(sha256: [1, 2, 3])
    let report = try await bench.ledger.reader.audit(Self.options(since: unknown))
    #expect(report.findings.filter { $0.code != .disagreement }.map(\.location) == [unknown.hexadecimal])
    #expect(report.checks.first { $0.check == .seals }?.gap == nil)
  }

  @Test func `a sample looks at something, and says that it is one`() async throws {
    let (bench, _) = try await Self.bench(76)
    let report = try await bench.ledger.reader.audit(Self.options(sample: 0.01))
    #expect(report.findings.filter { $0.code != .disagreement } == [])
    #expect(report.checks.first { $0.check == .seals }?.gap == "only a sample")
    #expect(report.checks.filter { [.seals, .texts, .projections].contains($0.check) }.allSatisfy { $0.count > 0 })
  }

  @Test func `with a damaged table the seals of all others are compared`() async throws {
    let (bench, _) = try await Self.bench(77)
    try await Self.change(bench, "notification", "UPDATE notification SET notification_type = 'REFUND'")
    bench.ledger.close()
    let (page, size) = try await DatabaseQueue(path: bench.ledger.path).read { database in
      (
        try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'status_claim'"),
        try Int.fetchOne(database, sql: "PRAGMA page_size")
      )
    }
    let handle = try #require(FileHandle(forUpdatingAtPath: bench.ledger.path))
    try handle.seek(toOffset: UInt64((try #require(page) - 1) * (try #require(size))))
    try handle.write(contentsOf: Data(repeating: 0xEE, count: 64))
    try handle.close()
    let ledger = try LedgerReader(path: bench.ledger.path)
    var options = AuditOptions()
    options.scope = [.file, .signatures]
    let report = try await ledger.audit(options)
    #expect(!report.checks.contains { $0.check == .signatures }, "they need all tables")
    #expect(report.findings.first?.code == .integrity)
    #expect(report.findings.contains { $0.code == .integrity && $0.detail.contains("status_claim") })
    #expect(report.findings.contains { $0.code == .changedRow && $0.location.hasPrefix("notification ") })
    #expect(!report.findings.contains { $0.code == .removedRow || $0.code == .seal })
  }

  @Test func `recording during an audit changes no finding`() async throws {
    let history = await RandomHistory(seed: 78, count: 40)
    let bench = try LedgerBench([Array(history.arrivals.prefix(5))])
    let writer = Task.detached {
      for arrival in history.arrivals.dropFirst(5) { try bench.ledger.record([arrival]) }
    }
    let reader = try LedgerReader(path: bench.ledger.path)
    for _ in 0..<6 { #expect(try await reader.audit().filter { $0.code != .disagreement } == []) }
    try await writer.value
    #expect(try await reader.audit().filter { $0.code != .disagreement } == [])
  }

  @Test(arguments: [81, 82, 83] as [UInt64])
  func `what is measured while others record is what the evidence derives`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 40)
    let half = history.arrivals.count / 2
    let bench = try LedgerBench([Array(history.arrivals.prefix(half))])
    // All the rest comes when the first lines were derived, and are not yet written.
    try MetricDeltaMaintenance(ProjectionMaintainer(path: bench.ledger.path)).run(
      meanwhile: { try bench.ledger.record(Array(history.arrivals.suffix(from: half))) }, progress: { _ in })
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [], "seed \(seed)")
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    let report = try await bench.ledger.reader.audit(Self.options())
    #expect(report.findings.filter { $0.code == .projection } == [], "seed \(seed)")
    #expect(try #require(report.checks.first { $0.check == .metrics }).count > 0)
  }

  @Test func `progress goes up to the whole, check by check`() async throws {
    let (bench, _) = try await Self.bench(79)
    let reported = Mutex<[AuditProgress]>([])
    _ = try await bench.ledger.reader.audit(Self.options()) { one in reported.withLock { $0.append(one) } }
    let all = reported.withLock { $0 }
    #expect(all.contains { $0.check == .structure && $0.share == nil })
    for check in [AuditCheck.seals, .texts, .projections] {
      let shares = all.filter { $0.check == check }.compactMap(\.share)
      #expect(shares == shares.sorted() && shares.last == 1, "\(check)")
    }
  }

  @Test func `of many findings of a kind the first are listed, and how many more there are`() {
    var (one, other) = (FindingList(), FindingList())
    for number in 0..<15 { one.note(.changedRow, "row \(number)", "changed", of: "payload") }
    for number in 15..<50 { other.note(.changedRow, "row \(number)", "changed", of: "payload") }
    one.append(other)
    #expect(one.all.count == 21)
    #expect(
      one.all.last
        == AuditFinding(code: .changedRow, location: "changed_row of payload", detail: "and 30 more like these")
    )
  }

  @Test(arguments: [(1, 0, 2), (10, 1, 0), (10, 1, 10), (10, 1, 11), (500, 1, 1_000_003)] as [(Int64, Int64, Int64)])
  func `slices lie beside each other, and no number is outside`(width: Int64, first: Int64, last: Int64) {
    let slices = Slices.of(width, from: first, through: last)
    #expect(slices.first?.lowerBound == .min && slices.last?.upperBound == .max)
    for (one, next) in zip(slices, slices.dropFirst()) { #expect(one.upperBound + 1 == next.lowerBound) }
    #expect(Int64(slices.count) == max(1, (last - first + width) / width))
  }

  @Test func `the first error ends the work, and is the one that is thrown`() {
    struct PayloadError: Error {}
    #expect(throws: PayloadError.self) {
      _ = try Slices.run(Array(0..<100), threads: 3) { _, take in
        while try take({ number -> Int in
          if number == 7 { throw PayloadError() }
          return number
        }) {}
      }
    }
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

import LedgerReports
import LedgerSchema
import LedgerStore

/// Lives as spans, and what is kept of their postings: equal to the rules asked instant by instant, on random histories.
/// SUBLEDGER_SEED says which.
@Suite struct SpanTests {
  static let seeds = (0..<SampleSize.pick(1, full: 2)).map {
    UInt64(ProcessInfo.processInfo.environment["SUBLEDGER_SEED"] ?? "") ?? 700 + $0
  }

  private static let columns = """
    environment, original_transaction_id, product_id, state, has_access, access_ends_at, confirmed, will_renew, \
    next_product_id, expiration_reason, rule, purchase_at, expires_at, revoked_at, grace_period_expires_at, version_id, \
    renewal_info_version_id
    """

  private static func rows(_ ledger: LedgerRecorder, _ sql: String, _ parameters: QueryParameters) throws -> Set<String>
  {
    var rows: Set<String> = []
    try ledger.reader.query(sql, parameters, columns: { _ in }, row: { rows.insert("\($0)") })
    return rows
  }

  @Test(arguments: seeds)
  func `what holds at an instant is the span in whose time it lies, as far as was known`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 60)
    let bench = try LedgerBench([history.arrivals])
    var compared = 0
    var random = SplitMix(seed: seed)
    for knownAt in [day(20), day(60), day(20_000)] {
      for asOf in history.instants.shuffled(using: &random).prefix(SampleSize.pick(15, full: 45)) {
        let parameters = QueryParameters(asOf: asOf, knownAt: knownAt)
        let states = try Self.rows(bench.ledger, "SELECT \(Self.columns) FROM entitlement_state", parameters)
        let spans = try Self.rows(
          bench.ledger,
          """
          SELECT \(Self.columns) FROM state_history WHERE begins_at <= \(asOf.milliseconds)
            AND (ends_at IS NULL OR ends_at > \(asOf.milliseconds))
          """, parameters)
        #expect(states == spans, "seed \(seed), as of \(asOf), known at \(knownAt)")
        compared += states.count
      }
    }
    #expect(compared > 100)
  }

  @Test(arguments: seeds)
  func `an id leads where the evidence says, and nowhere else`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 60)
    let bench = try LedgerBench([history.arrivals])
    let parameters = QueryParameters(asOf: day(20_000), knownAt: day(20_000))
    let columns = "SELECT identifier, kind, original_transaction_key FROM"
    let stated = try Self.rows(bench.ledger, "\(columns) int_known_identifier", parameters)
    #expect(stated.count > 50)
    #expect(try Self.rows(bench.ledger, "\(columns) int_identifier", parameters).isSuperset(of: stated))
    // A search also finds what only renewal info or a status names.
    let found = try Self.rows(
      bench.ledger,
      """
      \(columns) int_identifier n WHERE n.kind <> 'original_transaction_id' OR EXISTS (
        SELECT 1 FROM transaction_version v WHERE v.original_transaction_key = n.original_transaction_key)
      """, parameters)
    #expect(found == stated)
  }

  @Test(arguments: seeds)
  func `stored sums change no figure, whatever came after them and for any instant`(seed: UInt64)
    async throws
  {
    let history = await RandomHistory(seed: seed, count: 80)
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    try ledger.record(Array(history.arrivals.prefix(history.arrivals.count / 2)))
    try ProjectionMaintainer(path: ledger.path).deriveMetricDeltas()
    try ledger.record(Array(history.arrivals.dropFirst(history.arrivals.count / 2)))
    // Some subscriptions had metric deltas before new evidence arrived; some have them again.
    let isStale = try Self.figures(ledger)
    try ProjectionMaintainer(path: ledger.path).deriveMetricDeltas()
    let isCommitted = try Self.figures(ledger)
    #expect(try await ledger.reader.audit().filter { $0.code == .projection } == [])
    try ProjectionMaintainer(path: ledger.path).rebuild()
    #expect(try Self.figures(ledger) == isCommitted, "seed \(seed)")
    #expect(isStale == isCommitted, "seed \(seed)")
    #expect(isCommitted.contains { $0.amount != 0 })
  }

  private static func figures(_ ledger: LedgerRecorder) throws -> [ReportFigure] {
    let periods = try #require(ReportPeriods(.day, from: day(0), to: day(120)))
    // Of the day of as_of single postings are read, of the days before it their sums.
    let inADay = Instant(milliseconds: day(40).milliseconds + 47_000_000)
    let questions = [(day(40), day(40)), (inADay, day(20_000)), (day(20_000), day(20_000)), (day(90), day(90))]
    return try questions.prefix(SampleSize.pick(3, full: 4)).flatMap { asOf, knownAt in
      let requests = Metric.all.map { metric in
        var request = ReportRequest(metric, periods, QueryParameters(asOf: asOf, knownAt: knownAt))
        (request.environment, request.dimensions) = (.sandbox, [.product])
        return request
      }
      return try ledger.reader.report(requests).flatMap { report in
        report.figures.map { figure in
          var figure = figure
          figure.groups.append(report.request.metric.name)
          // What is zero may be told or not.
          if figure.of == 0 { figure.of = nil }
          return figure
        }
      }.filter { $0.amount != 0 || $0.of != nil }
    }
  }

  @Test(arguments: seeds)
  func `active subscriptions change by what is new, what came back and what churned, and by nothing else`(seed: UInt64)
    async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: seed, count: 80).arrivals])
    let periods = try #require(ReportPeriods(.day, from: day(0), to: day(150)))
    let parameters = QueryParameters(asOf: day(20_000), knownAt: day(20_000))
    let reports = try bench.ledger.reader.report(
      ["active_subscriptions", "active_movement"].compactMap(Metric.named).map { metric in
        var request = ReportRequest(metric, periods, parameters)
        request.environment = .sandbox
        return request
      })
    var active: [Int: Int64] = [:]
    for figure in reports[0].figures { active[figure.period] = figure.amount }
    var moved: [Int: Int64] = [:]
    for figure in reports[1].figures { moved[figure.period] = figure.amount }
    #expect(active.values.contains { $0 > 0 })
    for period in 1..<periods.count {
      #expect((active[period] ?? 0) - (active[period - 1] ?? 0) == moved[period] ?? 0, "seed \(seed), \(period)")
    }
  }

  @Test func `what another version of the views had stored is in no figure, and is derived again`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 1, count: 60).arrivals])
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    let figures = try Self.figures(bench.ledger)
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(
        sql: """
          UPDATE projection_metric_delta SET amount = amount + 1;
          DELETE FROM projection_metric_delta_sum;
          INSERT INTO projection_metric_delta_sum
          SELECT dimensions_id, day_at, effective_at / 86400000, SUM(amount) FROM projection_metric_delta GROUP BY 1, 2, 3;
          UPDATE generated_schema SET digest = 'old', metric_digest = 'old'
          """)
    }
    #expect(try Self.figures(bench.ledger) == figures)
    #expect(try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas() > 0)
    #expect(try Self.figures(bench.ledger) == figures)
  }

  @Test func `canary: a posting that was changed is found`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 1, count: 60).arrivals])
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(sql: "UPDATE projection_metric_delta SET amount = amount + 1 WHERE delta_id = 1")
    }
    let locations = try await bench.ledger.reader.audit().filter { $0.code == .projection }.map(\.location)
    #expect(Set(locations) == ["projection_metric_delta", "projection_metric_delta_sum"])
  }

  @Test func `canary: a sum of postings that was changed is found`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 1, count: 60).arrivals])
    try ProjectionMaintainer(path: bench.ledger.path).deriveMetricDeltas()
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [])
    let file = try DatabaseQueue(path: bench.ledger.path)
    // Two faults that cancel out in the total.
    try await file.write {
      try $0.execute(
        sql: """
          UPDATE projection_metric_delta_sum SET amount = amount + CASE day_at
            WHEN (SELECT MIN(day_at) FROM projection_metric_delta_sum) THEN 1
            WHEN (SELECT MAX(day_at) FROM projection_metric_delta_sum) THEN -1 ELSE 0 END
          WHERE (dimensions_id, day_at, effective_day) IN (
            SELECT MIN(dimensions_id), day_at, MIN(effective_day) FROM projection_metric_delta_sum GROUP BY day_at)
          """)
    }
    let locations = try await bench.ledger.reader.audit().filter { $0.code == .projection }.map(\.location)
    #expect(Set(locations) == ["projection_metric_delta_sum"])
  }
}

import AppStore
import Foundation
import GRDB
import Ledger

/// A case that measures operations on the whole large ledger: an audit and reports.
struct WholeFileCase {
  let workshop: Workshop
  let ledger: String
  /// The seconds of the ledger's import, with the simulation that supplied it.
  let importSeconds: Double

  func run(_ report: inout Report) throws {
    let first = try firstReport(&report)
    try everyMetric(&report)
    try audit(&report)
    try secondReport(after: first, &report)
  }

  private var reporting: [String] {
    [
      workshop.subledger, "report", "active_subscriptions", "--from", "2024-01-01", "--to", "2025-01-01", "--every",
      "month", "--database", ledger,
    ]
  }

  private var importing: Figure { Figure(name: "its import", value: importSeconds, unit: "s") }

  private func firstReport(_ report: inout Report) throws -> Double {
    workshop.progress("making the first report")
    // An earlier run in the folder may have derived the metrics already.
    let database = try DatabaseQueue(path: ledger)
    try database.write { try $0.execute(sql: LedgerSQL.forgetMetrics) }
    try database.close()
    let seconds = try Child.run(reporting).seconds
    report.measurements.append(
      Measurement(
        "first report of every metric", Figure(name: "subledger", value: seconds, unit: "s"), against: importing,
        goal: .ratioAtMost(0.25)))
    let counting = try (0..<workshop.runs).map { _ in try Child.run(["sqlite3", ledger, LedgerSQL.periods]).seconds }
    // The first report of one metric derives all of them.
    report.measurements.append(
      Measurement(
        "first report of a metric of states", Figure(name: "subledger", value: seconds, unit: "s"),
        against: Figure(name: "sqlite3, COUNT(*) of entitlement_period", value: counting.median, unit: "s"),
        goal: .ratioAtMost(10)))
    return seconds
  }

  /// Imports new payloads, a hundredth of the present number, and reports again.
  private func secondReport(after first: Double, _ report: inout Report) throws {
    let subscriptions = try DatabaseQueue(path: ledger, configuration: .readOnly).read { database in
      try Int.fetchOne(database, sql: LedgerSQL.lastKey) ?? 0
    }
    let file = workshop.path("hundredth.ndjson")
    let seed = Int(Date().timeIntervalSince1970) / 7
    try workshop.write(
      Workshop.generator(max(1, subscriptions / 100), seed: seed, after: LargeLedgerCase.payments), to: file)
    _ = try workshop.importing(file, into: ledger)
    workshop.progress("making the second report")
    let seconds = try Child.run(reporting).seconds
    report.measurements.append(
      Measurement(
        "second report, after 1 % new payloads", Figure(name: "subledger", value: seconds, unit: "s"),
        against: Figure(name: "the first", value: first, unit: "s"), goal: .ratioAtMost(0.05)))
  }

  private func everyMetric(_ report: inout Report) throws {
    workshop.progress("asking for every metric")
    guard let from = Instant("2022-01-01"), let to = Instant("2025-01-01"),
      let periods = ReportPeriods(.day, from: from, to: to)
    else { throw BenchmarkError("three years have no days") }
    let reader = try LedgerReader(path: ledger)
    defer { reader.close() }
    let requests = Metric.all.map { ReportRequest($0, periods, StatesCase.now) }
    let times = try (0..<workshop.runs).map { _ in try seconds { _ = try reader.report(requests) } }
    report.measurements.append(
      Measurement(
        "every metric, three years of days", Figure(name: "subledger", value: times.median, unit: "s"),
        goal: .valueAtMost(5)))
  }

  private func audit(_ report: inout Report) throws {
    workshop.progress("auditing")
    let audit = try Child.run([workshop.subledger, "audit", "--database", ledger])
    report.measurements += [
      Measurement(
        "audit", Figure(name: "subledger", value: audit.seconds, unit: "s"), against: importing, goal: .ratioAtMost(1)),
      Measurement(
        "memory of the audit", Figure(name: "subledger", value: Double(audit.peakBytes) / 1_000_000, unit: "MB"),
        goal: .valueAtMost(250)),
    ]
  }
}

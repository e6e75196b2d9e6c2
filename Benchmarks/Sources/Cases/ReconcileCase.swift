import Foundation

/// A case that imports and reconciles a year of daily reports. It compares with DuckDB, which loads the same files with
/// its CSV reader, and joins them with transactions and states of the ledger. A script needs a fresh export of these for
/// each comparison, so one row counts it.
struct ReconcileCase {
  let workshop: Workshop
  let customers: Int

  func run(_ report: inout Report) throws {
    let whole = try prepare(customers)
    let part = try prepare(customers / 4)
    var (ours, peer, exports, peaks): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    var smallPeak = 0.0
    for _ in 0..<workshop.runs {
      workshop.progress("reconciling \(customers) customers")
      let (seconds, peak, answer) = try reconcile(whole)
      ours.append(seconds)
      peaks.append(peak)
      if smallPeak == 0 { smallPeak = try reconcile(part).peak }
      var other = try workshop.runPeer("reconcile_reports.py", [whole.reports, whole.exported])
      peer.append(other.removeValue(forKey: "seconds") ?? .nan)
      exports.append(try export(whole.ledger, to: workshop.path("reconcile-exported")))
      // The speed of a wrong result would not matter.
      for (name, value) in other where answer[name] != value {
        throw BenchmarkError("\(name): DuckDB has \(value), subledger \(answer[name] ?? .nan)")
      }
    }
    report.data["reports"] = "a year of daily reports of \(customers) customers, compressed"
    report.measurements.append(
      Measurement(
        "reports: import and reconcile a year", Figure(name: "subledger", value: ours.median, unit: "s"),
        against: Figure(name: "DuckDB, loading and joining", value: peer.median, unit: "s"), goal: .ratioAtMost(3)))
    report.measurements.append(
      Measurement(
        "the same, with a fresh export for DuckDB", Figure(name: "subledger", value: ours.median, unit: "s"),
        against: Figure(name: "export and DuckDB", value: peer.median + exports.median, unit: "s"),
        goal: .ratioAtMost(3)))
    report.measurements.append(
      Measurement(
        "reports: peak memory, 4 times the customers", Figure(name: "subledger", value: peaks.median / 1e6, unit: "MB"),
        against: Figure(name: "a quarter of the customers", value: smallPeak / 1e6, unit: "MB"), goal: .ratioAtMost(1.5)
      ))
  }

  private struct Year {
    let ledger, reports, exported: String
  }

  /// Makes the payloads and reports of a year, a ledger with the payloads, and its exported transactions and states.
  /// Later runs in the folder find them.
  private func prepare(_ customers: Int) throws -> Year {
    let folder = workshop.path("year-\(customers)")
    let year = Year(ledger: folder + ".sqlite", reports: folder + "/reports", exported: folder + "-exported")
    guard !FileManager.default.fileExists(atPath: year.exported + "/ready") else { return year }
    workshop.progress("making a year of \(customers) customers")
    try? FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.removeItem(atPath: year.exported)
    workshop.remove(year.ledger)
    _ = try Child.run([
      workshop.subledger, "simulate", "--seed", "1", "--customers", "\(customers)", "--from", "2025-01-01", "--to",
      "2026-01-01", "--out", folder, "--reports",
    ])
    _ = try workshop.importing(
      folder + "/payloads", into: year.ledger, arguments: ["--trust", folder + "/authority/root.pem"])
    _ = try export(year.ledger, to: year.exported)
    try Data().write(to: URL(fileURLWithPath: year.exported + "/ready"))
    return year
  }

  /// Exports what the peer joins with, and returns the time that it takes.
  private func export(_ ledger: String, to folder: String) throws -> Double {
    try? FileManager.default.removeItem(atPath: folder)
    return try Child.run([
      workshop.subledger, "export", folder, "--database", ledger, "--format", "csv", "--raw-csv", "--partitions", "1",
      "--only", "transaction_fact,state_history",
    ]).seconds
  }

  /// Imports the reports into a copy of the ledger, and reconciles it.
  /// - Returns: the time and the peak memory of both steps, and the units by agreement and side.
  private func reconcile(_ year: Year) throws -> (seconds: Double, peak: Double, answer: [String: Double]) {
    let copy = workshop.path("reconcile.sqlite")
    workshop.remove(copy)
    _ = try workshop.sizeAfterCheckpoint(year.ledger)
    try FileManager.default.copyItem(atPath: year.ledger, toPath: copy)
    defer { workshop.remove(copy) }
    let imported = try Child.run([workshop.subledger, "reports", "import", year.reports, "--database", copy])
    let compared = try Child.run([
      workshop.subledger, "reconcile", "--database", copy, "--from", "2025-01-01", "--to", "2025-12-30", "--format",
      "json",
    ])
    struct Row: Decodable {
      let agreement: String
      let apple, ledger, agreed: Double
    }
    var answer: [String: Double] = [:]
    for row in try JSONDecoder().decode([Row].self, from: Data(compared.output.utf8)) {
      answer["\(row.agreement) apple", default: 0] += row.apple
      answer["\(row.agreement) ledger", default: 0] += row.ledger
      answer["\(row.agreement) agreed", default: 0] += row.agreed
    }
    return (
      imported.seconds + compared.seconds, Double(max(imported.peakBytes, compared.peakBytes)), answer
    )
  }
}

import AppStore
import Foundation
import Ledger

/// A case that counts the states of all subscriptions. It compares with DuckDB, which has the same views and tables.
struct StatesCase {
  let workshop: Workshop
  let ledger: String
  /// The DuckDB file. The first run makes it, and later runs in the folder use it.
  let duckDB: String

  /// An instant after all simulated events.
  static let now = parameters(at: "2025-02-01")
  private static let past = parameters(at: "2023-07-01")

  private static func parameters(at text: String) -> QueryParameters {
    let instant = Instant(text) ?? .appStoreOpening
    return QueryParameters(asOf: instant, knownAt: instant)
  }

  func run(_ report: inout Report) throws {
    let script = workshop.path("duckdb.sql")
    try workshop.write([workshop.subledger, "schema", "--dialect", "duckdb"], to: script)
    let reader = try LedgerReader(path: ledger)
    defer { reader.close() }
    try compare("all states now", Self.now, goal: 1, reader, script, &report)
    try comparePastAndNow(reader, &report)
    try compare("states at a past instant, known then", Self.past, goal: 2, reader, script, &report)
  }

  /// Compares two questions about what is known now, in turn: for a past instant, and for now.
  private func comparePastAndNow(_ reader: LedgerReader, _ report: inout Report) throws {
    let past = QueryParameters(asOf: Self.past.asOf, knownAt: Self.now.knownAt)
    var (ours, now) = ([Double](), [Double]())
    for _ in 0..<workshop.runs {
      for (parameters, isPast) in [(past, true), (Self.now, false)] {
        let taken = try seconds { try reader.query(LedgerSQL.states, parameters, columns: { _ in }, row: { _ in }) }
        if isPast { ours.append(taken) } else { now.append(taken) }
      }
    }
    report.measurements.append(
      Measurement(
        "all states at a past instant, known now", Figure(name: "subledger", value: ours.median, unit: "s"),
        against: Figure(name: "all states now", value: now.median, unit: "s"), goal: .ratioAtMost(1)))
  }

  private func compare(
    _ name: String, _ parameters: QueryParameters, goal: Double, _ reader: LedgerReader, _ script: String,
    _ report: inout Report
  ) throws {
    var (ours, peer) = ([Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.progress("counting: \(name)")
      var counts: [String: Double] = [:]
      let taken = try seconds {
        try reader.query(
          LedgerSQL.states, parameters, columns: { _ in },
          row: { row in
            if case .text(let state) = row[0], case .integer(let count) = row[1] { counts[state] = Double(count) }
          })
      }
      ours.append(taken)
      // A peer that needs minutes is measured once.
      if let last = peer.last, last > 60 { continue }
      var answer = try workshop.runPeer(
        "count_states.py",
        [
          ledger, duckDB, script, LedgerSQL.parameters(asOf: parameters.asOf, knownAt: parameters.knownAt),
          LedgerSQL.states,
        ])
      peer.append(answer.removeValue(forKey: "seconds") ?? .nan)
      // The speed of a wrong result would not matter.
      guard answer == counts else { throw BenchmarkError("DuckDB counts \(answer), subledger \(counts)") }
    }
    report.measurements.append(
      Measurement(
        name, Figure(name: "subledger", value: ours.median, unit: "s"),
        against: Figure(name: "DuckDB, same views and tables", value: peer.median, unit: "s"),
        goal: .ratioAtMost(goal)))
  }
}

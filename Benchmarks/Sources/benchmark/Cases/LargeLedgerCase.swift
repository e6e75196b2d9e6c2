import AppStore
import Foundation
import GRDB
import Ledger

/// A ledger of millions of transactions: its making, one person's look-up, one answer, all answers, one more import.
struct LargeLedgerCase {
  let workshop: Workshop
  /// How many customers; of each there are two receipts, after the 13th and the 25th payment.
  let customers: Int

  private static let now = Question(asOf: instant("2025-02-01"), knownAt: instant("2025-02-01"))
  private static let inThePast = Question(asOf: instant("2023-07-01"), knownAt: instant("2023-07-01"))

  private static func instant(_ text: String) -> Instant { Instant(text) ?? .appStoreOpening }

  func run(_ report: inout Report) throws {
    let large = workshop.path("large-\(customers).sqlite")
    let small = workshop.path("small.sqlite")
    if !FileManager.default.fileExists(atPath: small) { _ = try make(small, customers: 4_000, seed: 8) }
    if !FileManager.default.fileExists(atPath: large) {
      workshop.tell("importing the receipts of \(customers) customers, simulated in a pipe")
      let made = try make(large, customers: customers, seed: 9)
      try "\(made.seconds) \(made.peakBytes)".write(toFile: large + ".made", atomically: true, encoding: .utf8)
    }
    try describe(large, &report)
    try lookUp(large, &report)
    try check(large, &report)
    try countStates(large, &report)
    try importMore(large, small, &report)
  }

  private func make(_ ledger: String, customers: Int, seed: Int) throws -> Child {
    try Child.run(
      [workshop.subledger, "import", "-", "--database", ledger],
      fedBy: workshop.generator(customers, seed: seed, after: "13,25"))
  }

  private func describe(_ path: String, _ report: inout Report) throws {
    let counts = try DatabaseQueue(path: path, configuration: Self.readOnly).read { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT COUNT(*) FROM line) AS lines, (SELECT COUNT(*) FROM store_transaction) AS transactions,
            (SELECT COUNT(*) FROM payload) AS payloads
          """)
    }
    guard let counts else { return }
    let made = try String(contentsOfFile: path + ".made", encoding: .utf8).split(whereSeparator: \.isWhitespace)
    guard let seconds = made.first.flatMap({ Double($0) }), let peak = made.last.flatMap({ Double($0) }) else {
      throw Child.Failure(description: "\(path).made is not what was written; remove the folder")
    }
    report.data["large ledger"] =
      "\(counts["lines"] as Int) lines, \(counts["transactions"] as Int) transactions, \(counts["payloads"] as Int) "
      + "payloads, \(workshop.size(path) >> 20) MiB; simulated and imported in \(Int(seconds)) s"
    report.measurements.append(
      Measurement(
        "memory of its import", Figure(name: "subledger", value: peak / 1_000_000, unit: "MB"), atMost: 250))
  }

  private static var readOnly: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    return configuration
  }

  private func someLines(_ path: String, _ count: Int) throws -> [(id: Int64, original: String)] {
    try DatabaseQueue(path: path, configuration: Self.readOnly).read { database in
      let last = try Int64.fetchOne(database, sql: "SELECT MAX(line_id) FROM line") ?? 1
      // Spread over the whole file.
      return try (0..<count).compactMap { place in
        try Row.fetchOne(
          database,
          sql: """
            SELECT line_id, original_transaction_id FROM line JOIN projection_line USING (line_id)
            WHERE line_id >= ? AND head_version_id IS NOT NULL LIMIT 1
            """, arguments: [Int64(place) * last / Int64(count)])
      }.map { ($0["line_id"], $0["original_transaction_id"]) }
    }
  }

  /// Whole processes, in turn.
  private func lookUp(_ path: String, _ report: inout Report) throws {
    var (ours, shell) = ([Double](), [Double]())
    for line in try someLines(path, workshop.runs * 8) {
      ours.append(try Child.run([workshop.subledger, "show", line.original, "--database", path]).seconds * 1000)
      let sql = "SELECT * FROM line WHERE original_transaction_id = '\(line.original)'"
      shell.append(try Child.run(["sqlite3", path, sql]).seconds * 1000)
    }
    let figure = Figure(name: "subledger", value: ours.median, unit: "ms")
    report.measurements += [
      Measurement(
        "show ID, whole process", figure,
        against: Figure(name: "sqlite3 with one indexed SELECT", value: shell.median, unit: "ms"),
        ratio: ours.median / shell.median, atMost: 3),
      Measurement("the same", figure, atMost: 30),
    ]
  }

  private func check(_ path: String, _ report: inout Report) throws {
    let lines = try someLines(path, 4000)
    let ledger = try Ledger(path: path, for: .asking)
    let database = try DatabaseQueue(path: path, configuration: Self.readOnly)
    var (ours, peer) = ([Double](), [Double]())
    for _ in 0..<workshop.runs {
      ours.append(
        try seconds { for line in lines { _ = try ledger.entitlement(of: line.original, Self.now) } }
          / Double(lines.count) * 1e6)
      peer.append(
        try seconds {
          for line in lines {
            _ = try database.read { database in
              try Row.fetchOne(
                database.cachedStatement(sql: "SELECT * FROM line WHERE line_id = ?"), arguments: [line.id])
            }
          }
        } / Double(lines.count) * 1e6)
    }
    ledger.close()
    report.measurements.append(
      Measurement(
        "one entitlement, in process", Figure(name: "subledger", value: ours.median, unit: "µs"),
        against: Figure(name: "GRDB, one row by its key", value: peer.median, unit: "µs"),
        ratio: ours.median / peer.median, atMost: 10))
  }

  private func countStates(_ path: String, _ report: inout Report) throws {
    let ledger = try Ledger(path: path, for: .asking)
    for (name, question, goal) in [("now", Self.now, 1.0), ("in the past, as known then", Self.inThePast, 3.0)] {
      var (ours, counts) = ([Double](), [String: Double]())
      var peers = ["evidence": [Double](), "projections": [Double]()]
      for _ in 0..<workshop.runs {
        workshop.tell("counting states, \(name)")
        ours.append(
          try seconds {
            counts = [:]
            try ledger.query(
              "SELECT state, COUNT(*) FROM entitlement_state GROUP BY state", question, columns: { _ in },
              row: { row in
                if case .text(let state) = row[0], case .integer(let count) = row[1] { counts[state] = Double(count) }
              })
          })
        for extent in peers.keys.sorted() {
          var said = try workshop.ask(
            "count_states.py",
            [
              path, workshop.path("large-\(customers).duckdb"), workshop.checkout.appending(path: "Migrations").path,
              "\(question.asOf.milliseconds)", "\(question.knownAt.milliseconds)", "1", extent,
            ])
          peers[extent]?.append(said.removeValue(forKey: "seconds") ?? .nan)
          guard said == counts else { throw Child.Failure(description: "DuckDB counts \(said), subledger \(counts)") }
        }
      }
      let figure = Figure(name: "subledger", value: ours.median, unit: "s")
      let (evidence, kept) = (peers["evidence", default: []].median, peers["projections", default: []].median)
      report.measurements += [
        Measurement(
          "all states, \(name)", figure, against: Figure(name: "DuckDB, from the evidence", value: evidence, unit: "s"),
          ratio: ours.median / evidence, atMost: goal),
        Measurement(
          "the same", figure, against: Figure(name: "DuckDB, given our projections too", value: kept, unit: "s"),
          ratio: ours.median / kept),
      ]
    }
    ledger.close()
  }

  /// One more import, in turn into the large and the small ledger.
  private func importMore(_ large: String, _ small: String, _ report: inout Report) throws {
    var (intoLarge, intoSmall) = ([Double](), [Double]())
    for run in 0..<workshop.runs {
      workshop.tell("importing more")
      let file = workshop.path("more.ndjson")
      let seed = run + Int(Date().timeIntervalSince1970)
      try workshop.generate(1000, seed: seed, after: "13,25").output.write(
        toFile: file, atomically: true, encoding: .utf8)
      intoSmall.append(try workshop.importing(file, into: small).seconds)
      intoLarge.append(try workshop.importing(file, into: large).seconds)
    }
    report.measurements.append(
      Measurement(
        "one more import", Figure(name: "subledger", value: intoLarge.median, unit: "s"),
        against: Figure(name: "into a ledger of 100 thousand transactions", value: intoSmall.median, unit: "s"),
        ratio: intoLarge.median / intoSmall.median, atMost: 1.5))
  }
}

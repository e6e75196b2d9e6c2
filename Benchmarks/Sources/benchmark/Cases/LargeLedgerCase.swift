import AppStore
import Foundation
import GRDB

/// Makes a large ledger, measures its memory, what is asked of it, and one more import.
struct LargeLedgerCase {
  let workshop: Workshop
  /// About how many transactions the ledger has; the report gives the exact number.
  let transactions: Int

  /// Two receipts of each customer, after these payments: so about 25 transactions a customer.
  static let payments = "13,25"
  static let transactionsOfCustomer = 25
  /// The ledger that the large one is compared with.
  private static let smallTransactions = 100_000

  private var large: String { workshop.path("large-\(transactions).sqlite") }
  private var small: String { workshop.path("small.sqlite") }
  /// Where the seconds and the memory of the large import are kept for a later run in the same folder.
  private var made: String { large + ".made" }

  func run(_ report: inout Report) throws {
    if !FileManager.default.fileExists(atPath: small) {
      _ = try make(small, transactions: Self.smallTransactions, seed: 8)
    }
    if !FileManager.default.fileExists(atPath: made) {
      workshop.remove(large)
      workshop.progress("importing \(transactions) transactions, simulated in a pipe")
      try make(large, transactions: transactions, seed: 9).write(toFile: made, atomically: true, encoding: .utf8)
    }
    try describe(&report)
    try LookUpCase(workshop: workshop, ledger: large).run(&report)
    try StatesCase(workshop: workshop, ledger: large, duckDB: workshop.path("large-\(transactions).duckdb"))
      .run(&report)
    try WholeFileCase(workshop: workshop, ledger: large, importSeconds: try importFigures().seconds).run(&report)
    // Last, because it changes the large ledger.
    try importMore(&report)
  }

  /// Returns the seconds and the peak of memory.
  ///
  /// ``Make`` runs in a process of its own. Linux counts the memory of the starting process as the peak of the started
  /// one, and this process has held all notifications.
  private func make(_ ledger: String, transactions: Int, seed: Int) throws -> String {
    try Child.run([
      Workshop.executable, "make", ledger, "--transactions", "\(transactions)", "--seed", "\(seed)", "--program",
      workshop.subledger,
    ]).output
  }

  /// Returns how long the import took, and the most memory that it held.
  private func importFigures() throws -> (seconds: Double, peak: Double) {
    let figures = try String(contentsOfFile: made, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .compactMap { Double($0) }
    guard figures.count == 2 else { throw BenchmarkError("\(made) is not readable; remove the folder") }
    return (figures[0], figures[1])
  }

  private func describe(_ report: inout Report) throws {
    let counts = try DatabaseQueue(path: large, configuration: .readOnly).read { database in
      try Row.fetchOne(database, sql: LedgerSQL.counts)
    }
    guard let counts else { throw BenchmarkError("\(large) is not readable; remove the folder") }
    let (seconds, peak) = try importFigures()
    report.data["large ledger"] =
      "\(counts["subscriptions"] as Int) subscriptions, \(counts["transactions"] as Int) transactions, "
      + "\(counts["payloads"] as Int) payloads, \(try workshop.sizeAfterCheckpoint(large) >> 20) MiB; simulated and "
      + "imported in \(Int(seconds)) s"
    report.measurements.append(
      Measurement(
        "memory of its import, \(transactions) transactions",
        Figure(name: "subledger", value: peak / 1_000_000, unit: "MB"), goal: .valueAtMost(250)))
  }

  /// Imports 2,000 receipts more, in turn into the large ledger and into a copy of the small one.
  ///
  /// A copy, because a few imports would make the small one twice as large.
  private func importMore(_ report: inout Report) throws {
    let copy = workshop.path("small-copy.sqlite")
    _ = try workshop.sizeAfterCheckpoint(small)
    var (intoLarge, intoSmall) = ([Double](), [Double]())
    for run in 0..<workshop.runs {
      workshop.progress("importing 2000 receipts more")
      let file = workshop.path("more.ndjson")
      // Other customers each time, also in a folder of an earlier run.
      let seed = run + Int(Date().timeIntervalSince1970)
      try workshop.write(Workshop.generator(1000, seed: seed, after: Self.payments), to: file)
      workshop.remove(copy)
      try FileManager.default.copyItem(atPath: small, toPath: copy)
      intoSmall.append(try workshop.importing(file, into: copy).seconds)
      intoLarge.append(try workshop.importing(file, into: large).seconds)
    }
    report.measurements.append(
      Measurement(
        "2,000 receipts more, into \(transactions) transactions",
        Figure(name: "subledger", value: intoLarge.median, unit: "s"),
        against: Figure(name: "into \(Self.smallTransactions)", value: intoSmall.median, unit: "s"),
        goal: .ratioAtMost(1.3)))
  }
}

extension Configuration {
  /// Opens a ledger for reading, beside the program.
  static var readOnly: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    return configuration
  }
}

import AppStore
import Foundation
import GRDB

/// A case that makes a large ledger, and measures its memory, its queries and one more import.
struct LargeLedgerCase {
  let workshop: Workshop
  /// The approximate number of transactions. The report gives the exact number.
  let transactions: Int

  /// The numbers of payments after which each customer has a receipt. Two receipts make about 25 transactions per
  /// customer.
  static let payments = "13,25"
  static let transactionsOfCustomer = 25
  /// The size of the ledger to which the large one is compared.
  private static let smallTransactions = 100_000

  private var large: String { workshop.path("large-\(transactions).sqlite") }
  private var small: String { workshop.path("small.sqlite") }
  /// The file with the seconds and the memory of the large import, for later runs in the folder.
  private var made: String { large + ".made" }

  /// Measures questions about one subscription, and about all.
  func ask(_ report: inout Report) throws {
    try LookUpCase(workshop: workshop, ledger: large).run(&report)
    try StatesCase(workshop: workshop, ledger: large, duckDB: workshop.path("large-\(transactions).duckdb"))
      .run(&report)
  }

  /// Measures what reads or writes the whole ledger.
  func run(_ report: inout Report) throws {
    let (seconds, peak) = try importFigures()
    report.measurements.append(
      Measurement(
        "memory of its import, \(transactions) transactions",
        Figure(name: "subledger", value: peak / 1_000_000, unit: "MB"), goal: .valueAtMost(250)))
    try WholeFileCase(workshop: workshop, ledger: large, importSeconds: seconds).run(&report)
    // Last, because it changes the large ledger.
    try importMore(&report)
  }

  /// Makes the ledgers that the folder does not have, and describes the large one.
  func prepare(_ report: inout Report) throws {
    if !FileManager.default.fileExists(atPath: small) {
      _ = try make(small, transactions: Self.smallTransactions, seed: 8)
    }
    if !FileManager.default.fileExists(atPath: made) {
      workshop.remove(large)
      workshop.progress("importing \(transactions) transactions, simulated in a pipe")
      try make(large, transactions: transactions, seed: 9).write(toFile: made, atomically: true, encoding: .utf8)
    }
    try describe(&report)
  }

  /// Makes a ledger, and returns the seconds and the peak memory of the import as text.
  ///
  /// ``Make`` runs in its own process. Linux includes the memory of the starting process in the peak of the started
  /// one. This process has had all notifications in memory.
  private func make(_ ledger: String, transactions: Int, seed: Int) throws -> String {
    try Child.run([
      Workshop.executable, "make", ledger, "--transactions", "\(transactions)", "--seed", "\(seed)", "--program",
      workshop.subledger,
    ]).output
  }

  /// Returns the seconds of the import, and its peak memory in bytes.
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
    let seconds = try importFigures().seconds
    report.data["large ledger"] =
      "\(counts["subscriptions"] as Int) subscriptions, \(counts["transactions"] as Int) transactions, "
      + "\(counts["payloads"] as Int) payloads, \(try workshop.sizeAfterCheckpoint(large) >> 20) MiB; simulated and "
      + "imported in \(Int(seconds)) s"
  }

  /// Imports 2,000 more receipts, in turn into the large ledger and into a copy of the small one.
  ///
  /// It uses a copy, because a few imports would double the small ledger.
  private func importMore(_ report: inout Report) throws {
    let copy = workshop.path("small-copy.sqlite")
    _ = try workshop.sizeAfterCheckpoint(small)
    var (intoLarge, intoSmall) = ([Double](), [Double]())
    for run in 0..<workshop.runs {
      workshop.progress("importing 2000 receipts more")
      let file = workshop.path("more.ndjson")
      // Each import has new customers, also in the folder of an earlier run.
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
  /// The configuration that opens a ledger only for reading.
  static var readOnly: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    return configuration
  }
}

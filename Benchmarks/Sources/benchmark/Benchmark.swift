import ArgumentParser
import Foundation

/// Measures subledger, and makes what it is measured with.
@main
struct Benchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "How fast subledger is, beside others and the machine's limit.",
    subcommands: [Run.self, Generate.self], defaultSubcommand: Run.self)
}

/// Runs each case beside its peers and its limit, in one run, and prints one table.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the cases, and print the table.",
    discussion: """
      Needs swift, sqlite3 and python3 with venv, and installs the Python peers into its folder. Says what it does on \
      standard error, and prints the table to standard output. Ratios are of one run: quote those, and not the figures.
      """)

  /// The cases.
  enum Case: String, ExpressibleByArgument, CaseIterable {
    case notifications, receipts, large
  }

  @Option(name: .customLong("case"), help: "Only these: notifications, receipts, large (repeatable).")
  var cases: [Case] = []

  @Option(
    help: "How many customers the large ledger has, with 25 transactions each; 400000 need 15 GB and half an hour.")
  var customers = 40_000

  @Option(help: "How many customers send notifications.") var notificationCustomers = 2_000
  @Option(help: "How many receipts.") var receipts = 4_000
  @Option(help: "How many times each thing is timed.") var runs = 5

  @Option(help: "Where the data is made, and found again (default: a temporary folder).")
  var folder: String?

  @Flag(help: "Print JSON instead of the table.") var json = false

  func run() throws {
    let place =
      folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "subledger-benchmarks-\(UUID().uuidString)")
    let workshop = try Workshop(folder: place, runs: runs)
    defer { if folder == nil { try? FileManager.default.removeItem(at: place) } }
    try workshop.prepare()
    var report = Report(describing: workshop)
    let chosen = cases.isEmpty ? Case.allCases : cases
    if chosen.contains(.notifications) {
      try NotificationCase(workshop: workshop, customers: notificationCustomers).run(&report)
    }
    if chosen.contains(.receipts) { try ReceiptCase(workshop: workshop, count: receipts).run(&report) }
    if chosen.contains(.large) { try LargeLedgerCase(workshop: workshop, customers: customers).run(&report) }
    print(json ? try report.json() : report.table)
  }
}

/// Writes receipts to standard output, one line each, as import takes them.
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Write the receipts of subscribers.")

  @Argument(help: "How many customers.") var customers: Int
  @Option(help: "Who they are.") var seed: UInt64
  @Option(help: "After which of their payments they are asked about, joined by commas.") var after: String

  func run() throws {
    let output = FileHandle.standardOutput
    var pending = Data()
    try Subscribers(seed: seed).write(customers, after: after.split(separator: ",").compactMap { Int($0) }) { line in
      pending += line
      if pending.count > 1 << 20 {
        try output.write(contentsOf: pending)
        pending = Data()
      }
    }
    try output.write(contentsOf: pending)
  }
}

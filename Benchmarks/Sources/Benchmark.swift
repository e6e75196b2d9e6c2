import ArgumentParser
import Foundation

/// The command that measures subledger, and makes the data for it.
@main
struct Benchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure how fast subledger is, against others and the machine's limit.",
    subcommands: [Run.self, Generate.self, GenerateAppReceipts.self, Make.self, Flood.self], defaultSubcommand: Run.self
  )
}

/// A command that runs each case beside its peers and its limit, and prints one table.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the cases, and print the table.",
    discussion: """
      Needs swift, sqlite3, wrk, openssl, curl and python3 with venv, and installs the Python peers into its folder. Writes its progress to \
      standard error and the table to standard output. Quote the ratios: another machine has other figures.

      benchmark --transactions 10000000 --folder PATH makes the large ledger once, and finds it again in later runs.
      """)

  /// The groups of measurements that a run can include.
  enum Case: String, ExpressibleByArgument, CaseIterable {
    case notifications, receipts, questions, large, server, page
    case appStore = "app-store"
    case backfill, reports
    case appReceipts = "app-receipts"
  }

  @Option(
    name: .customLong("case"),
    help:
      "Only these: notifications, receipts, questions, large, server, page, app-store, backfill, reports, app-receipts (repeatable)."
  )
  var cases: [Case] = []

  @Option(
    help: "About how many transactions the large ledger has; 10000000 need a quiet machine and 15 GB.")
  var transactions = 200_000

  @Option(help: "How many customers' notifications are imported.") var notificationCustomers = 2_000
  @Option(help: "How many receipts are imported.") var receipts = 4_000
  @Option(help: "How many customers' reports are reconciled.") var reportCustomers = 50_000
  @Option(help: "How many times each thing is timed.") var runs = 5

  @Option(help: "The folder where the data is made, and found again (default: a temporary folder).")
  var folder: String?

  @Option(
    help: "The program to measure, with subledger-server beside it (default: a static release build, made first).")
  var program: String?

  @Option(help: "An earlier subledger: imports and sizes are compared with those of it.") var before: String?

  @Flag(help: "Print JSON instead of the table.") var json = false

  func run() throws {
    let folderURL =
      folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "subledger-benchmarks-\(UUID().uuidString)")
    let workshop = try Workshop(folder: folderURL, runs: runs, program: program, before: before)
    defer { if folder == nil { try? FileManager.default.removeItem(at: folderURL) } }
    try workshop.prepare()
    var report = Report(describing: workshop)
    let chosen = cases.isEmpty ? Case.allCases : cases
    if chosen.contains(.notifications) {
      try NotificationCase(workshop: workshop, customers: notificationCustomers).run(&report)
    }
    if chosen.contains(.receipts) { try ReceiptCase(workshop: workshop, count: receipts).run(&report) }
    let large = LargeLedgerCase(workshop: workshop, transactions: transactions)
    if chosen.contains(.questions) || chosen.contains(.large) { try large.prepare(&report) }
    if chosen.contains(.questions) { try large.ask(&report) }
    if chosen.contains(.large) { try large.run(&report) }
    if chosen.contains(.server) {
      try ServerCase(workshop: workshop, customers: notificationCustomers, transactions: transactions).run(&report)
    }
    if chosen.contains(.page) { try PageCase(workshop: workshop, transactions: transactions).run(&report) }
    if chosen.contains(.appStore) { try AppStoreCase(workshop: workshop, customers: 1000).run(&report) }
    if chosen.contains(.reports) { try ReconcileCase(workshop: workshop, customers: reportCustomers).run(&report) }
    if chosen.contains(.backfill) { try BackfillCase(workshop: workshop, customers: 25_000).run(&report) }
    if chosen.contains(.appReceipts) { try AppReceiptCase(workshop: workshop, count: receipts).run(&report) }
    print(json ? try report.json() : report.table)
  }
}

/// A command that writes receipts to standard output, one per line, in the form that `import` accepts.
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Write verifyReceipt answers about simulated subscribers.")

  @Argument(help: "How many customers.") var customers: Int
  @Option(help: "Chooses the customers: another seed makes others.") var seed: UInt64
  @Option(help: "The numbers of payments after which an answer is made, joined by commas.") var after: String

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

/// A command that makes a large ledger. It prints the seconds of the import and its peak memory in bytes.
struct Make: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a large ledger from simulated receipts.",
    discussion: "Prints how many seconds the import took, and the most bytes of memory that it held.")

  @Argument(help: "The ledger to make.") var ledger: String
  @Option(help: "About how many transactions.") var transactions: Int
  @Option(help: "Chooses the customers: another seed makes others.") var seed: UInt64
  @Option(help: "The subledger that imports.") var program: String

  func run() throws {
    let customers = max(1, transactions / LargeLedgerCase.transactionsOfCustomer)
    let child = try Child.run(
      [program, "import", "-", "--database", ledger],
      fedBy: Workshop.generator(customers, seed: Int(seed), after: LargeLedgerCase.payments))
    print(child.seconds, child.peakBytes)
  }
}

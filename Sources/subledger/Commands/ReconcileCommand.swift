import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport
import ReportPresentation
import SQLiteSettings

/// The formats of a reconciliation.
enum ReconciliationFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv, html
}

extension ReconciliationGroup: ExpressibleByArgument {}
extension Agreement: ExpressibleByArgument {}

struct ReconcileCommand: ParsableCommand {
  /// Each class with its cause and what to do, on a line of its own, so that none is wrapped.
  private static let classes = DifferenceClass.allCases.map { one in
    "  \(one.shortName)\n    \(Messages.cause(of: one)): \(Messages.advice(for: one))"
  }.joined(separator: "\n")

  static let configuration = CommandConfiguration(
    commandName: "reconcile",
    abstract: "Compare the ledger with the reports of App Store Connect, and explain every difference.",
    discussion: """
      The agreements are payments and refunds (report Subscriber), sales, returns and proceeds (report Summary Sales), \
      states (report Subscription: subscriptions at the end of each day) and events (report Subscription Event). \
      analytics_states and analytics_events are the \
      same by the reports of analytics. finance compares fiscal months (financial reports), and \
      proceeds Apple's proceeds with the terms of tax and commission. Days are Apple's: Pacific days. Each \
      unit that differs belongs to the first class that explains it:

      \(classes)

      --by key lists the keys with a difference. --explain KEY lists the ledger's purchases of a key, and for proceeds \
      the taxes or commissions that would explain Apple's figures. Exit code 1: \
      something is unexplained.
      """)

  @Option(
    help: ArgumentHelp("The first day (default: the first day of the imported reports).", valueName: "date"),
    transform: ReportDay.argument)
  var from: Instant?

  @Option(
    help: ArgumentHelp("The last day (default: the last day of the imported reports).", valueName: "date"),
    transform: ReportDay.argument)
  var to: Instant?

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp("Compare only this agreement (repeatable).", valueName: "agreement"))
  var agreements: [Agreement] = []

  @Option(help: "Split the rows by product, country, day or key.") var by: ReconciliationGroup?

  @Option(
    help: ArgumentHelp(
      "List the ledger's purchases of a key, such as payments/2026-03-01/com.example.monthly.", valueName: "key"))
  var explain: String?

  @OptionGroup var instant: KnownAtOption

  @Option(help: ArgumentHelp("Count only this app (default: all apps of the ledger and the reports).", valueName: "id"))
  var bundleID: String?
  @Option(name: .customLong("format"), help: "table, json, ndjson, csv or html (a page with drawings).")
  var givenFormat = ReconciliationFormat.table

  @Option(help: ArgumentHelp("Write the page into this file.", valueName: "file")) var out: String?

  /// The format of everything but a page.
  private var format: OutputFormat { OutputFormat(rawValue: givenFormat.rawValue) ?? .table }

  @OptionGroup var csv: CSVOptions
  @OptionGroup var database: DatabaseOption

  func validate() throws {
    if let explain, ReconciliationKey(explain) == nil {
      throw ValidationError("'\(explain)' is not a key. Take one from --by key.")
    }
    if givenFormat == .html, by != nil || explain != nil {
      throw ValidationError("A page has all agreements by day. --by and --explain are for the other formats.")
    }
    if out != nil, givenFormat != .html { throw ValidationError("--out is for --format html.") }
    if let from, let to, from > to { throw ValidationError("--from is later than --to.") }
  }

  func run() throws {
    // SQLite counts memory under one lock, and the cores would wait for each other.
    sqlite_settings_count_no_memory()
    let ledger = try database.reader()
    let series = try reporting { try ledger.appleReportSeries(instant.parameters) }
    // Daily reports say which days to compare. Without them, the months of financial reports do.
    let daily = series.filter { !($0.type.isFinancial) }
    let known = daily.isEmpty ? series : daily
    guard let first = from ?? known.map(\.firstDay).min(), let last = to ?? known.map(\.lastDay).max() else {
      Terminal.complain("No report is imported. Import some with subledger reports import.")
      throw ExitCode(66)
    }
    guard first <= last else {
      Terminal.complain("No report is about days from \(first.date) to \(last.date).")
      throw ExitCode(66)
    }
    var request = ReconciliationRequest(firstDay: first, lastDay: last, parameters: instant.parameters)
    if !agreements.isEmpty { request.agreements = Agreement.allCases.filter(agreements.contains) }
    (request.group, request.bundleID) = (givenFormat == .html ? .day : by, bundleID)
    if let key = explain.flatMap(ReconciliationKey.init) { return try list(key, request, ledger) }
    let bar = ProgressLine()
    let result = try reporting {
      try ledger.reconcile(request) { done, of in
        bar.show("Reading purchases", share: Double(done) / Double(max(1, of)), count: done, "purchase")
      }
    }
    bar.clear()
    if givenFormat == .html {
      try PageOutput.write(ReconciliationPage(result).page.html(), to: out)
    } else {
      print(result)
    }
    for type in AppleReportType.allCases {
      let names = result.withoutReports.filter { $0.reports.first == type }.map(\.rawValue)
      guard !names.isEmpty else { continue }
      Terminal.note("\(names.joined(separator: ", ")): no report \(type.rawValue) is imported, so nothing is compared.")
    }
    // Proceeds compare no purchases.
    let compared = Set(request.agreements).subtracting(result.withoutReports + [.proceeds])
    if let bundleID, !compared.isEmpty,
      result.rows.allSatisfy({ $0.ledger == 0 || !compared.contains($0.agreement) })
    {
      Terminal.note("The ledger has nothing of the app \(Printable.text(bundleID)) on these days. Check the bundle id.")
    }
    if givenFormat == .table, result.rows.contains(where: { $0.differences[.terms] ?? 0 != 0 }) {
      Terminal.note("terms: see the taxes and commissions that would explain Apple's proceeds with --explain proceeds.")
    }
    if result.unexplained > 0 { throw ExitCode(1) }
  }

  // MARK: Output

  private func print(_ result: Reconciliation) {
    var printer = format.printer(csv)
    printer.namesColumnsOfNothing = true
    let isByKey = by == .key
    // A table for people leaves out the classes without a unit.
    let classes = DifferenceClass.allCases.filter { one in
      format != .table || one == .unexplained || result.rows.contains { $0.differences[one] ?? 0 != 0 }
    }
    printer.begin(
      ["agreement", "measure"] + (by.map { [$0.rawValue] } ?? []) + ["apple", "ledger", "agreed"]
        + classes.map(\.shortName))
    for row in result.rows where !isByKey || row.differences.values.contains(where: { $0 != 0 }) {
      let group: [Value] = by.map { [Self.group($0, row)] } ?? []
      let figures = [Value(row.apple), Value(row.ledger), Value(row.agreed)]
      printer.row(
        [.text(row.agreement.rawValue), Value(row.measure)] + group + figures
          + classes.map { Value(row.differences[$0] ?? 0) })
    }
    printer.end()
    if format == .table { Terminal.print(Messages.summary(of: result)) }
  }

  private static func group(_ group: ReconciliationGroup, _ row: ReconciliationRow) -> Value {
    switch group {
    case .product: Value(row.productID)
    case .country: Value(row.country)
    case .day: Value(row.day?.date)
    case .key: .text(ReconciliationKey(row).text)
    }
  }

  private func list(_ key: ReconciliationKey, _ request: ReconciliationRequest, _ ledger: LedgerReader) throws {
    var wanted = request
    if let day = key.day { (wanted.firstDay, wanted.lastDay) = (day, day) }
    if key.agreement == .finance, let day = key.day,
      let month = try reporting({ try ledger.fiscalMonth(beginningOn: day, instant.parameters) })
    {
      (wanted.firstDay, wanted.lastDay) = (month.lowerBound, month.upperBound)
    }
    wanted.agreements = [key.agreement]
    if key.agreement == .proceeds { return try listProceeds(key, wanted, ledger) }
    let items = try reporting { try ledger.reconciliationItems(wanted) { key.contains($0) } }
    var printer = format.printer(csv)
    printer.begin([
      "day", "occurred_at", "original_transaction_id", "transaction_id", "environment", "price", "counted",
    ])
    for item in items {
      printer.row([
        .text(item.day.date), Value(item.occurredAt),
        .text(item.originalTransactionID),
        .text(item.transactionID), .text(item.environment),
        Value(item.price.map { Currency.exact($0, of: item.currency) }),
        .text(item.excludedBy.map { "no: \($0)" } ?? "yes"),
      ])
    }
    printer.end()
    if items.isEmpty {
      Terminal.note("The ledger has no purchase of this key.")
    } else {
      Terminal.note("See one of them with subledger why ORIGINAL_TRANSACTION_ID.")
    }
  }

  private func listProceeds(_ key: ReconciliationKey, _ request: ReconciliationRequest, _ ledger: LedgerReader) throws {
    let differences = try reporting { try ledger.proceedsDifferences(request) }.filter { key.contains($0) }
    var printer = format.printer(csv)
    printer.begin([
      "from", "to", "product", "country", "currency", "price", "proceeds", "by_terms", "tax", "implied_tax",
      "commission",
      "implied_commission", "units",
    ])
    for one in differences {
      let texts = [
        one.firstDay.date, one.lastDay.date, one.productID, one.country, one.currency,
        Currency.exact(one.price, of: one.currency), Currency.exact(one.proceeds, of: one.currency),
        one.termsProceeds.map { Currency.rounded($0, of: one.currency) }, one.taxRate.map(ProceedsTerm.percentage),
        one.impliedTaxRate.map(ProceedsTerm.percentage), one.commissionRate.map(ProceedsTerm.percentage),
        one.impliedCommissionRate.map(ProceedsTerm.percentage),
      ]
      printer.row(texts.map { Value($0) } + [Value(one.units)])
    }
    printer.end()
    Terminal.note(
      differences.isEmpty
        ? "All proceeds of this key are those of the terms."
        : "implied_tax is the tax that explains the proceeds with this commission, and implied_commission the commission "
          + "with this tax. Import the right one with subledger terms import.")
  }
}

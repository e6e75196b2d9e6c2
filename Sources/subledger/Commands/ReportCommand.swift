import AppStore
import ArgumentParser
import Charts
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport
import ReportPresentation
import SQLiteSettings

/// The formats of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, json, svg, html
}

extension ReportPeriods.Length: ExpressibleByArgument {}

extension Metric.Dimension {
  /// Returns the dimensions that an argument names, separated by commas.
  static func list(_ argument: String) throws -> [Metric.Dimension] {
    try argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let dimension = Metric.Dimension(rawValue: String(name).trimmingSpace.replacing("-", with: "_")) else {
        throw ValidationError(
          "'\(name)' is not a dimension. Choose from \(allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return dimension
    }
  }
}

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Show a metric for each period: subscriptions, money, trials, refunds.",
    discussion: """
      subledger report list explains every metric, and how it differs from RevenueCat and App Store Connect. subledger \
      report overview shows the main metrics, and with --out FILE writes them as one page of charts.

      Periods are days (UTC), weeks from Monday, calendar months or years. A report has whole periods, from the period of \
      --from to the period of --to. A period that is not over is marked. A late refund changes past figures: --known-at \
      shows them as they were known then, and --as-of ends them at an instant with what is known now. Money is per currency. --convert-to converts it with the rates of \
      subledger rates import.

      The first report after an import derives the metrics of the changed subscriptions, and stores them in the ledger \
      for the next report.
      """)

  @Argument(help: ArgumentHelp("A metric, or list, or overview.", valueName: "metric")) var name: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Begin with the period of this instant (default: a year before --to).", valueName: "instant"),
    transform: Instant.argument)
  var from: Instant?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End with the last period that begins before this (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var to: Instant?

  @Option(help: "The length of a period: day, week, month or year.") var every = ReportPeriods.Length.month

  @Option(
    help: ArgumentHelp(
      "Split the figures by product, duration, country, offer, offer_type, reason, detail or app. Commas separate several.",
      valueName: "dimensions"),
    completion: .list(Metric.Dimension.allCases.map(\.rawValue)), transform: Metric.Dimension.list)
  var groupBy: [[Metric.Dimension]] = []

  private var dimensions: [Metric.Dimension] { groupBy.flatMap(\.self) }

  @Option(
    help: ArgumentHelp("Convert money into this currency.", valueName: "currency"), transform: Currency.argument)
  var convertTo: String?

  @Option(
    help: ArgumentHelp("Show only this currency's figures.", valueName: "currency"), transform: Currency.argument)
  var currency: String?

  @OptionGroup var instants: InstantOptions

  @Option(help: ArgumentHelp("Count only purchases of this app.", valueName: "id")) var bundleID: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      "table (default), csv, json, svg or html. With --out, the ending of the file names it, else html.",
      valueName: "format"))
  var givenFormat: ReportFormat?

  @Option(help: ArgumentHelp("Write the page or the drawing into this file.", valueName: "file")) var out: String?

  /// The format of `--format`; else that of the ending of `--out`, else a page for a file and a table for the screen.
  private var format: ReportFormat {
    guard givenFormat == nil, let out else { return givenFormat ?? .table }
    return ReportFormat(rawValue: (out as NSString).pathExtension.lowercased()) ?? .html
  }

  @OptionGroup var csv: CSVOptions
  @OptionGroup var environment: EnvironmentOption
  @OptionGroup var database: DatabaseOption

  func validate() throws {
    for (index, dimension) in dimensions.enumerated() where dimensions.prefix(index).contains(dimension) {
      throw ValidationError("--group-by names \(dimension.rawValue) twice.")
    }
    if name == "overview", ![.html, .table].contains(format) {
      throw ValidationError("The overview is a table or an HTML page. Use --format table or --format html.")
    }
    if out != nil, ![.html, .svg].contains(format) {
      throw ValidationError(
        "--out is for a page (.html) or a drawing (.svg). For other formats, use --format \(format.rawValue) > FILE.")
    }
    if name == "list", format != .table, format != .json {
      throw ValidationError("The list of metrics has two formats. Use --format table or --format json.")
    }
  }

  func run() throws {
    if name == "list" { return MetricList.print(format) }
    let metrics = try metrics()
    let parameters = instants.reportParameters
    let periods = try periods(min(parameters.asOf, parameters.knownAt))
    let requests = metrics.map { metric in
      var request = ReportRequest(metric, periods, parameters)
      if !dimensions.isEmpty { request.dimensions = dimensions }
      request.environment = environment.environment
      (request.bundleID, request.currency) = (bundleID, convertTo)
      return request
    }
    // SQLite counts memory under one lock, and the cores would wait for each other.
    sqlite_settings_count_no_memory()
    Interruption.watch("The metrics derived so far are stored. The next report continues from there.")
    let ledger = try database.reader()
    try reporting { try database.storeMetrics(else: "The report is complete, but takes longer.") }
    let line = ProgressLine()
    var reports = try reporting {
      try ledger.report(requests) { done, total in
        line.show("Deriving \(Messages.count(total, "subscription"))", share: Double(done) / Double(max(1, total)))
      }
    }
    line.clear()
    if name == "overview", convertTo == nil, currency == nil {
      try reporting { try ReportOverview.convert(&reports, ledger) }
    }
    if let currency {
      for index in reports.indices where reports[index].request.metric.unit == .money {
        reports[index].figures.removeAll { $0.currency != currency }
        reports[index].notes.removeAll { if case .severalCurrencies = $0 { true } else { false } }
        if reports[index].figures.isEmpty {
          reports[index].notes.append(.noFigures(in: currency))
        }
      }
    }
    let currencies = try reporting { try ledger.paymentCurrencies(in: environment.environment) }
    try write(reports, currencies)
  }

  private func metrics() throws -> [Metric] {
    if name == "overview" { return ReportOverview.metrics }
    if let metric = Metric.named(name) {
      for dimension in dimensions where !metric.canBeSplit(by: dimension) {
        let allowed = Metric.Dimension.allCases.filter(metric.canBeSplit).map(\.rawValue).joined(separator: ", ")
        let others = Metric.all.filter { $0.canBeSplit(by: dimension) }.map(\.name).joined(separator: ", ")
        Terminal.complain(
          "The metric \(metric.name) cannot be split by \(dimension.rawValue). It can be split by \(allowed). These "
            + "metrics can be split by \(dimension.rawValue): \(others).")
        throw ExitCode(64)
      }
      return [metric]
    }
    let near = DataDictionary.nearest(to: name, among: Metric.all.map(\.name) + ["overview", "list"], limit: 4)
    Terminal.complain(
      "'\(name)' is not a metric." + (near.isEmpty ? "" : " Nearest: \(near.joined(separator: ", ")).")
        + " See subledger report list.")
    throw ExitCode(64)
  }

  private func periods(_ now: Instant) throws -> ReportPeriods {
    let end = to ?? now
    let start = from ?? Instant(milliseconds: end.milliseconds - 365 * 86_400_000)
    guard to == nil || start <= end else {
      Terminal.complain("--from \(start) is after --to \(end). Exchange them.")
      throw ExitCode(64)
    }
    guard start < end else {
      Terminal.complain("No period is between --from \(start) and --to \(end). Choose an earlier --from.")
      throw ExitCode(64)
    }
    guard let periods = ReportPeriods(every, from: start, to: end) else {
      Terminal.complain("From \(start) to \(end) are more than \(ReportPeriods.mostDays) days. Choose a shorter time.")
      throw ExitCode(64)
    }
    return periods
  }

  private func write(_ reports: [Report], _ currencies: [String]) throws {
    switch format {
    case .table where name == "overview":
      printOverview(ReportOverview(reports, currencies: currencies, note: \.advisedText))
    case .table, .csv: printRows(reports[0])
    case .json: Terminal.print(ReportRows(reports[0]).json)
    case .svg: try printDrawing(reports[0])
    case .html:
      let isOverview = name == "overview"
      let page = ChartPage(
        title: isOverview ? "Overview" : reports[0].request.metric.title, subtitle: reports[0].subtitle,
        sections: isOverview
          ? ReportOverview(reports, currencies: currencies, note: \.advisedText).sections
          : ReportChart(reports[0], note: \.advisedText).sections)
      try PageOutput.write(page.html(), to: out)
    }
  }

  private func printOverview(_ overview: ReportOverview) {
    var printer = OutputFormat.table.printer(csv)
    printer.numericColumns = Set(overview.columns.dropFirst())
    printer.begin(overview.columns)
    for row in overview.rows { printer.row(row) }
    printer.end()
    for note in overview.notes { Terminal.note(note.advisedText) }
  }

  private func printRows(_ report: Report) {
    let rows = ReportRows(report)
    var printer = (format == .csv ? OutputFormat.csv : .table).printer(csv)
    printer.numericColumns = rows.numericColumns
    printer.begin(format == .csv ? rows.allColumns : rows.columns)
    for row in format == .csv ? rows.allRows : rows.rows { printer.row(row) }
    printer.end()
    if printer.count == 0, report.notes.isEmpty { Terminal.note("This metric has no figures in these periods.") }
    for note in report.notes { Terminal.note(note.advisedText) }
  }

  private func printDrawing(_ report: Report) throws {
    let drawing = ReportChart(report, note: \.advisedText)
    let parts = drawing.parts
    guard parts.count < 2 else {
      let names = parts.compactMap(\.name).joined(separator: ", ")
      Terminal.complain(
        report.request.metric.hasCohorts
          ? "A drawing shows one group of cohorts, and there are \(parts.count) (\(names)). Use --format html."
          : "The figures have \(parts.count) currencies (\(names)), and a drawing has one. Name it with --currency, or "
            + "convert with --convert-to, or use --format html.")
      throw ExitCode(64)
    }
    for part in parts { try PageOutput.write(drawing.chart(part).svg(), to: out) }
    for note in report.notes { Terminal.note(note.advisedText) }
  }
}

extension DatabaseOption {
  /// Brings the stored metrics up to date, which reports and the view `metric_figure` read.
  /// - Parameter consequence: a sentence for the user of a file that cannot be written.
  func storeMetrics(else consequence: String) throws {
    let line = ProgressLine()
    defer { line.clear() }
    do {
      try ProjectionMaintainer(path: path, busyTimeout: busyTimeout).deriveMetricDeltas { done, total in
        line.show("Updating \(Messages.count(total, "subscription"))", share: Double(done) / Double(max(1, total)))
      }
    } catch let error as LedgerError where [.cannotWrite, .busy].contains(error.code) {
      Terminal.note("The stored metrics were not updated: \(error.message) \(consequence)")
    }
  }
}

/// Prints the metrics for `subledger report list`, as text or JSON.
enum MetricList {
  static func print(_ format: ReportFormat) {
    if format == .json {
      let metrics = Metric.all.map {
        JSONText.object([
          "metric": .text($0.name), "title": .text($0.title), "kind": Value($0.kind), "unit": Value($0.unit),
          "definition": .text($0.definition), "difference": .text($0.difference),
        ])
      }
      return Terminal.print("[\n  " + metrics.joined(separator: ",\n  ") + "\n]")
    }
    for metric in Metric.all {
      Terminal.print(
        Terminal.styled(metric.name, .bold) + "  \(metric.title) (\(metric.kind.rawValue), \(metric.unit.rawValue))")
      Terminal.print("  " + metric.definition)
      if !metric.difference.isEmpty { Terminal.print("  Elsewhere: " + metric.difference) }
    }
  }
}

import AppStore
import ArgumentParser
import Charts
import Ledger
import LedgerPresentation
import ProgramSupport
import SQLiteSettings

/// The formats of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, json, svg, html
}

extension ReportPeriods.Length: ExpressibleByArgument {}
extension Metric.Dimension: ExpressibleByArgument {}

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Show a metric for each period: subscriptions, money, trials, refunds.",
    discussion: """
      subledger report list explains every metric, and how it differs from RevenueCat and App Store Connect. subledger \
      report overview --format html writes one page with the main metrics.

      Periods are days (UTC), weeks from Monday, or calendar months. A report has whole periods, from the period of \
      --from to the period of --to. A period that is not over is marked. A late refund changes past figures; --as-of \
      shows the figures as they were known then. Money is per currency. --convert-to converts it with the rates of \
      subledger rates import.

      The first report after an import derives the metrics of the changed subscriptions, and stores them in the ledger \
      for the next report.
      """)

  @Argument(help: ArgumentHelp("A metric, or list, or overview.", valueName: "metric")) var name: String

  @Option(
    help: ArgumentHelp("Begin with the period of this instant (default: a year before --to).", valueName: "instant"),
    transform: Instant.argument)
  var from: Instant?

  @Option(
    help: ArgumentHelp("End with the last period that begins before this (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var to: Instant?

  @Option(help: "The length of a period: day, week or month.") var every = ReportPeriods.Length.month

  @Option(help: "Split the figures by product, duration, country, offer, offer_type, reason, detail or app.")
  var groupBy = Metric.Dimension.none

  @Option(help: ArgumentHelp("Convert money into this currency.", valueName: "currency")) var convertTo: String?

  @Option(help: ArgumentHelp("Show only this currency's figures.", valueName: "currency")) var currency: String?

  @Option(
    help: ArgumentHelp("Show what was known at this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var asOf: Instant?

  @Option(help: ArgumentHelp("Count only purchases of this app.", valueName: "id")) var bundleID: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp("table (default), csv, json, svg or html (the default of overview).", valueName: "format"))
  var givenFormat: ReportFormat?

  private var format: ReportFormat { givenFormat ?? (name == "overview" ? .html : .table) }

  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var csv: CSVOptions
  @OptionGroup var environment: EnvironmentOption
  @OptionGroup var database: DatabaseOption

  private static let overview = [
    "active_subscriptions", "active_movement", "mrr", "revenue", "churn_rate", "active_trials", "trial_conversion",
    "retention", "refund_rate", "in_grace", "grace_recovery", "recovery_days",
  ]

  func validate() throws {
    for code in [convertTo, currency].compactMap(\.self) where code.count != 3 || code != code.uppercased() {
      throw ValidationError("'\(code)' is not a currency. Write three capital letters, such as EUR.")
    }
    if name == "overview", format != .html { throw ValidationError("The overview is an HTML page. Use --format html.") }
    if name == "list", format != .table, format != .json {
      throw ValidationError("The list of metrics has two formats. Use --format table or --format json.")
    }
  }

  func run() async throws {
    if name == "list" { return MetricList.print(format) }
    let metrics = try metrics()
    let now = asOf ?? Instant.now
    let periods = try periods(now)
    let requests = metrics.map { metric in
      var request = ReportRequest(metric, periods, Question(asOf: now, knownAt: now, leastTrust: evidence.leastTrust))
      (request.dimension, request.environment) = (groupBy, environment.environment)
      (request.bundleID, request.currency) = (bundleID, convertTo)
      return request
    }
    // SQLite counts memory under one lock, and the cores would wait for each other.
    sqlite_settings_count_no_memory()
    Interruption.watch("The metrics derived so far are stored. The next report continues from there.")
    let ledger = try database.reader()
    try reporting { try measure() }
    let line = ProgressLine()
    var reports = try reporting {
      try ledger.report(requests) { done, total in
        line.show("Deriving \(Messages.count(total, "subscription"))", share: Double(done) / Double(max(1, total)))
      }
    }
    line.clear()
    if let currency {
      for place in reports.indices where reports[place].request.metric.unit == .money {
        reports[place].figures.removeAll { $0.currency != currency }
        reports[place].notes.removeAll { if case .severalCurrencies = $0 { true } else { false } }
        if reports[place].figures.isEmpty {
          reports[place].notes.append(.noFigures(in: currency))
        }
      }
    }
    try write(reports)
  }

  private func metrics() throws -> [Metric] {
    if name == "overview" { return Self.overview.compactMap(Metric.named) }
    if let metric = Metric.named(name) {
      guard metric.canBeBroken(by: groupBy) else {
        Terminal.complain(
          "The metric \(metric.name) cannot be split by \(groupBy.rawValue). Choose another --group-by.")
        throw ExitCode(64)
      }
      return [metric]
    }
    Terminal.complain(
      "'\(name)' is not a metric. Choose from \(Metric.all.map(\.name).joined(separator: ", ")). "
        + "See subledger report list.")
    throw ExitCode(64)
  }

  private func periods(_ now: Instant) throws -> ReportPeriods {
    let end = to ?? now
    let start = from ?? Instant(milliseconds: end.milliseconds - 365 * 86_400_000)
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

  /// Brings the stored metrics up to date. If the file cannot be written, the report derives everything itself.
  private func measure() throws {
    let line = ProgressLine()
    defer { line.clear() }
    do {
      let maintainer = ProjectionMaintainer(path: database.path, busyTimeout: database.busyTimeout)
      try maintainer.deriveMetricDeltas { done, total in
        line.show("Updating \(Messages.count(total, "subscription"))", share: Double(done) / Double(max(1, total)))
      }
    } catch let error as LedgerError where [.cannotWrite, .busy].contains(error.code) {
      Terminal.note("The stored metrics were not updated: \(error.message) The report is complete, but takes longer.")
    }
  }

  private func write(_ reports: [Report]) throws {
    switch format {
    case .table, .csv: printRows(reports[0])
    case .json: Terminal.print(ReportRows(reports[0]).json)
    case .svg: try printDrawing(reports[0])
    case .html:
      let title = name == "overview" ? "Overview" : reports[0].request.metric.title
      let page = ChartPage(
        title: title, subtitle: subtitle(reports[0]),
        sections: reports.flatMap { ReportChart($0).sections })
      Terminal.write(page.html())
    }
  }

  private func subtitle(_ report: Report) -> String {
    let bounds = report.request.periods.bounds
    return "\(bounds[0].description.prefix(10)) to \(bounds[bounds.count - 1].description.prefix(10)) (UTC), "
      + "\(report.request.environment.name), as known at \(report.request.question.knownAt)"
  }

  private func printRows(_ report: Report) {
    let rows = ReportRows(report)
    var printer = (format == .csv ? OutputFormat.csv : .table).printer(csv)
    printer.begin(format == .csv ? ReportRows.allColumns : rows.columns)
    for row in format == .csv ? rows.allRows : rows.rows { printer.row(row) }
    printer.end()
    if printer.count == 0, report.notes.isEmpty { Terminal.note("This metric has no figures in these periods.") }
    for note in report.notes { Terminal.note(note.words) }
  }

  private func printDrawing(_ report: Report) throws {
    let drawing = ReportChart(report)
    let currencies = drawing.currencies
    guard currencies.count < 2 else {
      Terminal.complain(
        "The figures have \(currencies.count) currencies (\(currencies.map { $0 ?? "none" }.joined(separator: ", "))), "
          + "and a drawing has one. Name it with --currency, or convert with --convert-to, or use --format html.")
      throw ExitCode(64)
    }
    Terminal.write(drawing.chart(currencies.first ?? nil).svg())
    for note in report.notes { Terminal.note(note.words) }
  }
}

/// Prints the metrics for `subledger report list`, as text or JSON.
enum MetricList {
  static func print(_ format: ReportFormat) {
    if format == .json {
      let metrics = Metric.all.map {
        JSONText.object(
          ["metric", "title", "kind", "unit", "definition", "difference"],
          [$0.name, $0.title, $0.kind.rawValue, $0.unit.rawValue, $0.definition, $0.difference].map(Value.text))
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

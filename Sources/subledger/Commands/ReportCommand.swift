import AppStore
import ArgumentParser
import Charts
import Ledger
import SQLiteSettings

/// How a report is written.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, json, svg, html
}

extension ReportPeriods.Length: ExpressibleByArgument {}
extension Metric.Dimension: ExpressibleByArgument {}

/// `subledger report`
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Metrics: subscriptions, money, trials, refunds, period by period.",
    discussion: """
      subledger report list explains every metric, and where it differs from RevenueCat's and App Store Connect's; \
      subledger report overview --format html makes one page of the main ones.

      Periods are days (UTC), weeks from Monday on, or calendar months: whole ones, from that of --from to that of --to. \
      What a period that is not over tells so far is marked. A late refund restates the past: --as-of tells the \
      figures as they were known then. Money is told per currency; --convert-to converts it, by the rates of subledger rates import.

      The first report after an import measures the lines that it touched, and keeps that in the ledger for the next.
      """)

  @Argument(help: ArgumentHelp("A metric, list, or overview.", valueName: "metric")) var name: String

  @Option(
    help: ArgumentHelp("The first period is that of this instant (default: a year before --to).", valueName: "instant"),
    transform: Instant.argument)
  var from: Instant?

  @Option(
    help: ArgumentHelp("The last period begins before this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var to: Instant?

  @Option(help: "day, week or month.") var every = ReportPeriods.Length.month

  @Option(help: "Broken down by product, duration, country, offer, offer_type, reason, detail or app.")
  var groupBy = Metric.Dimension.none

  @Option(help: ArgumentHelp("Convert money into this currency.", valueName: "currency")) var convertTo: String?

  @Option(help: ArgumentHelp("Show only this currency's figures.", valueName: "currency")) var currency: String?

  @Option(
    help: ArgumentHelp("As it was, and was known, at this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var asOf: Instant?

  @Option(help: ArgumentHelp("Only this app's purchases.", valueName: "id")) var bundleID: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp("table (default), csv, json, svg or html (the overview's).", valueName: "format"))
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
      throw ValidationError("'\(code)' is no currency: write three capital letters, such as EUR.")
    }
    if name == "overview", format != .html { throw ValidationError("The overview is a page: add --format html.") }
    if name == "list", format != .table, format != .json {
      throw ValidationError("The list of metrics is told as a table or as JSON.")
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
    // The cores must not wait for each other.
    sqlite_settings_count_no_memory()
    Interruption.watch("What was measured is kept, and the next report goes on from there.")
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
          "\(metric.name) has no \(groupBy.rawValue) of its own: subledger report list tells which metrics have.")
        throw ExitCode(64)
      }
      return [metric]
    }
    Terminal.complain(
      "'\(name)' is no metric: \(Metric.all.map(\.name).joined(separator: ", ")). Ask subledger report list.")
    throw ExitCode(64)
  }

  private func periods(_ now: Instant) throws -> ReportPeriods {
    let end = to ?? now
    let start = from ?? Instant(milliseconds: end.milliseconds - 365 * 86_400_000)
    guard start < end else {
      Terminal.complain("--from \(start) is not before --to \(end): there is no period between them.")
      throw ExitCode(64)
    }
    guard let periods = ReportPeriods(every, from: start, to: end) else {
      Terminal.complain("From \(start) to \(end) are more than \(ReportPeriods.mostDays) days: ask for fewer.")
      throw ExitCode(64)
    }
    return periods
  }

  /// Brings up to date what is kept; where the file cannot be written, all is derived without.
  private func measure() throws {
    let line = ProgressLine()
    defer { line.clear() }
    do {
      let maintainer = ProjectionMaintainer(path: database.path, busyTimeout: database.busyTimeout)
      try maintainer.deriveMetricDeltas { done, total in
        line.show("Measuring \(Messages.count(total, "subscription"))", share: Double(done) / Double(max(1, total)))
      }
    } catch let error as LedgerError where [.cannotWrite, .busy].contains(error.code) {
      Terminal.note("The metrics in the ledger were not brought up to date: \(error.message) This report takes longer.")
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
    if printer.count == 0, report.notes.isEmpty { Terminal.note("Nothing of this happened in these periods.") }
    for note in report.notes { Terminal.note(note.words) }
  }

  private func printDrawing(_ report: Report) throws {
    let drawing = ReportChart(report)
    let currencies = drawing.currencies
    guard currencies.count < 2 else {
      Terminal.complain(
        "The figures are in \(currencies.count) currencies (\(currencies.map { $0 ?? "none" }.joined(separator: ", "))), "
          + "and a drawing is of one: name it with --currency, or convert with --convert-to; or take --format html.")
      throw ExitCode(64)
    }
    Terminal.write(drawing.chart(currencies.first ?? nil).svg())
    for note in report.notes { Terminal.note(note.words) }
  }
}

/// `subledger report list`
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

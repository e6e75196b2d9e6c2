import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct ReportsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reports", abstract: "Import, list and check the reports of App Store Connect.",
    subcommands: [Import.self, List.self, Check.self])

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import reports that were downloaded from App Store Connect.",
      discussion: """
        The daily reports are Summary Sales, Subscription, Subscription Event, Subscriber and offer code redemptions. \
        Financial reports (of all regions) and the standard analytics reports about subscriptions are read too. Each \
        is compressed or not. The program recognises a report by its columns. Keep Apple's file names, because they state the \
        vendor number and the day. A file without its day needs --date, and one without its vendor number --vendor.

        The figures are Apple's own. They are not evidence, and change nobody's access. A file is imported completely \
        or not at all. The same file again is a duplicate. Another text for the same days counts from now on, and the \
        earlier text stays on record. Exit code 65: a file is not usable.
        """)

    @Argument(help: ArgumentHelp("Files, or folders with the files in them.", valueName: "path"))
    var paths: [String]

    @OptionGroup var database: DatabaseOption

    @Option(
      help: ArgumentHelp("The day that the reports are about, such as 2026-03-01.", valueName: "date"),
      transform: ReportDay.argument)
    var date: Instant?

    @Option(
      help: ArgumentHelp("The vendor number of the reports, such as 80012345.", valueName: "number"),
      transform: Self.vendorNumber)
    var vendor: String?

    @Option(help: "text or json.")
    var format = SummaryFormat.text

    private static let noticeLimit = 20
    private static let sizeLimit = 256 << 20

    func run() async throws {
      let files = try InputFiles(paths, ofSimulation: .reports)
      let ledger = try database.recorder()
      var importer = AppleReportImporter(ledger: ledger, now: .now)
      (importer.day, importer.vendorNumber) = (date, vendor)
      importer.concurrency = ProcessInfo.processInfo.activeProcessorCount
      let bar = ProgressLine()
      var refusals = 0
      importer.onRefusal = { error, name in
        bar.clear()
        refusals += 1
        if refusals <= Self.noticeLimit { Terminal.note(Self.notice(error, name)) }
      }
      importer.onProgress = { bar.show("Importing", share: nil, count: $0.files, "file") }
      let summary: AppleReportImporter.Summary
      do {
        summary = try await reporting { try await importer.run(files.lazy.map(Self.reading)) }
      } catch let error as InputFiles.Unreadable {
        bar.clear()
        Terminal.complain(
          "\(error.path) \(error.reason). The files before it are recorded. Check the file, and run the command again.")
        throw ExitCode(66)
      }
      bar.clear()
      ledger.close()
      if refusals > Self.noticeLimit { Terminal.note("… and \(refusals - Self.noticeLimit) more.") }
      print(summary)
      if summary.refused > 0 { throw ExitCode(65) }
    }

    /// Returns a function that reads a whole file.
    private static func reading(_ source: ImportSource) -> () throws -> AppleReportImporter.File {
      {
        var bytes: [UInt8] = []
        while let piece = try source.next() {
          bytes += piece
          guard bytes.count <= sizeLimit else {
            throw InputFiles.Unreadable(path: source.name, reason: "is longer than 256 MB, and no report is")
          }
        }
        return AppleReportImporter.File(name: source.name, bytes: bytes)
      }
    }

    private static func notice(_ error: AppleReportError, _ name: String) -> String {
      let line = error.line.map { ":\($0)" } ?? ""
      let column = error.column.map { ", column \(Printable.text($0))" } ?? ""
      let option =
        switch error.code {
        case .unknownDay: " The option is --date."
        case .unknownVendor: " The option is --vendor."
        default: ""
        }
      return "\(Printable.text(name))\(line)\(column): not imported (\(error.code.rawValue)): \(error.detail). "
        + "\(error.advice)\(option)"
    }

    private static func vendorNumber(_ text: String) throws -> String {
      guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw ValidationError("'\(text)' is not a vendor number such as 80012345.")
      }
      return text
    }

    private func print(_ summary: AppleReportImporter.Summary) {
      switch format {
      case .json:
        Terminal.print(
          JSONText.object([
            "files": Value(summary.files), "recorded": Value(summary.recorded), "restated": Value(summary.restated),
            "duplicates": Value(summary.duplicates), "refused": Value(summary.refused), "rows": Value(summary.rows),
          ]))
      case .text:
        Terminal.print(
          "\(Messages.count(summary.files, "file")): \(summary.recorded) recorded, \(summary.duplicates) duplicates, "
            + "\(summary.refused) refused; \(Messages.count(summary.rows, "row")).")
        if summary.restated > 0 {
          Terminal.print(
            "Replaced: \(Messages.count(summary.restated, "earlier text")) about the same days. "
              + "subledger reports list counts them.")
        }
        for (column, count) in summary.unknownColumns.sorted(by: { $0.key < $1.key }) {
          Terminal.note(
            "\(Messages.count(count, "file")) with the column \(Printable.text(column)), which this version does not "
              + "know. Its values stay in the stored file.")
        }
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the imported reports, and the days that are missing.",
      discussion: """
        One row for each type of report and vendor number. missing counts the days between the first and the last one \
        that no report is about. Apple sends no file for a day without sales, so such a day can be right. restated counts the reports of which several texts were imported; the last one counts.
        """)

    @Option(name: .customLong("format"), help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions
    @OptionGroup var database: DatabaseOption

    func run() throws {
      let ledger = try database.reader()
      let parameters = QueryParameters(asOf: .commandStart, knownAt: .commandStart)
      let series = try reporting { try ledger.appleReportSeries(parameters) }
      var printer = format.printer(csv)
      printer.begin(["report", "vendor", "from", "to", "reports", "missing", "restated", "rows"])
      for one in series {
        printer.row([
          .text(one.type.rawValue), Value(one.vendorNumber),
          .text(one.firstDay.date),
          .text(one.lastDay.date), Value(one.reports), Value(one.missingDays),
          Value(one.restated), Value(one.rows),
        ])
      }
      printer.end()
      if series.isEmpty { Terminal.note("No report is imported. Import some with subledger reports import.") }
    }
  }
}

/// A day of a report, as an argument.
enum ReportDay {
  /// Reads a date such as 2026-03-01, as the first millisecond of that date in UTC.
  static func argument(_ text: String) throws -> Instant {
    guard let day = Instant(date: text) else {
      throw ValidationError("'\(text)' is not a date. Write it like 2026-03-01.")
    }
    return day
  }
}

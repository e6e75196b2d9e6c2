import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

extension ReportsCommand {
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check that Apple's daily reports agree with each other.",
      discussion: """
        The ledger's purchases play no part. A difference is an error of a file, or of how this program reads it.

          payments, refunds
            units at each price: Summary Sales (first), Subscriber (second)
          subscriptions
            how many a product gains or loses in a day: Subscription (first),
            Subscription Event (second)

        A day counts from the first to the last day of both reports. Apple sends no file for a day without sales or \
        events, so a lost file is a difference. refunds are units that refunds of the day explain: an event does not \
        say whether it ends the subscription. reversals are units that come back after an earlier refund, which has no \
        event. Exit code 1: something is unexplained.
        """)

    @Option(help: ArgumentHelp("The first day (default: all days).", valueName: "date"), transform: ReportDay.argument)
    var from: Instant?

    @Option(help: ArgumentHelp("The last day (default: all days).", valueName: "date"), transform: ReportDay.argument)
    var to: Instant?

    @Flag(help: "List the figures that differ for no known reason.") var differences = false

    @OptionGroup var instant: KnownAtOption
    @Option(name: .customLong("format"), help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions
    @OptionGroup var database: DatabaseOption

    func validate() throws {
      if let from, let to, from > to { throw ValidationError("--from is later than --to.") }
    }

    func run() throws {
      let ledger = try database.reader()
      let (agreements, differing) = try reporting {
        try ledger.compareAppleReports(instant.parameters, from: from, to: to)
      }
      if differences { list(differing) } else { print(agreements) }
      for one in agreements where one.days == 0 {
        let (first, second) = one.comparison.reports
        Terminal.note(
          "\(one.comparison.rawValue): no day has both reports (\(first.rawValue) and \(second.rawValue)), so nothing is "
            + "compared.")
      }
      let unexplained = agreements.reduce(0) { $0 + $1.unexplained }
      guard unexplained > 0 else { return }
      Terminal.note(
        differences
          ? "first is Summary Sales or Subscription, and second is Subscriber or Subscription Event. Where one has nothing, "
            + "its file of the day may be lost."
          : "See what differs with subledger reports check --differences.")
      throw ExitCode(1)
    }

    private func print(_ agreements: [AppleReportAgreement]) {
      var printer = format.printer(csv)
      printer.begin(["comparison", "days", "figures", "agreed", "refunds", "reversals", "unexplained"])
      for one in agreements {
        printer.row(
          [.text(one.comparison.rawValue)]
            + [one.days, one.figures, one.agreed, one.refunds, one.reversals, one.unexplained].map { Value($0) })
      }
      printer.end()
    }

    private func list(_ differences: [AppleReportDifference]) {
      var printer = format.printer(csv)
      printer.namesColumnsOfNothing = true
      printer.begin([
        "comparison", "day", "vendor", "product", "product_apple_id", "country", "price", "first", "second",
        "unexplained",
      ])
      for one in differences {
        let texts = [
          one.comparison.rawValue, one.day.date, one.vendorNumber, one.productID, one.productAppleID, one.country,
          one.price.map { Currency.exact($0, of: one.currency) },
        ]
        printer.row(
          texts.map { Value($0) } + [Value(one.first), Value(one.second), Value(one.unexplained)])
      }
      printer.end()
    }
  }
}

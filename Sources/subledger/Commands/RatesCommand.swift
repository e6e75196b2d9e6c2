import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

struct RatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Import and list exchange rates for reports that convert money.",
    subcommands: [List.self, Import.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import exchange rates.",
      discussion: """
        A file is CSV with the header date,currency,into,rate. A rate is the worth of one unit of a currency in \
        another currency. It counts from its day (2026-03-01, UTC) until the day of the next rate.

        The command imports a whole file or nothing. A later import of a day replaces the rate of that day. The \
        earlier rate stays on record.
        """)

    @Argument(help: ArgumentHelp("A CSV file.", valueName: "file")) var file: String
    @OptionGroup var database: DatabaseOption

    func run() throws {
      let rates = try TableFile.rows(of: file, ExchangeRate.table)
      let count = try database.recording { try $0.record(rates, origin: file, now: .now) }
      Terminal.print("\(Printable.text(file)): \(Messages.count(rates.count, "rate")), \(count) new or changed.")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the exchange rates, those of the latest day first.",
      discussion: """
        The column rate is the worth of one unit of a currency in the other currency. --known-at lists the rates that \
        were imported by then.
        """)

    @Option(
      help: ArgumentHelp("List only rates from or into this currency.", valueName: "currency"),
      transform: Currency.argument)
    var currency: String?

    @OptionGroup var instant: KnownAtOption

    @Option(name: .customLong("format"), help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions
    @OptionGroup var database: DatabaseOption

    func run() throws {
      let ledger = try database.reader()
      let rates = try reporting { try ledger.exchangeRates(instant.parameters) }
        .filter { currency == nil || currency == $0.rate.currency || currency == $0.rate.into }
      var printer = format.printer(csv)
      printer.begin(["from", "until", "currency", "into", "rate"])
      for rate in rates {
        printer.row([
          .text(rate.rate.day.date),
          Value(rate.endsAt?.date),
          .text(rate.rate.currency), .text(rate.rate.into), .text(rate.rate.decimal),
        ])
      }
      printer.end()
      if rates.isEmpty {
        let which = currency.map { " from or into \($0)" } ?? ""
        Terminal.note("No rate\(which) is known. Import some with subledger rates import.")
      }
    }
  }
}

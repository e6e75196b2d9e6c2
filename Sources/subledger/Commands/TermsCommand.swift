import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

struct TermsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "terms", abstract: "List and import taxes and commissions, from which proceeds are estimated.",
    subcommands: [List.self, Import.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import taxes and commissions.",
      discussion: """
        A file is CSV with the header term,storefront,app,from,value,source. Only term, from and value are needed. A row \
        counts from its day (2026-03-01, UTC) until the next row of the same term, storefront and app. An empty \
        storefront or app means all.

        The terms are tax, commission, reduced_commission (after a year of paid service, and in a program) and program. \
        A value is a percentage such as 19 or 7.5. For program it is yes or no. The value none removes a row.

        The command imports a whole file or nothing. A row replaces the one of the same term, storefront, app and day, \
        also a row of the program's own. The earlier row stays on record.
        """)

    @Argument(help: ArgumentHelp("A CSV file.", valueName: "file")) var file: String
    @Flag(help: "Remove all rows that the file does not have, also the program's own.") var replace = false
    @OptionGroup var database: DatabaseOption

    func run() throws {
      let terms = try TableFile.rows(of: file, ProceedsTerm.table)
      switch try database.recording({ try $0.record(terms, isWhole: replace, origin: file, now: .now) }) {
      case .recorded(let count):
        Terminal.print(
          "\(Printable.text(file)): \(Messages.count(terms.count, "row")), \(count) new, changed or removed.")
      case .unknownStorefront(let storefront):
        Terminal.complain(
          "\(file): \(storefront) is not a storefront. Nothing was imported. Write the country in three letters of "
            + "ISO 3166, such as DEU.")
        throw ExitCode(65)
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the taxes and commissions, those of the latest day first.",
      discussion: """
        Values are percentages. An empty storefront or app means all. --known-at lists what was imported by then.
        """)

    @Option(
      help: ArgumentHelp("List only what counts in this storefront, such as DEU.", valueName: "country"))
    var storefront: String?

    @OptionGroup var instant: KnownAtOption

    @Option(name: .customLong("format"), help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions
    @OptionGroup var database: DatabaseOption

    func run() throws {
      let ledger = try database.reader()
      let terms = try reporting { try ledger.proceedsTerms(instant.parameters) }
        .filter { storefront == nil || $0.term.storefront == nil || $0.term.storefront == storefront }
      var printer = format.printer(csv)
      printer.begin(["term", "storefront", "app", "from", "until", "value", "source"])
      for valid in terms {
        let term = valid.term
        printer.row([
          .text(term.kind.rawValue), Value(term.storefront),
          Value(term.bundleID),
          .text(term.day.date), Value(valid.endsAt?.date), .text(term.value),
          Value(term.source),
        ])
      }
      printer.end()
    }
  }
}

import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

struct AccessLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access-log", abstract: "List who read about a person, or what one program or everybody read.",
    discussion: """
      ID is a customer, or any id of a purchase. Without it, the command lists all entries, the latest first.

      The access log has each answer of the commands show, history, why and access-log, and each answer and change through \
      the server. A change by command line is an entry of its own, with its author: see subledger show. The commands \
      query and export, and any other SQLite program, can read everything and are not in it.
      """)

  @Argument(help: "A customer, or an id of a purchase.", transform: String.argument) var id: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List only entries from this instant on (default: all).", valueName: "instant"),
    transform: Instant.argument)
  var since: Instant?

  @Option(help: ArgumentHelp("How many entries to list.", valueName: "count")) var limit = 100
  @OptionGroup var database: DatabaseOption
  @OptionGroup var accessLog: AccessLogOptions
  @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func validate() throws {
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 1000000.") }
  }

  func run() throws {
    let ledger = try database.reader()
    let rows = try reporting {
      let rows = try ledger.accessLog(
        about: try id.map { try AccessLogSubject(of: $0, in: ledger) }, since: since, limit: limit + 1)
      accessLog.record([accessLog.entry("listAccessLog", count: min(rows.count, limit))], in: database)
      return rows
    }
    let columns = ["entered_at", "author", "program", "operation", "customer", "original_transaction_id", "reason"]
    let indices = columns.compactMap { AccessLogRow.columns.firstIndex(of: $0) }
    var printer = format.printer(csv)
    printer.begin(format == .table ? columns : AccessLogRow.columns)
    for row in rows.prefix(limit) {
      printer.row(format == .table ? indices.map { row.values[$0] } : row.values)
    }
    printer.end()
    if rows.isEmpty, format == .table { Terminal.note("The access log has no such entry.") }
    if rows.count > limit { Terminal.note("There are more. Write a later --since, or a greater --limit.") }
  }
}

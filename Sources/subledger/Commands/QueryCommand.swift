import ArgumentParser
import Foundation
import Ledger

/// `subledger query`
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Read-only SQL over the ledger.",
    discussion: """
      Any SQLite tool reads the file and its views; this one also asks the views about other instants, with --as-of and \
      --known-at. Instants are milliseconds since 1970, money is in milliunits of its currency, flags are 0 or 1.

      A statement is stopped after --timeout, or when it needs more memory than --memory: with exit code 1, and \
      without the end of its answer.
      """)

  @Argument(help: "One statement, such as: SELECT state, COUNT(*) FROM entitlement GROUP BY state")
  var sql: String

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  @Option(
    help: ArgumentHelp(
      "How long the statement may take (default: 60s; 0s: as long as it takes).", valueName: "duration"),
    transform: DurationText.duration)
  var timeout = QueryLimits.defaultTimeout

  @Option(
    help: ArgumentHelp("How many megabytes of memory it may take (default: 1024; 0: all).", valueName: "megabytes"))
  var memory = 1024

  func validate() throws {
    guard (0...1 << 30).contains(memory) else { throw ValidationError("--memory is a number of megabytes, or 0.") }
  }

  func run() async throws {
    let ledger = try database.reader()
    QueryLimits.limitMemory(toBytes: memory << 20)
    var limits = QueryLimits(timeout: timeout == .zero ? nil : timeout)
    limits.onStandstill = { error in
      Terminal.complain(error.description)
      _exit(1)
    }
    var printer = format.printer(csv)
    try reporting {
      try ledger.query(sql, instants.question, limits: limits) { names in
        printer.begin(names)
      } row: { values in
        printer.row(values)
      }
    }
    printer.end()
  }
}

import ArgumentParser
import Ledger

/// `subledger query`
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Read-only SQL over the ledger.",
    discussion: """
      Any SQLite tool reads the file and its views; this one also asks the views about other instants, with --as-of and \
      --known-at. Instants are milliseconds since 1970, money is in milliunits of its currency, flags are 0 or 1.
      """)

  @Argument(help: "One statement, such as: SELECT state, COUNT(*) FROM entitlement GROUP BY state")
  var sql: String

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func run() async throws {
    let ledger = try database.open(.asking)
    var printer = format.printer(csv)
    try reporting {
      try ledger.query(sql, instants.question) { names in
        printer.begin(names)
      } row: { values in
        printer.row(values)
      }
    }
    printer.end()
  }
}

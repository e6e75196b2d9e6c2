import AppStore
import ArgumentParser
import Foundation
import Ledger
import ProgramSupport

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Run a read-only SQL statement on the ledger.",
    discussion: """
      Any SQLite tool can read the file and its views. This command can also ask the views about other instants, with \
      --as-of and --known-at. Instants are milliseconds since 1970. Money is in milliunits of its currency. Flags are \
      0 or 1.

      The command stops a statement that takes longer than --timeout or needs more memory than --memory. The answer is \
      then incomplete, and the exit code is 1.
      """)

  @Argument(
    help: "One statement, such as: SELECT state, COUNT(*) FROM entitlement GROUP BY state; or - for standard input.")
  var sql: String?

  @Option(help: ArgumentHelp("Read the statement from this file.", valueName: "file")) var file: String?

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  @Option(
    help: ArgumentHelp(
      "How long the statement may take (default: 60s; 0s: no limit).", valueName: "duration"),
    transform: DurationText.duration)
  var timeout = QueryLimits.defaultTimeout

  @Option(
    help: ArgumentHelp("How many megabytes of memory it may use; 0 for no limit.", valueName: "megabytes"))
  var memory = 1024

  @Flag(name: .customLong("instants"), help: "Show as_of and the columns whose names end with _at as instants.")
  var showsInstants = false

  func validate() throws {
    guard (0...1 << 30).contains(memory) else { throw ValidationError("--memory is a number of megabytes, or 0.") }
    guard (sql == nil) != (file == nil) else {
      throw ValidationError("Write one statement, or - for standard input, or name a file with --file.")
    }
  }

  func run() throws {
    let sql = try statement()
    let ledger = try database.reader()
    QueryLimits.limitMemory(toBytes: memory << 20)
    var limits = QueryLimits(timeout: timeout == .zero ? nil : timeout)
    limits.onStandstill = { error in
      Terminal.complain(error.description)
      _exit(1)
    }
    var printer = format.printer(csv)
    printer.namesColumnsOfNothing = true
    if sql.lowercased().contains("metric_") {
      try reporting { try database.storeMetrics(else: "metric_figure shows what was stored before.") }
    }
    try reporting {
      try ledger.query(sql, instants.parameters, limits: limits) { names in
        printer.begin(names)
      } row: { values in
        printer.row(showsInstants ? Self.withInstants(printer.columns, values) : values)
      }
    }
    printer.end()
  }

  /// Returns values with instants in `as_of` and in the columns whose names end with `_at`.
  private static func withInstants(_ columns: [String], _ values: [Value]) -> [Value] {
    zip(columns, values).map { column, value in
      guard column.hasSuffix("_at") || column == "as_of", case .integer(let number) = value else { return value }
      return .instant(Instant(milliseconds: number))
    }
  }

  /// Returns the statement, from where the user keeps it.
  private func statement() throws -> String {
    if let sql, sql != "-" { return sql }
    let data = file.map { FileManager.default.contents(atPath: $0) } ?? FileHandle.standardInput.readDataToEndOfFile()
    guard let data else {
      Terminal.complain("Cannot read \(file ?? "-"). Check the path.")
      throw ExitCode(66)
    }
    return String(decoding: data, as: UTF8.self)
  }
}

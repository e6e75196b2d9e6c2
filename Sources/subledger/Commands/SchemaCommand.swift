import ArgumentParser
import Ledger

/// `subledger schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "The tables and views, as a script for another engine.",
    discussion: """
      Run the script in the engine's own shell, load what subledger export wrote into the tables of the same names, put the \
      instants that you ask about into the table question, and read the views: they are the ledger's own, rewritten only \
      where the engine divides integers, names types or orders NULL in its own way.
      """)

  @Option(help: "spark, postgresql or duckdb.")
  var dialect: Dialect

  func run() throws { Terminal.print(try reporting { try Ledger.schemaScript(for: dialect) }) }
}

extension Dialect: ExpressibleByArgument {}

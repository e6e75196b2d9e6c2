import ArgumentParser
import Ledger

/// How the dictionary is written.
enum SchemaFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv, markdown, datasette
}

/// `subledger schema`
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "What every table, view and column is for, in which unit, and what NULL means.",
    discussion: """
      With names, these tables and views, column by column; without, all that are meant for whoever asks, in a line each \
      (json, csv and markdown: column by column). It is the program's schema: no file is read.

      datasette gives a metadata file, for a database of the name that --database has:
        subledger schema --format datasette > metadata.json
        datasette subledger.sqlite -m metadata.json --setting suggest_facets off
      A large ledger needs more than Datasette's second a query: --setting sql_time_limit_ms 20000.

      --dialect prints the tables and views as a script for another engine's own shell. Load what subledger export wrote \
      into the tables of the same names, put the instants that you ask about into question and the periods of a report \
      into param_report_day, and read the views: they are the ledger's own, rewritten only where the engine divides integers, \
      names types or orders NULL in its own way.
      """)

  @Argument(help: ArgumentHelp("Tables and views.", valueName: "name")) var names: [String] = []

  @Flag(help: "Also the steps of the derivation, what is kept for speed, and machinery.") var all = false

  @Option(help: "table, json, csv, markdown or datasette.") var format = SchemaFormat.table

  @Option(help: "The tables and views as a script for spark, postgresql or duckdb.") var dialect: Dialect?

  @OptionGroup var database: DatabaseOption

  func validate() throws {
    if format == .datasette, !names.isEmpty {
      throw ValidationError("A metadata file tells of everything: name nothing.")
    }
    if dialect != nil, !names.isEmpty { throw ValidationError("A script holds everything: name nothing.") }
  }

  func run() async throws {
    if let dialect { return Terminal.print(try reporting { try dialect.schemaScript() }) }
    let dictionary = try DataDictionary.current()
    let relations = try chosen(dictionary)
    switch format {
    case .table where names.isEmpty:
      Terminal.write(SchemaText.overview(relations))
      Terminal.note("Column by column: subledger schema NAME." + (all ? "" : " The steps between them: --all."))
    case .table: Terminal.write(relations.map(SchemaText.description).joined(separator: "\n"))
    case .markdown: Terminal.write(SchemaText.markdown(relations))
    case .json: Terminal.print(SchemaText.json(relations).text())
    case .csv: printRows(relations)
    case .datasette:
      let metadata = DatasetteMetadata(
        dictionary: dictionary, examples: try ExampleQuery.all(), path: database.path)
      Terminal.print(metadata.json.text())
    }
  }

  /// What was named, or what there is.
  private func chosen(_ dictionary: DataDictionary) throws -> [DataDictionary.Relation] {
    if names.isEmpty { return dictionary.relations.filter { all || $0.group == .public } }
    return try names.map { name in
      if let relation = dictionary.relation(name) { return relation }
      let near = dictionary.nearest(to: name)
      Terminal.complain(
        "There is no table or view '\(name)'."
          + (near.isEmpty
            ? " Ask subledger schema for those that there are." : " Nearest: \(near.joined(separator: ", "))"))
      throw ExitCode(1)
    }
  }

  private func printRows(_ relations: [DataDictionary.Relation]) {
    var printer = RowPrinter(format: .csv)
    printer.begin(["relation", "kind", "group", "column", "type", "comment"])
    for relation in relations {
      let head = [relation.name, relation.kind.rawValue, relation.group.rawValue].map(Value.text)
      printer.row(head + [.null, .null, .text(relation.comment)])
      for column in relation.columns {
        printer.row(head + [.text(column.name), .text(column.type), .text(column.comment)])
      }
    }
    printer.end()
  }
}

extension Dialect: ExpressibleByArgument {}

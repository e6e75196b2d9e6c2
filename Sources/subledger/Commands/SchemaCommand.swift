import ArgumentParser
import Ledger

/// The formats of the data dictionary.
enum SchemaFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv, markdown, datasette
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Explain every table, view and column: purpose, unit, and what NULL means.",
    discussion: """
      With names, the command explains these tables and views, column by column. Without names, it lists all public \
      tables and views, one per line. The formats json, csv and markdown always have the columns. The command \
      describes the program's own schema, and reads no file.

      The format datasette writes a metadata file for the database that --database names:
        subledger schema --format datasette > metadata.json
        datasette subledger.sqlite -m metadata.json --setting suggest_facets off
      A large ledger needs more than Datasette's limit of a second per query: --setting sql_time_limit_ms 20000.

      --dialect prints the tables and views as a script for another engine's shell. Load the files of subledger export \
      into the tables of the same names. Put the instants of your question into param_query, and the days of a report \
      into param_report_day. Then read the views. They are the ledger's views, with three adaptations: integer \
      division, names of types, and the order of NULL.
      """)

  @Argument(help: ArgumentHelp("Tables and views, or words of their names and descriptions.", valueName: "name"))
  var names: [String] = []

  @Flag(help: "List the steps of the derivation, the projections and the internal tables too.") var all = false

  @Option(help: "table, json, csv, markdown or datasette.") var format = SchemaFormat.table

  @Option(help: "Print the tables and views as a script for spark, postgresql or duckdb.") var dialect: Dialect?

  @OptionGroup var database: DatabaseOption

  func validate() throws {
    if format == .datasette, !names.isEmpty {
      throw ValidationError("A metadata file describes every table and view. Leave the names out.")
    }
    if dialect != nil, !names.isEmpty { throw ValidationError("A script has every relation. Leave the names out.") }
  }

  func run() throws {
    if let dialect { return Terminal.print(try reporting { try dialect.schemaScript() }) }
    let dictionary = try DataDictionary.current()
    let relations = try chosen(dictionary)
    switch format {
    case .table where names.isEmpty || isSearch(dictionary):
      Terminal.write(SchemaText.overview(relations))
      Terminal.note("See the columns with subledger schema NAME." + (all ? "" : " List the steps too with --all."))
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

  /// Returns the relations that the arguments name; without names, the public ones, or all with `--all`.
  /// - Throws: exit code 1 after a message, if a name does not exist.
  private func chosen(_ dictionary: DataDictionary) throws -> [DataDictionary.Relation] {
    if names.isEmpty { return dictionary.relations.filter { all || $0.group == .public } }
    return try names.flatMap { name in
      let words = name.lowercased().split { $0 == " " || $0 == "_" || $0 == "-" }.map(String.init)
      let found = dictionary.relations.filter { (all || $0.group == .public) && mentions($0, words) }
      if let relation = dictionary.relation(name) {
        let others = found.map(\.name).filter { $0 != name && $0.contains(name) }
        if format == .table, !others.isEmpty { Terminal.note("See also: \(others.joined(separator: ", ")).") }
        return [relation]
      }
      // The names say more than the definitions, which mention other metrics.
      let named = Metric.all.filter { mentions("\($0.name) \($0.title)", words) }
      let metrics = named.isEmpty ? Metric.all.filter { mentions($0.definition, words) } : named
      if !metrics.isEmpty {
        Terminal.note(
          "Metrics of metric_figure and of subledger report: \(metrics.map(\.name).joined(separator: ", ")).")
      }
      if !found.isEmpty { return found }
      if let view = dictionary.relation("metric_figure"), !metrics.isEmpty { return [view] }
      let near = dictionary.nearest(to: name)
      Terminal.complain(
        "The schema has no table or view '\(name)'."
          + (near.isEmpty
            ? " List them with subledger schema." : " Nearest: \(near.joined(separator: ", "))"))
      throw ExitCode(1)
    }
  }

  /// Whether a name of the arguments is a word that names and descriptions contain.
  private func isSearch(_ dictionary: DataDictionary) -> Bool { names.contains { dictionary.relation($0) == nil } }

  /// Whether a relation has all words in its name and description, or in those of one column.
  private func mentions(_ relation: DataDictionary.Relation, _ words: [String]) -> Bool {
    mentions("\(relation.name) \(relation.comment)", words)
      || relation.columns.contains { mentions("\($0.name) \($0.comment)", words) }
  }

  /// Whether a text has all words, which are in lower case.
  private func mentions(_ text: String, _ words: [String]) -> Bool { words.allSatisfy(text.lowercased().contains) }

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

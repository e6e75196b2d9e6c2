import Foundation
import Ledger

/// What Datasette is told about a ledger (its `metadata.json`): what everything is for, what to hide, and what to ask.
struct DatasetteMetadata {
  let dictionary: DataDictionary
  let examples: [ExampleQuery]
  /// Datasette calls a database by its file's name, less its last ending.
  let database: String

  init(dictionary: DataDictionary, examples: [ExampleQuery], path: String) {
    (self.dictionary, self.examples) = (dictionary, examples)
    database = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  /// The file's text.
  var json: JSONTree {
    .object([
      ("title", .text("App Store purchases")),
      (
        "description",
        .text("What Apple said of an app's purchases, and what follows from it: who has access, and why.")
      ),
      (
        "databases",
        .object([
          (
            database,
            .object([
              ("description_html", .text(introduction)), ("queries", .object(examples.map(query))),
              ("tables", .object(dictionary.relations.map(relation))),
            ])
          )
        ])
      ),
    ])
  }

  /// Datasette lists views by the alphabet and says nothing of them there: so these are named first, in words.
  private var introduction: String {
    let views = dictionary.relations.filter { $0.group == .public && $0.kind == .view }
    // Datasette hides what begins with a hidden table's name too.
    let hidden = dictionary.relations.filter(isStumbledOver).map(\.name)
    let tables = dictionary.relations.filter { $0.group == .public && hidden.contains(where: $0.name.hasPrefix) }
    return """
      <p>Instants are milliseconds since 1970, money is in milliunits of its currency (9990 is 9.99), flags are 0 or 1. \
      The views answer for now. Name an environment: Production, Sandbox and all others stand side by side.</p>\
      <p>Begin with a query below, or with one of these views:</p><ul>\(views.map { item($0) }.joined())</ul>\
      <p>Tables that are shown without labels:</p><ul>\(tables.map { item($0, "?_labels=off") }.joined())</ul>
      """
  }

  private func item(_ relation: DataDictionary.Relation, _ settings: String = "") -> String {
    let link = "\(Self.encoded(database))/\(relation.name)\(settings)"
    return "<li><a href=\"\(link)\">\(relation.name)</a>: \(Self.escaped(relation.summary))</li>"
  }

  /// Whether Datasette 0.65 fails at a table's page: a reference that names no column, to a table whose rows it would call
  /// by their `name`, is more than it can follow (simonw/datasette#1995). Without labels it shows the table.
  private func isStumbledOver(_ relation: DataDictionary.Relation) -> Bool {
    relation.references.contains { name in
      dictionary.relation(name)?.columns.contains { ["name", "title"].contains($0.name) } ?? false
    }
  }

  private func query(_ example: ExampleQuery) -> (name: String, value: JSONTree) {
    (
      example.name,
      .object([
        ("title", .text(example.title)), ("description", .text(example.description)), ("sql", .text(example.sql)),
        ("hide_sql", .flag(true)),
      ])
    )
  }

  private func relation(_ relation: DataDictionary.Relation) -> (name: String, value: JSONTree) {
    var members: [(name: String, value: JSONTree)] = [("description", .text(relation.comment))]
    if relation.group != .public || isStumbledOver(relation) { members.append(("hidden", .flag(true))) }
    // Views cannot be hidden; what may not be looked at is not listed either, and SQL reads it all the same.
    if relation.group == .step, relation.kind == .view { members.append(("allow", .flag(false))) }
    members.append(("columns", .object(relation.columns.map { ($0.name, .text($0.comment)) })))
    // Of instants and money Datasette would make seconds and thousands; lengths in bytes gain by it.
    let lengths = relation.columns.filter { $0.name == "byte_count" }
    if !lengths.isEmpty { members.append(("units", .object(lengths.map { ($0.name, .text("byte")) }))) }
    return (relation.name, .object(members))
  }

  /// A database's name in a path, as Datasette writes it.
  private static func encoded(_ name: String) -> String {
    name.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      if scalar == " " { return "+" }
      if scalar.isASCII,
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "_-".unicodeScalars.contains(scalar)
      {
        return String(scalar)
      }
      return "~" + String(format: "%02X", byte)
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

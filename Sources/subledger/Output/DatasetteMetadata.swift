import Foundation
import Ledger

/// The `metadata.json` of Datasette for a ledger: descriptions, hidden tables and example queries.
struct DatasetteMetadata {
  let dictionary: DataDictionary
  let examples: [ExampleQuery]
  /// The name that Datasette gives to the database: its file name without the last ending.
  let database: String

  init(dictionary: DataDictionary, examples: [ExampleQuery], path: String) {
    (self.dictionary, self.examples) = (dictionary, examples)
    database = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  /// The contents of `metadata.json`.
  var json: JSONTree {
    .object([
      ("title", .text("App Store purchases")),
      (
        "description",
        .text("What Apple states about an app's purchases, and what follows from it: who has access, and why.")
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

  /// The introduction, which describes the public views first. Datasette lists views by name, without descriptions.
  private var introduction: String {
    let views = dictionary.relations.filter { $0.group == .public && $0.kind == .view }
    // Datasette also hides every table whose name begins with the name of a hidden table.
    let hidden = dictionary.relations.filter(isStumbledOver).map(\.name)
    let tables = dictionary.relations.filter { $0.group == .public && hidden.contains(where: $0.name.hasPrefix) }
    return """
      <p>Instants are milliseconds since 1970. Money is in milliunits of its currency: 9990 is 9.99. Flags are 0 or 1. \
      The views answer for now. They have rows of every environment. Choose one.</p>\
      <p>Begin with a query or one of these views:</p><ul>\(views.map { item($0) }.joined())</ul>\
      <p>Tables without labels:</p><ul>\(tables.map { item($0, "?_labels=off") }.joined())</ul>
      """
  }

  private func item(_ relation: DataDictionary.Relation, _ settings: String = "") -> String {
    let link = "\(Self.encoded(database))/\(relation.name)\(settings)"
    return "<li><a href=\"\(link)\">\(relation.name)</a>: \(Self.escaped(relation.summary))</li>"
  }

  /// Returns whether Datasette 0.65 fails to show a table's page (simonw/datasette#1995).
  ///
  /// It fails for a reference without a column, to a table that it would label with a `name` or a `title`. Without
  /// labels it shows the table.
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
    // Datasette cannot hide a view. A view without permission is not listed, and SQL can still read it.
    if relation.group == .step, relation.kind == .view { members.append(("allow", .flag(false))) }
    members.append(("columns", .object(relation.columns.map { ($0.name, .text($0.comment)) })))
    // Datasette would show instants and money with wrong units. Only lengths in bytes become clearer with a unit.
    let lengths = relation.columns.filter { $0.name == "byte_count" }
    if !lengths.isEmpty { members.append(("units", .object(lengths.map { ($0.name, .text("byte")) }))) }
    return (relation.name, .object(members))
  }

  /// Returns a database's name with the escapes that Datasette uses in a path.
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

internal import GRDB

/// Descriptions of all tables, views and columns of a ledger: the purpose, the unit, and the meaning of NULL.
public struct DataDictionary: Sendable {
  /// A column of a table or view.
  public struct Column: Sendable, Equatable {
    /// The column's name in SQL.
    public let name: String
    /// The SQL type: `INTEGER`, `TEXT` or `BLOB`.
    public let type: String
    /// The column's purpose, its unit, and the meaning of NULL. Empty for some columns of steps.
    public let comment: String
  }

  /// A table or a view, with its columns.
  public struct Relation: Sendable, Equatable {
    /// The kind of a relation in SQL.
    public enum Kind: String, Sendable {
      /// A table, which holds recorded rows.
      case table
      /// A view, which derives its rows.
      case view
    }

    /// The readers for whom a relation is made.
    public enum Group: String, Sendable {
      /// For analysts, and for everyone else who queries the ledger.
      case `public`
      /// For other views: a step of a derivation.
      case step
      /// For the program: stored results of views.
      case projection
      /// For the file itself: it protects the evidence and stores texts.
      case machinery
    }

    /// The relation's name in SQL.
    public let name: String
    /// The relation's kind: a table or a view.
    public let kind: Kind
    /// The readers for whom the relation is made.
    public let group: Group
    /// A description of the rows.
    public let comment: String
    /// The columns, in the order of the table or view.
    public let columns: [Column]
    /// The names of the tables that its foreign keys refer to, sorted.
    public let references: [String]

    /// The first sentence of the comment, with its full stop.
    public var summary: String {
      guard let end = comment.firstRange(of: ". ") else { return comment }
      return String(comment[..<end.lowerBound]) + "."
    }
  }

  /// All relations: public views, then public tables, then the other groups. Each part is in the order of the data dictionary.
  public let relations: [Relation]

  /// Returns the relation of a name, or `nil` when there is none.
  public func relation(_ name: String) -> Relation? { relations.first { $0.name == name } }

  /// Returns existing names that resemble a name, the closest first.
  /// - Parameters:
  ///   - name: a name that the dictionary does not contain. Upper and lower case are equal.
  ///   - limit: the most names to return.
  public func nearest(to name: String, limit: Int = 5) -> [String] {
    Self.nearest(to: name, among: relations.map(\.name), limit: limit)
  }

  /// Returns columns that resemble a name, the closest first, of the tables and views whose names are in a statement.
  package func nearestColumn(to name: String, in sql: String) -> [String] {
    let words = Set(sql.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let columns = relations.filter { words.contains($0.name) }.flatMap(\.columns).map(\.name)
    return Self.nearest(to: name, among: Set(columns).sorted(), limit: 3)
  }

  /// Returns those of some names that are spelt most like a name, nearest first.
  public static func nearest(to name: String, among names: [String], limit: Int = 5) -> [String] {
    let wanted = name.lowercased()
    let distances = names.map { name in
      let isPart = wanted.count > 2 && (name.contains(wanted) || wanted.contains(name))
      return (name, isPart ? 1 : distance(Array(wanted.utf8), Array(name.utf8)))
    }
    let near = distances.filter { $0.1 <= max(2, wanted.count / 3) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    return near.prefix(limit).map(\.0)
  }

  /// Returns the Levenshtein distance of two words: how many bytes to insert, delete or change.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, otherLetter) in other.enumerated() {
        let changed = diagonal + (letter == otherLetter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[other.count]
  }
}

extension DataDictionary.Relation.Group {
  fileprivate init(_ relation: SchemaRelations.Relation) {
    self =
      relation.isMachinery || relation.isService && !relation.isAppendOnly
      ? .machinery : relation.isProjection && !relation.isPublic ? .projection : relation.isStep ? .step : .public
  }
}

extension DataDictionary {
  /// A table or view in the form in which SQLite reports it.
  struct Described {
    let name: String
    let kind: Relation.Kind
    let columns: [(name: String, type: String)]
    var references: [String] = []
  }

  /// Adds the comments of a script to relations. A column without a comment of its own takes the first comment of a
  /// column with its name. A view without a comment in the script is a step, and has the comment of its file.
  /// - Throws: `CommentScript/ParseError` when the script contains an unknown mark.
  init(_ described: [Described], _ script: CommentScript, views: [Schema.Script] = []) throws {
    let marks = try SchemaRelations(script, views: views)
    let summaries = Dictionary(views.map { ($0.name, $0.summary) }) { first, _ in first }
    var comments: [CommentScript.Target: (index: Int, text: String)] = [:]
    var inherited: [String: String] = [:]
    for (index, comment) in script.comments.enumerated() {
      comments[comment.target] = (index, comment.text)
      if case .column(let name, _) = comment.target, inherited[name] == nil { inherited[name] = comment.text }
    }
    let declared = described.filter { $0.kind == .table }.flatMap(\.columns)
    let integers = Set(declared.filter { $0.type == "INTEGER" }.map(\.name))
    func type(_ column: (name: String, type: String), _ kind: Relation.Kind) -> String {
      if kind == .table { return column.type }
      return integers.contains(column.name) || marks.isComputedInteger(column.name) ? "INTEGER" : "TEXT"
    }
    let relations = described.map { relation in
      let found = comments[relation.kind == .table ? .table(relation.name) : .view(relation.name)]
      let comment = found?.text ?? summaries[relation.name] ?? ""
      let columns = relation.columns.map { column in
        let text = comments[.column(column.name, of: relation.name)]?.text ?? inherited[column.name] ?? ""
        return Column(name: column.name, type: type(column, relation.kind), comment: text)
      }
      let group = marks[relation.name].map(Relation.Group.init) ?? .public
      return (
        found?.index ?? Int.max,
        Relation(
          name: relation.name, kind: relation.kind, group: group, comment: comment, columns: columns,
          references: relation.references)
      )
    }
    func rank(_ relation: Relation) -> Int { relation.group != .public ? 2 : relation.kind == .table ? 1 : 0 }
    self.relations = relations.sorted { (rank($0.1), $0.0, $0.1.name) < (rank($1.1), $1.0, $1.1.name) }.map(\.1)
  }

  /// Returns the tables and views of a new ledger, without SQLite's own. SQLite itself reports them, because only SQLite
  /// knows a view's columns.
  static func described() throws -> [Described] {
    try DatabaseQueue().write { database in
      _ = try Schema.runMigrations(database)
      let names = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'")
      let tables = try names.map { name in
        let columns = try Row.fetchAll(
          database, sql: "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
        let references = try String.fetchAll(
          database, sql: "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?) ORDER BY 1", arguments: [name])
        return Described(
          name: name, kind: .table, columns: columns.map { ($0["name"], $0["type"]) }, references: references)
      }
      return try tables + Schema.views.map { try described($0, database) }
    }
  }

  /// Describes a view, and makes an empty table with its name and columns, for the views that read it. Over the views
  /// themselves, SQLite would repeat the text of every view that a view reads: for all of them, a second of work.
  private static func described(_ view: Schema.Script, _ database: Database) throws -> Described {
    let columns = try database.makeStatement(sql: String(view.body)).columnNames
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    try database.execute(sql: "CREATE TABLE \(view.name) (\(list))")
    return Described(name: view.name, kind: .view, columns: columns.map { ($0, "") })
  }
}

extension DataDictionary {
  /// Returns the descriptions of the tables, views and columns that this version of the library creates. It reads no
  /// file.
  /// - Throws: `CommentScript/ParseError`, or an error of SQLite, when the embedded schema is invalid.
  public static func current() throws -> DataDictionary { try made.get() }

  private static let made = Result {
    try DataDictionary(described(), CommentScript(Schema.dataDictionary.sql), views: Schema.everyView)
  }
}

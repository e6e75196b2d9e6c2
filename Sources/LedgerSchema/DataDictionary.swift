internal import GRDB

/// What every table, view and column of a ledger is for, in which unit, and what NULL means.
public struct DataDictionary: Sendable {
  /// A column of a relation.
  public struct Column: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// `INTEGER`, `TEXT` or `BLOB`.
    public let type: String
    /// What it is for, its unit, and what NULL means.
    public let comment: String
  }

  /// A table or a view.
  public struct Relation: Sendable, Equatable {
    /// The two kinds.
    public enum Kind: String, Sendable {
      /// Rows that are recorded.
      case table
      /// Rows that are derived.
      case view
    }

    /// Whom it is for.
    public enum Group: String, Sendable {
      /// Analysts, and everyone else who asks.
      case `public`
      /// Other views: a step of a derivation.
      case step
      /// The program: stored results of views.
      case projection
      /// The file itself: how it guards itself and stores texts.
      case machinery
    }

    /// Its name.
    public let name: String
    /// Table or view.
    public let kind: Kind
    /// Whom it is for.
    public let group: Group
    /// What it holds.
    public let comment: String
    /// Its columns, in their order.
    public let columns: [Column]
    /// The tables that its rows refer to.
    public let references: [String]

    /// The first sentence of its comment.
    public var summary: String {
      guard let end = comment.firstRange(of: ". ") else { return comment }
      return String(comment[..<end.lowerBound]) + "."
    }
  }

  /// All of them: public views, public tables, steps; each in the order of the dictionary's text.
  public let relations: [Relation]

  /// One by its name.
  public func relation(_ name: String) -> Relation? { relations.first { $0.name == name } }

  /// The names that come nearest to one that there is not, the nearest first.
  public func nearest(to name: String, limit: Int = 5) -> [String] {
    let wanted = name.lowercased()
    let distances = relations.map { relation in
      let isPart = wanted.count > 2 && (relation.name.contains(wanted) || wanted.contains(relation.name))
      return (relation.name, isPart ? 1 : Self.distance(Array(wanted.utf8), Array(relation.name.utf8)))
    }
    let near = distances.filter { $0.1 <= max(2, wanted.count / 3) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    return near.prefix(limit).map(\.0)
  }

  /// How many letters must be put in, left out or changed to make one word of another.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (place, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = place + 1
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
  fileprivate init(_ relation: Manifest.Relation) {
    self = relation.isMachinery ? .machinery : relation.isProjection ? .projection : relation.isStep ? .step : .public
  }
}

extension DataDictionary {
  /// A relation as SQLite describes it.
  struct Described {
    let name: String
    let kind: Relation.Kind
    let columns: [(name: String, type: String)]
    var references: [String] = []
  }

  /// Puts comments to relations: a column without one has that of the first column of the same name that has.
  /// - Throws: ``CommentScript/ParseError``.
  init(_ described: [Described], _ script: CommentScript) throws {
    let manifest = try Manifest(script)
    var comments: [CommentScript.Target: (place: Int, text: String)] = [:]
    var inherited: [String: String] = [:]
    for (place, comment) in script.comments.enumerated() {
      comments[comment.target] = (place, comment.text)
      if case .column(let name, _) = comment.target, inherited[name] == nil { inherited[name] = comment.text }
    }
    let declared = described.filter { $0.kind == .table }.flatMap(\.columns)
    let integers = Set(declared.filter { $0.type == "INTEGER" }.map(\.name))
    func type(_ column: (name: String, type: String), _ kind: Relation.Kind) -> String {
      if kind == .table { return column.type }
      return integers.contains(column.name) || manifest.isComputedInteger(column.name) ? "INTEGER" : "TEXT"
    }
    let relations = described.map { relation in
      let found = comments[relation.kind == .table ? .table(relation.name) : .view(relation.name)]
      let comment = found?.text ?? ""
      let columns = relation.columns.map { column in
        let text = comments[.column(column.name, of: relation.name)]?.text ?? inherited[column.name] ?? ""
        return Column(name: column.name, type: type(column, relation.kind), comment: text)
      }
      let group = manifest[relation.name].map(Relation.Group.init) ?? .public
      return (
        found?.place ?? Int.max,
        Relation(
          name: relation.name, kind: relation.kind, group: group, comment: comment, columns: columns,
          references: relation.references)
      )
    }
    func rank(_ relation: Relation) -> Int { relation.group != .public ? 2 : relation.kind == .table ? 1 : 0 }
    self.relations = relations.sorted { (rank($0.1), $0.0, $0.1.name) < (rank($1.1), $1.0, $1.1.name) }.map(\.1)
  }

  /// The tables and views that this program makes, but for SQLite's and GRDB's own: as SQLite itself sees them, because
  /// only it knows a view's columns.
  static func described() throws -> [Described] {
    try DatabaseQueue().write { database in
      try Schema.migrate(database)
      let relations = try Row.fetchAll(
        database,
        sql: """
          SELECT name, type FROM sqlite_schema
          WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'
          """)
      return try relations.map { relation in
        let name: String = relation["name"]
        let columns = try Row.fetchAll(
          database, sql: "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
        let references = try String.fetchAll(
          database, sql: "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?) ORDER BY 1", arguments: [name])
        return Described(
          name: name, kind: relation["type"] == "view" ? .view : .table,
          columns: columns.map { ($0["name"], $0["type"]) }, references: references)
      }
    }
  }
}

extension DataDictionary {
  /// Returns what the tables, views and columns of this version are for; no file is needed.
  public static func current() throws -> DataDictionary {
    try DataDictionary(described(), CommentScript(Schema.manifest.sql))
  }
}

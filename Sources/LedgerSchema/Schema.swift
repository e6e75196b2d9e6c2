package import GRDB
internal import Synchronization

/// The migrations and views of `Migrations/`, in order, as they are embedded in the program.
package enum Schema {
  package struct Script: Sendable {
    package let name: String
    let sql: String

    init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      sql = String(decoding: bytes, as: UTF8.self)
    }

    /// Returns this text as another view, over other relations.
    /// - Parameter names: the names to replace, this script's own name among them, each with its replacement.
    func renaming(_ names: [String: String]) -> Script {
      Script(names[name] ?? name, Array(sql.replacingWords(names).utf8))
    }
  }

  /// The schema that one version of the program gives to a file. Tests define one more version.
  package struct Version: Sendable {
    let migrations: [Script]
    private let makeRelations: @Sendable () -> SchemaRelations

    /// The data dictionary. It is parsed only when something needs it, because most files have every migration.
    var relations: SchemaRelations { makeRelations() }

    init(migrations: [Script], relations: @autoclosure @escaping @Sendable () -> SchemaRelations) {
      (self.migrations, makeRelations) = (migrations, relations)
    }

    package static let current = Version(migrations: Schema.migrations, relations: .current)
  }

  /// SQLite's application id of a ledger, "subl" in ASCII. It distinguishes a ledger from other SQLite files.
  package static let applicationID: Int32 = 0x7375_626C

  /// The views that hold the parameters of a query. Other engines have tables in their place.
  static let parameterRelations = SchemaRelations.current.relations.filter(\.isParameter).map(\.name)

  /// Returns views, with all views that they read. ``closure(of:)`` also finds tables, which takes longer.
  static func derivation(of names: [String]) -> Set<String> {
    var found: Set<String> = []
    var waiting = names
    while let name = waiting.popLast() {
      if found.insert(name).inserted { waiting += part(name)?.needs ?? [] }
    }
    return found
  }

  /// Returns the names of the migrations that a file contains. (GRDB's migrator commits each migration by itself. An
  /// upgrade must succeed completely or change nothing.)
  package static func applied(_ database: Database) throws -> Set<String> {
    guard try database.hasTable("schema_migration") else { return [] }
    return try Set(String.fetchAll(database, sql: "SELECT name FROM main.schema_migration"))
  }

  /// Returns whether a file is older than version 1.0 of the schema. The program reads none of its tables.
  package static func isObsolete(_ database: Database) throws -> Bool { try database.hasTable("grdb_migrations") }

  /// Returns SQLite's schema version, a number that changes with every change of the file's schema.
  package static func version(_ database: Database) throws -> Int? {
    try Int.fetchOne(database.cachedStatement(sql: "PRAGMA main.schema_version"))
  }

  /// Returns whether a file has every migration of a version.
  package static func isComplete(_ database: Database, _ version: Version = .current) throws -> Bool {
    try applied(database).isSuperset(of: version.migrations.map(\.name))
  }

  /// Returns whether a file has migrations that this program does not know.
  package static func isSuperseded(_ database: Database, _ version: Version = .current) throws -> Bool {
    try !applied(database).isSubset(of: version.migrations.map(\.name))
  }

  /// Runs the migrations that a file lacks, inside the transaction of its caller. Then generates guards and views where
  /// their text differs, unless a newer program made them.
  /// - Parameters:
  ///   - database: the connection to the file.
  ///   - version: the version to reach.
  ///   - progress: called before each migration with its number, from 1, and the count of migrations to run.
  package static func migrate(
    _ database: Database, to version: Version = .current, progress: (_ number: Int, _ count: Int) -> Void = { _, _ in }
  ) throws {
    let missing = try runMigrations(database, of: version, progress: progress)
    if try missing > 0 || shouldGenerate(database) { try generate(database, version.relations) }
  }

  /// Runs the migrations that a file lacks, without guards and views.
  /// - Returns: how many it lacked.
  static func runMigrations(
    _ database: Database, of version: Version = .current, progress: (_ number: Int, _ count: Int) -> Void = { _, _ in }
  ) throws -> Int {
    let applied = try applied(database)
    let missing = version.migrations.filter { !applied.contains($0.name) }
    if applied.isEmpty {
      try database.execute(sql: "CREATE TABLE schema_migration (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
    }
    // SQLite parses every view again at each ALTER TABLE, and refuses one that a view does not agree with.
    if !missing.isEmpty { try dropViews(database) }
    for (index, script) in missing.enumerated() {
      progress(index + 1, missing.count)
      try database.execute(sql: script.sql)
      try database.execute(sql: "INSERT INTO schema_migration VALUES (?)", arguments: [script.name])
    }
    return missing.count
  }

  static func dropViews(_ database: Database) throws {
    for name in try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'view'") {
      try database.execute(sql: "DROP VIEW main.\(name.quotedDatabaseIdentifier)")
    }
  }

  /// Creates the program's own views as temporary views on this connection. They hide the file's views of the same
  /// names and read other parameter relations. So one text answers for any instants, and a read-only or older file
  /// needs no change. Only the needed views are created, because SQLite takes longer to parse fifty views than to
  /// answer for one subscription.
  /// - Parameters:
  ///   - names: views to create. Names of other relations are ignored.
  ///   - database: the connection to the file.
  ///   - temporaryViews: the views that this connection has already. The created ones are added.
  package static func createTemporaryViews(_ names: [String], on database: Database, temporaryViews: inout Set<String>)
    throws
  {
    for name in names where !temporaryViews.contains(name) {
      try createTemporaryView(name, as: name, on: database, temporaryViews: &temporaryViews)
    }
  }

  /// Creates one of the program's views as a temporary view under another name. A temporary table can then have its own
  /// name.
  package static func createTemporaryView(
    _ name: String, as other: String, on database: Database, temporaryViews: inout Set<String>
  )
    throws
  {
    guard let view = part(name) else { return }
    // Inserted before the recursion, so that a view's name in a comment of its own text cannot start it again.
    temporaryViews.insert(name)
    try createTemporaryViews(view.needs, on: database, temporaryViews: &temporaryViews)
    try database.execute(sql: "CREATE TEMP VIEW \(other) AS " + view.body)
  }

  /// Returns the given views and all relations that they read, directly or through other views.
  package static func closure(of names: [String]) -> Set<String> {
    closures.withLock { closures in
      var found: Set<String> = []
      for name in names { found.formUnion(closure(of: name, &closures)) }
      return found
    }
  }

  private static func closure(of name: String, _ known: inout [String: Set<String>]) -> Set<String> {
    if let closure = known[name] { return closure }
    var found: Set = [name]
    // Stored before the recursion, so that a view's name in a comment of its own text cannot start it again.
    known[name] = found
    for need in view(name)?.sources ?? [] { found.formUnion(closure(of: need, &known)) }
    known[name] = found
    return found
  }

  private static let closures = Mutex<[String: Set<String>]>([:])

  /// Returns a view's text from its SELECT on, with the views that it reads. Each is found once for all connections,
  /// when it is first used.
  private static func part(_ name: String) -> Part? {
    parts.withLock { parts in
      if let part = parts[name] { return part }
      guard let view = view(name) else { return nil }
      let part = Part(body: String(view.body), needs: Array(view.needs(among: viewNames, marks: viewMarks)))
      parts[name] = part
      return part
    }
  }

  private struct Part {
    var body: String
    var needs: [String]
  }

  private static let parts = Mutex<[String: Part]>([:])

  private static let viewMarks = Script.marks(of: viewNames)
}

extension Schema.Script {
  /// The lines of comment above the view, without the dashes.
  private var head: [Substring] {
    sql.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("--") }
      .map { $0.dropFirst(2).drop { $0 == " " } }
  }

  /// What the text says first of the view: the first paragraph of its comment.
  var summary: String { head.prefix { !$0.isEmpty && $0.first != "@" }.joined(separator: " ") }

  /// The lines `-- @word value, value` above the view: each word with its values.
  var marks: [String: [String]] {
    var marks: [String: [String]] = [:]
    for line in head where line.first == "@" { CommentScript.addMark(line.dropFirst(), to: &marks) }
    return marks
  }

  /// The columns whose values identify a row, as the line `@key` of the text names them; `nil` without such a line.
  package var key: String? { marks["key"]?.joined(separator: ", ") }

  /// The view's text from its SELECT on.
  package var body: Substring {
    // The text begins with a comment, and every file has CREATE VIEW name AS on one line.
    let head = "CREATE VIEW \(name) AS\n"
    var rest = Substring(sql)
    while !rest.hasPrefix(head), let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
      rest = rest[rest.utf8.index(after: end)...]
    }
    return rest.dropFirst(head.count)
  }

  /// The tables and views that follow FROM or JOIN in a view's text. ``needs(among:)`` is faster, but it mistakes a
  /// column for a view of the same name.
  package var sources: Set<String> {
    let code = body.split(separator: "\n").map { $0.split(separator: "--", maxSplits: 1).first ?? "" }
    let text = code.joined(separator: " ")
    return Set(text.matches(of: /\b(?:FROM|JOIN)\s+(?:temp\.|main\.)?([a-z_]+)/).map { String($0.1) })
  }

  /// Returns the views that a view reads: the words of its text, without comments, that are names of views. Every start
  /// of the program calls this for many views. So only words that look like a name become strings.
  package func needs(among names: Set<String>) -> Set<String> { needs(among: names, marks: Self.marks(of: names)) }

  /// Returns the views that a view reads.
  /// - Parameter marks: the names' ``marks(of:)``, which a caller with many views makes once.
  func needs(among names: Set<String>, marks: Set<Int>) -> Set<String> {
    var found: Set<String> = []
    var text = sql
    text.withUTF8 { bytes in
      var offset = bytes.count - body.utf8.count
      while offset < bytes.count {
        if bytes[offset] == UInt8(ascii: "-"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "-") {
          while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
        }
        let start = offset
        var mark = 0
        while offset < bytes.count, Self.isLetter(bytes[offset]) {
          mark = Self.mark(mark, bytes[offset])
          offset += 1
        }
        if offset == start {
          offset += 1
        } else if marks.contains(mark) {
          found.insert(String(decoding: bytes[start..<offset], as: UTF8.self))
        }
      }
    }
    return found.intersection(names).subtracting([name])
  }

  /// Returns a hash of each name. Few words have equal hashes.
  static func marks(of names: Set<String>) -> Set<Int> { Set(names.map { $0.utf8.reduce(0, mark) }) }

  /// Adds a letter to a word's hash.
  private static func mark(_ mark: Int, _ letter: UInt8) -> Int { (mark &* 31) &+ Int(letter) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
  }
}

extension Database {
  /// Returns whether the file has a table. GRDB's own method first reads the whole schema.
  package func hasTable(_ name: String) throws -> Bool {
    try Bool.fetchOne(
      self, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?)", arguments: [name]
    ) == true
  }
}

extension String {
  /// Returns the text with whole words (of letters and underscores) replaced by other words.
  func replacingWords(_ words: [String: String]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count * 2)
    let words = Dictionary(uniqueKeysWithValues: words.map { (Array($0.utf8), Array($1.utf8)) })
    var word: [UInt8] = []
    func end() {
      result += words[word] ?? word
      word.removeAll(keepingCapacity: true)
    }
    for byte in utf8 {
      switch byte {
      // Every byte of a character outside of ASCII counts as a letter.
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
        word.append(byte)
      default:
        if !word.isEmpty { end() }
        result.append(byte)
      }
    }
    end()
    return String(decoding: result, as: UTF8.self)
  }
}

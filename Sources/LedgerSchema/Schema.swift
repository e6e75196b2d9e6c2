internal import Crypto
package import GRDB
internal import Synchronization

/// The steps and views of `Migrations/`, in order, as they are embedded in the program.
package enum Schema {
  package struct Script: Sendable {
    package let name: String
    let sql: String

    init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      sql = String(decoding: bytes, as: UTF8.self)
    }

    /// The same text as another view, over other relations.
    /// - Parameter names: what stands in place of which names, this script's own among them.
    func again(_ names: [String: String]) -> Script {
      Script(names[name] ?? name, Array(sql.replacingWords(names).utf8))
    }
  }

  /// What one version of the program makes of a file: tests know one more.
  package struct Version: Sendable {
    let migrations: [Script]
    let manifest: Manifest
    package static let current = Version(migrations: Schema.migrations, manifest: .current)
  }

  /// "subl": tells a ledger from any other SQLite file.
  package static let applicationID: Int32 = 0x7375_626C

  /// Views that ask, and that views read as parameters: elsewhere they are tables, to be filled.
  static let parameterRelations = Manifest.current.relations.filter(\.isParameter).map(\.name)

  /// Changes whenever the text of a view or a guard does.
  package static let viewDigest: String = {
    var hash = SHA256()
    for script in views + [manifest] { hash.update(data: Array(script.sql.utf8)) }
    let guards = Guards.triggers(
      of: "t", keys: [true, false].map { Guards.Key(columns: ["a", "b"], isRowNumber: $0) })
    for guardText in guards { hash.update(data: Array(guardText.utf8)) }
    return hash.finalize().prefix(16).map { String($0, radix: 16) }.joined()
  }()

  /// The migrations that a file has had. (GRDB's migrator commits each by itself; an upgrade is to happen whole or not at
  /// all.)
  package static func applied(_ database: Database) throws -> Set<String> {
    guard try database.tableExists("schema_migration") else { return [] }
    return try Set(String.fetchAll(database, sql: "SELECT name FROM main.schema_migration"))
  }

  /// Whether a file was made before version 1.0 of the schema: none of its tables is read.
  package static func isObsolete(_ database: Database) throws -> Bool { try database.tableExists("grdb_migrations") }

  /// A number that changes whenever anything in the file's schema does.
  package static func version(_ database: Database) throws -> Int? {
    try Int.fetchOne(database.cachedStatement(sql: "PRAGMA main.schema_version"))
  }

  /// Whether a file has every migration.
  package static func isComplete(_ database: Database, _ version: Version = .current) throws -> Bool {
    try applied(database).isSuperset(of: version.migrations.map(\.name))
  }

  /// Whether a file has migrations that this program does not know.
  package static func isSuperseded(_ database: Database, _ version: Version = .current) throws -> Bool {
    try !applied(database).isSubset(of: version.migrations.map(\.name))
  }

  /// Takes the migrations that a file has not had, and generates guards and views where their text is another, inside its
  /// caller's transaction.
  /// - Parameter progress: called before each migration, with its number, from 1, and how many there are.
  package static func migrate(
    _ database: Database, to version: Version = .current, progress: (_ number: Int, _ count: Int) -> Void = { _, _ in }
  ) throws {
    let applied = try applied(database)
    let missing = version.migrations.filter { !applied.contains($0.name) }
    if applied.isEmpty {
      try database.execute(sql: "CREATE TABLE schema_migration (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
    }
    for (place, script) in missing.enumerated() {
      progress(place + 1, missing.count)
      try database.execute(sql: script.sql)
      try database.execute(sql: "INSERT INTO schema_migration VALUES (?)", arguments: [script.name])
    }
    if try !missing.isEmpty || !hasPresentViews(database) { try generate(database, version.manifest) }
  }

  /// Whether the file's views have their present text: nearly always, and then opening it writes nothing.
  package static func hasPresentViews(_ database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT digest FROM generated_schema") == viewDigest
  }

  /// Brings views and guards to their present text, in one transaction with whatever its caller does.
  package static func generate(_ database: Database, _ manifest: Manifest = .current) throws {
    for name in try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'view'") {
      try database.execute(sql: "DROP VIEW main.\(name.quotedDatabaseIdentifier)")
    }
    // Between the views: where there are any, SQLite's list of tables works out the columns of all of them.
    try Guards.generate(database, manifest)
    for view in views { try database.execute(sql: view.sql) }
    // What is kept for metrics was derived by the texts before.
    try database.execute(sql: "DELETE FROM main.projection_metric_coverage")
    try database.execute(sql: "DELETE FROM generated_schema")
    try database.execute(sql: "INSERT INTO generated_schema VALUES (?)", arguments: [viewDigest])
  }

  /// Lays the program's own views over the file's, on this connection alone, above other relations of questions: so the
  /// same texts answer for any instants, and a read-only or older file needs no change. Only those that are needed:
  /// SQLite spends more time on reading fifty views than on answering for a line.
  /// - Parameters:
  ///   - names: views, or relations that are there already.
  ///   - overlaid: what this connection has; added to.
  package static func overlay(_ names: [String], on database: Database, overlaid: inout Set<String>) throws {
    for name in names where !overlaid.contains(name) { try overlay(name, as: name, on: database, overlaid: &overlaid) }
  }

  /// Lays one view over the file's under another name, so that a table can have its own.
  package static func overlay(_ name: String, as other: String, on database: Database, overlaid: inout Set<String>) throws {
    guard let view = part(name) else { return }
    // First, so that a mention of it further down, in a comment, leads nowhere.
    overlaid.insert(name)
    try overlay(view.needs, on: database, overlaid: &overlaid)
    try database.execute(sql: "CREATE TEMP VIEW \(other) AS " + view.body)
  }

  /// Returns these views and all that they read, themselves or by others.
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
    // First, so that a mention of it further down, in a comment, leads nowhere.
    known[name] = found
    for need in views.first(where: { $0.name == name })?.sources ?? [] { found.formUnion(closure(of: need, &known)) }
    known[name] = found
    return found
  }

  private static let closures = Mutex<[String: Set<String>]>([:])

  /// A view's text from its SELECT on, and the views that it reads: found when it is first overlaid, and once, because every
  /// connection lays some.
  private static func part(_ name: String) -> Part? {
    parts.withLock { parts in
      if let part = parts[name] { return part }
      guard let view = views.first(where: { $0.name == name }) else { return nil }
      let part = Part(body: String(view.body), needs: Array(view.needs(among: viewNames)))
      parts[name] = part
      return part
    }
  }

  private struct Part {
    var body: String
    var needs: [String]
  }

  private static let parts = Mutex<[String: Part]>([:])

  private static let viewNames = Set(views.map(\.name))
}

extension Schema.Script {
  /// A view's text from its SELECT on.
  package var body: Substring {
    // The text opens with why, and every file says CREATE VIEW name AS on a line of its own.
    let head = "CREATE VIEW \(name) AS\n"
    var rest = Substring(sql)
    while !rest.hasPrefix(head), let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
      rest = rest[rest.utf8.index(after: end)...]
    }
    return rest.dropFirst(head.count)
  }

  /// The tables and views that follow FROM or JOIN in a view's text. ``needs(among:)`` is faster, and takes a column for the
  /// view of its name.
  package var sources: Set<String> {
    let code = body.split(separator: "\n").map { $0.split(separator: "--", maxSplits: 1).first ?? "" }
    let text = code.joined(separator: " ")
    return Set(text.matches(of: /\b(?:FROM|JOIN)\s+(?:temp\.|main\.)?([a-z_]+)/).map { String($0.1) })
  }

  /// The views that a view reads: the words of its text, without comments, that are names of views. Every start of the
  /// program asks it of many views, so only words that look like a name are made a text.
  package func needs(among names: Set<String>) -> Set<String> {
    let marks = Set(names.map { $0.utf8.withContiguousStorageIfAvailable(Self.mark) ?? 0 })
    var found: Set<String> = []
    var text = sql
    text.withUTF8 { bytes in
      var place = bytes.count - body.utf8.count
      while place < bytes.count {
        if bytes[place] == UInt8(ascii: "-"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "-") {
          while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
        }
        let start = place
        while place < bytes.count, Self.isLetter(bytes[place]) { place += 1 }
        if place > start {
          let word = UnsafeBufferPointer(rebasing: bytes[start..<place])
          if marks.contains(Self.mark(word)) { found.insert(String(decoding: word, as: UTF8.self)) }
        } else {
          place += 1
        }
      }
    }
    return found.intersection(names).subtracting([name])
  }

  /// A number of a word, which few words share.
  private static func mark(_ word: UnsafeBufferPointer<UInt8>) -> Int {
    word.reduce(word.count) { ($0 &* 31) &+ Int($1) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}

extension String {
  /// The same text with other words in place of whole words (of letters and underscores).
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
      // Every byte of a character beyond ASCII is as good as a letter.
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

internal import Crypto
internal import Foundation
package import GRDB

/// A difference between a file's schema and the schema that this program makes.
package struct SchemaDifference: Sendable, Equatable {
  /// The type and name of the table, view, index or trigger.
  package var object: String
  /// The difference, in words that follow the object's name.
  package var detail: String
}

/// Compares the file's schema with the schema that this program makes. Somebody may have removed a trigger that refuses
/// changes, added a trigger that inserts rows, or changed a view.
package struct SchemaAudit {
  private let database: Database
  private let version: Schema.Version

  package init(_ database: Database, _ version: Schema.Version = .current) {
    (self.database, self.version) = (database, version)
  }

  /// A text that is compared by its bytes. Texts that are equal in Unicode can differ for SQLite.
  private struct Bytes: Hashable, Comparable, CustomStringConvertible {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }

    var description: String { String(decoding: bytes, as: UTF8.self) }

    static func < (left: Bytes, right: Bytes) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
  }

  /// The type and name of a schema object, both compared byte by byte.
  private struct Name: Hashable, Comparable, CustomStringConvertible {
    var type: Bytes
    var name: Bytes

    init(type: String, name: String) { (self.type, self.name) = (Bytes(type), Bytes(name)) }
    init(type: Bytes, name: Bytes) { (self.type, self.name) = (type, name) }

    var description: String { "\(type) \(name)" }

    static func < (left: Name, right: Name) -> Bool { (left.type, left.name) < (right.type, right.name) }
  }

  private static let (table, view, index) = (Bytes("table"), Bytes("view"), Bytes("index"))

  /// Tables with the program's own notes about a file. Their texts may differ.
  private static let notes: Set = [Bytes("generated_schema"), Bytes("schema_migration")]

  /// The tables that SQLite itself creates for ANALYZE, with their exact texts.
  private static let statistics = [
    Name(type: "table", name: "sqlite_stat1"): Bytes("CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    Name(type: "table", name: "sqlite_stat4"): Bytes("CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ]

  /// Tables whose rows are equal in every file.
  private static let constants = ["calendar_month", "sealed_table", "erasable_column", "erasable_table"]

  /// The schema that this program makes: the texts of its tables, triggers, indexes and views, and the rows of constant
  /// tables. It is made once, because backups and restores audit several files.
  private static let made = Result { try make(.current) }

  private typealias ExpectedSchema = (objects: [Name: Bytes], rows: [[[String: DatabaseValue]]])

  private static func make(_ version: Schema.Version) throws -> ExpectedSchema {
    try DatabaseQueue().write { fresh in
      try Schema.migrate(fresh, to: version)
      return (objects: try objects(fresh), rows: try constants.map { try rows(fresh, $0) })
    }
  }

  private var isCurrent: Bool { version.migrations.count == Schema.Version.current.migrations.count }

  private func expected() throws -> ExpectedSchema { try isCurrent ? Self.made.get() : Self.make(version) }

  /// Returns the differences between a file's schema and the schema that this program makes.
  /// - Parameter allowsOlderViews: whether to accept a file that states that its views are of another version. The
  ///   program replaces these views when it next opens the file for recording.
  package func differences(allowsOlderViews: Bool = false) throws -> [SchemaDifference] {
    let made = try expected()
    let isOfThisVersion = try Schema.hasCurrentViews(database)
    let (ours, theirs) = (made.objects, try Self.objects(database))
    var differences: [SchemaDifference] = []
    if !isOfThisVersion, !allowsOlderViews {
      let newer = try Schema.newerProgramVersion(database).map {
        "are those of subledger \($0). This version leaves them"
      }
      let detail = newer ?? "are those of another version. The next import replaces them"
      differences.append(SchemaDifference(object: "views", detail: detail))
    }
    for (name, text) in ours.sorted(by: { $0.key < $1.key }) where isOfThisVersion || name.type != Self.view {
      guard theirs[name] != text, !Self.notes.contains(name.name) else { continue }
      let detail = theirs[name] == nil ? "is missing" : "differs from what this version makes"
      differences.append(SchemaDifference(object: name.description, detail: detail))
    }
    differences += try foreign(theirs).filter { isOfThisVersion || $0.type != Self.view }.map {
      SchemaDifference(object: $0.description, detail: "was not made by this program")
    }
    for (table, rows) in zip(Self.constants, made.rows) where try rows != Self.rows(database, table) {
      differences.append(SchemaDifference(object: "table \(table)", detail: "has other rows than in other files"))
    }
    return differences
  }

  private func foreign(_ theirs: [Name: Bytes]) throws -> [Name] {
    let ours = try expected().objects
    return theirs.filter { ours[$0.key] == nil && Self.statistics[$0.key] != $0.value }.keys.sorted()
  }

  /// Returns the first difference that could affect what is recorded. It is an object of the program that is missing or
  /// changed, or a foreign trigger. Foreign tables, views and indexes do nothing, so only an audit lists them.
  /// - Returns: `nil` when there is no such difference.
  package func firstAlteration() throws -> SchemaDifference? {
    // Making a schema takes longer than recording a payload, and nearly every file has the known schema.
    if isCurrent, try Self.digest(database) == Self.knownDigest { return nil }
    let (made, theirs) = (try expected(), try Self.objects(database))
    // Another version of the program may have replaced the views while this one has the file open. This program reads
    // its own.
    let isOfThisVersion = try Schema.hasCurrentViews(database)
    let changed = made.objects.filter {
      theirs[$0.key] != $0.value && !Self.notes.contains($0.key.name) && (isOfThisVersion || $0.key.type != Self.view)
    }.keys
    // SQLite accepts the type "trigger" in upper and lower case. So every type but these three could be a trigger.
    let triggers = try foreign(theirs).filter { ![Self.table, Self.view, Self.index].contains($0.type) }
    guard let first = (changed + triggers).min() else { return nil }
    let detail = made.objects[first] == nil ? "was not made by this program" : "differs from what this version makes"
    return SchemaDifference(object: first.description, detail: detail)
  }

  /// The digest of the schema that this program makes. It is written down so that opening a file need not make a
  /// schema. A test compares the two, and writes it on
  /// request. A file with another digest is compared object by object.
  static let knownDigest = "c804e74984fcb82366edadf581d3f9de7486cfff585022d3709660a4894b81bb"

  /// Returns the digest of the schema that this program makes.
  static func madeDigest() throws -> String {
    try DatabaseQueue().write { fresh in
      try Schema.migrate(fresh)
      return try digest(fresh)
    }
  }

  /// Returns a digest of all objects, without those that SQLite itself creates. Every opening of a file computes it, so
  /// it copies no text.
  private static func digest(_ database: Database) throws -> String {
    var hash = SHA256()
    try forEachObject(database) { name, sql in
      if notes.contains(name.name) || statistics[name].map({ $0.bytes.elementsEqual(sql) }) == true { return }
      name.type.bytes.withUnsafeBytes { add($0, to: &hash) }
      name.name.bytes.withUnsafeBytes { add($0, to: &hash) }
      add(sql, to: &hash)
    }
    return hash.finalize().hexadecimal
  }

  /// Adds a text to a digest. Its length comes first, so that two texts cannot be taken for two others.
  private static func add(_ text: UnsafeRawBufferPointer, to hash: inout SHA256) {
    hash.update(data: Array(String(text.count).utf8) + [0])
    hash.update(bufferPointer: text)
  }

  private static func objects(_ database: Database) throws -> [Name: Bytes] {
    var objects: [Name: Bytes] = [:]
    try forEachObject(database) { name, sql in
      // If a name occurs twice, the audit cannot distinguish the two objects. So neither counts as the program's.
      objects[name] = objects[name] != nil ? Bytes("twice") : Bytes(Array(sql))
    }
    return objects
  }

  /// Calls a closure for each object of a file's schema, in the order of types and names, with its text in SQL.
  private static func forEachObject(
    _ database: Database, _ body: (_ name: Name, _ sql: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT CAST(type AS BLOB), CAST(name AS BLOB), CAST(sql AS BLOB) FROM main.sqlite_schema ORDER BY 1, 2
        """)
    while let row = try rows.next() {
      func bytes(_ column: Int) -> Bytes { Bytes([UInt8](row[column] as Data? ?? Data())) }
      let name = Name(type: bytes(0), name: bytes(1))
      try row.withUnsafeData(atIndex: 2) { try ($0 ?? Data()).withUnsafeBytes { try body(name, $0) } }
    }
  }

  private static func rows(_ database: Database, _ table: String) throws -> [[String: DatabaseValue]] {
    guard try database.hasTable(table) else { return [] }
    return try Row.fetchAll(database, sql: "SELECT * FROM main.\(table) ORDER BY 1").map { row in
      Dictionary(uniqueKeysWithValues: row.map { ($0, $1) })
    }
  }
}

internal import GRDB

/// Compares the file's schema with what this program makes: a trigger that refuses changes may have been taken away, or a
/// view of the file's may say something else than ours.
struct SchemaAudit {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The program's own notes about a file: early files write them otherwise.
  private static let notes: Set = ["table view_text", "table grdb_migrations"]

  /// Tables that every file has alike.
  private static let constants = ["calendar_month", "sealed_table", "erasable_column", "erasable_table"]

  /// What this program makes: the texts of its tables, triggers, indexes and views, and the rows of constant tables. Made
  /// once, because backups and restores audit several files.
  private static let made = Result {
    try DatabaseQueue().write { fresh in
      try Schema.migrate(fresh)
      try Schema.recreateViews(fresh)
      return (objects: try objects(fresh), rows: try constants.map { try rows(fresh, $0) })
    }
  }

  func findings() throws -> [AuditFinding] {
    let made = try Self.made.get()
    // Views of an older program are replaced when the file is next opened for recording.
    let hasViews = try Schema.hasPresentViews(database)
    let (ours, theirs) = (made.objects, try Self.objects(database))
    var findings: [AuditFinding] = []
    for (name, text) in ours.sorted(by: { $0.key < $1.key }) where hasViews || !name.hasPrefix("view ") {
      guard theirs[name] != text, !Self.notes.contains(name) else { continue }
      let detail = theirs[name] == nil ? "is not there" : "is not what this version makes"
      findings.append(AuditFinding(code: .schema, place: name, detail: detail))
    }
    for name in theirs.keys.sorted() where ours[name] == nil && name.hasPrefix("trigger ") {
      findings.append(AuditFinding(code: .schema, place: name, detail: "is none of this program's"))
    }
    for (table, rows) in zip(Self.constants, made.rows) where try rows != Self.rows(database, table) {
      findings.append(AuditFinding(code: .schema, place: "table \(table)", detail: "has other rows than every file"))
    }
    return findings
  }

  private static func objects(_ database: Database) throws -> [String: String] {
    var objects: [String: String] = [:]
    for row in try Row.fetchAll(
      database, sql: "SELECT type, name, sql FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    {
      objects["\(row["type"] as String) \(row["name"] as String)"] = row["sql"] ?? ""
    }
    return objects
  }

  private static func rows(_ database: Database, _ table: String) throws -> [[String: DatabaseValue]] {
    guard try database.tableExists(table) else { return [] }
    return try Row.fetchAll(database, sql: "SELECT * FROM main.\(table) ORDER BY 1").map { row in
      Dictionary(uniqueKeysWithValues: row.map { ($0, $1) })
    }
  }
}

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

  func findings() throws -> [AuditFinding] {
    let fresh = try DatabaseQueue()
    return try fresh.write { fresh in
      try Schema.migrate(fresh)
      try Schema.recreateViews(fresh)
      // Views of an older program are replaced when the file is next opened for recording.
      let hasViews = try Schema.hasPresentViews(database)
      let (ours, theirs) = (try Self.objects(fresh), try Self.objects(database))
      var findings: [AuditFinding] = []
      for (name, text) in ours.sorted(by: { $0.key < $1.key }) where hasViews || !name.hasPrefix("view ") {
        guard theirs[name] != text, !Self.notes.contains(name) else { continue }
        let detail = theirs[name] == nil ? "is not there" : "is not what this version makes"
        findings.append(AuditFinding(code: .schema, place: name, detail: detail))
      }
      for name in theirs.keys.sorted() where ours[name] == nil && name.hasPrefix("trigger ") {
        findings.append(AuditFinding(code: .schema, place: name, detail: "is none of this program's"))
      }
      for table in Self.constants where try Self.rows(fresh, table) != Self.rows(database, table) {
        findings.append(AuditFinding(code: .schema, place: "table \(table)", detail: "has other rows than every file"))
      }
      return findings
    }
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

  private static func rows(_ database: Database, _ table: String) throws -> [Row] {
    guard try database.tableExists(table) else { return [] }
    return try Row.fetchAll(database, sql: "SELECT * FROM main.\(table) ORDER BY 1")
  }
}

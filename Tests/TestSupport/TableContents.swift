import AppStore
import GRDB

/// The rows of every table of a file, as one digest per table. Two files with equal contents have the same rows.
///
/// The names of tables and columns come from the file, so that a new table needs no change here.
package struct TableContents: Equatable, Sendable {
  /// The number of rows of each table, and the digest of all their values in the order of the key.
  package let tables: [String: String]

  /// The columns with random numbers, and with digests that depend on these. They differ between any two files.
  private static let random: Set = ["salt", "seal.digest", "seal.rows"]

  /// Reads all tables of a file.
  /// - Parameters:
  ///   - isOfOneFile: whether to compare the columns with random numbers too, as is right for two states of one file.
  ///   - texts: runs a statement, and returns the texts of its first column.
  package init(ofOneFile isOfOneFile: Bool = true, reading texts: (_ sql: String) throws -> [String]) throws {
    var tables: [String: String] = [:]
    for table in try texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      func columns(_ rest: String) throws -> [String] {
        let name = table.replacing("'", with: "''")
        return try texts("SELECT name FROM pragma_table_info('\(name)') \(rest)")
          .filter { isOfOneFile || !Self.random.contains($0) && !Self.random.contains("\(table).\($0)") }
          .map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
      }
      let all = try columns("ORDER BY cid")
      let key = try columns("WHERE pk > 0 ORDER BY pk")
      // quote() ends a text at its first zero byte, but hex() does not.
      let row = all.map { "typeof(\($0)) || ' ' || hex(\($0))" }.joined(separator: " || ',' || ")
      let order = (key.isEmpty ? all : key).joined(separator: ", ")
      let rows = try texts("SELECT \(row) FROM \"\(table)\" ORDER BY \(order)")
      let digest = ContentDigest(sha256: Array(rows.joined(separator: "\n").utf8)).hexadecimal
      tables[table] = "\(rows.count) rows, \(digest)"
    }
    self.tables = tables
  }

  /// Returns the names of the tables in which two files differ, sorted.
  package func differences(from other: TableContents) -> [String] {
    Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
  }

  /// Returns the contents of a file.
  package static func of(_ path: String) throws -> TableContents {
    try DatabaseQueue(path: path).read { database in
      try TableContents { try String.fetchAll(database, sql: $0) }
    }
  }

  /// Returns the first number of a query, as any SQLite tool reads the file; `nil` for no row and for NULL.
  package static func number(_ sql: String, in path: String) throws -> Int64? {
    try DatabaseQueue(path: path).read { try Int64.fetchOne($0, sql: sql) }
  }
}

internal import GRDB

/// What a prepared statement does.
enum StatementSource {
  /// It runs an SQL text. Its values have no names.
  case sql(String)
  /// It inserts a row into a table. Every column gets a value, in the order of the table, and each value names its
  /// column (``BoundStatement/column(_:)``). So a value cannot get into another column when a migration adds one.
  case insertion(into: String)

  /// The table that the statement inserts into, or `nil` when it runs an SQL text.
  var table: String? {
    if case .insertion(let table) = self { table } else { nil }
  }

  /// Returns the SQL text, and the columns that get its values.
  func prepared(_ database: Database) throws -> (sql: String, columns: [String]) {
    switch self {
    case .sql(let text): return (text, [])
    case .insertion(let table):
      let columns = try database.columns(in: table).map(\.name)
      let placeholders = repeatElement("?", count: columns.count).joined(separator: ", ")
      // Without OR FAIL, SQLite keeps a journal for every inserted row.
      return ("INSERT OR FAIL INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))", columns)
    }
  }
}

internal import GRDB

extension Database {
  /// Runs a closure while tables accept changes, inside the transaction of its caller. It drops the refusing triggers
  /// and creates them again within that transaction. So no other program ever sees the tables without them.
  /// - Parameters:
  ///   - table: the table whose triggers to lift, or `nil` for all tables.
  ///   - body: the closure to run.
  /// - Returns: the result of the closure.
  package func disablingAppendOnlyTriggers<Value>(of table: String? = nil, _ body: () throws -> Value) throws -> Value {
    let triggers = try Row.fetchAll(
      self,
      sql: """
        SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND (?1 IS NULL OR tbl_name = ?1)
          AND (substr(name, -15) = '_refuses_update' OR substr(name, -15) = '_refuses_delete')
        """, arguments: [table])
    for row in triggers { try execute(sql: "DROP TRIGGER main.\((row["name"] as String).quotedDatabaseIdentifier)") }
    let value = try body()
    for row in triggers { try execute(sql: row["sql"]) }
    return value
  }
}

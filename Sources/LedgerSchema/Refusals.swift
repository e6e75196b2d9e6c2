internal import GRDB

extension Database {
  /// Runs something while tables do not refuse changes, inside its caller's transaction: the triggers are taken away and put
  /// back in it, so that no other program ever sees the tables without them.
  /// - Parameter table: which; `nil` for all.
  package func liftingRefusals<Value>(of table: String? = nil, _ body: () throws -> Value) throws -> Value {
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

internal import GRDB

/// The small steps that recording and looking up are made of.
extension Database {
  /// The first number that a statement finds; the statement is prepared once.
  func id(_ sql: String, _ arguments: StatementArguments) throws -> Int64? {
    try Int64.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  /// Whether a statement finds anything.
  func has(_ sql: String, _ arguments: StatementArguments) throws -> Bool { try id(sql, arguments) != nil }

  /// Inserts a row with a value for every column but its salt.
  /// - Returns: its number, for tables whose rows have one.
  @discardableResult
  func insert(_ table: StaticString, _ values: [(any DatabaseValueConvertible)?]) throws -> Int64 {
    let values = values + (Manifest.current.isSalted("\(table)") ? [RowSalt.next()] : [])
    let places = repeatElement("?", count: values.count).joined(separator: ",")
    try cachedStatement(sql: "INSERT INTO \(table) VALUES (\(places))").execute(arguments: StatementArguments(values))
    return lastInsertedRowID
  }
}

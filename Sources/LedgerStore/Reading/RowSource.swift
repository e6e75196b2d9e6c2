package import GRDB
internal import LedgerSchema

/// A source of rows: a connection or a transaction.
package protocol RowSource {
  /// Returns a statement that reads rows. The connection prepares it once.
  func query(_ sql: String) throws -> GRDB.Statement
}

extension RowSource {
  /// Returns the first number that a statement finds, or `nil` when it finds none.
  package func id(_ sql: String, _ arguments: StatementArguments) throws -> Int64? {
    try Int64.fetchOne(query(sql), arguments: arguments)
  }

  /// Returns whether a statement finds a row.
  package func has(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
    try id(sql, arguments) != nil
  }

  /// Returns the numbers that a statement finds.
  package func numbers(_ sql: String, _ arguments: StatementArguments) throws -> [Int64] {
    try Int64.fetchAll(query(sql), arguments: arguments)
  }

  /// Returns the numbers of rows that a statement finds.
  package func rowNumbers<Table>(_ sql: String, _ arguments: StatementArguments) throws -> [RowNumber<Table>] {
    try RowNumber<Table>.fetchAll(query(sql), arguments: arguments)
  }

  /// Returns the texts that a statement finds.
  package func texts(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
    try String.fetchAll(query(sql), arguments: arguments)
  }

  /// Returns the rows that a statement finds.
  package func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(query(sql), arguments: arguments)
  }

  /// Returns the first row that a statement finds.
  package func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try Row.fetchOne(query(sql), arguments: arguments)
  }
}

extension Database: RowSource {
  package func query(_ sql: String) throws -> GRDB.Statement { try cachedStatement(sql: sql) }

  /// Inserts a row with the values of the named columns; the others are NULL. The salt needs no value.
  /// - Returns: the row's number, in tables whose rows have one.
  @discardableResult
  func insertRow(_ table: StaticString, _ values: RowValues) throws -> Int64 { try insertRow(table, Array(values)) }

  @discardableResult
  func insertRow(_ table: StaticString, _ values: [RowValues.Element]) throws -> Int64 {
    let isSalted = SchemaRelations.current.isSalted("\(table)")
    let columns = values.map { "\($0.key)" } + (isSalted ? ["salt"] : [])
    let values = values.map(\.value) + (isSalted ? [RowSalt.next()] : [])
    let placeholders = repeatElement("?", count: values.count).joined(separator: ", ")
    try cachedStatement(sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))")
      .execute(arguments: StatementArguments(values))
    return lastInsertedRowID
  }
}

/// The values of a new row, by column name.
package typealias RowValues = KeyValuePairs<StaticString, (any DatabaseValueConvertible)?>

package import AppStore
internal import Foundation
package import GRDB
internal import GRDBSQLite
internal import LedgerSchema

/// A prepared statement that runs for every row of an import. It binds values directly, one after the other, without
/// boxes.
///
/// GRDB prepares and stores the statement. Only the binding bypasses GRDB's arrays of values, which cost more time than
/// SQLite's own work.
package final class BoundStatement {
  private let database: Database
  private let statement: GRDB.Statement
  private let handle: OpaquePointer
  private var parameterIndex: CInt = 0
  /// Collects the values for a seal, when the statement inserts into a sealed table.
  private let rows: BoundRows?
  /// The names of the columns that get the values of an insertion, as UTF-8. Empty for other statements.
  private let columns: [[UInt8]]
  /// Whether the column of the next value has been named.
  private var isNamed: Bool

  init(_ database: Database, _ source: StatementSource, rows: BoundRows? = nil) throws {
    self.rows = rows
    self.database = database
    let (sql, columns) = try source.prepared(database)
    self.columns = columns.map { Array($0.utf8) }
    isNamed = columns.isEmpty
    statement = try database.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  package convenience init(_ database: Database, _ sql: String) throws { try self.init(database, .sql(sql)) }

  /// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
  static let copied = unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)

  /// Names the column that gets the next value of an insertion. It must be the next column of the table.
  package func column(_ name: StaticString) -> BoundStatement {
    precondition(
      Int(parameterIndex) < columns.count && columns[Int(parameterIndex)].count == name.utf8CodeUnitCount
        && memcmp(columns[Int(parameterIndex)], name.utf8Start, name.utf8CodeUnitCount) == 0,
      "\(name) is not the next column of \(statement.sql)")
    isNamed = true
    return self
  }

  /// Binds the next value of the statement.
  @discardableResult
  package func bind(_ number: Int64?) -> BoundStatement {
    begin()
    if let number {
      sqlite3_bind_int64(handle, parameterIndex, number)
      rows?.add(number, at: Int(parameterIndex) - 1)
    } else {
      sqlite3_bind_null(handle, parameterIndex)
      rows?.addNull(at: Int(parameterIndex) - 1)
    }
    return self
  }

  @discardableResult
  package func bind<Table>(_ number: RowNumber<Table>?) -> BoundStatement { bind(number?.rawValue) }

  @discardableResult
  package func bind(_ number: Int?) -> BoundStatement { bind(number.map(Int64.init)) }

  @discardableResult
  package func bind(_ flag: Bool?) -> BoundStatement { bind(flag.map { $0 ? 1 : 0 as Int64 }) }

  @discardableResult
  package func bind(_ instant: Instant?) -> BoundStatement { bind(instant?.milliseconds) }

  @discardableResult
  package func bind(_ amount: Milliunits?) -> BoundStatement { bind(amount?.rawValue) }

  @discardableResult
  package func bind(_ text: String?) -> BoundStatement {
    guard var text else { return bind(nil as Int64?) }
    return text.withUTF8 { bind(utf8: $0) }
  }

  /// Binds UTF-8 bytes as the next value, a text.
  @discardableResult
  package func bind(text: [UInt8]) -> BoundStatement { text.withUnsafeBufferPointer { bind(utf8: $0) } }

  /// Goes to the place of the next value.
  private func begin() {
    precondition(isNamed, "a value without the name of its column in \(statement.sql)")
    isNamed = columns.isEmpty
    if parameterIndex == 0 { rows?.begin() }
    parameterIndex += 1
  }

  private func bind(utf8 bytes: UnsafeBufferPointer<UInt8>) -> BoundStatement {
    begin()
    rows?.add(SQLITE_TEXT, UnsafeRawBufferPointer(bytes), at: Int(parameterIndex) - 1)
    _ = bytes.withMemoryRebound(to: CChar.self) { characters in
      // Without an address, SQLite would bind NULL.
      guard let start = characters.baseAddress else {
        return sqlite3_bind_text(handle, parameterIndex, "", 0, Self.copied)
      }
      return sqlite3_bind_text(handle, parameterIndex, start, CInt(characters.count), Self.copied)
    }
    return self
  }

  /// Binds bytes as the next value, a blob.
  @discardableResult
  package func bind(_ bytes: [UInt8]?) -> BoundStatement {
    guard let bytes else { return bind(nil as Int64?) }
    begin()
    _ = bytes.withUnsafeBytes { raw in
      rows?.add(SQLITE_BLOB, raw, at: Int(parameterIndex) - 1)
      guard let start = raw.baseAddress, !raw.isEmpty else { return sqlite3_bind_zeroblob(handle, parameterIndex, 0) }
      return sqlite3_bind_blob(handle, parameterIndex, start, CInt(raw.count), Self.copied)
    }
    return self
  }

  /// Binds a value as SQLite stores it: NULL, an integer or a text.
  @discardableResult
  package func bind(_ value: DatabaseValue) -> BoundStatement {
    switch value.storage {
    case .int64(let number): bind(number)
    case .string(let text): bind(text)
    default: bind(nil as Int64?)
    }
  }

  @discardableResult
  package func bind(_ digest: ContentDigest) -> BoundStatement { bind(digest.bytes) }

  /// Runs the statement. Every parameter must have a value.
  package func run() throws {
    precondition(parameterIndex == sqlite3_bind_parameter_count(handle), "a value is missing in \(statement.sql)")
    defer { end() }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: continue
      case SQLITE_DONE:
        rows?.end(database.lastInsertedRowID)
        return
      case let code: throw failure(code)
      }
    }
  }

  /// Runs the statement, which inserts one row.
  /// - Returns: the new row's number.
  func insert<Table>() throws -> RowNumber<Table> { RowNumber(try insertNumbered()) }

  /// Runs the statement, which inserts one row of a table whose numbers have no type of their own.
  /// - Returns: the new row's number.
  func insertNumbered() throws -> Int64 {
    try run()
    return database.lastInsertedRowID
  }

  /// Returns what `read` makes of the first row that the statement finds, or `nil` when it finds none.
  func first<Value>(_ read: (ResultRow) -> Value) throws -> Value? {
    defer { end() }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return read(ResultRow(handle: handle))
    case SQLITE_DONE: return nil
    case let code: throw failure(code)
    }
  }

  /// Calls `read` for every row that the statement finds.
  package func each(_ read: (ResultRow) -> Void) throws {
    defer { end() }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: read(ResultRow(handle: handle))
      case SQLITE_DONE: return
      case let code: throw failure(code)
      }
    }
  }

  /// Returns the first number that the statement finds, or `nil` when it finds none.
  func number() throws -> Int64? { try first { $0.number(0) } ?? nil }

  /// Returns the first number that the statement finds, as that of a row; `nil` when it finds none.
  func rowNumber<Table>() throws -> RowNumber<Table>? { try number().map(RowNumber.init) }

  /// The values of a row, by column index from 0.
  package struct ResultRow {
    fileprivate let handle: OpaquePointer

    package func number(_ index: CInt) -> Int64? {
      isNull(index) ? nil : sqlite3_column_int64(handle, index)
    }

    package func instant(_ index: CInt) -> Instant? { number(index).map(Instant.init(milliseconds:)) }

    package func isNull(_ index: CInt) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// Returns a value as SQLite stores it: NULL, an integer or a text.
    package func value(_ index: CInt) -> DatabaseValue {
      switch sqlite3_column_type(handle, index) {
      case SQLITE_NULL: .null
      case SQLITE_INTEGER: sqlite3_column_int64(handle, index).databaseValue
      default: text(index)?.databaseValue ?? .null
      }
    }

    /// Appends a value to bytes, with its type and length. Different values give different bytes.
    package func append(_ index: CInt, to bytes: inout [UInt8]) {
      let type = sqlite3_column_type(handle, index)
      bytes.append(UInt8(truncatingIfNeeded: type))
      switch type {
      case SQLITE_NULL: return
      case SQLITE_INTEGER: withUnsafeBytes(of: sqlite3_column_int64(handle, index)) { bytes += $0 }
      default:
        guard let start = sqlite3_column_blob(handle, index) else { return }
        let count = sqlite3_column_bytes(handle, index)
        withUnsafeBytes(of: count) { bytes += $0 }
        bytes += UnsafeRawBufferPointer(start: start, count: Int(count))
      }
    }

    package func isInteger(_ index: CInt) -> Bool { sqlite3_column_type(handle, index) == SQLITE_INTEGER }

    package func text(_ index: CInt) -> String? { sqlite3_column_text(handle, index).map { String(cString: $0) } }

    package func bytes(_ index: CInt) -> [UInt8] {
      guard let start = sqlite3_column_blob(handle, index) else { return [] }
      return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }
  }

  private func end() {
    sqlite3_reset(handle)
    parameterIndex = 0
    isNamed = columns.isEmpty
  }

  /// Returns SQLite's error for a result code, without the bound values.
  private func failure(_ code: CInt) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage, sql: statement.sql)
  }
}

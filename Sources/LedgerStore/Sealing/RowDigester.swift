internal import Crypto
package import GRDB
internal import GRDBSQLite
internal import LedgerSchema

/// Computes digests of rows on one connection, as the SQL function `subledger_digest(number, column, …)`.
///
/// SQLite calls the function only from statements of this connection, one at a time.
package final class RowDigester {
  /// The sealed tables, ordered by their numbers in seals.
  package let tables: [SealedTable]
  private let byNumber: [SealedTable?]
  package private(set) var text = RowText()

  /// Creates a digester and registers its function.
  /// - Parameter database: a connection to a file with all migrations.
  package init(_ database: Database) throws {
    tables = try SealedTable.all(database)
    let numbers = tables.map(\.number).filter { (0..<10_000).contains($0) }
    var byNumber = [SealedTable?](repeating: nil, count: (numbers.max() ?? 0) + 1)
    for table in tables where byNumber.indices.contains(table.number) { byNumber[table.number] = table }
    self.byNumber = byNumber
    try offer(to: database)
  }

  /// Registers the function on a connection. It replaces the function of an earlier digester.
  func offer(to database: Database) throws {
    try database.offer("subledger_digest", of: self) { context, _, values in
      guard let values, let digester = SQLiteFunction.owner(RowDigester.self, context),
        let table = digester[Int(sqlite3_value_int64(values[0]))]
      else { return sqlite3_result_null(context) }
      digester.text.read(table, values + 1)
      let digest = digester.text.digest
      digest.withUnsafeBytes { sqlite3_result_blob(context, $0.baseAddress, CInt($0.count), BoundStatement.copied) }
    }
  }

  /// Returns the table of a number in seals, or `nil` when there is none.
  package subscript(number: Int) -> SealedTable? { byNumber.indices.contains(number) ? byNumber[number] : nil }

  /// Returns the digest of a row.
  func digest(_ table: SealedTable, _ row: SQLiteValues) -> SHA256.Digest {
    text.read(table, row)
    return text.digest
  }

  /// Reads a row into ``text``, which then returns its digests.
  func read(_ table: SealedTable, _ row: SQLiteValues) { text.read(table, row) }

  /// Returns the SQL expression for the digest of a row of `t`.
  package static func expression(_ table: SealedTable) -> String {
    "subledger_digest(\(table.number), \(table.row(of: "t")))"
  }
}

/// Finds rows by their keys. Each statement is prepared once.
package struct RowFinder {
  private let database: Database
  private var statements: [Int: BoundStatement] = [:]

  /// Creates a finder for one connection.
  /// - Parameter digester: the digester whose ``RowDigester/text`` is the row that was found last.
  package init(_ digester: RowDigester, _ database: Database) throws {
    self.database = database
    try digester.offer(to: database)
  }

  /// Returns the digest of the row with a key, or `nil` when no row has it. Then the digester's ``RowDigester/text`` is
  /// the row.
  package mutating func digest(_ table: SealedTable, _ key: [SealedKey.Value]) throws -> [UInt8]? {
    let statement: BoundStatement
    if let known = statements[table.number] {
      statement = known
    } else {
      statement = try BoundStatement(
        database, "SELECT \(RowDigester.expression(table)) FROM \(table.quoted) t WHERE \(table.condition)")
      statements[table.number] = statement
    }
    bind(key, to: statement)
    return try statement.first { $0.bytes(0) }
  }

  /// Sets the salt of a row to NULL.
  func destroySalt(_ table: SealedTable, _ key: [SealedKey.Value]) throws {
    guard table.saltIndex != nil else { return }
    let statement = try BoundStatement(
      database, "UPDATE \(table.quoted) AS t SET \(SchemaRelations.saltName) = NULL WHERE \(table.condition)")
    bind(key, to: statement)
    try statement.run()
  }

  private func bind(_ key: [SealedKey.Value], to statement: BoundStatement) {
    for value in key {
      switch value {
      case .integer(let number): statement.bind(number)
      case .text(let bytes): statement.bind(text: bytes)
      case .blob(let bytes): statement.bind(bytes)
      }
    }
  }
}

/// A function that SQLite calls on one connection, with an object that the connection owns.
package enum SQLiteFunction {
  package typealias Body = @convention(c) (_ context: OpaquePointer?, _ count: CInt, _ values: SQLiteValues?) -> Void

  /// Returns the object that the function was registered with.
  package static func owner<Owner: AnyObject>(_ type: Owner.Type, _ context: OpaquePointer?) -> Owner? {
    sqlite3_user_data(context).map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension Database {
  /// Registers a function that statements and triggers of this connection can call.
  package func offer(_ name: String, of owner: some AnyObject, _ body: SQLiteFunction.Body) throws {
    let code = sqlite3_create_function_v2(
      sqliteConnection, name, -1, SQLITE_UTF8, Unmanaged.passRetained(owner).toOpaque(), body, nil, nil
    ) { owner in
      if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
    }
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}

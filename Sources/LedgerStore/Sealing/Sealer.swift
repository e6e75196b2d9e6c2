internal import Crypto
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema

/// Seals the rows that one connection appends to sealed tables, before they are committed.
///
/// Temporary triggers of this connection pass each row to the sealer. So code that records need not handle seals, and
/// this program records nothing without a seal. Tables that only ``EvidenceStatement`` inserts into have no trigger. Their
/// values are collected when they are bound (``BoundRows``), which costs a third of the time.
final class Sealer: @unchecked Sendable {  // Only the writing connection uses it, for one caller at a time.
  private let digester: RowDigester
  /// The rows of each table, by the table's number. `nil` means that no row was taken.
  private var sections: [Section?]
  private var bound: [Int: BoundRows] = [:]
  private var erasureChanges: ErasureChanges?
  /// The last seal that this connection made.
  private var lastSeal: (id: Int64, digest: [UInt8])?

  private final class Section {
    var count = 0
    var list = SealList.Writer()
    var digests: [UInt8] = []

    /// Completes a row with its digest. The row's key is already in the list.
    func close(_ digest: UnsafeRawBufferPointer) {
      count += 1
      list.append(short: digest)
      digests += digest
    }
  }

  /// Creates a sealer and the temporary triggers of its connection.
  /// - Parameters:
  ///   - database: a connection to a file with all migrations.
  ///   - boundTables: the tables that only prepared statements with ``rows(of:)`` insert into.
  init(_ database: Database, boundTables: Set<String> = []) throws {
    digester = try RowDigester(database)
    sections = Array(repeating: nil, count: digester.tables.map(\.number).max().map { $0 + 1 } ?? 0)
    try database.offer("subledger_seal", of: self) { context, _, values in
      guard let values else { return }
      SQLiteFunction.owner(Sealer.self, context)?.take(values)
    }
    for table in digester.tables where !boundTables.contains(table.name) {
      try database.execute(
        sql: """
          CREATE TEMP TRIGGER seal_\(table.name) AFTER INSERT ON \(table.quoted)
          BEGIN SELECT subledger_seal(\(table.number), \(table.row(of: "NEW"))); END
          """)
    }
  }

  /// Discards the rows taken so far, because a transaction begins.
  func begin() {
    for number in sections.indices { sections[number] = nil }
    bound = [:]
    erasureChanges = nil
  }

  /// Returns the object that collects a table's rows from prepared statements. `nil` when the table is not sealed.
  func rows(of name: String) -> BoundRows? {
    guard let table = digester.tables.first(where: { $0.name == name }) else { return nil }
    if let rows = bound[table.number] { return rows }
    let rows = BoundRows(table)
    bound[table.number] = rows
    return rows
  }

  private func take(_ values: SQLiteValues) {
    guard let table = digester[Int(sqlite3_value_int64(values[0]))] else { return }
    let row = values + 1
    if erasureChanges?.hasTouched(RowText.key(of: table, row)) == true { return }
    let section = section(table)
    for (index, column) in table.keyColumns.enumerated() {
      let value = row[column.index]
      if column.isInteger {
        section.list.append(sqlite3_value_int64(value), at: index)
      } else {
        section.list.append(RowText.bytes(of: value), at: index)
      }
    }
    digester.digest(table, row).withUnsafeBytes { section.close($0) }
  }

  private func section(_ table: SealedTable) -> Section {
    if let section = sections[table.number] { return section }
    let section = Section()
    sections[table.number] = section
    return section
  }

  /// Seals the rows taken since the transaction began. Without rows, it writes no seal.
  func seal(_ database: Database) throws {
    try endErasure(database)
    var (list, digests, count) = ([UInt8](), [UInt8](), 0)
    for table in digester.tables {
      if let rows = bound[table.number], rows.count > 0 {
        let section = section(table)
        rows.seal(&section.list, &section.digests)
        section.count += rows.count
      }
      guard let section = sections[table.number] else { continue }
      list.append(leb128: UInt64(table.number))
      list.append(leb128: UInt64(section.count))
      list += section.list.bytes
      digests += section.digests
      count += section.count
    }
    begin()
    guard count > 0 else { return }
    let last = try Row.fetchOne(database, sql: "SELECT seal_id, digest FROM main.seal ORDER BY seal_id DESC LIMIT 1")
    let id = (last?["seal_id"] as Int64? ?? 0) + 1
    let previous = (last?["digest"] as Data?).map { [UInt8]($0) }
    let digest = SealDigest.of(previous: previous, id: id, list: list, rows: digests)
    try database.insertRow(
      "seal", ["seal_id": id, "digest": digest.data, "row_count": count, "rows": list.data])
    lastSeal = (id, digest)
  }

  /// Returns whether the file still contains the last seal that this connection made.
  func containsLastSeal(_ database: Database) throws -> Bool {
    guard let lastSeal else { return true }
    return try database.has("SELECT 1 FROM seal WHERE seal_id = ? AND digest = ?", [lastSeal.id, lastSeal.digest.data])
  }

  /// Begins to note the earlier content of each row that is rewritten, until the transaction ends.
  func beginErasure(_ database: Database, erasure: Int64) throws {
    erasureChanges = ErasureChanges(erasure: erasure)
    try database.offer("subledger_touch", of: self) { context, _, values in
      guard let values else { return }
      SQLiteFunction.owner(Sealer.self, context)?.touch(values)
    }
    for table in digester.tables {
      for (name, event, row, isBefore) in [
        ("update", "BEFORE UPDATE", "OLD", 1), ("move", "AFTER UPDATE", "NEW", 0),
        ("delete", "BEFORE DELETE", "OLD", 1),
      ] {
        try database.execute(
          sql: """
            CREATE TEMP TRIGGER touch_\(name)_\(table.name) \(event) ON \(table.quoted)
            BEGIN SELECT subledger_touch(\(table.number), \(isBefore), \(table.row(of: row))); END
            """)
      }
    }
  }

  private func touch(_ values: SQLiteValues) {
    guard let table = digester[Int(sqlite3_value_int64(values[0]))] else { return }
    let (isBefore, row) = (sqlite3_value_int64(values[1]) == 1, values + 2)
    if isBefore { digester.read(table, row) }
    erasureChanges?.touch(RowText.key(of: table, row), isBefore ? digester.text : nil)
  }

  private func endErasure(_ database: Database) throws {
    guard let erasureChanges else { return }
    for table in digester.tables {
      for name in ["update", "move", "delete"] {
        try database.execute(sql: "DROP TRIGGER temp.touch_\(name)_\(table.name)")
      }
    }
    // From here on, the records of the rewriting are sealed like other rows.
    self.erasureChanges = nil
    for (key, digest) in try erasureChanges.finish(database, digester) {
      guard let table = digester[key.table] else { continue }
      let section = section(table)
      section.list.append(key.values)
      digest.withUnsafeBytes { section.close($0) }
    }
  }
}

internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// The rows that were recorded after a seal, as the seals list them.
///
/// Row numbers are not enough, because a recorded payload can be delivered again. Recorded instants are not enough
/// either. The rules date an archive that is imported today by the days on which its payloads were received. The seals
/// list what each transaction recorded, in order, and the digest of the last seal proves them.
struct NewRows {
  /// The keys of the new rows by the table's name. The values of one key follow those of the key before.
  private(set) var keys: [String: [SealedKey.Value]] = [:]
  /// The earliest and the latest received instants of the new rows, in milliseconds since 1970.
  private(set) var recordedFrom: Int64?
  private(set) var recordedTo: Int64?

  /// Reads the lists of the seals after one.
  /// - Parameters:
  ///   - database: a connection, in a transaction that sees one state of the file.
  ///   - seal: the number of the last seal whose rows are not new.
  init(_ database: Database, after seal: Int64) throws {
    try Self.read(database, after: seal) { _, sections in
      for section in sections where SchemaRelations.current[section.table.name]?.isExported == true {
        keys[section.table.name, default: []] += section.entries.flatMap(\.key)
        for instant in Self.received(section) { note(instant) }
      }
      return true
    }
  }

  private mutating func note(_ instant: Int64) {
    recordedFrom = min(recordedFrom ?? instant, instant)
    recordedTo = max(recordedTo ?? instant, instant)
  }

  /// Returns the seal before the first one in which something was recorded at an instant or later. When there is no
  /// such seal, it returns the last one.
  static func lastSeal(_ database: Database, before instant: Int64) throws -> Int64 {
    var last: Int64 = 0
    try read(database, after: 0) { seal, sections in
      for section in sections {
        if received(section).contains(where: { $0 >= instant }) { return false }
        if try isDated(section, from: instant, database) { return false }
      }
      last = seal
      return true
    }
    return last
  }

  /// Reads the list of rows of each seal, in order.
  /// - Parameter body: returns whether to continue.
  private static func read(
    _ database: Database, after seal: Int64, _ body: (Int64, [SealList.Section]) throws -> Bool
  ) throws {
    let tables = try SealedTable.all(database)
    let lists = try Row.fetchCursor(
      database, sql: "SELECT seal_id, rows FROM main.seal WHERE seal_id > ? ORDER BY seal_id", arguments: [seal])
    while let row = try lists.next() {
      let sections: [SealList.Section]
      do {
        sections = try SealList.sections([UInt8](row["rows"] as Data)) { number in
          tables.first { $0.number == number }
        }
      } catch {
        throw LedgerError(
          .damaged, "The list of rows in seal \(row["seal_id"] as Int64) cannot be read.", .audit
        )
      }
      guard try body(row["seal_id"], sections) else { return }
    }
  }

  /// Returns the instants at which payloads were received. They are part of a delivery's key.
  private static func received(_ section: SealList.Section) -> [Int64] {
    guard section.table.name == "delivery",
      let index = section.table.key.firstIndex(where: { $0.name == "received_at" })
    else { return [] }
    return section.entries.compactMap { if case .integer(let instant) = $0.key[index] { instant } else { nil } }
  }

  /// Returns whether staff or a catalogue made one of the entries at an instant or later.
  private static func isDated(
    _ section: SealList.Section, from instant: Int64, _ database: Database
  ) throws -> Bool {
    let table = section.table
    guard table.hasNumberedRows, table.columns.contains(where: { $0.name == "entered_at" }) else { return false }
    let key = table.key[0].name.quotedDatabaseIdentifier
    return try section.entries.contains { entry in
      guard case .integer(let number)? = entry.key.first else { return false }
      return try database.has(
        "SELECT 1 FROM \(table.quoted) WHERE \(key) = ? AND entered_at >= ?", [number, instant])
    }
  }

  /// Calls a function for each new row of a table, with a statement that has the row's key bound.
  func each(_ relation: ExportRelation, _ database: Database, _ body: (GRDB.Statement) throws -> Void) throws {
    guard let table = relation.sealed, let values = keys[relation.name] else { return }
    let condition = table.key.map { "t.\($0.name.quotedDatabaseIdentifier) = ?" }.joined(separator: " AND ")
    let statement = try database.makeStatement(sql: "\(relation.select) WHERE \(condition)")
    for start in stride(from: 0, to: values.count, by: table.key.count) {
      let key = values[start..<start + table.key.count].map { value -> (any DatabaseValueConvertible)? in
        switch value {
        case .integer(let number): number
        case .text(let bytes): bytes.text
        case .blob(let bytes): Data(bytes)
        }
      }
      statement.setUncheckedArguments(StatementArguments(key))
      try body(statement)
    }
  }
}

internal import AppStore
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// The end of an erasure. It searches every text and blob of every table of the file for the person's ids.
extension DatabaseEraser {
  /// A row that contains an id, and the columns that contain it.
  private struct Found {
    let table: Relation
    let key: [DatabaseValue]
    let columns: [String]
  }

  /// A table of the file, with the columns that can contain a text.
  private struct Relation {
    let name: String
    let columns: [String]
    /// The columns that identify a row: its number, or the integers and digests of its key. A text in a key could be
    /// the id itself.
    let key: [String]

    func select(_ columns: [String], where condition: String) -> String {
      "SELECT \(columns.joined(separator: ", ")) FROM main.\(name.quotedDatabaseIdentifier) t WHERE \(condition)"
    }
  }

  private static let rowLimit = 20

  /// Erases ids that the earlier steps left, where this is possible, and searches again.
  /// - Returns: where ids remain.
  func sweep() throws -> [ErasureRemainder] {
    let owner = SearchOwner(search)
    // The connection keeps the function, and must not keep the ids.
    defer { owner.search = nil }
    try database.offer("subledger_names", of: owner) { context, count, values in
      guard let values, let search = SQLiteFunction.owner(SearchOwner.self, context)?.search else {
        return sqlite3_result_int64(context, 0)
      }
      let mask = (0..<Int(count)).reduce(into: 0 as Int64) { mask, index in
        let type = sqlite3_value_type(values[index])
        guard type == SQLITE_TEXT || type == SQLITE_BLOB else { return }
        if search.finds(in: RowText.bytes(of: values[index])) { mask |= 1 << Int64(index) }
      }
      sqlite3_result_int64(context, mask)
    }
    let relations = try relations()
    var found = try find(in: relations)
    if try erase(found) { found = try find(in: relations) }
    return Self.remainders(found)
  }

  // MARK: - Finding

  private func relations() throws -> [Relation] {
    // SQLite's own list of tables has more about each, but it first computes the columns of every view.
    let tables = try String.fetchAll(
      database,
      sql: """
        SELECT name FROM main.sqlite_schema
        WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY name
        """)
    return try tables.compactMap { name in
      let columns = try Row.fetchAll(database, sql: "PRAGMA main.table_info(\(name.quotedDatabaseIdentifier))")
      // The ledger's tables are strict. In another program's table, a column of any type can contain a text.
      let isStrict = SchemaRelations.current[name] != nil
      let texts = columns.filter { !isStrict || !["INTEGER", "REAL"].contains($0["type"] as String) }
        .map { $0["name"] as String }
      guard !texts.isEmpty else { return nil }
      let key = columns.filter { ($0["pk"] as Int) > 0 && ($0["type"] as String) != "TEXT" }
        .map { "t." + ($0["name"] as String).quotedDatabaseIdentifier }
      return Relation(name: name, columns: texts, key: hasRowid(name) ? ["t.rowid"] : key)
    }
  }

  private func hasRowid(_ table: String) -> Bool {
    (try? database.makeStatement(sql: "SELECT rowid FROM main.\(table.quotedDatabaseIdentifier)")) != nil
  }

  private func find(in relations: [Relation]) throws -> [Found] {
    try relations.flatMap { try $0.name == "quarantine_bytes" ? findInParts(of: $0) : find(in: $0) }
  }

  private func find(in table: Relation) throws -> [Found] {
    // The mask has one bit for each column, and 62 bits.
    let names = "subledger_names(\(table.columns.prefix(62).map(\.quotedDatabaseIdentifier).joined(separator: ", ")))"
    let rows = try Row.fetchCursor(database, sql: table.select(table.key + [names], where: "\(names) <> 0"))
    var found: [Found] = []
    while let row = try rows.next() {
      let values = Array(row.databaseValues)
      let mask = values.last.flatMap(Int64.fromDatabaseValue) ?? 0
      found.append(
        Found(
          table: table, key: values.dropLast(),
          columns: table.columns.enumerated().filter { mask >> Int64($0.offset) & 1 == 1 }.map(\.element)))
    }
    return found
  }

  /// Searches texts that are stored in parts. An id may begin in one part and end in the next.
  private func findInParts(of table: Relation) throws -> [Found] {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT rowid, quarantine_id, bytes FROM main.quarantine_bytes ORDER BY quarantine_id, ordinal")
    var (found, carried, last) = ([Found](), [UInt8](), Int64?.none)
    while let row = try rows.next() {
      let id: Int64 = row["quarantine_id"]
      let text = (id == last ? carried : []) + [UInt8](row["bytes"] as Data)
      if text.withUnsafeBytes(search.finds) {
        found.append(Found(table: table, key: [row[0], row["quarantine_id"]], columns: ["bytes"]))
      }
      (carried, last) = (text.suffix(search.longest), id)
    }
    return found
  }

  private static func remainders(_ found: [Found]) -> [ErasureRemainder] {
    var remainders: [ErasureRemainder] = []
    for row in found {
      for column in row.columns {
        let index =
          remainders.firstIndex { $0.table == row.table.name && $0.column == column } ?? remainders.count
        if index == remainders.count {
          remainders.append(ErasureRemainder(table: row.table.name, column: column, count: 0, rows: []))
        }
        remainders[index].count += 1
        if remainders[index].rows.count < rowLimit { remainders[index].rows.append(shown(row.key)) }
      }
    }
    return remainders
  }

  private static func shown(_ key: [DatabaseValue]) -> String {
    key.prefix(2).map { value in
      switch value.storage {
      case .blob(let data): ContentDigest(bytes: [UInt8](data)).hexadecimal
      case .int64(let number): String(number)
      default: "-"
      }
    }.joined(separator: "/")
  }

  // MARK: - Erasing

  /// Erases the ids in the rows that were found.
  /// - Returns: whether something was rewritten.
  private func erase(_ found: [Found]) throws -> Bool {
    let before = database.totalChangesCount
    var texts: [String: Set<Int64>] = [:]
    var quarantined: Set<Int64> = []
    for row in found {
      let id = row.key.first.flatMap(Int64.fromDatabaseValue) ?? 0
      switch row.table.name {
      case let table where Self.textTables.contains(table): texts[table, default: []].insert(id)
      case "text_template":
        for table in Self.textTables {
          let users = try Int64.fetchSet(
            database, sql: "SELECT \(table)_id FROM main.\(table) WHERE template_id = ?", arguments: [id])
          texts[table, default: []].formUnion(users)
        }
      case "quarantine_bytes": quarantined.insert(Int64.fromDatabaseValue(row.key[1]) ?? 0)
      case "receipt_data": try eraseReceipt(row)
      case "problem": try eraseWords(row, columns: ["path", "value"], key: ["payload_id", "ordinal"])
      default:
        let words = Self.words.filter { $0.0 == row.table.name && row.columns.contains($0.1) }
        if let first = words.first { try eraseWords(row, columns: words.map(\.1), key: [first.2]) }
      }
    }
    for (table, ids) in texts { for id in ids.sorted() { try eraseText(table, id) } }
    for id in quarantined.sorted() { try eraseQuarantined(id) }
    try eraseUnusedTemplates(found)
    if !texts.isEmpty { try markAround() }
    return database.totalChangesCount > before
  }

  /// Erases the ids in a text. It keeps its length, because positions in it are stored.
  private func eraseText(_ table: String, _ id: Int64) throws {
    guard let (source, digest) = try text(table, id), let text = search.erased(source, in: .text) else { return }
    try database.execute(
      sql: "UPDATE \(table) SET source = ?, template_id = NULL WHERE \(table)_id = ?", arguments: [text.text, id])
    try mark(table, digest)
  }

  private func eraseQuarantined(_ id: Int64) throws {
    let parts = try Data.fetchAll(
      database, sql: "SELECT bytes FROM main.quarantine_bytes WHERE quarantine_id = ? ORDER BY ordinal", arguments: [id]
    )
    guard let text = search.erased(parts.flatMap(\.self), in: .text) else { return }
    try storeQuarantined(text, id)
  }

  private func eraseReceipt(_ row: Found) throws {
    guard let digest = Data.fromDatabaseValue(row.key[0]) else { return }
    try database.execute(sql: "DELETE FROM receipt_data WHERE digest = ?", arguments: [digest])
    try mark("receipt_data", digest)
  }

  private func eraseUnusedTemplates(_ found: [Found]) throws {
    for row in found where row.table.name == "text_template" {
      try database.execute(
        sql: """
          DELETE FROM text_template WHERE template_id = ?1
            AND NOT EXISTS (\(Self.usesOfTemplates) WHERE template_id = ?1)
          """, arguments: [row.key[0]])
    }
  }

  private func eraseWords(_ row: Found, columns: [String], key: [String]) throws {
    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
    for column in columns where row.columns.contains(column) {
      let words = try String.fetchOne(
        database, sql: "SELECT \(column) FROM main.\(row.table.name) WHERE \(condition)",
        arguments: StatementArguments(row.key))
      guard let text = search.erased(Array((words ?? "").utf8), in: .words) else { continue }
      try database.execute(
        sql: "UPDATE \(row.table.name) SET \(column) = ? WHERE \(condition)",
        arguments: [text.text] + StatementArguments(row.key))
    }
  }
}

/// Holds the search that SQLite calls during an erasure.
private final class SearchOwner {
  var search: IdentifierSearch?

  init(_ search: IdentifierSearch) { self.search = search }
}

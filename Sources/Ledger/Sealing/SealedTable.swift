internal import AppStore
internal import GRDB

/// A table whose rows are sealed, as the file describes it. (An object, because it is asked about at every row.)
final class SealedTable: Sendable {
  /// What a column holds, as far as keys go.
  enum Kind: String, Sendable {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
  }

  /// A column, by its place in the table.
  struct Column: Sendable {
    let place: Int
    let name: String
    let kind: Kind
    /// Whether an erasure may rewrite it.
    let isErasable: Bool
  }

  /// Its number in seals.
  let number: Int
  let name: String
  let columns: [Column]
  /// The columns of its primary key, in the key's order.
  let key: [Column]
  /// Whether an erasure may remove rows.
  let isRemovable: Bool
  /// Whether an erasure may rewrite anything in it.
  let hasErasableColumns: Bool
  // What is asked at every row stands by itself, without names, which would be counted at every touch.
  /// Whether an erasure may rewrite a column, by its place.
  let isErasable: [Bool]
  /// The places of the key's columns, and whether each is an integer.
  let keyPlaces: [(place: Int, isInteger: Bool)]
  /// What the canonical bytes of its rows begin with.
  let head: [UInt8]

  private init(number: Int, name: String, columns: [Column], key: [Column], isRemovable: Bool) {
    (self.number, self.name, self.columns, self.key) = (number, name, columns, key)
    (self.isRemovable, hasErasableColumns) = (isRemovable, columns.contains(where: \.isErasable))
    isErasable = columns.map(\.isErasable)
    keyPlaces = key.map { ($0.place, $0.kind == .integer) }
    head = Array(name.utf8) + [0]
  }

  /// Every sealed table, by its number.
  static func all(_ database: Database) throws -> [SealedTable] {
    let removable = try Int.fetchSet(database, sql: "SELECT table_number FROM main.erasable_table")
    return try Row.fetchAll(database, sql: "SELECT table_number, name FROM main.sealed_table ORDER BY table_number").map
    {
      let (number, name) = ($0["table_number"] as Int, $0["name"] as String)
      let erasable = try String.fetchSet(
        database, sql: "SELECT column_name FROM main.erasable_column WHERE table_number = ?", arguments: [number])
      let rows = try Row.fetchAll(database, sql: "PRAGMA main.table_info(\(name.quotedDatabaseIdentifier))")
      let columns = rows.map {
        Column(
          place: $0["cid"], name: $0["name"], kind: Kind(rawValue: $0["type"]) ?? .blob,
          isErasable: erasable.contains($0["name"]))
      }
      let key = rows.filter { ($0["pk"] as Int) > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
      return SealedTable(
        number: number, name: name, columns: columns, key: key.map { columns[$0["cid"] as Int] },
        isRemovable: removable.contains(number))
    }
  }

  /// Its name in statements.
  var quoted: String { "main." + name.quotedDatabaseIdentifier }

  /// All of its columns, for a statement.
  func row(of relation: String) -> String {
    columns.map { "\(relation).\($0.name.quotedDatabaseIdentifier)" }.joined(separator: ", ")
  }

  /// Whether a row is found by one number.
  var hasNumberedRows: Bool { key.count == 1 && key[0].kind == .integer }

  /// A row's place, for people.
  func place(_ values: [SealedKey.Value]) -> String {
    name + " " + zip(key, values).map { "\($0.name) = \($1)" }.joined(separator: ", ")
  }
}

/// The primary key of a sealed row.
struct SealedKey: Hashable, Sendable {
  /// One value of it: an integer, or the bytes of a text or digest.
  enum Value: Hashable, Sendable, CustomStringConvertible {
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])

    var description: String {
      switch self {
      case .integer(let number): String(number)
      case .text(let bytes): bytes.text
      case .blob(let bytes): Digest(bytes: bytes).hexadecimal
      }
    }
  }

  let table: Int
  let values: [Value]

  /// The key as `rewritten_row.row_key` has it.
  var encoded: [UInt8] {
    var list = SealList.Writer()
    list.append(values)
    return list.bytes
  }
}

internal import AppStore
package import GRDB
internal import LedgerSchema

/// A table whose rows are sealed, as the file describes it. (It is a class because it is used for every row.)
package final class SealedTable: Sendable {
  /// The type of a column, as far as keys need it.
  package enum Kind: String, Sendable {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
  }

  /// A column, with its index in the table.
  package struct Column: Sendable {
    let index: Int
    package let name: String
    package let kind: Kind
    /// The part of a row's digest that the column belongs to.
    let part: Part
  }

  /// The parts of a row's digest.
  enum Part: Sendable, Equatable {
    /// The columns that no erasure may rewrite.
    case fixed
    /// A group of columns that an erasure may rewrite, by its number.
    case group(Int)
    /// The column with the salt, from which the groups' salts are derived.
    case salt
  }

  /// The number that stands for the table in seals.
  package let number: Int
  package let name: String
  package let columns: [Column]
  /// The columns of the primary key, in the key's order.
  package let key: [Column]
  /// Whether an erasure may remove its rows.
  package let isRemovable: Bool
  /// The number of groups of columns that an erasure may rewrite. Each column with ids of people is a group, and the
  /// other erasable columns together are the last one.
  package let groupCount: Int
  /// The columns with ids of people, in the order of their groups.
  package let identities: [Column]
  // The next properties are read for every row. They contain no names, whose references Swift would count at every
  // access.
  /// For each column, the part of the digest that it belongs to.
  let parts: [Part]
  /// The index of the column with the salt, or `nil` when the table has none.
  let saltIndex: Int?
  /// The indexes of the key's columns, and whether each column is an integer.
  let keyColumns: [(index: Int, isInteger: Bool)]
  /// The first canonical bytes of every row: the table's name and a zero byte.
  let head: [UInt8]

  private init(
    number: Int, name: String, columns: [Column], key: [Column], identities: [Column], isRemovable: Bool
  ) {
    (self.number, self.name, self.columns, self.key) = (number, name, columns, key)
    self.isRemovable = isRemovable
    parts = columns.map(\.part)
    self.identities = identities
    groupCount = identities.count + (parts.contains(.group(identities.count)) ? 1 : 0)
    saltIndex = parts.firstIndex(of: .salt)
    keyColumns = key.map { ($0.index, $0.kind == .integer) }
    head = Array(name.utf8) + [0]
  }

  /// Returns all sealed tables of a file, ordered by their numbers.
  package static func all(_ database: Database) throws -> [SealedTable] {
    let removable = try Int.fetchSet(database, sql: "SELECT table_number FROM main.erasable_table")
    // One statement for all tables: every recorder needs them when it opens a file.
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT t.table_number, t.name AS table_name, c.cid, c.name, c.type, c.pk, e.is_identity
        FROM main.sealed_table t JOIN pragma_table_info(t.name, 'main') c
        LEFT JOIN main.erasable_column e ON e.table_number = t.table_number AND e.column_name = c.name
        ORDER BY t.table_number, c.cid
        """)
    let tables = Dictionary(grouping: rows) { $0["table_number"] as Int }.sorted { $0.key < $1.key }
    return tables.map { table($0, $1, isRemovable: removable.contains($0)) }
  }

  /// Makes a table of its number and the rows that describe its columns.
  private static func table(_ number: Int, _ rows: [Row], isRemovable: Bool) -> SealedTable {
    let identities: [String] = rows.filter { $0["is_identity"] as Bool? == true }.map { $0["name"] }
    let columns = rows.map { row in
      let name: String = row["name"]
      let part: Part =
        name == SchemaRelations.saltName
        ? .salt
        : row["is_identity"] as Bool? == nil
          ? .fixed : .group(identities.firstIndex(of: name) ?? identities.count)
      return Column(index: row["cid"], name: name, kind: Kind(rawValue: row["type"]) ?? .blob, part: part)
    }
    let key = rows.filter { ($0["pk"] as Int) > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
    return SealedTable(
      number: number, name: rows[0]["table_name"], columns: columns, key: key.map { columns[$0["cid"] as Int] },
      identities: columns.filter { identities.contains($0.name) }, isRemovable: isRemovable)
  }

  /// The table's name in SQL statements, with its schema.
  package var quoted: String { "main." + name.quotedDatabaseIdentifier }

  /// Returns all columns of a relation as SQL, separated by commas.
  func row(of relation: String) -> String {
    columns.map { "\(relation).\($0.name.quotedDatabaseIdentifier)" }.joined(separator: ", ")
  }

  /// Whether the primary key is a single integer.
  package var hasNumberedRows: Bool { key.count == 1 && key[0].kind == .integer }

  /// The SQL condition that finds a row of `t` by its key.
  package var condition: String { key.map { "t.\($0.name.quotedDatabaseIdentifier) = ?" }.joined(separator: " AND ") }

  /// Returns the table and key of a row, for people.
  package func rowDescription(_ values: [SealedKey.Value]) -> String {
    name + " " + zip(key, values).map { "\($0.name) = \($1)" }.joined(separator: ", ")
  }
}

/// The primary key of a sealed row.
package struct SealedKey: Hashable, Sendable {
  /// One value of a key: an integer, or the bytes of a text or digest.
  package enum Value: Hashable, Sendable, CustomStringConvertible {
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])

    package var databaseValue: DatabaseValue {
      switch self {
      case .integer(let number): number.databaseValue
      case .text(let bytes): bytes.text.databaseValue
      case .blob(let bytes): bytes.data.databaseValue
      }
    }

    package var description: String {
      switch self {
      case .integer(let number): String(number)
      case .text(let bytes): bytes.text
      case .blob(let bytes): ContentDigest(bytes: bytes).hexadecimal
      }
    }
  }

  let table: Int
  let values: [Value]

  package init(table: Int, values: [Value]) { (self.table, self.values) = (table, values) }

  /// The key in the form that `rewritten_row.row_key` stores.
  var encoded: [UInt8] {
    var list = SealList.Writer()
    list.append(values)
    return list.bytes
  }
}

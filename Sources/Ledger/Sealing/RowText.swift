internal import Crypto
internal import GRDBSQLite

/// What SQLite hands to a function: its values, one after the other.
typealias SQLiteValues = UnsafeMutablePointer<OpaquePointer?>

/// The canonical bytes of a row, of which its digest is taken: see the migration `0017_seal_evidence`.
struct RowText {
  private var bytes: [UInt8] = []

  /// The digest of a row of a table.
  mutating func digest(_ table: SealedTable, _ row: SQLiteValues) -> SHA256.Digest {
    bytes.removeAll(keepingCapacity: true)
    bytes += table.name.utf8
    bytes.append(0)
    for place in table.columns.indices { append(row[place], at: place) }
    return bytes.withUnsafeBytes { SHA256.hash(data: $0) }
  }

  private mutating func append(_ value: OpaquePointer?, at column: Int) {
    let type = sqlite3_value_type(value)
    guard type != SQLITE_NULL else { return }
    bytes.append(UInt8(column))
    bytes.append(UInt8(type))
    switch type {
    case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT: append(sqlite3_value_double(value).bitPattern)
    default:
      let raw = Self.bytes(of: value)
      append(UInt64(raw.count))
      bytes += raw
    }
  }

  private mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// The bytes of a text or blob, until its statement goes on.
  static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The key of a row.
  static func key(of table: SealedTable, _ row: SQLiteValues) -> SealedKey {
    SealedKey(
      table: table.number,
      values: table.key.map { column in
        let value = row[column.place]
        return switch column.kind {
        case .integer: .integer(sqlite3_value_int64(value))
        case .text: .text(Array(bytes(of: value)))
        case .blob: .blob(Array(bytes(of: value)))
        }
      })
  }
}

/// The digest of a seal.
enum SealDigest {
  /// - Parameters:
  ///   - previous: the digest of the seal before; `nil` for the first.
  ///   - rows: the whole digests of its rows, one after the other.
  static func of(previous: [UInt8]?, id: Int64, list: [UInt8], rows: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: previous ?? [UInt8](repeating: 0, count: 32))
    withUnsafeBytes(of: id.bigEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: list)
    hash.update(data: rows)
    return Array(hash.finalize())
  }
}

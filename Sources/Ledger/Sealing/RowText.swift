internal import Crypto
internal import GRDBSQLite

/// What SQLite hands to a function: its values, one after the other.
typealias SQLiteValues = UnsafeMutablePointer<OpaquePointer?>

/// The canonical bytes of a row, of which its digest is taken: see the migration `0008_seals`.
struct RowText {
  /// Of what no erasure may rewrite, with the table's name before it.
  private(set) var kept: [UInt8] = []
  private var erasable: [UInt8] = []
  private var hasErasable = false

  /// Reads a row of a table.
  mutating func read(_ table: SealedTable, _ row: SQLiteValues) {
    kept.removeAll(keepingCapacity: true)
    erasable.removeAll(keepingCapacity: true)
    kept += table.head
    hasErasable = table.hasErasableColumns
    for (place, isErasable) in table.isErasable.enumerated() {
      if isErasable {
        Self.append(row[place], at: place, to: &erasable)
      } else {
        Self.append(row[place], at: place, to: &kept)
      }
    }
  }

  /// The digest of the row that was read.
  var digest: SHA256.Digest {
    guard let erasableDigest else {
      return Self.digest(kept: kept, erased: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return erasableDigest.withUnsafeBytes { Self.digest(kept: kept, erased: $0) }
  }

  /// The digest of its columns that an erasure may rewrite; `nil` where the table has none.
  var erasableDigest: SHA256.Digest? {
    guard hasErasable else { return nil }
    var hash = SHA256()
    erasable.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize()
  }

  /// The digest of a row of which an erasure rewrote what had a digest of its own.
  static func digest(kept: [UInt8], erased: UnsafeRawBufferPointer) -> SHA256.Digest {
    var hash = SHA256()
    kept.withUnsafeBytes { hash.update(bufferPointer: $0) }
    hash.update(bufferPointer: erased)
    return hash.finalize()
  }

  private static func append(_ value: OpaquePointer?, at column: Int, to bytes: inout [UInt8]) {
    let type = sqlite3_value_type(value)
    guard type != SQLITE_NULL else { return }
    bytes.append(UInt8(column))
    bytes.append(UInt8(type))
    switch type {
    case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_value_int64(value)), to: &bytes)
    case SQLITE_FLOAT: append(sqlite3_value_double(value).bitPattern, to: &bytes)
    default:
      let raw = Self.bytes(of: value)
      append(UInt64(raw.count), to: &bytes)
      bytes += raw
    }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
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

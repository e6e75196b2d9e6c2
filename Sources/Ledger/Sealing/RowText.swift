internal import Crypto
internal import GRDBSQLite

/// What SQLite hands to a function: its values, one after the other.
typealias SQLiteValues = UnsafeMutablePointer<OpaquePointer?>

/// The canonical bytes of a row, of which its digest is taken: see the migration `0008_seals`.
struct RowText {
  /// Of what no erasure may rewrite, with the table's name before it.
  private var kept: [UInt8] = []
  /// Of each group of columns that an erasure may rewrite.
  private(set) var groups: [[UInt8]] = []
  /// The salt of the row, or nothing where it was destroyed.
  private var salt: [UInt8] = []

  /// Reads a row of a table.
  mutating func read(_ table: SealedTable, _ row: SQLiteValues) {
    kept.removeAll(keepingCapacity: true)
    salt.removeAll(keepingCapacity: true)
    while groups.count < table.groupCount { groups.append([]) }
    groups.removeLast(groups.count - table.groupCount)
    for group in groups.indices { groups[group].removeAll(keepingCapacity: true) }
    kept += table.head
    for (place, part) in table.parts.enumerated() {
      switch part {
      case .kept: Self.append(row[place], at: place, to: &kept)
      case .group(let group): Self.append(row[place], at: place, to: &groups[group])
      case .salt where sqlite3_value_type(row[place]) == SQLITE_INTEGER:
        Self.append(UInt64(bitPattern: sqlite3_value_int64(row[place])), to: &salt)
      case .salt: break
      }
    }
  }

  /// The digest of the row that was read.
  var digest: SHA256.Digest { digest(groups.indices.map { groupDigest($0, salt: groupSalt($0)) }) }

  /// The digest of the row, with the digests of its groups as they are given.
  func digest(_ groupDigests: [[UInt8]]) -> SHA256.Digest {
    var hash = SHA256()
    kept.withUnsafeBytes { hash.update(bufferPointer: $0) }
    for digest in groupDigests { digest.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    return hash.finalize()
  }

  /// The digest of the row as it was sealed.
  /// - Parameter former: of each group what an erasure left of it.
  func digest(_ former: [FormerGroup]) -> SHA256.Digest {
    digest(
      zip(groups.indices, former).map { group, left in
        switch left {
        case .salt(let salt): groupDigest(group, salt: salt)
        case .digest(let digest): digest
        }
      })
  }

  /// Whether a salt protects the values of the row.
  var isSalted: Bool { !salt.isEmpty }

  /// The salt of a group; nothing where the row's was destroyed.
  func groupSalt(_ group: Int) -> [UInt8] {
    if salt.isEmpty { return [] }
    var hash = SHA256()
    salt.withUnsafeBytes { hash.update(bufferPointer: $0) }
    withUnsafeBytes(of: UInt8(group)) { hash.update(bufferPointer: $0) }
    return Array(hash.finalize())
  }

  /// The digest of a group under a salt.
  func groupDigest(_ group: Int, salt: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    salt.withUnsafeBytes { hash.update(bufferPointer: $0) }
    groups[group].withUnsafeBytes { hash.update(bufferPointer: $0) }
    return Array(hash.finalize())
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

/// What an erasure left of a group of columns, as `rewritten_row.former` stores it.
enum FormerGroup: Equatable {
  /// The group is as it was sealed, with this salt.
  case salt([UInt8])
  /// The group was rewritten; this was its digest.
  case digest([UInt8])

  /// Of a group that an earlier erasure rewrote: its record has the digest.
  static let unknown = FormerGroup.digest([UInt8](repeating: 0, count: 32))

  /// Reads what ``bytes(_:)`` wrote; `nil` where it is something else.
  static func groups(_ bytes: [UInt8], count: Int) -> [FormerGroup]? {
    guard bytes.count == 33 * count else { return nil }
    var groups: [FormerGroup] = []
    for start in stride(from: 0, to: bytes.count, by: 33) {
      let value = Array(bytes[start + 1..<start + 33])
      switch bytes[start] {
      case 0: groups.append(.salt(value))
      case 1: groups.append(.digest(value))
      default: return nil
      }
    }
    return groups
  }

  /// The groups as they are stored.
  static func bytes(_ groups: [FormerGroup]) -> [UInt8] {
    groups.flatMap { group -> [UInt8] in
      switch group {
      case .salt(let salt): [0] + salt
      case .digest(let digest): [1] + digest
      }
    }
  }

  /// What the records of several erasures of one row, the oldest first, leave of its groups as they were sealed.
  static func sealed(_ records: [[FormerGroup]]) -> [FormerGroup] {
    guard var result = records.first else { return [] }
    for record in records.dropFirst() {
      for group in result.indices {
        if case .salt = result[group] { result[group] = record[group] }
      }
    }
    return result
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

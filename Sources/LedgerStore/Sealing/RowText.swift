package import Crypto
internal import GRDBSQLite
internal import LedgerSchema

/// The values that SQLite passes to a function, one after the other.
package typealias SQLiteValues = UnsafeMutablePointer<OpaquePointer?>

/// The canonical bytes of a row, from which its digest is computed. The migration `0008_seals` defines them.
package struct RowText {
  /// The table's name and the columns that no erasure may rewrite.
  private var fixed: [UInt8] = []
  /// The bytes of each group of columns that an erasure may rewrite.
  private(set) var groups: [[UInt8]] = []
  /// The salt of the row, empty when it was destroyed.
  private var salt: [UInt8] = []

  init() {}

  /// Creates a text for rows of one table.
  init(_ table: SealedTable) { begin(table) }

  /// Begins a row of a table, without values.
  mutating func begin(_ table: SealedTable) {
    fixed.removeAll(keepingCapacity: true)
    salt.removeAll(keepingCapacity: true)
    while groups.count < table.groupCount { groups.append([]) }
    groups.removeLast(groups.count - table.groupCount)
    for group in groups.indices { groups[group].removeAll(keepingCapacity: true) }
    fixed += table.head
  }

  /// Reads all values of a row of a table.
  mutating func read(_ table: SealedTable, _ row: SQLiteValues) {
    begin(table)
    for (columnIndex, part) in table.parts.enumerated() {
      let value = row[columnIndex]
      switch sqlite3_value_type(value) {
      case SQLITE_NULL: continue
      case SQLITE_INTEGER: append(sqlite3_value_int64(value), at: columnIndex, part)
      case SQLITE_FLOAT: append(SQLITE_FLOAT, sqlite3_value_double(value).bitPattern, at: columnIndex, part)
      case let type: append(type, Self.bytes(of: value), at: columnIndex, part)
      }
    }
  }

  // MARK: - Values

  /// Adds an integer value at a column.
  mutating func append(_ number: Int64, at columnIndex: Int, _ part: SealedTable.Part) {
    append(SQLITE_INTEGER, UInt64(bitPattern: number), at: columnIndex, part)
  }

  private mutating func append(_ type: CInt, _ bits: UInt64, at columnIndex: Int, _ part: SealedTable.Part) {
    switch part {
    case .fixed: Self.append(type, bits, at: columnIndex, to: &fixed)
    case .group(let group): Self.append(type, bits, at: columnIndex, to: &groups[group])
    case .salt: Self.append(bits, to: &salt)
    }
  }

  /// Adds a text or blob at a column.
  mutating func append(_ type: CInt, _ raw: UnsafeRawBufferPointer, at columnIndex: Int, _ part: SealedTable.Part) {
    switch part {
    case .fixed: Self.append(type, raw, at: columnIndex, to: &fixed)
    case .group(let group): Self.append(type, raw, at: columnIndex, to: &groups[group])
    case .salt: break
    }
  }

  private static func append(_ type: CInt, _ bits: UInt64, at columnIndex: Int, to bytes: inout [UInt8]) {
    bytes.append(UInt8(columnIndex))
    bytes.append(UInt8(type))
    append(bits, to: &bytes)
  }

  private static func append(_ type: CInt, _ raw: UnsafeRawBufferPointer, at columnIndex: Int, to bytes: inout [UInt8])
  {
    append(type, UInt64(raw.count), at: columnIndex, to: &bytes)
    bytes += raw
  }

  /// Adds an integer that is not known yet.
  /// - Returns: its position in the bytes, for ``fill(_:_:)``.
  mutating func appendMissing(at columnIndex: Int) -> Int {
    append(0, at: columnIndex, .fixed)
    return fixed.count - 8
  }

  /// Fills in an integer that ``appendMissing(at:)`` added.
  mutating func fill(_ offset: Int, _ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { fixed.replaceSubrange(offset..<offset + 8, with: $0) }
  }

  /// Appends the bytes of all parts to `bytes`, and the end of each part to `ends`.
  func move(to bytes: inout [UInt8], _ ends: inout [Int]) {
    bytes += fixed
    ends.append(bytes.count)
    for group in groups {
      bytes += group
      ends.append(bytes.count)
    }
    bytes += salt
    ends.append(bytes.count)
  }

  // MARK: - Digests

  /// The SHA-256 digest of the row.
  var digest: SHA256.Digest { digest(groups.indices.map { groupDigest($0, salt: groupSalt($0)) }) }

  /// Returns the digest of the row, with the given digests of its groups.
  func digest(_ groupDigests: [[UInt8]]) -> SHA256.Digest { fixed.withUnsafeBytes { Self.digest($0, groupDigests) } }

  /// Returns the digest of a row.
  /// - Parameters:
  ///   - fixed: the bytes that no erasure may rewrite.
  ///   - groupDigests: the digests of its groups.
  static func digest(_ fixed: UnsafeRawBufferPointer, _ groupDigests: [[UInt8]]) -> SHA256.Digest {
    var hash = SHA256()
    hash.update(bufferPointer: fixed)
    for digest in groupDigests { digest.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    return hash.finalize()
  }

  /// Returns the digest that the row had when it was sealed.
  /// - Parameter former: for each group, what an erasure left of it.
  package func digest(_ former: [FormerGroup]) -> SHA256.Digest {
    digest(
      zip(groups.indices, former).map { group, left in
        switch left {
        case .salt(let salt): groupDigest(group, salt: salt)
        case .digest(let digest): digest
        }
      })
  }

  /// Whether a salt protects the row's values.
  var isSalted: Bool { !salt.isEmpty }

  /// Returns the salt of a group, or no bytes when the row's salt was destroyed.
  func groupSalt(_ group: Int) -> [UInt8] { salt.withUnsafeBytes { Self.groupSalt(group, of: $0) } }

  /// Returns the salt of a group, which is derived from the salt of its row.
  static func groupSalt(_ group: Int, of salt: UnsafeRawBufferPointer) -> [UInt8] {
    if salt.isEmpty { return [] }
    var hash = SHA256()
    hash.update(bufferPointer: salt)
    withUnsafeBytes(of: UInt8(group)) { hash.update(bufferPointer: $0) }
    return Array(hash.finalize())
  }

  /// Returns the digest of a group of this row under a salt.
  func groupDigest(_ group: Int, salt: [UInt8]) -> [UInt8] {
    groups[group].withUnsafeBytes { Self.groupDigest($0, salt: salt) }
  }

  /// Returns the digest of a group's bytes under a salt.
  static func groupDigest(_ bytes: UnsafeRawBufferPointer, salt: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    salt.withUnsafeBytes { hash.update(bufferPointer: $0) }
    hash.update(bufferPointer: bytes)
    return Array(hash.finalize())
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// Returns the bytes of a text or blob. They are valid until the statement continues.
  package static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// Returns the primary key of a row.
  static func key(of table: SealedTable, _ row: SQLiteValues) -> SealedKey {
    SealedKey(
      table: table.number,
      values: table.key.map { column in
        let value = row[column.index]
        return switch column.kind {
        case .integer: .integer(sqlite3_value_int64(value))
        case .text: .text(Array(bytes(of: value)))
        case .blob: .blob(Array(bytes(of: value)))
        }
      })
  }
}

/// What an erasure left of a group of columns, in the form that `rewritten_row.former` stores.
package enum FormerGroup: Equatable {
  /// The group is unchanged since it was sealed, with this salt.
  case salt([UInt8])
  /// The group was rewritten. This is its digest before that.
  case digest([UInt8])

  /// The value for a group that an earlier erasure rewrote. That erasure's record contains the digest.
  static let unknown = FormerGroup.digest([UInt8](repeating: 0, count: 32))

  /// Reads the bytes that ``bytes(_:)`` wrote. Returns `nil` for other bytes.
  package static func groups(_ bytes: [UInt8], count: Int) -> [FormerGroup]? {
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

  /// Returns the groups in the form that is stored.
  static func bytes(_ groups: [FormerGroup]) -> [UInt8] {
    groups.flatMap { group -> [UInt8] in
      switch group {
      case .salt(let salt): [0] + salt
      case .digest(let digest): [1] + digest
      }
    }
  }

  /// Combines the records of several erasures of one row, oldest first, into the groups as they were sealed.
  package static func sealed(_ records: [[FormerGroup]]) -> [FormerGroup] {
    guard var result = records.first else { return [] }
    for record in records.dropFirst() {
      for group in result.indices {
        if case .salt = result[group] { result[group] = record[group] }
      }
    }
    return result
  }
}

/// The computation of a seal's digest.
package enum SealDigest {
  /// Returns the SHA-256 digest of a seal.
  /// - Parameters:
  ///   - previous: the digest of the seal before, or `nil` for the first seal.
  ///   - id: the number of the seal.
  ///   - list: the list of its rows.
  ///   - rows: the full digests of its rows, one after the other.
  package static func of(previous: [UInt8]?, id: Int64, list: [UInt8], rows: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: previous ?? [UInt8](repeating: 0, count: 32))
    withUnsafeBytes(of: id.bigEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: list)
    hash.update(data: rows)
    return Array(hash.finalize())
  }
}

internal import LedgerSchema

/// The list of rows in a seal. The migration `0008_seals` defines its format.
package enum SealList {
  /// The number of digest bytes in the list for each row. They are enough to find a row that differs.
  static let shortCount = 4

  /// Writes the keys and short digests of one table's rows.
  struct Writer {
    private(set) var bytes: [UInt8] = []
    private var last: [Int64] = []

    mutating func append(_ values: [SealedKey.Value]) {
      for (index, value) in values.enumerated() {
        switch value {
        case .integer(let number): append(number, at: index)
        case .text(let raw), .blob(let raw): append(raw, at: index)
        }
      }
    }

    mutating func append(_ number: Int64, at index: Int) {
      while last.count <= index { last.append(0) }
      let difference = number &- last[index]
      last[index] = number
      bytes.append(leb128: UInt64(bitPattern: (difference << 1) ^ (difference >> 63)))
    }

    mutating func append(_ raw: some Collection<UInt8>, at index: Int) {
      bytes.append(leb128: UInt64(raw.count))
      bytes += raw
    }

    mutating func append(short digest: some Collection<UInt8>) { bytes += digest.prefix(shortCount) }
  }

  /// One row of a list: its key and the first bytes of its digest.
  package struct Entry {
    package let key: [SealedKey.Value]
    package let short: ArraySlice<UInt8>
  }

  /// The rows of one table in a list.
  package struct Section {
    package let table: SealedTable
    package let entries: [Entry]
  }

  /// The error for bytes that are not a valid list.
  package struct Unreadable: Error {}

  /// Reads the list of a seal.
  /// - Parameter table: returns the sealed table of a number, or `nil` when there is none.
  /// - Throws: ``Unreadable`` when the bytes are not a valid list.
  package static func sections(_ bytes: [UInt8], table: (Int) -> SealedTable?) throws(Unreadable) -> [Section] {
    var reader = Reader(rest: bytes[...])
    var sections: [Section] = []
    while !reader.rest.isEmpty {
      guard let number = Int(exactly: try reader.number()), let table = table(number) else { throw Unreadable() }
      let count = try reader.number()
      // Every row takes at least one byte. The check limits the memory that a damaged list can demand.
      guard count <= reader.rest.count else { throw Unreadable() }
      var last = [Int64](repeating: 0, count: table.key.count)
      var entries: [Entry] = []
      entries.reserveCapacity(Int(count))
      for _ in 0..<count {
        let key = try reader.key(table, &last)
        entries.append(Entry(key: key, short: try reader.take(shortCount)))
      }
      sections.append(Section(table: table, entries: entries))
    }
    return sections
  }

  /// Reads the key of one row, as a list contains it.
  /// - Throws: ``Unreadable`` when the bytes are not a key.
  package static func key(_ bytes: [UInt8], of table: SealedTable) throws(Unreadable) -> SealedKey {
    var reader = Reader(rest: bytes[...])
    var last = [Int64](repeating: 0, count: table.key.count)
    return SealedKey(table: table.number, values: try reader.key(table, &last))
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func take(_ count: Int) throws(Unreadable) -> ArraySlice<UInt8> {
      guard count <= rest.count else { throw Unreadable() }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    mutating func number() throws(Unreadable) -> UInt64 {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard let byte = rest.popFirst() else { throw Unreadable() }
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
      }
      throw Unreadable()
    }

    mutating func key(_ table: SealedTable, _ last: inout [Int64]) throws(Unreadable) -> [SealedKey.Value] {
      var values: [SealedKey.Value] = []
      values.reserveCapacity(table.key.count)
      for (index, column) in table.key.enumerated() {
        let number = try number()
        if column.kind == .integer {
          last[index] &+= Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
          values.append(.integer(last[index]))
        } else {
          guard let count = Int(exactly: number) else { throw Unreadable() }
          let bytes = Array(try take(count))
          values.append(column.kind == .text ? .text(bytes) : .blob(bytes))
        }
      }
      return values
    }
  }
}

extension [UInt8] {
  mutating func append(leb128 number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

internal import Crypto
internal import Dispatch
internal import GRDBSQLite
internal import LedgerSchema

/// The rows of one table that a transaction inserts with prepared statements. Their values are collected when they are
/// bound. Before the commit, all rows are digested together on all cores.
package final class BoundRows {
  let table: SealedTable
  private var row: RowText
  /// The position of the row's number in the bytes, when SQLite chooses the number.
  private var missingNumber: Int?
  private var keyValues: [Int64]
  /// For each column, its index in the key.
  private let keyIndices: [Int?]
  /// The keys of the rows, one after the other.
  private var keys: [Int64] = []
  /// The canonical bytes of the rows. For each row: the part that no erasure may rewrite, then each group, then the
  /// salt.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// Creates an empty list of rows. Returns `nil` when the table's key contains a column that is not an integer.
  /// - Parameter table: the table that the rows belong to.
  init?(_ table: SealedTable) {
    guard table.keyColumns.allSatisfy(\.isInteger) else { return nil }
    self.table = table
    row = RowText(table)
    keyValues = Array(repeating: 0, count: table.keyColumns.count)
    keyIndices = table.columns.indices.map { columnIndex in table.keyColumns.firstIndex { $0.index == columnIndex }
    }
  }

  /// The number of complete rows.
  var count: Int { keys.count / keyValues.count }

  // MARK: - Binding

  /// Begins a row, and discards the values of a row that was not inserted.
  func begin() {
    row.begin(table)
    missingNumber = nil
  }

  func add(_ number: Int64, at columnIndex: Int) {
    if let key = keyIndices[columnIndex] { keyValues[key] = number }
    row.append(number, at: columnIndex, table.parts[columnIndex])
  }

  func add(_ type: CInt, _ raw: UnsafeRawBufferPointer, at columnIndex: Int) {
    row.append(type, raw, at: columnIndex, table.parts[columnIndex])
  }

  /// Adds NULL. In a key column, it means that SQLite chooses the row's number.
  func addNull(at columnIndex: Int) {
    guard keyIndices[columnIndex] != nil else { return }
    missingNumber = row.appendMissing(at: columnIndex)
  }

  /// Completes a row that was inserted.
  func end(_ number: Int64) {
    if let missingNumber {
      row.fill(missingNumber, number)
      keyValues[0] = number
    }
    keys += keyValues
    row.move(to: &bytes, &ends)
  }

  // MARK: - Sealing

  /// Appends the keys and short digests of the rows to a list, and their full digests to `digests`.
  func seal(_ list: inout SealList.Writer, _ digests: inout [UInt8]) {
    let (all, width) = (count, keyValues.count)
    let found = Self.digests(bytes, ends, count: all, partCount: table.groupCount + 2)
    for number in 0..<all {
      for index in 0..<width { list.append(keys[number * width + index], at: index) }
      list.append(short: found[number * 32..<number * 32 + 4])
    }
    digests += found
  }

  /// The number of rows that one task digests.
  private static let chunk = 256

  private static func digests(_ bytes: [UInt8], _ ends: [Int], count: Int, partCount: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count * 32) { digests, filled in
      let out = SendableBytes(start: UnsafeMutableRawPointer(digests.baseAddress))
      filled = count * 32
      DispatchQueue.concurrentPerform(iterations: (count + chunk - 1) / chunk) { part in
        bytes.withUnsafeBytes { bytes in
          for number in part * chunk..<min(count, (part + 1) * chunk) {
            func slice(_ part: Int) -> UnsafeRawBufferPointer {
              let end = number * partCount + part
              return UnsafeRawBufferPointer(rebasing: bytes[(end == 0 ? 0 : ends[end - 1])..<ends[end]])
            }
            let groups = (0..<partCount - 2).map { group in
              RowText.groupDigest(slice(group + 1), salt: RowText.groupSalt(group, of: slice(partCount - 1)))
            }
            RowText.digest(slice(0), groups).withUnsafeBytes { digest in
              out.start?.advanced(by: number * 32).copyMemory(from: digest.baseAddress!, byteCount: 32)
            }
          }
        }
      }
    }
  }

  /// The digests' memory. Each task writes the digests of its own rows.
  private struct SendableBytes: @unchecked Sendable {
    let start: UnsafeMutableRawPointer?
  }
}

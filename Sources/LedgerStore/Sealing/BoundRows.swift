internal import Crypto
internal import Dispatch
internal import GRDBSQLite
internal import LedgerSchema

/// The rows of one table that a transaction inserts through steps: their values are taken where they are bound, and
/// digested together, on all cores, before the transaction is committed.
package final class BoundRows {
  let table: SealedTable
  private var row: RowText
  /// Where the number of the row goes, which SQLite chooses.
  private var missingNumber: Int?
  private var keyValues: [Int64]
  /// The place of a column in the key.
  private let keyPlace: [Int?]
  /// The keys of the rows, one after the other.
  private var keys: [Int64] = []
  /// The canonical bytes of the rows: of each what no erasure may rewrite, then each group, then the salt.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// - Parameter table: a table whose key has integers only.
  init?(_ table: SealedTable) {
    guard table.keyPlaces.allSatisfy(\.isInteger) else { return nil }
    self.table = table
    row = RowText(table)
    keyValues = Array(repeating: 0, count: table.keyPlaces.count)
    keyPlace = table.columns.indices.map { place in table.keyPlaces.firstIndex { $0.place == place } }
  }

  /// How many rows are complete.
  var count: Int { keys.count / keyValues.count }

  // MARK: - Binding

  /// Begins a row: what was bound of one that failed is gone.
  func begin() {
    row.begin(table)
    missingNumber = nil
  }

  func add(_ number: Int64, at place: Int) {
    if let key = keyPlace[place] { keyValues[key] = number }
    row.append(number, at: place, table.parts[place])
  }

  func add(_ type: CInt, _ raw: UnsafeRawBufferPointer, at place: Int) {
    row.append(type, raw, at: place, table.parts[place])
  }

  /// A value is NULL: the number of a row is chosen by SQLite then.
  func addNull(at place: Int) {
    guard keyPlace[place] != nil else { return }
    missingNumber = row.appendMissing(at: place)
  }

  /// The row was inserted.
  func end(_ number: Int64) {
    if let missingNumber {
      row.fill(missingNumber, number)
      keyValues[0] = number
    }
    keys += keyValues
    row.move(to: &bytes, &ends)
  }

  // MARK: - Sealing

  /// Writes the list of the rows, and their digests.
  func seal(_ list: inout SealList.Writer, _ digests: inout [UInt8]) {
    let (all, width) = (count, keyValues.count)
    let found = Self.digests(bytes, ends, count: all, partCount: table.groupCount + 2)
    for number in 0..<all {
      for place in 0..<width { list.append(keys[number * width + place], at: place) }
      list.append(short: found[number * 32..<number * 32 + 4])
    }
    digests += found
  }

  /// So many rows are worth a task of their own.
  private static let chunk = 256

  private static func digests(_ bytes: [UInt8], _ ends: [Int], count: Int, partCount: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count * 32) { digests, filled in
      let out = SendableBytes(start: UnsafeMutableRawPointer(digests.baseAddress))
      filled = count * 32
      DispatchQueue.concurrentPerform(iterations: (count + chunk - 1) / chunk) { part in
        bytes.withUnsafeBytes { bytes in
          for number in part * chunk..<min(count, (part + 1) * chunk) {
            func slice(_ place: Int) -> UnsafeRawBufferPointer {
              let end = number * partCount + place
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

  /// Each task writes digests of its own rows.
  private struct SendableBytes: @unchecked Sendable {
    let start: UnsafeMutableRawPointer?
  }
}

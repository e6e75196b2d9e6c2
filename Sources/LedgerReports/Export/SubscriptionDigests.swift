internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// One number for each original transaction, which depends on its rows in one relation and not on their order. With
/// these numbers the next export finds the original transactions whose rows changed. New evidence, the passing of time
/// and another catalogue all change rows.
struct SubscriptionDigests {
  private(set) var values: [UInt64]

  init(count: Int) { values = [UInt64](repeating: 0, count: count) }

  /// Reads the digests that an export left; `nil` when it left none.
  init?(path: String) {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)), data.count % 8 == 0 else { return nil }
    values = data.withUnsafeBytes { raw in
      stride(from: 0, to: raw.count, by: 8).map {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
      }
    }
  }

  func write(to path: String) throws {
    let bytes = values.withUnsafeBytes { Data($0) }
    guard FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]) else {
      throw LedgerError.cannotWriteExport(path)
    }
  }

  mutating func add(_ row: UInt64, to key: Int) {
    guard values.indices.contains(key) else { return }
    values[key] &+= row
  }

  /// Returns whether the rows of each original transaction changed, by its key.
  func changed(since other: SubscriptionDigests) -> [Bool] {
    values.indices.map { values[$0] != (other.values.indices.contains($0) ? other.values[$0] : 0) }
  }
}

/// The number of one row, computed from its values.
struct RowHash {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  mutating func add(_ number: UInt64) {
    let (high, low) = (value ^ number).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    value = (high ^ low) &+ 0xA076_1D64_78BD_642F
  }

  mutating func add(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    add(UInt64(count) &+ 0x5851_F42D_4C95_7F2D)
    let raw = UnsafeRawPointer(bytes)
    var offset = 0
    while offset + 8 <= count {
      add(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var last: UInt64 = 0
    while offset < count {
      last = last << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(last)
  }
}

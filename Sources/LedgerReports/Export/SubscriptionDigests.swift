internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// For each line, a number that stands for its rows in one relation, whatever their order: by it the next export tells
/// which lines have other rows now. That is so for every reason there is: news, time that went by, another catalogue.
struct SubscriptionDigests {
  private(set) var values: [UInt64]

  init(count: Int) { values = [UInt64](repeating: 0, count: count) }

  /// Those that an export left; `nil` where they are not there.
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

  mutating func add(_ row: UInt64, to line: Int) {
    guard values.indices.contains(line) else { return }
    values[line] &+= row
  }

  /// The lines that are not alike in both.
  func changed(since other: SubscriptionDigests) -> [Bool] {
    values.indices.map { values[$0] != (other.values.indices.contains($0) ? other.values[$0] : 0) }
  }
}

/// The number of one row.
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
    var place = 0
    while place + 8 <= count {
      add(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    var last: UInt64 = 0
    while place < count {
      last = last << 8 | UInt64(bytes[place])
      place += 1
    }
    add(last)
  }
}

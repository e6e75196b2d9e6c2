import AppStore
import Foundation

/// The arrival of one message of one customer.
struct Stamp {
  /// The sort key: the arrival instant, or a random number.
  let key: UInt64
  let at: Instant
  let customer: UInt32
  let number: UInt32
  /// The number of this copy, from 0. ``copies`` is the number of all copies.
  let copy: UInt8
  let copies: UInt8
  let isTorn: Bool

  /// Returns whether this stamp comes before another. Equal keys follow customer, message and copy, so the order is
  /// always the same.
  func comes(before other: Stamp) -> Bool {
    (key, customer, number, copy) < (other.key, other.customer, other.number, other.copy)
  }
}

/// A sorter for any number of stamps in constant memory. It stores stamps in files by ranges of their keys, and sorts
/// each range when its turn comes.
final class StampSorter {
  private let lowest: UInt64
  private let width: UInt64
  private let folder: URL
  private var pending: [[Stamp]]
  private var pendingCount = 0
  /// The ranges that have a file.
  private var spilled: Set<Int> = []
  private(set) var count = 0

  private static let ranges = 256
  private let limit: Int

  init(from: Instant, to: Instant, isShuffled: Bool, limit: Int) {
    self.limit = limit
    lowest = isShuffled ? 0 : UInt64(max(0, from.milliseconds))
    let span = isShuffled ? UInt64.max : UInt64(to - from)
    width = span / UInt64(Self.ranges) + 1
    pending = Array(repeating: [], count: Self.ranges)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("subledger-\(UUID().uuidString)")
  }

  deinit { if !spilled.isEmpty { try? FileManager.default.removeItem(at: folder) } }

  func add(_ stamp: Stamp) throws {
    let range = stamp.key <= lowest ? 0 : min(Self.ranges - 1, Int((stamp.key - lowest) / width))
    pending[range].append(stamp)
    count += 1
    pendingCount += 1
    if pendingCount >= limit { try spill() }
  }

  private func file(_ range: Int) -> URL { folder.appendingPathComponent("\(range)") }

  private func spill() throws {
    if spilled.isEmpty { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    for range in pending.indices where !pending[range].isEmpty {
      if spilled.insert(range).inserted { try Data().write(to: file(range)) }
      let handle = try FileHandle(forWritingTo: file(range))
      try handle.seekToEnd()
      try handle.write(contentsOf: pending[range].withUnsafeBytes { Data($0) })
      try handle.close()
      pending[range].removeAll()
    }
    pendingCount = 0
  }

  /// Calls `body` with all stamps in order, in several parts.
  func forEach(_ body: ([Stamp]) throws -> Void) throws {
    for range in pending.indices {
      var stamps: [Stamp] = []
      if spilled.contains(range) {
        stamps = try Data(contentsOf: file(range)).withUnsafeBytes { Array($0.bindMemory(to: Stamp.self)) }
      }
      stamps += pending[range]
      pending[range] = []
      try body(stamps.sorted { $0.comes(before: $1) })
    }
  }
}

/// A file of the messages that arrive more than once. It serves each message until the last copy is sent.
struct CopyStore {
  private struct Key: Hashable {
    let customer: UInt32
    let number: UInt32
  }

  private final class Spool {
    let handle: FileHandle
    var end: UInt64 = 0

    init() throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("subledger-\(UUID().uuidString)")
      try Data().write(to: path)
      handle = try FileHandle(forUpdating: path)
      // The open file has no name any more. The system removes it when the program ends.
      try FileManager.default.removeItem(at: path)
    }
  }

  private let spool: Spool
  private var locations: [Key: (offset: UInt64, count: Int, left: Int)] = [:]

  init() throws { spool = try Spool() }

  /// Returns the text of a message's first copy. For the first copy, stores and returns the given text.
  mutating func text(of stamp: Stamp, else text: [UInt8]) throws -> [UInt8] {
    let key = Key(customer: stamp.customer, number: stamp.number)
    guard let location = locations[key] else {
      locations[key] = (spool.end, text.count, Int(stamp.copies) - 1)
      try spool.handle.seek(toOffset: spool.end)
      try spool.handle.write(contentsOf: text)
      spool.end += UInt64(text.count)
      return text
    }
    if location.left == 1 { locations[key] = nil } else { locations[key]?.left -= 1 }
    try spool.handle.seek(toOffset: location.offset)
    return Array(try spool.handle.read(upToCount: location.count) ?? Data())
  }
}

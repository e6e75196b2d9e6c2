internal import Foundation
internal import Synchronization

/// Whether the disk of a ledger has space for more.
final class DiskSpace: Sendable {
  /// The least share of a disk, and the least number of bytes, that must be free.
  static let least = (share: 0.05, bytes: 256 << 20 as Int64)

  private let folder: String
  private let isFree: @Sendable (_ folder: String) -> Bool
  private let wasLow: Atomic<Bool>

  /// Creates the space around a file.
  /// - Parameter isFree: returns whether a folder's disk has enough space.
  init(around path: String, isFree: @escaping @Sendable (_ folder: String) -> Bool = DiskSpace.isFree) {
    folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    self.isFree = isFree
    wasLow = Atomic(!isFree(folder))
  }

  /// Whether too little is free, at the last check.
  var isLow: Bool { wasLow.load(ordering: .relaxed) }

  /// Checks the disk again.
  /// - Returns: whether too little is free.
  @discardableResult
  func check() -> Bool {
    let isLow = !isFree(folder)
    wasLow.store(isLow, ordering: .relaxed)
    return isLow
  }

  static func isFree(_ folder: String) -> Bool {
    guard let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder),
      let free = (facts[.systemFreeSize] as? NSNumber)?.int64Value,
      let size = (facts[.systemSize] as? NSNumber)?.int64Value, size > 0
    else { return true }
    return free >= least.bytes && Double(free) / Double(size) >= least.share
  }
}

internal import Foundation

/// The sizes of files.
enum FileSize {
  /// Returns the length of a file in bytes; `nil` when there is none.
  static func bytes(_ path: String) -> Int64? {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.size] as? NSNumber)?.int64Value
  }
}

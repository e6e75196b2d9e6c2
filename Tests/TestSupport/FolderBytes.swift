import Foundation

/// The bytes of all files in a folder. Tests search them for texts that must not be there.
///
/// A search in a string compares characters, which takes seconds for a ledger of some megabytes. This search compares
/// bytes.
package struct FolderBytes: Sendable {
  private let data: Data

  package init(_ folder: TemporaryFolder) throws {
    var data = Data()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      data += try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }
    self.data = data
  }

  /// Returns whether the bytes of a text are in the files.
  package func contains(_ text: String) -> Bool { data.holds(text) }

  /// Returns whether a text is in the files, in upper or lower case of ASCII.
  package func containsInAnyCase(_ text: String) -> Bool {
    let lower = Data(data.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    return lower.holds(text.lowercased())
  }
}

extension Data {
  fileprivate func holds(_ text: String) -> Bool {
    let sought = Array(text.utf8)
    guard let first = sought.first else { return true }
    return withUnsafeBytes { bytes in
      guard var position = bytes.baseAddress else { return false }
      let end = position + bytes.count
      while end - position >= sought.count, let next = memchr(position, Int32(first), end - position) {
        let found = UnsafeRawPointer(next)
        if end - found >= sought.count, memcmp(found, sought, sought.count) == 0 { return true }
        position = found + 1
      }
      return false
    }
  }
}

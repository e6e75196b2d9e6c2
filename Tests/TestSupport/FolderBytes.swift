import Foundation

/// All bytes of the files of a folder, to be searched for texts that may not be there.
///
/// Searching a string compares characters, which takes seconds for a ledger of some megabytes. This compares bytes.
package struct FolderBytes: Sendable {
  private let data: Data

  package init(_ folder: TemporaryFolder) throws {
    var data = Data()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      data += try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }
    self.data = data
  }

  /// Whether the bytes of a text are there.
  package func contains(_ text: String) -> Bool { data.holds(text) }

  /// Whether a text is there in any case, as far as ASCII has two.
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
      guard var place = bytes.baseAddress else { return false }
      let end = place + bytes.count
      while end - place >= sought.count, let next = memchr(place, Int32(first), end - place) {
        let found = UnsafeRawPointer(next)
        if end - found >= sought.count, memcmp(found, sought, sought.count) == 0 { return true }
        place = found + 1
      }
      return false
    }
  }
}

import Foundation
import Synchronization

/// A folder for one test, which is removed with this object.
package final class TemporaryFolder: Sendable {
  /// The folders that exist now. Folders that tests share stay until the process ends.
  private static let present = Mutex<Set<String>>([])
  private static let cleaning: Void = {
    atexit {
      for path in TemporaryFolder.present.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
  }()

  /// The parent of all these folders. It is in memory if possible, where flushing a file to disk costs nothing.
  ///
  /// No test checks that the disk stores flushed data. The trials of lost power replay the calls that the program made.
  private static let parent: String = {
    let memory = "/dev/shm"
    // Containers often have 64 MB there. Too little space would look like an error of the program.
    var status = statvfs()
    guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &status) == 0,
      UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 30
    else { return NSTemporaryDirectory() }
    // Some tests copy a program into their folder and run it, which a mount can forbid.
    let probe = memory + "/subledger-tests-" + UUID().uuidString
    defer { unlink(probe) }
    let isMade = FileManager.default.createFile(atPath: probe, contents: nil, attributes: [.posixPermissions: 0o700])
    return isMade && access(probe, X_OK) == 0 ? memory : NSTemporaryDirectory()
  }()

  package let path: String

  package init() throws {
    Self.cleaning
    let path = Self.parent + "/subledger-tests-" + UUID().uuidString
    self.path = path
    Self.present.withLock { _ = $0.insert(path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Creates a folder with copies of another folder's files. Copying an imported ledger is faster than importing it
  /// again.
  package convenience init(copying other: TemporaryFolder) throws {
    try self.init()
    for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
      try FileManager.default.copyItem(atPath: other.file(name), toPath: file(name))
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    Self.present.withLock { _ = $0.remove(path) }
  }

  package func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

/// The checkout that contains this file.
package enum Checkout {
  package static let path = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  package static func contents(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  package static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  /// Returns the files below a folder with an ending, as paths from the checkout. It leaves out hidden folders, which
  /// have the builds of other packages.
  package static func files(in folder: String, ending: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: path + "/" + folder)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") && !$0.contains("/.") }.map { folder + "/" + $0 }
      .sorted()
  }
}

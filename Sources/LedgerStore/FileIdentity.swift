internal import Foundation

/// Which file a path means: its device and its number there. A file that was replaced has the same path and another
/// identity.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Reads the identity of the file at a path; `nil` when there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}

internal import Foundation
internal import LedgerSchema

/// The limit of waiting for another program that has the file locked.
///
/// SQLite's own waiting checks less and less often, at last ten times a second. An importer frees the file only for a
/// moment between two batches, so others could wait until its last batch. This type checks every millisecond. Importers
/// pause for some milliseconds after every few batches, so that others can use the file.
package struct BusyTimeout: Sendable {
  /// The greatest number of checks.
  private let limit: Int

  /// The pause between two checks, in microseconds.
  private static let pause: UInt32 = 1000

  /// The time for which an importer leaves the file to others now and then, in nanoseconds.
  static let courtesy: UInt64 = 3_000_000

  package init(_ timeout: Duration) {
    let (seconds, attoseconds) = timeout.components
    let milliseconds = Double(max(0, seconds)) * 1000 + Double(attoseconds) / 1e15
    limit = Int(min(milliseconds, 1e9))
  }

  /// Waits until the next check.
  /// - Returns: false when the limit is reached, and then it does not wait.
  func waitForNextCheck(_ tries: Int) -> Bool {
    guard tries < limit else { return false }
    usleep(Self.pause)
    return true
  }
}

internal import Foundation
internal import LedgerSchema

/// The limit of waiting for another program that has the file locked.
///
/// SQLite's own waiting checks less and less often, at last ten times a second. This type checks every millisecond.
/// ``WriteTurn`` gives the programs that wait their turns.
package struct BusyTimeout: Sendable {
  /// The greatest number of checks.
  private let limit: Int

  /// The pause between two checks, in microseconds.
  private static let pause: UInt32 = 1000

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

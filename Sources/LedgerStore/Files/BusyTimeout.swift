internal import Foundation
internal import LedgerSchema

/// How long one waits for another program that holds the file.
///
/// SQLite's own waiting looks ever more seldom, ten times a second at last: an importer that lets go of the file for a
/// moment only, between two batches, could keep others waiting for as long as it has batches. This looks every
/// millisecond, and importers leave some between every few batches, so that everyone gets a turn.
package struct BusyTimeout: Sendable {
  /// How often one looks.
  private let limit: Int

  /// The pause between two looks, in microseconds.
  private static let pause: UInt32 = 1000

  /// The time that an importer leaves to others now and then, in nanoseconds.
  static let courtesy: UInt64 = 3_000_000

  package init(_ timeout: Duration) {
    let (seconds, attoseconds) = timeout.components
    let milliseconds = Double(max(0, seconds)) * 1000 + Double(attoseconds) / 1e15
    limit = Int(min(milliseconds, 1e9))
  }

  /// Waits for a moment.
  /// - Returns: false where that was done for long enough.
  func waits(_ tries: Int) -> Bool {
    guard tries < limit else { return false }
    usleep(Self.pause)
    return true
  }
}

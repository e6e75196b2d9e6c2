internal import AppStore
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema
public import LedgerStore
internal import Synchronization

/// The limits of one SQL statement that a user wrote. They stop a wrong join from using the machine for hours.
public struct QueryLimits: Sendable {
  /// How long the statement may take to find its rows; `nil` for no limit. The time in which the caller handles a row
  /// does not count.
  public var timeout: Duration?
  /// The greatest length of a text or blob that the statement makes, in bytes. The default is twice the longest
  /// payload.
  public var longestValue = 2 * PayloadSplitter.sizeLimit
  /// Called on another thread when a single step of the statement continues after the timeout. SQLite checks the
  /// timeout only between steps, and one step can search a long text. A program that runs one statement can end here.
  public var onStandstill: (@Sendable (LedgerError) -> Void)?
  /// The clock of the timeout.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  /// The timeout of a statement that states no other: one minute.
  public static let defaultTimeout = Duration.seconds(60)

  /// Creates the limits of one statement.
  /// - Parameter timeout: how long the statement may take to find its rows; `nil` for no limit.
  public init(timeout: Duration? = Self.defaultTimeout) { self.timeout = timeout }

  /// Limits the memory that SQLite uses in this process, for all its connections together.
  ///
  /// Use it in a program that runs one statement and ends. At the limit, SQLite refuses more memory to every
  /// connection.
  /// - Parameter bytes: the limit in bytes; 0 for no limit.
  public static func limitMemory(toBytes bytes: Int) { sqlite3_hard_heap_limit64(Int64(bytes)) }

  var tooSlow: LedgerError {
    LedgerError(
      .statementTooSlow,
      "The statement took longer than \(timeout ?? .zero) and was stopped. Its result is incomplete.",
      "Select less, or allow it more time.")
  }

  var tooLarge: LedgerError {
    LedgerError(
      .statementTooLarge,
      "The statement needs more memory than its limit, or makes a text of more than \(longestValue) bytes, and was "
        + "stopped. Its result is incomplete.", "Select less, or shorter texts.")
  }
}

/// Stops the statement of a connection after its timeout.
///
/// SQLite calls the guard after every few thousand steps of its virtual machine.
final class QueryGuard {
  private let connection: SQLiteConnection
  private let now: @Sendable () -> ContinuousClock.Instant
  private var deadline: ContinuousClock.Instant? {
    didSet { watch.withLock { [deadline] in $0 = deadline } }
  }
  /// The deadline while SQLite works, for ``startWatching(_:)``; `nil` while the caller handles a row.
  private let watch = Shared()
  private let length: CInt

  private static let steps: CInt = 4096
  /// How long after its deadline a statement counts as stuck in one long step.
  private static let patience = Duration.seconds(1)

  /// The state that the watching thread shares with the thread of the statement.
  private final class Shared: Sendable {
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let isOver = Mutex(false)

    func withLock(_ body: @Sendable (inout ContinuousClock.Instant?) -> Void) { deadline.withLock { body(&$0) } }
    var present: ContinuousClock.Instant? { deadline.withLock { $0 } }
    var hasEnded: Bool {
      get { isOver.withLock { $0 } }
      set { isOver.withLock { $0 = newValue } }
    }
  }

  private func startWatching(_ limits: QueryLimits) {
    guard deadline != nil, let onStandstill = limits.onStandstill else { return }
    Thread.detachNewThread { [watch, now] in
      while !watch.hasEnded {
        Thread.sleep(forTimeInterval: 0.2)
        if let deadline = watch.present, now() > deadline + Self.patience, !watch.hasEnded {
          return onStandstill(limits.tooSlow)
        }
      }
    }
  }

  init(_ database: Database, _ limits: QueryLimits) {
    guard let connection = database.sqliteConnection else { preconditionFailure("a database in use has a connection") }
    (self.connection, now) = (connection, limits.now)
    deadline = limits.timeout.map { limits.now() + $0 }
    length = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, CInt(clamping: limits.longestValue))
    guard let deadline else { return }
    watch.withLock { $0 = deadline }
    startWatching(limits)
    sqlite3_progress_handler(
      connection, Self.steps,
      { context in
        guard let context else { return 0 }
        return Unmanaged<QueryGuard>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private var isOver: Bool { deadline.map { now() >= $0 } ?? false }

  /// Runs work of the caller, and moves the deadline by the time that this work takes.
  func pausing(_ body: () throws -> Void) rethrows {
    guard let deadline else { return try body() }
    let start = now()
    watch.withLock { $0 = nil }
    try body()
    self.deadline = deadline + (now() - start)
  }

  /// Removes the limits from the connection, because other queries on it have none.
  func release() {
    watch.hasEnded = true
    sqlite3_progress_handler(connection, 0, nil, nil)
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, length)
  }
}

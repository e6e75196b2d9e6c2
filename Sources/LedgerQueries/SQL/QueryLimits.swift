internal import AppStore
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema
public import LedgerStore
internal import Synchronization

/// What a statement of a user's own may cost. A slip in a join must not hold the machine for hours.
public struct QueryLimits: Sendable {
  /// How long it may take to find its rows; `nil` as long as it takes. What the caller does with a row is not counted.
  public var timeout: Duration?
  /// How many bytes a text or blob may have that the statement makes: twice the longest payload.
  public var longestValue = 2 * PayloadSplitter.sizeLimit
  /// Called on a thread of its own, where a single step of the statement goes on long after its time: SQLite does not
  /// look up from one step, such as a search in a long text. A program that runs one statement can end then.
  public var onStandstill: (@Sendable (LedgerError) -> Void)?

  /// A minute.
  public static let defaultTimeout = Duration.seconds(60)

  /// Creates limits.
  /// - Parameter timeout: how long the statement may take; `nil` as long as it takes.
  public init(timeout: Duration? = Self.defaultTimeout) { self.timeout = timeout }

  /// Limits the memory that SQLite takes in this process, all its connections together.
  ///
  /// It is for programs that run one statement and end: when the limit is reached, any connection that asks for more
  /// is refused.
  /// - Parameter bytes: how many bytes; 0 for no limit.
  public static func limitMemory(toBytes bytes: Int) { sqlite3_hard_heap_limit64(Int64(bytes)) }

  var tooSlow: LedgerError {
    LedgerError(
      .statementTooSlow, "The statement took longer than \(timeout ?? .zero) and was stopped: its answer is not whole.",
      "Ask for less, or allow it more time.")
  }

  var tooLarge: LedgerError {
    LedgerError(
      .statementTooLarge,
      "The statement needs more memory than it may take, or makes a text of over \(longestValue) bytes, and was "
        + "stopped: its answer is not whole.", "Ask for less, or for shorter texts.")
  }
}

/// Stops a connection's statement when it has taken too long.
///
/// SQLite asks every few thousand steps whether to go on.
final class QueryGuard {
  private let connection: SQLiteConnection
  private let clock = ContinuousClock()
  private var deadline: ContinuousClock.Instant? {
    didSet { watch.withLock { [deadline] in $0 = deadline } }
  }
  /// The deadline while SQLite is at work, for ``startWatching(_:)``.
  private let watch = Shared()
  private let length: CInt

  private static let steps: CInt = 4096
  /// So long after its time a statement is taken to be inside one long step.
  private static let patience = Duration.seconds(1)

  /// What the thread that watches shares with the one that asks.
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
    Thread.detachNewThread { [watch, clock] in
      while !watch.hasEnded {
        Thread.sleep(forTimeInterval: 0.2)
        if let deadline = watch.present, clock.now > deadline + Self.patience, !watch.hasEnded {
          return onStandstill(limits.tooSlow)
        }
      }
    }
  }

  init(_ database: Database, _ limits: QueryLimits) {
    guard let connection = database.sqliteConnection else { preconditionFailure("a database in use has a connection") }
    self.connection = connection
    deadline = limits.timeout.map { [clock] in clock.now + $0 }
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

  private var isOver: Bool { deadline.map { clock.now >= $0 } ?? false }

  /// Runs what is not the statement's own work, and does not count it.
  func pausing(_ body: () throws -> Void) rethrows {
    guard let deadline else { return try body() }
    let start = clock.now
    watch.withLock { $0 = nil }
    try body()
    self.deadline = deadline + (clock.now - start)
  }

  /// Lets the connection go: other questions on it have no limits.
  func release() {
    watch.hasEnded = true
    sqlite3_progress_handler(connection, 0, nil, nil)
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, length)
  }
}

public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// How far the history of an app's notifications has been walked in one environment, and the walk in progress.
public struct NotificationHistoryWalk: Sendable, Equatable {
  /// The app, by its bundle id.
  public let bundleID: String
  /// The environment that is walked.
  public let environment: Environment
  /// The end of the last complete walk; `nil` when none was complete.
  public var walkedUntil: Instant?
  /// The first instant of the walk in progress, and the first instant after it; `nil` when none is in progress.
  public var window: Range<Instant>?
  /// Where the next page of the walk in progress begins; `nil` at the first page.
  public var cursor: String?
  /// How many notifications the walk has seen.
  public var notificationCount: Int64 = 0
  /// How many of them the ledger did not have, minutes after Apple signed them; 0 in the first walk, which finds the past.
  public var missedCount: Int64 = 0
  /// How many of the missed ones had reached the address of the notifications, by Apple's account.
  public var lostCount: Int64 = 0
  /// When its last page was recorded.
  public var advancedAt: Instant

  /// Creates a walk that has not begun.
  public init(bundleID: String, environment: Environment, now: Instant) {
    (self.bundleID, self.environment, advancedAt) = (bundleID, environment, now)
  }

  fileprivate init(_ row: Row) throws {
    self.init(
      bundleID: row["bundle_id"], environment: try row.environment("environment"),
      now: Instant(milliseconds: row["advanced_at"]))
    walkedUntil = (row["walked_until"] as Int64?).map { Instant(milliseconds: $0) }
    if let begin = row["begins_at"] as Int64?, let end = row["ends_at"] as Int64?, begin <= end {
      window = Instant(milliseconds: begin)..<Instant(milliseconds: end)
    }
    cursor = row["cursor"]
    (notificationCount, missedCount) = (row["notification_count"], row["missed_count"])
    lostCount = row["lost_count"]
  }
}

extension LedgerReader {
  /// Returns the walks of all apps and environments, in their order.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func notificationHistoryWalks() throws -> [NotificationHistoryWalk] {
    try lookUp { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM main.notification_history_walk ORDER BY bundle_id, environment"
      ).map(NotificationHistoryWalk.init)
    }
  }
}

extension EvidenceTransaction {
  /// Stores how far a walk is, in the transaction of its page.
  package func store(_ walk: NotificationHistoryWalk) throws {
    try projections.execute(
      """
      INSERT OR REPLACE INTO main.notification_history_walk (
        bundle_id, environment, walked_until, begins_at, ends_at, cursor, notification_count, missed_count, lost_count,
        advanced_at)
      VALUES (
        :bundle_id, :environment, :walked_until, :begins_at, :ends_at, :cursor, :notification_count, :missed_count,
        :lost_count, :advanced_at)
      """,
      [
        "bundle_id": walk.bundleID, "environment": walk.environment.name,
        "walked_until": walk.walkedUntil?.milliseconds, "begins_at": walk.window?.lowerBound.milliseconds,
        "ends_at": walk.window?.upperBound.milliseconds, "cursor": walk.cursor,
        "notification_count": walk.notificationCount, "missed_count": walk.missedCount, "lost_count": walk.lostCount,
        "advanced_at": walk.advancedAt.milliseconds,
      ])
  }
}

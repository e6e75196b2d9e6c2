public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// How long no notification has arrived from Apple, beside what is usual.
public struct Silence: Sendable, Equatable {
  /// The environment that is silent.
  public let environment: Environment
  /// When the last notification arrived.
  public let lastReceivedAt: Instant
  /// How long it has lasted, in milliseconds. The time in which the server did not run is not part of it.
  public let duration: Int64
  /// The longest time between two of the last notifications, in milliseconds.
  public let longestBefore: Int64

  /// How many notifications make a past that states what is usual.
  static let enough = 20
  /// No shorter silence is unusual, in milliseconds: an hour.
  static let shortest: Int64 = 3_600_000

  /// Whether it has lasted for twice as long as any before.
  public var isUnusual: Bool { duration > max(Self.shortest, 2 * longestBefore) }

  /// Creates the silence since the last of some instants; `nil` where they are too few to say what is usual.
  /// - Parameters:
  ///   - arrivals: when notifications arrived.
  ///   - begun: when the server began to listen.
  ///   - now: the present instant.
  init?(in environment: Environment, after arrivals: [Instant], listeningSince begun: Instant, now: Instant) {
    let sorted = arrivals.sorted()
    guard sorted.count >= Self.enough, let last = sorted.last else { return nil }
    (self.environment, lastReceivedAt) = (environment, last)
    duration = max(0, now.milliseconds - max(last, begun).milliseconds)
    longestBefore = zip(sorted, sorted.dropFirst()).map { $1.milliseconds - $0.milliseconds }.max() ?? 0
  }
}

extension LedgerReader {
  /// Returns how long each environment has been silent, where enough notifications arrived before.
  ///
  /// It looks at the last thousand notifications. Those that the server fetched itself do not count.
  /// - Parameters:
  ///   - begun: when the server began to listen.
  ///   - now: the present instant.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func silences(listeningSince begun: Instant, now: Instant) throws -> [Silence] {
    let rows = try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT p.environment, d.received_at
          FROM (SELECT payload_id FROM main.notification ORDER BY payload_id DESC LIMIT 1000) n
          JOIN main.payload p USING (payload_id) JOIN main.delivery d USING (payload_id)
          JOIN main.origin o USING (origin_id)
          WHERE o.name IN ('POST /apple/v1', 'POST /apple/v2') AND d.received_at <= ?
          """, arguments: [now.milliseconds])
    }
    return try Dictionary(grouping: rows) { try $0.environment("environment") }.compactMap { environment, rows in
      Silence(
        in: environment, after: rows.map { Instant(milliseconds: $0["received_at"]) }, listeningSince: begun, now: now)
    }.sorted { $0.environment.name < $1.environment.name }
  }
}

public import AppStore
public import AppStoreClient
internal import Ledger
public import LedgerService
internal import LedgerStore

/// Walks Apple's history of notifications of one app, and records those that the ledger missed.
///
/// Some pages and the place of the next one are recorded in one transaction. So a walk that ends early goes on there, and
/// nothing is recorded twice.
public struct NotificationBackfill: Sendable {
  /// How far Apple's history goes back, less an hour, in milliseconds (Apple, Get Notification History).
  static func reach(in environment: Environment) -> Int64 {
    (environment == .sandbox ? 30 : 180) * 86_400_000 - 3_600_000
  }

  /// How much of the former window a new one repeats, in milliseconds: Apple's clock and ours differ, and Apple lists what
  /// it could not send yet.
  static let overlap: Int64 = 3_600_000

  /// How long after Apple signed a notification it counts as missed, in milliseconds. Until then it may be on its way.
  static let usualDelay: Int64 = 300_000

  /// How many pages of twenty notifications are recorded in one transaction. What Apple sends meanwhile waits for it.
  static let pagesOfTransaction = 10

  /// Apple's codes for a page token that ended or belongs to another request.
  private static let endedCursors: Set<Int64> = [4_000_014, 4_000_017]

  private let client: AppStoreClient
  private let recorder: AnswerRecorder
  private let environment: Environment

  /// Creates the backfill of the client's app in one environment.
  public init(_ client: AppStoreClient, _ recorder: AnswerRecorder, in environment: Environment) {
    (self.client, self.recorder, self.environment) = (client, recorder, environment)
  }

  /// Walks the whole history since the last walk, or goes on with the walk in progress.
  /// - Parameters:
  ///   - stored: how far the walk is; `nil` when there was none.
  ///   - now: the present instant.
  /// - Returns: how far it is afterwards.
  /// - Throws: `AppStoreFailure`; `LedgerError`. What was recorded before stays.
  public func walk(from stored: NotificationHistoryWalk?, to now: Instant) async throws -> NotificationHistoryWalk {
    var walk = stored ?? NotificationHistoryWalk(bundleID: client.bundleID, environment: environment, now: now)
    let earliest = now + -Self.reach(in: environment)
    let unfinished = walk.window.flatMap { $0.lowerBound >= earliest && $0.upperBound <= now ? $0 : nil }
    if let unfinished {
      do { return try await pages(of: walk, unfinished) } catch let failure as AppStoreFailure {
        // With an ended cursor, the window is walked again from its start. What was found before is a duplicate now.
        guard let code = failure.code, Self.endedCursors.contains(code) else { throw failure }
      }
    }
    let begin = max(earliest, walk.walkedUntil.map { $0 + -Self.overlap } ?? earliest)
    (walk.cursor, walk.notificationCount, walk.missedCount, walk.lostCount) = (nil, 0, 0, 0)
    return try await pages(of: walk, unfinished ?? min(begin, now + -1)..<now)
  }

  /// Looks only for what Apple could not deliver lately. That is few, so it can be asked for often.
  /// - Parameters:
  ///   - stored: how far the whole history has been walked. It stays there.
  ///   - now: the present instant.
  /// - Returns: the number of notifications that the ledger missed.
  /// - Throws: `AppStoreFailure`; `LedgerError`. What was recorded before stays.
  public func walkFailures(from stored: NotificationHistoryWalk, to now: Instant) async throws -> Int64 {
    guard let until = stored.walkedUntil else { return 0 }
    var copy = stored
    (copy.missedCount, copy.cursor) = (0, nil)
    let begin = max(now + -Self.reach(in: environment), until + -Self.overlap)
    return try await pages(of: copy, min(begin, now + -1)..<now, onlyFailures: true).missedCount
  }

  /// Walks the pages of a window, from the walk's cursor on. The next pages are asked for and decoded while some are
  /// recorded. The periods of the subscriptions in them are derived once, at the end.
  private func pages(
    of walk: NotificationHistoryWalk, _ window: Range<Instant>, onlyFailures isOnlyFailures: Bool = false
  ) async throws -> NotificationHistoryWalk {
    var walk = walk
    walk.window = window
    let first = Pagination(
      try .notificationHistory(from: window.lowerBound, to: window.upperBound, onlyFailures: isOnlyFailures),
      from: walk.cursor)
    var fetched = try await fetch(from: first)
    while true {
      let pages = fetched
      async let following = pages.isEnd ? nil : try await fetch(from: pages.pagination)
      walk = try await record(pages, of: walk, onlyFailures: isOnlyFailures)
      if let failure = pages.failure {
        try await recorder.record(failure, .notificationHistory)
        throw failure
      }
      guard let next = try await following else {
        while try await recorder.derivePeriods() {}
        return walk
      }
      fetched = next
    }
  }

  /// Pages that are recorded in one transaction.
  private struct Pages {
    var answers: [AnswerRecorder.Decoded] = []
    /// Where the walk goes on.
    var pagination: Pagination
    /// The failure that the next page ended with.
    var failure: AppStoreFailure?

    var isEnd: Bool { pagination.next == nil || failure != nil }
  }

  /// Asks for the pages from a place on, and decodes each while the next one is on its way.
  private func fetch(from pagination: Pagination) async throws -> Pages {
    try await withThrowingTaskGroup(of: (Int, AnswerRecorder.Decoded).self) { decoding in
      var (pages, count) = (Pages(pagination: pagination), 0)
      while let next = pages.pagination.next, count < Self.pagesOfTransaction {
        do {
          let answer = try await client.ask(next, in: environment, isUrgent: false)
          try pages.pagination.advance(over: answer)
          decoding.addTask { [count] in (count, await recorder.decode(answer)) }
          count += 1
        } catch let failure as AppStoreFailure {
          pages.failure = failure
          break
        }
      }
      var decoded: [(Int, AnswerRecorder.Decoded)] = []
      for try await one in decoding { decoded.append(one) }
      pages.answers = decoded.sorted { $0.0 < $1.0 }.map(\.1)
      return pages
    }
  }

  /// Records pages, and how far the walk is after them.
  private func record(_ pages: Pages, of walk: NotificationHistoryWalk, onlyFailures isOnlyFailures: Bool)
    async throws -> NotificationHistoryWalk
  {
    guard let last = pages.answers.last else { return walk }
    // The first walk finds the past. Nobody missed that.
    let isFirst = walk.walkedUntil == nil
    var progress = walk
    (progress.advancedAt, progress.cursor) = (last.answer.receivedAt, pages.pagination.cursor)
    if pages.pagination.next == nil {
      (progress.walkedUntil, progress.window, progress.cursor) = (walk.window?.upperBound, nil, nil)
    }
    return try await recorder.record(pages.answers, .notificationHistory, deferringPeriods: true) {
      [progress] transaction, results in
      let counted = progress.counting(
        pages.answers.flatMap(\.arrivals), results, at: last.answer.receivedAt, isFirst: isFirst)
      if !isOnlyFailures { try transaction.store(counted) }
      return counted
    }
  }
}

extension NotificationHistoryWalk {
  /// Returns this walk after some pages: what they have, and what of it was missing.
  fileprivate func counting(
    _ arrivals: [Arrival], _ results: [ArrivalResult], at now: Instant, isFirst: Bool
  ) -> Self {
    var walk = self
    let evidence = arrivals.map { arrival -> Evidence? in
      if case .evidence(let evidence) = arrival.outcome { evidence } else { nil }
    }
    let delivered = Set(
      evidence.flatMap { $0?.sendAttempts ?? [] }.filter { $0.result == "SUCCESS" }.map(\.notification))
    for (evidence, result) in zip(evidence, results) {
      guard let evidence, evidence.notification != nil else { continue }
      walk.notificationCount += 1
      let isOld = evidence.statedAt.map { now.milliseconds - $0.milliseconds > NotificationBackfill.usualDelay } ?? true
      guard result == .recorded, isOld, !isFirst else { continue }
      walk.missedCount += 1
      if delivered.contains(evidence.digest) { walk.lostCount += 1 }
    }
    return walk
  }
}

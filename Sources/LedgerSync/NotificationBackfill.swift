public import AppStore
public import AppStoreClient
internal import Ledger
public import LedgerService
internal import LedgerStore

/// Walks Apple's history of notifications of one app, and records those that the ledger missed.
///
/// A page and the place of the next one are recorded in one transaction. So a walk that ends early goes on there, and
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

  /// Walks the pages of a window, from the walk's cursor on.
  private func pages(
    of walk: NotificationHistoryWalk, _ window: Range<Instant>, onlyFailures isOnlyFailures: Bool = false
  ) async throws -> NotificationHistoryWalk {
    var walk = walk
    walk.window = window
    var pages = PageWalk(
      try .notificationHistory(from: window.lowerBound, to: window.upperBound, onlyFailures: isOnlyFailures),
      from: walk.cursor)
    var coming = Task<(AppStoreAnswer, [Arrival]), any Error>?.none
    defer { coming?.cancel() }
    while let next = pages.next {
      let (answer, arrivals): (AppStoreAnswer, [Arrival])
      do {
        if let coming {
          (answer, arrivals) = try await coming.value
        } else {
          (answer, arrivals) = try await fetch(next)
        }
        coming = nil
        try pages.advance(over: answer)
      } catch let failure as AppStoreFailure {
        try await recorder.record(failure, .notificationHistory)
        throw failure
      }
      // The next page is asked for and decoded while this one is recorded.
      if let next = pages.next { coming = Task { try await fetch(next) } }
      // The first walk finds the past. Nobody missed that.
      let isFirst = walk.walkedUntil == nil
      var place = walk
      (place.advancedAt, place.cursor) = (answer.receivedAt, pages.cursor)
      if pages.next == nil { (place.walkedUntil, place.window, place.cursor) = (window.upperBound, nil, nil) }
      walk = try await recorder.record(arrivals, of: answer, .notificationHistory) { [place] transaction, results in
        let counted = place.counting(arrivals, results, at: answer.receivedAt, isFirst: isFirst)
        if !isOnlyFailures { try transaction.store(counted) }
        return counted
      }
    }
    return walk
  }

  private func fetch(_ request: AppStoreRequest) async throws -> (AppStoreAnswer, [Arrival]) {
    let answer = try await client.ask(request, in: environment, isUrgent: false)
    return (answer, await recorder.arrivals(of: answer))
  }
}

extension NotificationHistoryWalk {
  /// Returns this walk after a page: what the page has, and what of it was missing.
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

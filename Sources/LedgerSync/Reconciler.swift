public import AppStore
public import AppStoreClient
internal import Ledger
internal import LedgerService
internal import LedgerStore

/// Asks Apple what the ledger alone cannot know: whether a subscription renewed of which nothing arrived, whether a failed
/// payment was collected, whether a purchase was refunded, and what a posted transaction or receipt is.
///
/// Each doubt is an `OpenQuestion` in the ledger. An answer is recorded in the transaction that closes its question. A
/// negative answer is recorded as a request. It states nothing about access.
public struct Reconciler: Sendable {
  /// The wait after each attempt, in milliseconds: Apple may know a new purchase only after hours. Later ones double, up
  /// to 32 days.
  static let waits: [Int64] = [firstWait, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 86_400_000]
  static let longestWait: Int64 = 32 * 86_400_000
  /// How long after a back end posted something Apple is asked about it, in milliseconds.
  package static let firstWait: Int64 = 10_000
  /// The waits after attempts about a failed payment, in milliseconds: a day at first, then twice as long each time, up to
  /// a week. Within a day of the end of the state, the wait is an hour.
  static let paymentWaits: (first: Int64, longest: Int64, nearEnd: Int64) = (86_400_000, 7 * 86_400_000, 3_600_000)
  /// In this time, each purchase that may be refunded is asked about once, in milliseconds: a week.
  static let refundTime: Int64 = 7 * 86_400_000
  /// One original transaction is asked about at most once in this time, in milliseconds.
  static let shortestWait: Int64 = 60_000

  /// The status of verifyReceipt for a malformed receipt. Apple also answered so during outages, so it is believed the
  /// third time.
  private static let doubtfulStatus: Int64 = 21_002

  private let apps: [AskedApp]
  private let ledger: any LedgerWriting
  private let reader: any LedgerReading

  /// Creates a reconciler of one ledger.
  /// - Parameters:
  ///   - apps: the apps that are asked about.
  ///   - ledger: writes into the ledger.
  ///   - reader: reads the ledger.
  public init(_ apps: [AskedApp], _ ledger: any LedgerWriting, reader: any LedgerReading) {
    (self.apps, self.ledger, self.reader) = (apps, ledger, reader)
  }

  // MARK: - Doubts

  /// Opens a question for each doubt that the ledger has.
  /// - Parameters:
  ///   - former: the instant up to which doubts were looked for; `nil` to look at everything, also at what was recorded
  ///     late, at ends without news of a renewal, and at failed payments.
  ///   - now: the present instant.
  /// - Throws: `LedgerError` when the ledger cannot be written.
  public func openQuestions(since former: Instant?, now: Instant) async throws {
    try await ledger.run { ledger in
      try ledger.record { transaction in
        try transaction.openQuestions(unconfirmedSince: former, now: now)
        guard former == nil else { return }
        try transaction.openQuestions(aboutEndsAt: now)
        try transaction.openQuestions(aboutFailedPaymentsAt: now)
      }
    }
  }

  /// How far the search for refunds has come. It goes through the whole ledger in a week.
  public struct RefundSearchPosition: Sendable, Equatable {
    /// The key of the last original transaction that was searched.
    package var key: Int64
    /// The instant for which that was its turn.
    package var instant: Instant
  }

  /// Opens questions about refunds for the original transactions whose turn it is: each has its turn once a week.
  /// - Parameters:
  ///   - former: what the last search returned; `nil` for the first search, which opens none.
  ///   - now: the present instant.
  /// - Returns: where the next search begins.
  /// - Throws: `LedgerError` when the ledger cannot be read or written.
  public func openRefundQuestions(after former: RefundSearchPosition?, now: Instant) async throws
    -> RefundSearchPosition
  {
    let last = try await reader.withReader { try $0.lastOriginalTransactionKey().rawValue }
    let keysPerMillisecond = Double(last) / Double(Self.refundTime)
    guard let former else {
      // The first search begins where a server that never stopped would be, so that frequent restarts leave out no part.
      return RefundSearchPosition(
        key: Int64(Double(now.milliseconds % Self.refundTime) * keysPerMillisecond), instant: now)
    }
    let elapsed = now.milliseconds - former.instant.milliseconds
    let count = min(last, Int64(Double(elapsed) * keysPerMillisecond))
    guard count > 0 else { return former }
    let (begin, end) = (min(former.key, last), min(former.key, last) + count)
    try await ledger.run { ledger in
      try ledger.record { transaction in
        func open(_ keys: ClosedRange<Int64>) throws {
          let keys = OriginalTransactionKey(keys.lowerBound)...OriginalTransactionKey(keys.upperBound)
          try transaction.openQuestions(aboutRefundsOf: keys, now: now)
        }
        if begin < last { try open(begin + 1...min(end, last)) }
        if end > last { try open(1...end - last) }
      }
    }
    let instant = count == last ? now : former.instant + Int64(Double(count) / keysPerMillisecond)
    return RefundSearchPosition(key: end > last ? end - last : end, instant: instant)
  }

  // MARK: - Asking

  /// How a round ended.
  public struct Round: Sendable {
    /// How many questions were read.
    public var count = 0
    /// The failure that ended the round: every further question would fail in the same way.
    public var failure: AppStoreFailure?
  }

  /// Asks the questions whose turn it is.
  /// - Parameters:
  ///   - now: the present instant.
  ///   - limit: the greatest number of questions.
  /// - Throws: `LedgerError` when the ledger cannot be written. Then the question stays open.
  public func askDue(at now: Instant, limit: Int = 50) async throws -> Round {
    var round = Round()
    for question in try await reader.withReader({ try $0.openQuestions(dueAt: now, limit: limit) }) {
      try Task.checkCancellation()
      round.count += 1
      guard try await reader.withReader({ try $0.isOpen(question, at: now) }) else {
        // The missing news arrived meanwhile.
        try await ledger.run { try $0.record { try $0.close(question) } }
        continue
      }
      do {
        try await ask(question, now)
      } catch let failure as AppStoreFailure {
        try await note(failure, of: question, now)
        let endsRound: Set<RequestVerdict> = [.tooManyRequests, .unreachable, .wrongSettings, .tryAgain]
        guard !endsRound.contains(failure.verdict) || failure.code == Self.doubtfulStatus else {
          round.failure = failure
          return round
        }
      }
    }
    return round
  }

  private func app(of question: OpenQuestion) -> AskedApp? {
    guard let bundleID = question.bundleID else { return apps.first }
    return apps.first { $0.client.bundleID == bundleID }
  }

  /// Asks a question, and records what Apple answers. The last page closes it, or postpones it where Apple did not settle
  /// it.
  private func ask(_ question: OpenQuestion, _ now: Instant) async throws {
    guard let app = app(of: question) else {
      return try await ledger.run { ledger in
        try ledger.record {
          try $0.postpone(
            question, verdict: .wrongSettings, code: nil, due: now + Self.longestWait, countsAttempt: false)
        }
      }
    }
    let due = due(after: question, now)
    var walk = Pagination(try request(for: question, to: app))
    // The states of subscriptions have the last transaction only.
    let known =
      walk.next?.endpoint == .subscriptionStatuses
      ? try await reader.withReader { try $0.lastKnownEnd(of: question) } : nil
    while let next = walk.next {
      let answer = try await app.client.find(next, in: question.environment, isUrgent: false)
      try walk.advance(over: answer)
      let isLast = walk.next == nil
      try await app.recorder.record([await app.recorder.decode(answer)], .question(question.reason)) {
        transaction, _ in
        guard isLast else { return }
        if let known { try transaction.openQuestion(aboutTransactionsMissingAfter: known, of: question, now: now) }
        if try question.reason.isSettledByAnyAnswer || !transaction.isOpen(question, at: now) {
          try transaction.close(question)
        } else {
          try transaction.postpone(question, verdict: .answered, code: nil, due: due)
        }
      }
    }
  }

  /// Returns what is asked. Where the states of subscriptions did not settle it, the whole history may: it has every
  /// transaction of a period of seats.
  private func request(for question: OpenQuestion, to app: AskedApp) throws -> AppStoreRequest {
    switch question.reason {
    case .postedReceipt: try app.receiptRequest(question.receipt ?? "")
    case .postedTransaction, .refundReversal, .sharing: try .transactionInfo(question.subject)
    case .refund: try .refundHistory(of: question.subject)
    case .missingTransactions: try .transactionHistory(of: question.subject)
    case .unconfirmed where question.attemptCount % 2 == 1: try .transactionHistory(of: question.subject)
    case .unconfirmed, .ended, .paymentFailed: try .subscriptionStatuses(of: question.subject)
    }
  }

  private func due(after question: OpenQuestion, _ now: Instant) -> Instant {
    if question.reason == .paymentFailed {
      let (first, longest, nearEnd) = Self.paymentWaits
      let next = now + min(longest, first << min(question.attemptCount, 5))
      let lastDay = (question.stateEndsAt ?? next) + -first
      return max(now + nearEnd, min(next, lastDay))
    }
    let doublings = question.attemptCount - Self.waits.count + 1
    let wait =
      doublings <= 0
      ? Self.waits[question.attemptCount] : min(Self.longestWait, Self.waits[Self.waits.count - 1] << min(doublings, 6))
    return now + (question.reason.isSettledByAnyAnswer ? wait : max(wait, Self.shortestWait))
  }

  /// Records a failure, and when the question is asked again.
  private func note(_ failure: AppStoreFailure, of question: OpenQuestion, _ now: Instant) async throws {
    guard let app = app(of: question) else { return }
    let (verdict, code) = (failure.verdict, failure.code)
    let isDoubtful = code == Self.doubtfulStatus
    let isCounted =
      isDoubtful
      || [.unknownTransaction, .otherEnvironment, .wrongRequest, .refusedByRule, .unreadable].contains(verdict)
    let isOver =
      switch question.reason {
      case .postedReceipt: failure.refusesReceipt || isDoubtful && question.attemptCount >= 2
      // It is asked again in a week.
      case .refund, .refundReversal, .sharing: isCounted
      default: false
      }
    let soon = max(failure.retryAt ?? now, now + Self.shortestWait)
    let due =
      verdict == .wrongRequest ? now + Self.longestWait : isCounted ? self.due(after: question, now) : soon
    try await app.recorder.record(failure, .question(question.reason)) { transaction in
      if isOver {
        try transaction.close(question)
      } else {
        try transaction.postpone(question, verdict: verdict, code: code, due: due, countsAttempt: isCounted)
      }
    }
  }
}

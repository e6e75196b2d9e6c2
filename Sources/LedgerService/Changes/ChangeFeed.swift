public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// Writes the change feed: it notices which states changed, by evidence, by staff or by time, and records each change
/// once, in one total order.
///
/// Only one program may advance the feed of a file. A server does, and the lock of the server protects the file.
public struct ChangeFeed: Sendable {
  private let ledger: LedgerRecorder

  /// Creates the feed of a ledger.
  public init(_ ledger: LedgerRecorder) { self.ledger = ledger }

  /// The greatest number of new rows of each kind that one transaction reads. So the ledger is never locked for long.
  static let window: Int64 = 1000
  /// The greatest number of states that one transaction of the beginning writes.
  static let batch = 20_000

  /// Records every change up to an instant. At its first call, it stores all present states, and the feed begins.
  /// - Parameter now: the present instant.
  /// - Returns: the number of recorded changes.
  /// - Throws: `LedgerError`. What was recorded before stays, and the next call goes on from there.
  @discardableResult
  public func advance(to now: Instant) throws -> Int {
    var count = 0
    while true {
      guard let position = try position() else {
        try begin(now)
        continue
      }
      // A clock that went back must not bring back a state.
      let step = try read(from: position, to: max(now, position.advancedAt))
      if step.isEmpty { return count }
      try write(step, from: position)
      count += step.changes.count
      if step.isLast { return count }
    }
  }

  private func position() throws -> FeedPosition? {
    try ledger.reader.lookUp { database in
      try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM main.change_feed_position")).map(FeedPosition.init)
    }
  }

  // MARK: - The beginning

  /// Stores the present state of everything. Nothing of that is a change.
  private func begin(_ now: Instant) throws {
    let question = Question(asOf: now, knownAt: now)
    let (states, position) = try ledger.reader.read(
      "entitlement_state", "one_time_purchase", "customer_grant", "rule_constant"
    ) { database in
      try ledger.reader.askAboutAll(database, question)
      return (try FeedStates(database).all(question), try FeedPosition(newestOf: database, at: now))
    }
    try ledger.record { try $0.projections.execute("DELETE FROM main.change_feed_state") }
    var rest = states[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.batch)
      try ledger.record { transaction in for state in part { try state.store(transaction.projections) } }
      rest = rest.dropFirst(Self.batch)
    }
    try ledger.record { try position.store($0.projections) }
  }

  // MARK: - One step

  private struct Step {
    var position: FeedPosition
    var states: [FeedState] = []
    var changes: [FeedChange] = []
    var isLast = true
    var isEmpty: Bool { states.isEmpty && changes.isEmpty && isLast && !hasMoved }
    var hasMoved = false
  }

  /// Reads, in one state of the file, what is new and what is due.
  private func read(from position: FeedPosition, to now: Instant) throws -> Step {
    let question = Question(asOf: now, knownAt: now)
    let reader = ledger.reader
    return try reader.readSubscriptions(
      "entitlement_state", "one_time_purchase", "customer_grant", "rule_constant"
    ) { database in
      let news = try FeedNews(database, from: position, to: now)
      try reader.ask(database, news.subscriptions.sorted().map { ($0, question) })
      try question.ask(database)
      return news
    } body: { database, news in
      var step = Step(position: news.position)
      (step.isLast, step.hasMoved) = (news.isLast, news.hasMoved)
      var seen: Set<FeedState.Item> = []
      for state in try FeedStates(database).of(news, question) {
        seen.insert(state.item)
        let former = try FeedState(stored: state.item, database)
        guard former != state else { continue }
        step.states.append(state)
        guard former?.isVisiblyEqual(to: state) != true, former != nil || state.isVisible else { continue }
        step.changes.append(
          FeedChange(
            item: state.item, cause: news.cause(of: state), payload: news.payload(of: state),
            before: former.flatMap { $0.isVisible ? $0 : nil }, after: state))
      }
      // Newer evidence can correct an older one, so that no answer has something any more.
      for former in try FeedState.stored(of: news, database) where !seen.contains(former.item) {
        let state = former.gone
        guard state != former else { continue }
        step.states.append(state)
        guard former.isVisible else { continue }
        step.changes.append(
          FeedChange(
            item: state.item, cause: news.cause(of: state), payload: news.payload(of: state), before: former,
            after: state))
      }
      step.changes += news.links.map { FeedChange(link: $0) }
      return step
    }
  }

  private func write(_ step: Step, from position: FeedPosition) throws {
    try ledger.record { transaction in
      guard
        let stored = try transaction.row("SELECT * FROM main.change_feed_position", []).map(FeedPosition.init),
        stored == position
      else { throw LedgerError(.busy, "Another server writes the change feed of \(ledger.path).", "Stop one of them.") }
      for state in step.states { try state.store(transaction.projections) }
      for change in step.changes { try change.store(transaction.projections, at: step.position.advancedAt) }
      try step.position.store(transaction.projections)
    }
  }
}

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
  /// How far a clock may go back, in milliseconds, before everything is read again. Clocks are set by small steps.
  static let tolerance: Int64 = 60_000

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
      if now.milliseconds < position.advancedAt.milliseconds - Self.tolerance {
        count += try readAgain(from: position, to: now)
        continue
      }
      // A small step back of the clock must not bring back a state.
      let step = try read(from: position, to: max(now, position.advancedAt))
      if step.isEmpty { return count }
      guard try write(step, from: position) else { continue }
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
    let (states, position) = try readAll(at: now, epoch: FeedPosition.newEpoch())
    try ledger.record { try $0.projections.execute("DELETE FROM main.change_feed_state") }
    var rest = states[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.batch)
      try ledger.record { transaction in for state in part { try state.store(transaction.projections) } }
      rest = rest.dropFirst(Self.batch)
    }
    try ledger.record { try position.store($0.projections) }
  }

  /// Reads all states as they are at an instant.
  private func readAll(at now: Instant, epoch: String) throws -> ([FeedState], FeedPosition) {
    let parameters = QueryParameters(asOf: now, knownAt: now)
    return try ledger.reader.readAll(["state_history", "one_time_purchase", "customer_grant"], parameters) { database in
      (
        try FeedStates(database).all(parameters), try FeedPosition(newestOf: database, at: now, epoch: epoch)
      )
    }
  }

  /// Looks at everything again, because the clock was ahead: it made states end that had not ended.
  /// - Returns: the number of changes.
  private func readAgain(from position: FeedPosition, to now: Instant) throws -> Int {
    let (states, _) = try readAll(at: now, epoch: position.epoch)
    var stored = Dictionary(
      uniqueKeysWithValues: try ledger.reader.lookUp { try FeedState.allStored($0) }.map { ($0.item, $0) })
    var step = Step(position: position)
    // What was recorded meanwhile is still to be read.
    step.position.advancedAt = now
    for state in states { step.compare(state, with: stored.removeValue(forKey: state.item)) }
    for former in stored.values.sorted(by: {
      ($0.item.kind.rawValue, $0.item.key) < ($1.item.kind.rawValue, $1.item.key)
    }) {
      step.compare(former.gone, with: former)
    }
    return try write(step, from: position) ? step.changes.count : readAgain(from: position, to: now)
  }

  // MARK: - One step

  private struct Step {
    var position: FeedPosition
    var states: [FeedState] = []
    /// What the feed stated last about each of ``states``.
    var formers: [FeedState?] = []
    var changes: [FeedChange] = []
    var productTypes: [FeedProductType] = []
    var isLast = true
    var isEmpty: Bool { states.isEmpty && changes.isEmpty && isLast && !hasMoved }
    var hasMoved = false

    /// Notices a state that is not the one that the feed stated last.
    mutating func compare(
      _ state: FeedState, with former: FeedState?, cause: StateChange.Cause = .time, payload: PayloadID? = nil
    ) {
      guard former != state else { return }
      states.append(state)
      formers.append(former)
      guard former?.isVisiblyEqual(to: state) != true, former?.isVisible == true || state.isVisible else { return }
      changes.append(
        FeedChange(
          item: state.item, cause: cause, payload: payload, before: former.flatMap { $0.isVisible ? $0 : nil },
          after: state))
    }
  }

  /// Reads, in one state of the file, what is new and what is due.
  private func read(from position: FeedPosition, to now: Instant) throws -> Step {
    let parameters = QueryParameters(asOf: now, knownAt: now)
    let reader = ledger.reader
    return try reader.readSubscriptions(
      "state_history", "one_time_purchase", "customer_grant"
    ) { database in
      let candidates = try FeedCandidates(database, from: position, to: now)
      try reader.setParameters(database, Array(candidates.subscriptions), parameters)
      return candidates
    } body: { database, candidates in
      var step = Step(position: candidates.position)
      (step.isLast, step.hasMoved) = (candidates.isLast, candidates.hasMoved)
      step.productTypes = candidates.productTypes
      var seen: Set<FeedState.Item> = []
      for state in try FeedStates(database).of(candidates, parameters) {
        seen.insert(state.item)
        step.compare(
          state, with: try FeedState(stored: state.item, database), cause: candidates.cause(of: state),
          payload: candidates.payload(of: state))
      }
      // Newer evidence can correct an older one, so that no answer has something any more.
      for former in try FeedState.stored(of: candidates, database) where !seen.contains(former.item) {
        step.compare(
          former.gone, with: former, cause: candidates.cause(of: former), payload: candidates.payload(of: former))
      }
      step.changes += candidates.links.map { FeedChange(link: $0) }
      return step
    }
  }

  /// Writes the states and changes of a step.
  /// - Returns: false when the recorder has marked some of its states since they were read. Then nothing is written.
  private func write(_ step: Step, from position: FeedPosition) throws -> Bool {
    try ledger.record { transaction in
      guard
        let stored = try transaction.row("SELECT * FROM main.change_feed_position", []).map(FeedPosition.init),
        stored == position
      else { throw LedgerError(.busy, "Another server writes the change feed of \(ledger.path).", "Stop one of them.") }
      for (state, former) in zip(step.states, step.formers) {
        guard try FeedState(stored: state.item, transaction) == former else { return false }
      }
      for state in step.states { try state.store(transaction.projections) }
      for type in step.productTypes { try type.store(transaction.projections) }
      for change in step.changes { try change.store(transaction.projections, at: step.position.advancedAt) }
      try step.position.store(transaction.projections)
      return true
    }
  }
}

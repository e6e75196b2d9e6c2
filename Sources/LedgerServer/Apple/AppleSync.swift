internal import AppStore
internal import AppStoreClient
internal import Ledger
internal import LedgerService
internal import LedgerSync
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Keeps the ledger in step with Apple while the server runs: it walks the history of notifications, asks about doubts, and
/// notices silence.
final class AppleSync: Service {
  /// The time between two walks of the whole history, and between two searches for failed deliveries, in milliseconds.
  static let walk: (whole: Int64, failures: Int64) = (3_600_000, 600_000)
  /// The time between two searches for new doubts, for all others, and for silence, in milliseconds.
  static let search: (new: Int64, all: Int64, silence: Int64) = (60_000, 3_600_000, 60_000)
  /// The pause after something failed, in milliseconds.
  static let pause: Int64 = 60_000

  /// What is walked on its own: an app in an environment.
  private struct History: Hashable {
    let bundleID: String
    let environment: Environment
  }

  private struct Plan {
    var whole = Instant(milliseconds: .min)
    var failures = Instant(milliseconds: .min)
    /// Nothing is asked before this instant.
    var paused = Instant(milliseconds: .min)
    var lastFailure: String?
  }

  private struct State {
    var plans: [History: Plan] = [:]
    /// When doubts were searched for: new ones, and all.
    var searched: (new: Instant?, all: Instant?) = (nil, nil)
    /// How far the search for refunds has come.
    var refunds: Reconciler.RefundSearchPosition?
    var asksAfter = Instant(milliseconds: .min)
    var silenceAfter = Instant(milliseconds: .min)
    var silences: [Silence] = []
    /// Whether the ledger could not be written since the last walk.
    var hadOutage = false
    /// The failure that the last round of questions ended with.
    var lastFailure: String?
    /// The instant of the last round of questions after which none was due.
    var settledAt = Instant(milliseconds: .min)
  }

  let settings: LedgerServer.AppleSettings
  let apps: [AskedApp]
  private let reconciler: Reconciler
  private let inbox: Inbox
  let reader: ReaderThread
  private let counts: ServerMetrics
  private let log: Logger
  private let now: @Sendable () -> Instant
  private let begun: Instant
  private let state = Mutex(State())

  init(
    _ settings: LedgerServer.AppleSettings, _ inbox: Inbox, reader: ReaderThread, decoder: PayloadDecoder,
    counts: ServerMetrics, log: Logger, uptime: @escaping @Sendable () -> ContinuousClock.Instant,
    now: @escaping @Sendable () -> Instant
  ) {
    (self.settings, self.inbox, self.reader, self.counts) = (settings, inbox, reader, counts)
    (self.log, self.now, begun) = (log, now, now())
    var dependencies = AppStoreClient.Dependencies(now: now)
    dependencies.uptime = uptime
    dependencies.onAttempt = { counts.count($0) }
    let writing = InboxWriting(inbox: inbox)
    apps = settings.apps.map { [dependencies] app in
      AskedApp(
        AppStoreClient(app.client, dependencies),
        AnswerRecorder(writing, decoder: decoder, bundleID: app.client.bundleID), secret: app.sharedSecret)
    }
    reconciler = Reconciler(apps, writing, reader: reader)
  }

  /// Returns an app by its bundle id. Where there is one only, it needs no name.
  func app(_ bundleID: String?) throws -> AskedApp {
    if let bundleID {
      guard let app = apps.first(where: { $0.client.bundleID == bundleID }) else {
        throw HTTPProblem.wrongRequest("wrong_value", "bundle_id", "The server does not ask about this app.")
      }
      return app
    }
    guard apps.count == 1 else {
      throw HTTPProblem.wrongRequest(
        "wrong_value", "bundle_id", "The server asks about several apps. Name one of them.")
    }
    return apps[0]
  }

  /// Does what is due, each second, until the server stops.
  func run() async throws {
    await cancelWhenGracefulShutdown { [self] in
      await withTaskGroup { group in
        if settings.walksHistory { group.addTask { await self.repeating { await self.walkHistories() } } }
        if settings.reconciles { group.addTask { await self.repeating { await self.reconcile() } } }
        group.addTask { await self.repeating { await self.noticeSilence() } }
      }
    }
    for app in apps { await app.client.close() }
  }

  private func repeating(_ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: settings.pause)
    }
  }

  // MARK: - The history of notifications

  /// Walks the histories whose turn it is.
  func walkHistories() async {
    let now = now()
    // After an outage of the ledger, what Apple could not deliver meanwhile is missing.
    let isBack = state.withLock { state in
      if inbox.hasFault { state.hadOutage = true }
      guard state.hadOutage, !inbox.hasFault else { return false }
      state.hadOutage = false
      return true
    }
    for app in apps {
      for environment in [Environment.production, .sandbox] {
        let history = History(bundleID: app.client.bundleID, environment: environment)
        if isBack { state.withLock { $0.plans[history]?.whole = now } }
        guard !Task.isCancelled, var plan = due(history, now) else { continue }
        do {
          try await walk(NotificationBackfill(app.client, app.recorder, in: environment), history, &plan, now)
          plan.lastFailure = nil
        } catch { pause(&plan, after: error, "the history of notifications could not be walked", environment) }
        state.withLock { [plan] in $0.plans[history] = plan }
      }
    }
  }

  private func due(_ history: History, _ now: Instant) -> Plan? {
    let plan = state.withLock { $0.plans[history] } ?? Plan()
    return now >= plan.paused && (now >= plan.whole || now >= plan.failures) ? plan : nil
  }

  private func walk(_ backfill: NotificationBackfill, _ history: History, _ plan: inout Plan, _ now: Instant)
    async throws
  {
    let stored = try await reader.withReader({ try $0.notificationHistoryWalks() }).first {
      $0.bundleID == history.bundleID && $0.environment == history.environment
    }
    if now < plan.whole, let stored, stored.window == nil {
      let missed = try await backfill.walkFailures(from: stored, to: now)
      counts.missed(missed, lost: 0, in: history.environment)
      plan.failures = now + Self.walk.failures
      return
    }
    let walk = try await backfill.walk(from: stored, to: now)
    (plan.whole, plan.failures) = (now + Self.walk.whole, now + Self.walk.failures)
    counts.missed(walk.missedCount, lost: walk.lostCount, in: history.environment)
    guard walk.missedCount > 0 else { return }
    log.warning(
      "Apple sent notifications that did not arrive; they are recorded now",
      metadata: [
        "environment": "\(history.environment.name)", "missed": "\(walk.missedCount)", "lost": "\(walk.lostCount)",
        "advice": "\(walk.lostCount > 0 ? Self.lossAdvice : Self.silenceAdvice)",
      ])
  }

  private func pause(_ plan: inout Plan, after error: any Error, _ words: String, _ environment: Environment) {
    guard !(error is CancellationError) else { return }
    (plan.lastFailure, plan.paused) = (Self.text(error), next(after: error))
    log.warning(
      "\(words)", metadata: ["environment": "\(environment.name)", "reason": "\(Self.text(error))"])
  }

  /// Returns when to ask again after something failed.
  private func next(after error: any Error) -> Instant {
    let now = now()
    return max((error as? AppStoreFailure)?.retryAt ?? now, now + Self.pause)
  }

  // MARK: - Doubts

  /// Searches for doubts, and asks the questions whose turn it is.
  func reconcile() async {
    let now = now()
    let (searched, refunds, asksAfter) = state.withLock { ($0.searched, $0.refunds, $0.asksAfter) }
    do {
      // What is recorded late can have a doubt that began long ago.
      if searched.all.map({ now.milliseconds - $0.milliseconds >= Self.search.all }) ?? true {
        try await reconciler.openQuestions(since: nil, now: now)
        let next = try await reconciler.openRefundQuestions(after: refunds, now: now)
        state.withLock { ($0.searched, $0.refunds) = ((now, now), next) }
      } else if let new = searched.new, now.milliseconds - new.milliseconds >= Self.search.new {
        try await reconciler.openQuestions(since: new, now: now)
        state.withLock { $0.searched.new = now }
      }
      // One round, so that new doubts are found between two rounds of many.
      guard now >= asksAfter else { return }
      let round = try await reconciler.askDue(at: now)
      if let failure = round.failure { throw failure }
      state.withLock { state in
        state.lastFailure = nil
        if round.count == 0 { state.settledAt = now }
      }
    } catch is CancellationError {
    } catch {
      let asksAfter = next(after: error)
      state.withLock { ($0.asksAfter, $0.lastFailure) = (asksAfter, Self.text(error)) }
      log.warning("Apple could not be asked", metadata: ["reason": "\(Self.text(error))"])
    }
  }

  // MARK: - Silence

  static let silenceAdvice =
    "Check the address of notifications in App Store Connect, the proxy before this server, and the certificate."
  private static let lossAdvice =
    "Apple got a success for some of them: look for something else that answers at this address, such as a proxy."

  /// Notices when no notification has arrived for longer than is usual.
  func noticeSilence() async {
    let now = now()
    guard now >= state.withLock({ $0.silenceAfter }) else { return }
    let silences: [Silence]
    do { silences = try await reader.withReader { [begun] in try $0.silences(listeningSince: begun, now: now) } } catch
    {
      log.warning("the ledger could not be read", metadata: ["reason": "\(Self.text(error))"])
      state.withLock { $0.silenceAfter = now + Self.pause }
      return
    }
    let former = state.withLock { state in
      defer { (state.silences, state.silenceAfter) = (silences, now + Self.search.silence) }
      return Set(state.silences.filter(\.isUnusual).map(\.environment))
    }
    for silence in silences {
      counts.set(
        "notifications_silent", silence.isUnusual ? 1 : 0, [("environment", silence.environment.name)])
      guard silence.isUnusual, !former.contains(silence.environment) else { continue }
      log.warning(
        "no notification has arrived for longer than usual",
        metadata: [
          "environment": "\(silence.environment.name)", "last_received_at": "\(silence.lastReceivedAt)",
          "usual_seconds": "\(silence.longestBefore / 1000)", "advice": "\(Self.silenceAdvice)",
        ])
    }
  }

  // MARK: - State

  /// What the server knows about its own asking.
  struct Status {
    var silences: [Silence]
    /// Why the last walk or round of questions failed. The words have no ids and no secrets.
    var failures: [String]
  }

  /// The silences, and what fails at present.
  var status: Status {
    state.withLock { state in
      let failures = state.plans.values.compactMap(\.lastFailure) + [state.lastFailure].compactMap(\.self)
      return Status(silences: state.silences, failures: Set(failures).sorted())
    }
  }

  /// Returns when the server goes on with what was due at an instant: `nil` when all of that is done, a later instant
  /// when it pauses after a failure.
  func nextAttempt(at instant: Instant) -> Instant? {
    state.withLock { state in
      var waits: [Instant] = []
      if settings.walksHistory {
        if state.plans.count < 2 * apps.count { waits.append(instant) }
        waits += state.plans.values.filter { $0.whole <= instant }.map { max(instant, $0.paused) }
      }
      if settings.reconciles, state.settledAt < instant { waits.append(max(instant, state.asksAfter)) }
      return waits.min()
    }
  }

  /// Returns what failed, without the id that a question was about.
  private static func text(_ error: any Error) -> String {
    (error as? AppStoreFailure).map { "\($0)" } ?? error.logCode
  }
}

internal import AppStore
internal import AppStoreSimulator

/// Both environments of a local App Store while they run: the one place that changes them.
///
/// The clock stands until somebody moves it. Everything that is due by then happens in the order of time, and each
/// notification is posted before anything later happens. So equal requests give an equal course.
actor RunningStores {
  private(set) var stores: [Environment: LocalAppStore]
  private(set) var log = RequestLog()
  private let webhooks: Webhooks
  private let onPurchase: @Sendable (LocalPurchase, _ receipt: String) throws -> Void
  private let onClock: @Sendable (Instant) -> Void
  private var target: Instant
  private var pump: Task<Void, any Error>?
  /// The error of a task that nobody waits for. The next tick throws it.
  private var failure: (any Error)?
  private var isMoving = false
  /// The receipts that the apps have not posted yet.
  private var receipts: [String] = []
  /// The instant that was reported last.
  private var reportedClock = Instant(milliseconds: .min)
  private var speed = Speed.standing

  /// The time that passes by itself.
  private enum Speed {
    case standing
    /// Simulated milliseconds that pass in a real one, from an instant of both clocks.
    case running(Double, since: Instant, real: Instant)
  }

  /// The reason why an operator's request cannot be done.
  struct Refusal: Error {
    let code: String
    let message: String
  }

  /// How long after the present instant a first attempt may be due for it to be made now, in milliseconds.
  private static let soon: Int64 = 3000

  init(
    _ stores: [Environment: LocalAppStore], _ webhooks: Webhooks,
    onPurchase: @escaping @Sendable (LocalPurchase, _ receipt: String) throws -> Void,
    onClock: @escaping @Sendable (Instant) -> Void
  ) {
    (self.stores, self.webhooks, self.onPurchase, self.onClock) = (stores, webhooks, onPurchase, onClock)
    target = stores.values.map(\.clock).max() ?? Instant(milliseconds: 0)
  }

  /// The present instant of the local App Store.
  var clock: Instant { stores.values.map(\.clock).max() ?? target }

  /// How many simulated seconds pass in a real one; 0 while the clock stands.
  var pace: Double { if case .running(let pace, _, _) = speed { pace } else { 0 } }

  // MARK: - Requests of the app's server

  /// Answers a request as Apple would, and records it.
  func answer(_ request: APIRequest, in environment: Environment, now: Instant) throws -> APIResponse {
    let (response, clock) = try change(environment) { (try $0.answer(request, now: now), $0.clock) }
    log.append(LoggedRequest(request, response, environment, clock: clock, at: now))
    return response
  }

  /// Sends what an answer has caused. Apple answers first, and sends then.
  func sendSoon() {
    guard pump == nil, hasSoon else { return }
    pump = Task {
      do { try await self.run() } catch {
        failure = error
        throw error
      }
    }
  }

  private var hasSoon: Bool {
    stores.values.contains { store in store.nextAttemptAt.map { $0 <= store.clock + Self.soon } ?? false }
  }

  /// Returns a token that both environments accept, for a person with curl. It is valid for five minutes.
  func token(now: Instant) throws -> String {
    guard let store = stores[.production] else { return "" }
    let value = try store.key.authorization(bundleID: store.simulation.catalog.bundleID, now: now)
    return String(value.dropFirst("Bearer ".count))
  }

  // MARK: - Time

  /// Moves the clock, and waits until everything until then has happened and was sent.
  /// - Throws: ``Refusal`` while another move goes on, for example where a server asks for one while it receives a
  ///   notification.
  func move(to instant: Instant) async throws {
    guard instant < Simulation.last else {
      throw Refusal(code: "out_of_range", message: "Simulated time ends in 2048.")
    }
    try beginMoving()
    defer { isMoving = false }
    target = max(target, instant)
    if case .running(let pace, _, let real) = speed { speed = .running(pace, since: target, real: real) }
    try await settle()
  }

  /// Refuses a second move. Where a server asks for one while it receives a notification, both would wait for each other.
  private func beginMoving() throws {
    guard !isMoving else {
      throw Refusal(
        code: "clock_is_moving", message: "The clock is moving already. Wait for the answer to that request.")
    }
    isMoving = true
    for environment in stores.keys { stores[environment]?.beginMove() }
  }

  /// Lets the clock run.
  /// - Parameters:
  ///   - pace: simulated seconds in a real one; 0 lets it stand.
  ///   - now: the present instant of the real clock.
  func run(at pace: Double, now: Instant) {
    speed = pace > 0 ? .running(pace, since: clock, real: now) : .standing
  }

  /// Moves the clock as far as it has run. Somebody must call it again and again.
  func tick(now: Instant) async throws {
    if let failure { throw failure }
    guard case .running(let pace, let since, let real) = speed, !isMoving else { return }
    let passed = Double(now.milliseconds - real.milliseconds) * pace
    target = max(target, min(since + Int64(passed), Simulation.last + -1))
    try await settle()
  }

  /// Waits until everything up to the target has happened.
  private func settle() async throws {
    repeat {
      let running = pump ?? Task { try await self.run() }
      pump = running
      try await running.value
    } while stores.values.contains { $0.clock < target }
  }

  /// Lets everything happen that is due, and posts each notification.
  private func run() async throws {
    defer { pump = nil }
    while let (environment, due) = nextDue() {
      try advance(to: due)
      try await deliver(environment)
    }
    try advance(to: target)
  }

  /// Lets both environments reach an instant, so that a server which lives by the clock is ahead of neither.
  private func advance(to instant: Instant) throws {
    for environment in [Environment.production, .sandbox] where stores[environment] != nil {
      try change(environment) { try $0.advance(to: instant) }
    }
    guard clock > reportedClock else { return }
    reportedClock = clock
    onClock(reportedClock)
  }

  /// Returns the next environment in which something is due, and when.
  private func nextDue() -> (Environment, Instant)? {
    stores.compactMap { environment, store -> (Environment, Instant)? in
      if let due = store.nextDue, due <= target { return (environment, due) }
      guard let due = store.nextAttemptAt, due <= store.clock + Self.soon else { return nil }
      return (environment, due)
    }.min { ($0.1, $0.0 == .production ? 0 : 1) < ($1.1, $1.0 == .production ? 0 : 1) }
  }

  private func deliver(_ environment: Environment) async throws {
    while let delivery = try change(environment, { try $0.nextDelivery() }) {
      let (result, status) = await webhooks.post(delivery, environment)
      try change(environment) { $0.note(result, status: status, of: delivery) }
    }
    await postReceipts()
  }

  /// Posts the receipts of purchases. Where the app's server does not take one, the app tries again later.
  private func postReceipts() async {
    while let receipt = receipts.first, await webhooks.post(receipt: receipt) { receipts.removeFirst() }
  }

  /// Changes a store in its place, without a copy, and writes down what was bought.
  @discardableResult
  private func change<Value>(
    _ environment: Environment, _ body: (inout LocalAppStore) throws -> Value
  ) throws -> Value {
    guard var store = stores.removeValue(forKey: environment) else {
      preconditionFailure("an environment that the local App Store does not have")
    }
    defer { stores[environment] = store }
    let value = try body(&store)
    for purchase in store.takePurchases() {
      let receipt = try store.receipt(of: purchase)
      if webhooks.receipts != nil { receipts.append(receipt) }
      try onPurchase(purchase, receipt)
    }
    return value
  }

  // MARK: - By hand

  /// Performs an action for a customer, and waits until the app's server has what it caused.
  /// - Returns: the notifications that were sent about it.
  /// - Throws: ``Refusal`` while a move of the clock goes on; `ActionError`.
  func perform(_ action: Action, for customer: LocalCustomer) async throws -> [SentNotification] {
    try beginMoving()
    defer { isMoving = false }
    let environment = customer.environment
    let before = stores[environment]?.nextNotificationNumber ?? 0
    try change(environment) { try $0.perform(action, for: customer) }
    target = max(target, stores[environment]?.clock ?? target)
    try await settle()
    return stores[environment]?.sentNotifications(from: before) ?? []
  }

  /// Adds a fault for the next requests of one environment, or of both.
  func add(_ fault: APIFault, in environments: [Environment]) {
    for environment in environments { stores[environment]?.add(fault) }
  }

  /// Adds a fault for the delivery of the next notifications.
  func add(_ fault: WebhookFault, notifications: Int, in environments: [Environment]) {
    for environment in environments { stores[environment]?.add(fault, notifications: notifications) }
  }

  /// Removes all faults that were asked for.
  func removeFaults() { for environment in stores.keys { stores[environment]?.removeFaults() } }

  /// Empties the log of requests.
  func clearLog() { log = RequestLog() }
}

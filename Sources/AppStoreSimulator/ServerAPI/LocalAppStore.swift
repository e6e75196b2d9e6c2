public import AppStore

/// An App Store of simulated customers that answers the App Store Server API and verifyReceipt, in one environment. It
/// has no network: a server passes requests on, and posts what ``nextDelivery()`` returns.
///
/// Its clock stands until a caller moves it. Tokens are checked against the caller's own clock, because clients make
/// them by the real time.
public struct LocalAppStore: Sendable {
  /// The simulation whose customers buy here.
  public let simulation: Simulation
  /// The key whose tokens are accepted.
  public let key: APIKey
  /// Whether the app was released here. Where it was not, Apple accepts no token.
  public let isReleased: Bool
  /// The present instant of the store.
  public internal(set) var clock: Instant

  /// Where the clock stood before its last move.
  var moveBegan: Instant

  let signer: Signer
  var customers: [SimulatedCustomer] = []
  var timeline = Timeline()
  var outbox: Outbox
  /// How much each customer had bought when somebody last looked.
  var boughtBefore: [(count: Int, transactions: Set<Int64>)] = []
  var bought: [LocalPurchase] = []
  var random: SeededGenerator
  /// The extensions that were granted, by the id of the subscription.
  var extensions: [Int64: [RenewalExtension]] = [:]
  var massExtensions: [String: MassExtension] = [:]
  /// The refunds that customers have asked for, by the transaction.
  var refundCases: [Int64: RefundCase] = [:]
  /// The numbers of test notifications, by their tokens.
  var tests: [String: Int] = [:]
  var faults: [APIFault] = []
  var limit: RateLimit

  /// Creates a store whose customers have lived up to an instant. What Apple sent until then was received.
  /// - Parameters:
  ///   - simulation: the simulation whose customers buy here.
  ///   - clock: the instant at which the store's clock begins.
  ///   - signer: the signer of transactions and notifications.
  ///   - key: the key whose tokens are accepted.
  ///   - notifications: the file of the notifications that are signed.
  ///   - version: the version of notifications that the app's server wants; `nil` where the app has named no server.
  ///   - isReleased: whether the app was released in this environment.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue; errors of the file; an error of the
  ///   cryptographic library.
  public init(
    _ simulation: Simulation, at clock: Instant, signer: Signer, key: APIKey = APIKey(),
    notifications: NotificationFile, version: NotificationVersion? = nil, isReleased: Bool = true
  ) throws {
    (self.simulation, self.clock, self.signer, self.key) = (simulation, clock, signer, key)
    moveBegan = clock
    self.isReleased = isReleased
    outbox = Outbox(notifications, isRetried: simulation.rate == .realTime, seed: simulation.seed)
    random = SeededGenerator(seed: simulation.seed, part: 0x10CA, UInt64(simulation.offset))
    limit = RateLimit(simulation.rate.environment)
    let earliest = historyStart
    for number in 0..<simulation.customers {
      var customer = try SimulatedCustomer(number, of: simulation)
      let moments = try customer.advance(to: clock)
      customers.append(customer)
      boughtBefore.append((0, []))
      timeline.plan(.customer(number), at: customer.nextDue)
      noteBought(number)
      for moment in moments {
        try send(moment, of: number) { $0 >= earliest }
      }
    }
    outbox.sortReceived()
    outbox.version = version
  }

  /// The first instant that the notification history has (Apple, "Get Notification History").
  var historyStart: Instant { clock + -(simulation.rate == .realTime ? 180 : 30) * RenewalRate.day }

  /// The version of notifications that the app's server wants; `nil` where it has named no server.
  public var version: NotificationVersion? {
    get { outbox.version }
    set { outbox.version = newValue }
  }

  /// The way in which notifications reach the app's server.
  public var delivery: Delivery {
    get { outbox.delivery }
    set { outbox.delivery = newValue }
  }

  // MARK: - Time

  /// The next instant at which something happens or is sent; `nil` where nothing comes.
  public var nextDue: Instant? { [timeline.next, outbox.nextAttemptAt].compactMap(\.self).min() }

  /// The next instant at which a notification is to be posted; `nil` where none waits.
  public var nextAttemptAt: Instant? { outbox.nextAttemptAt }

  /// Moves the clock, and lets all customers live on, in the order of time. Deliveries become due and wait.
  /// - Parameter instant: the new present instant. The clock never goes back.
  /// - Throws: ``ActionError`` where a planned action is impossible; an error of the cryptographic library; errors of the
  ///   file.
  public mutating func advance(to instant: Instant) throws {
    while let due = timeline.takeNext(until: instant) {
      clock = max(clock, due.at)
      switch due.event {
      case .customer(let number): try live(number) { try $0.advance(to: max(due.at, $0.store.clock)) }
      case .consumptionRequest(let transaction): try repeatConsumptionRequest(transaction)
      case .refundDecision(let transaction): try decideRefund(transaction)
      case .massExtension(let identifier): try performMassExtension(identifier)
      }
    }
    clock = max(clock, instant)
    outbox.forget(before: historyStart)
  }

  /// Lets a customer do something, and records what happened.
  mutating func live(_ number: Int, _ body: (inout SimulatedCustomer) throws -> [StoreMoment]) throws {
    let moments = try body(&customers[number])
    timeline.plan(.customer(number), at: customers[number].nextDue)
    noteBought(number)
    for moment in moments { try send(moment, of: number) }
  }

  /// Performs an action for one customer, and moves the clock to its instant.
  mutating func perform(_ action: Action, on target: SimulatedStore.Target?, of number: Int) throws {
    guard customers[number].store.clock <= clock + 2000 else {
      throw ActionError(.noPurchase, "this customer begins at \(customers[number].store.clock)")
    }
    // A customer's own clock is where the last event left it.
    try live(number) { [clock] in try $0.advance(to: max(clock, $0.store.clock)) }
    try live(number) { try $0.perform(action, on: target) }
    try advance(to: max(clock, customers[number].store.clock))
  }

  // MARK: - Requests

  /// Answers a request as Apple would.
  /// - Parameters:
  ///   - request: the request.
  ///   - now: the present instant of the real clock. A token must be valid by it or by the simulated clock.
  /// - Returns: Apple's answer: 401 without a body for a token that is refused, 404 without a body for an unknown path.
  /// - Throws: an error of the cryptographic library; errors of the file.
  public mutating func answer(_ request: APIRequest, now: Instant) throws -> APIResponse {
    guard let (endpoint, ids) = APIEndpoint.match(request) else {
      return request.path == ["verifyReceipt"] ? ReceiptStatus.notPosted.response : APIResponse(404)
    }
    var response: APIResponse
    do {
      response = try answer(endpoint, ids, request, now)
    } catch let error as APIError {
      response = error.response
    } catch let refusal as APIKey.Refusal {
      response = APIResponse(401, refusal: refusal.rawValue)
    } catch is MalformedBody {
      response = APIResponse(400)
    } catch is NotFound {
      response = APIResponse(404)
    } catch let error as ActionError where error.code == .exhausted {
      response = APIError.unknown.response
    }
    response.endpoint = endpoint
    return response
  }

  private mutating func answer(
    _ endpoint: APIEndpoint, _ ids: [String], _ request: APIRequest, _ now: Instant
  ) throws -> APIResponse {
    let fault = takeFault(endpoint)
    if var answer = fault?.answer(now: now) {
      answer.fault = fault?.kind
      return answer
    }
    if endpoint != .verifyReceipt {
      guard isReleased else { throw APIKey.Refusal.notReleased }
      let app = try app(of: request.authorization, now: now)
      guard app == simulation.catalog.bundleID else { throw APIError.appNotFound }
    }
    if let again = limit.count(endpoint, at: now) { return APIError.rateLimitExceeded.answer(again: again) }
    var response = try answer(endpoint, ids, request)
    fault?.spoil(&response)
    response.fault = fault?.kind
    return response
  }

  /// Begins a move of the clock, which ends with the next one. All instants of a move are the present for tokens.
  public mutating func beginMove() { moveBegan = clock }

  /// Returns the app for which a token speaks. A client has the real clock, or the simulated one where it plays along.
  private func app(of authorization: String?, now: Instant) throws(APIKey.Refusal) -> String {
    do { return try key.check(authorization, now: now...now) } catch {
      guard [.notYetValid, .expired].contains(error), let app = try? key.check(authorization, now: moveBegan...clock)
      else { throw error }
      return app
    }
  }

  private mutating func answer(
    _ endpoint: APIEndpoint, _ ids: [String], _ request: APIRequest
  ) throws -> APIResponse {
    switch endpoint {
    case .transactionInfo, .appTransactionInfo, .transactionHistory, .transactionHistoryV1, .subscriptionStatuses,
      .refundHistory, .refundHistoryV1, .orderLookup:
      try read(endpoint, about: ids[0], request)
    case .notificationHistory: try notificationHistory(request)
    case .testNotification: try sendTest()
    case .testNotificationStatus: try testStatus(ids[0])
    case .consumption: try takeConsumption(ids[0], request.body)
    case .consumptionV1: try takeConsumptionV1(ids[0], request.body)
    case .extend: try extend(ids[0], request.body)
    case .extendAll: try extendAll(request.body)
    case .extendAllStatus: try massExtensionStatus(product: ids[0], identifier: ids[1])
    case .appAccountToken: try setAppAccountToken(ids[0], request.body)
    case .finish: try finish(ids[0])
    case .customerGroups: try customerGroups(ids[0])
    case .groupMembers: try groupMembers(ids[0], request)
    case .verifyReceipt: try verifyReceipt(request.body)
    }
  }

  /// A body that is not the JSON object of its endpoint. Apple answers with the status 400 and no code.
  struct MalformedBody: Error {}
  /// An endpoint that this environment does not have. Apple answers with the status 404 and no code.
  struct NotFound: Error {}
}

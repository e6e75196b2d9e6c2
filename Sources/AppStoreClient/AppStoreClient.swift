public import AppStore
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// A client of Apple's servers: the App Store Server API and verifyReceipt.
///
/// It signs the tokens, keeps below Apple's limits, repeats what can succeed, and finds the environment of an id. It knows
/// nothing of a ledger: it gives back what Apple answered, byte by byte.
public final class AppStoreClient: Sendable {
  /// What a client needs to ask.
  public struct Settings: Sendable {
    /// The key that signs tokens.
    public var key: AppStoreKey
    /// The app for which the client asks.
    public var bundleID: String
    /// Where Apple's servers are.
    public var addresses = AppStoreAddresses.apple
    /// Whether requests stay below Apple's limits. A server that stands in for Apple's may have none.
    public var limitsRate = true
    /// How often a request is sent at most before it fails.
    public var tries = 5
    /// The longest wait before a request is sent. One that would wait for longer fails, and states when to ask again.
    public var longestWait = Duration.seconds(60)
    /// How long an answer may take.
    public var timeout = Duration.seconds(30)

    /// Creates settings for an app at Apple's own addresses.
    public init(key: AppStoreKey, bundleID: String) { (self.key, self.bundleID) = (key, bundleID) }
  }

  /// What a client takes from outside: clocks, and what it calls.
  public struct Dependencies: Sendable {
    /// Returns the present instant, for tokens and for waits until an instant.
    public var now: @Sendable () -> Instant
    /// A clock that never goes back, for the rate limiter.
    public var uptime: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits for some time.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Gets each request as it was sent, and what became of it.
    public var onAttempt: @Sendable (AppStoreAttempt) -> Void = { _ in }

    /// Creates dependencies with the system's clock of uptime.
    /// - Parameter now: returns the present instant.
    public init(now: @escaping @Sendable () -> Instant) { self.now = now }
  }

  private let settings: Settings
  private let dependencies: Dependencies
  private let rateLimiter: RateLimiter
  private let http: HTTPClient
  /// The servers that refused our settings, with the failure.
  private let refused = Mutex<[Server: AppStoreFailure]>([:])
  /// How long a server that refused our settings is not asked again, in milliseconds.
  private static let refusalLasts: Int64 = 3_600_000

  /// One of Apple's servers. The API refuses the key or the app, and verifyReceipt the shared secret.
  private struct Server: Hashable {
    let environment: Environment
    let verifiesReceipts: Bool

    init(of request: AppStoreRequest, in environment: Environment) {
      (self.environment, verifiesReceipts) = (environment, request.endpoint == .verifyReceipt)
    }
  }

  /// The app for which the client asks.
  public var bundleID: String { settings.bundleID }

  /// Creates a client. It must be closed.
  public init(_ settings: Settings, _ dependencies: Dependencies) {
    (self.settings, self.dependencies, rateLimiter) = (settings, dependencies, RateLimiter(isOn: settings.limitsRate))
    // A redirect would take the secret along, or turn a POST into a GET.
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = .init(connect: .seconds(10), read: TimeAmount(settings.timeout))
    // Where nobody listens, the class of the error decides when to try again.
    configuration.connectionPool.retryConnectionEstablishment = false
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Closes the connections. Requests that wait end with an error.
  public func close() async { try? await http.shutdown() }

  /// The failures by which Apple refuses the key, the secret or the app: at most one of each server. It is asked again
  /// after an hour.
  public var refusals: [AppStoreFailure] { refused.withLock { Array($0.values) } }

  // MARK: - Asking

  /// Sends a request to an environment, and again where another try can succeed.
  /// - Parameters:
  ///   - request: the request.
  ///   - environment: production or the sandbox.
  ///   - isUrgent: whether a person waits. What nobody waits for leaves half of the rate to others.
  ///   - limit: how often the request is sent at most; `nil` for the number of the settings.
  ///   - time: how long one answer may take; `nil` for the time of the settings.
  /// - Throws: ``AppStoreFailure``; `CancellationError` when the task is cancelled.
  public func ask(
    _ request: AppStoreRequest, in environment: Environment, isUrgent: Bool = true, tries limit: Int? = nil,
    within time: Duration? = nil
  ) async throws -> AppStoreAnswer {
    var (number, earlier) = (1, [AppStoreAttempt]())
    while true {
      do {
        return try await askOnce(request, environment, isUrgent, time).after(earlier)
      } catch let failure as AppStoreFailure {
        guard number < min(limit ?? .max, tries(after: failure)), let wait = wait(after: failure, number) else {
          throw failure.after(earlier)
        }
        number += 1
        earlier += failure.attempts
        try await dependencies.sleep(wait)
      }
    }
  }

  /// Sends a request to the environment that knows its id: to production first, because a tester must never get what a
  /// customer paid for.
  /// - Parameters:
  ///   - request: the request.
  ///   - environment: the environment of the id, where evidence states it; `nil` to find it.
  ///   - isUrgent: whether a person waits.
  ///   - limit: how often each environment is asked at most; `nil` for the number of the settings.
  ///   - time: how long one answer may take; `nil` for the time of the settings.
  /// - Returns: the answer. It states which environment gave it.
  /// - Throws: ``AppStoreFailure`` of the last environment that was asked; of production where both know nothing of it.
  public func find(
    _ request: AppStoreRequest, in environment: Environment? = nil, isUrgent: Bool = true, tries limit: Int? = nil,
    within time: Duration? = nil
  ) async throws -> AppStoreAnswer {
    func ask(in environment: Environment) async throws -> AppStoreAnswer {
      try await self.ask(request, in: environment, isUrgent: isUrgent, tries: limit, within: time)
    }
    if let environment { return try await ask(in: environment) }
    do {
      return try await ask(in: .production)
    } catch let failure as AppStoreFailure {
      // The sandbox knows no orders, and has the same shared secret.
      let isSecret = failure.verdict == .wrongSettings && request.endpoint == .verifyReceipt
      guard [.unknownTransaction, .otherEnvironment, .wrongSettings].contains(failure.verdict),
        request.endpoint != .orderLookup, !isSecret
      else { throw failure }
      do {
        return try await ask(in: .sandbox).after(failure.attempts)
      } catch let second as AppStoreFailure {
        guard second.verdict == .unknownTransaction else { throw second.after(failure.attempts) }
        var both = failure
        both.attempts += second.attempts
        throw failure.verdict == .unknownTransaction
          ? both.replacingDetail("Neither production nor the sandbox knows this id.") : both
      }
    }
  }

  /// How often a request may be sent after a failure.
  private func tries(after failure: AppStoreFailure) -> Int {
    switch failure.verdict {
    case .tryAgain: failure.code == 21_002 ? min(3, settings.tries) : settings.tries
    case .tooManyRequests: settings.tries
    // It is not known whether Apple read it.
    case .unreachable, .unreadable: failure.request.endpoint.isRepeatable ? settings.tries : 1
    default: 1
    }
  }

  /// Returns how long to wait before the next try; `nil` where that is too long.
  private func wait(after failure: AppStoreFailure, _ number: Int) -> Duration? {
    if let retryAt = failure.retryAt, failure.verdict == .tooManyRequests {
      let wait = Duration.milliseconds(max(0, retryAt.milliseconds - dependencies.now().milliseconds))
      // The rate limiter waits, as it does for every other request to this endpoint.
      return wait <= settings.longestWait ? .zero : nil
    }
    // Half of it is random: clients that failed together must not come back together.
    let longest = min(60, Double(1 << min(number - 1, 6)))
    return .seconds(longest * Double.random(in: 0.5...1))
  }

  private func askOnce(
    _ request: AppStoreRequest, _ environment: Environment, _ isUrgent: Bool, _ time: Duration?
  ) async throws -> AppStoreAnswer {
    guard let address = settings.addresses.address(of: request, in: environment) else {
      throw AppStoreFailure(
        request, environment, at: dependencies.now(), .wrongRequest, detail: "This environment has no server.")
    }
    let known = refused.withLock { $0[Server(of: request, in: environment)] }
    // Where somebody set the clock meanwhile, the reason may be gone.
    let present = dependencies.now()
    if let known, let until = known.retryAt, known.at <= present, present < until { throw known }
    try await waitForPermit(request, environment, isUrgent, atMost: time ?? settings.longestWait)
    let askedAt = dependencies.now()
    let begun = dependencies.uptime()
    let result = await send(request, to: address, askedAt, within: time ?? settings.timeout)
    let now = dependencies.now()
    let failure = result.failure(of: request, environment, at: now)
    let attempt = AppStoreAttempt(
      request: request, environment: environment, askedAt: askedAt,
      duration: begun.duration(to: dependencies.uptime()),
      status: result.answer?.status, code: result.reading.code, verdict: result.reading.verdict,
      sunset: result.answer?.sunset)
    dependencies.onAttempt(attempt)
    note(failure, request, environment, now)
    if let failure { throw failure.after([attempt]) }
    return AppStoreAnswer(
      request: request, environment: environment, receivedAt: now, body: result.answer?.body ?? [],
      root: result.answer?.root, attempts: [attempt])
  }

  /// Waits until the rate limiter allows a request.
  private func waitForPermit(
    _ request: AppStoreRequest, _ environment: Environment, _ isUrgent: Bool, atMost longest: Duration
  ) async throws {
    let wait = rateLimiter.wait(
      for: request.endpoint, in: environment, isUrgent: isUrgent, now: dependencies.uptime())
    guard wait > .zero else { return }
    guard wait <= longest else {
      rateLimiter.returnPermit(request.endpoint, in: environment)
      let now = dependencies.now()
      throw AppStoreFailure(
        request, environment, at: now, .tooManyRequests,
        retryAt: now + Int64(wait / .milliseconds(1)),
        detail: "The limit of requests is reached, so nothing was sent.")
    }
    try await dependencies.sleep(wait)
  }

  /// Remembers what an answer says about later requests.
  private func note(
    _ failure: AppStoreFailure?, _ request: AppStoreRequest, _ environment: Environment, _ now: Instant
  ) {
    if let failure, failure.verdict == .tooManyRequests, let until = failure.retryAt {
      rateLimiter.close(
        request.endpoint, in: environment,
        until: dependencies.uptime() + .milliseconds(until.milliseconds - now.milliseconds))
    }
    let server = Server(of: request, in: environment)
    switch failure?.verdict {
    case nil: refused.withLock { $0[server] = nil }
    case .wrongSettings: refused.withLock { $0[server] = failure }
    default: break
    }
  }
}

// MARK: - HTTP

extension AppStoreClient {
  /// What came of one request.
  private struct Sent {
    var answer: ReceivedAnswer?
    var reading: ReceivedAnswer.Reading
    var retryAt: Instant?

    /// Returns the failure; `nil` where the question is answered.
    func failure(of request: AppStoreRequest, _ environment: Environment, at now: Instant) -> AppStoreFailure? {
      guard reading.verdict != .answered else { return nil }
      return AppStoreFailure(
        request, environment, at: now, reading.verdict, status: answer?.status, code: reading.code,
        retryAt: reading.verdict == .wrongSettings ? now + AppStoreClient.refusalLasts : retryAt,
        detail: reading.detail)
    }
  }

  /// The longest answer of the App Store Server API and of verifyReceipt, in bytes.
  private static let longest = (api: 8 << 20, receipt: 64 << 20)

  /// Sends a request once.
  private func send(
    _ request: AppStoreRequest, to address: String, _ now: Instant, within time: Duration
  ) async -> Sent {
    do {
      var message = HTTPClientRequest(url: address)
      message.method = HTTPMethod(rawValue: request.method)
      message.headers.add(name: "Accept", value: "application/json")
      message.headers.add(name: "User-Agent", value: "subledger-server")
      if request.endpoint != .verifyReceipt {
        let token = try settings.key.token(bundleID: settings.bundleID, now: now)
        message.headers.add(name: "Authorization", value: "Bearer \(token)")
      }
      if let body = request.body {
        message.headers.add(name: "Content-Type", value: "application/json")
        message.body = .bytes(ByteBuffer(bytes: body))
      }
      let response = try await http.execute(message, timeout: TimeAmount(time))
      let limit = request.endpoint == .verifyReceipt ? Self.longest.receipt : Self.longest.api
      let body = try await response.body.collect(upTo: limit)
      let answer = ReceivedAnswer(
        status: Int(response.status.code), body: Array(body.readableBytesView),
        retryAfter: response.headers.first(name: "Retry-After"),
        date: response.headers.first(name: "Date"), sunset: response.headers.first(name: "Sunset"))
      var reading = answer.reading(of: request)
      if reading.verdict == .wrongSettings, let words = answer.clockDifferenceDescription(now: dependencies.now()) {
        reading.detail = words
      }
      return Sent(answer: answer, reading: reading, retryAt: answer.retryAt(reading, now: dependencies.now()))
    } catch is NIOTooManyBytesError {
      return Sent(reading: .init(verdict: .unreadable, detail: "The answer is too long."))
    } catch {
      return Sent(reading: .init(verdict: .unreachable, detail: Self.text(error)))
    }
  }

  /// Returns why no answer came. The libraries' own words could contain the address, and so an id.
  private static func text(_ error: any Error) -> String {
    switch error {
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout: "The connection took too long."
      case .readTimeout, .deadlineExceeded: "The answer took too long."
      case .remoteConnectionClosed, .uncleanShutdown: "The connection ended before the answer did."
      case .tlsHandshakeTimeout: "The TLS handshake took too long."
      default: "The connection failed: \(error.shortDescription)."
      }
    case is IOError: "The connection was refused, or ended."
    case let error as HTTPParserError: "What came is not HTTP: \(error.debugDescription)."
    default: "The connection failed: \(type(of: error))."
    }
  }
}

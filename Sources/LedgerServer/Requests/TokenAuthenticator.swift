internal import AppStore
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LedgerService
internal import LedgerStore
internal import Synchronization

/// Checks the tokens of requests: `Authorization: Bearer sl_…`.
final class TokenAuthenticator: Sendable {
  /// The requests that a token may make, unless it states another number: a second, and at once.
  static let rate = (perSecond: 50, burst: 100)

  private struct Bucket {
    var left: Double
    var at: ContinuousClock.Instant
  }

  private struct Guesses {
    var count: Int
    var since: ContinuousClock.Instant
  }

  private struct State {
    var buckets: [TokenKey: Bucket] = [:]
    var guesses: [NetworkAddress: Guesses] = [:]
    /// The hour of the last use of each token, until it is written.
    var uses: [TokenKey: Instant] = [:]
  }

  private let reader: ReaderThread
  /// How many wrong tokens an address may send in a minute.
  private let wrongTokens: Int
  private let uptime: @Sendable () -> ContinuousClock.Instant
  private let now: @Sendable () -> Instant
  private let state = Mutex(State())

  /// Creates a check that reads tokens by a reader of its own.
  init(
    _ reader: ReaderThread, wrongTokens: Int, uptime: @escaping @Sendable () -> ContinuousClock.Instant,
    now: @escaping @Sendable () -> Instant
  ) {
    (self.reader, self.wrongTokens, self.uptime, self.now) = (reader, wrongTokens, uptime, now)
  }

  /// Returns the token of a request.
  /// - Parameter scopes: one of them is enough; when there is none, every token may ask.
  /// - Throws: ``HTTPProblem``: 401 without a valid token, 403 without the scope, 429 over the limits, 400 for a token in
  ///   the path or the query.
  func token(of request: Request, _ context: ServerContext, scopes: Set<APIToken.Scope>) async throws
    -> APIToken
  {
    if Self.hasToken(request.uri.string) {
      throw HTTPProblem.wrongRequest(
        "token_in_url", "Authorization",
        "A token must never be in a URL, because logs keep URLs. Revoke it, and send another one as a Bearer.")
    }
    guard let given = request.headers[.authorization] else {
      throw HTTPProblem.unauthorized("This path needs a token.")
    }
    let instant = now()
    let text = given.prefix(7).lowercased() == "bearer " ? TokenText(String(given.dropFirst(7))) : nil
    var found: APIToken?
    if let text { found = try await reader.withReader { try $0.token(text, at: instant) } }
    guard let token = found, token.isValid(at: instant) else {
      try count(guessOf: context.address)
      throw HTTPProblem.endedToken
    }
    context.facts.tokenID.withLock { $0 = token.id }
    try take(token)
    guard scopes.isEmpty || !scopes.isDisjoint(with: token.scopes) else {
      let names = scopes.map(\.rawValue).sorted().joined(separator: " or ")
      throw HTTPProblem(code: "scope_missing", status: .forbidden, detail: "The token needs the scope \(names).")
    }
    let hour = Instant(milliseconds: instant.milliseconds / 3_600_000 * 3_600_000)
    state.withLock { if $0.uses[token.key] != hour { $0.uses[token.key] = hour } }
    return token
  }

  /// Returns the uses that are not written yet.
  func takeUses() -> [TokenKey: Instant] {
    state.withLock { state in
      defer { state.uses = [:] }
      return state.uses
    }
  }

  /// Puts back uses that could not be written. Later ones count more.
  func putBack(_ uses: [TokenKey: Instant]) { state.withLock { $0.uses.merge(uses) { later, _ in later } } }

  /// Closes the connection to the ledger.
  func close() { reader.close() }

  private static func hasToken(_ uri: String) -> Bool {
    // A path is decoded before the access log has it.
    isToken(in: uri) || (uri.contains("%") && (uri.removingPercentEncoding.map(isToken) ?? false))
  }

  private static func isToken(in uri: String) -> Bool {
    // A regular expression is compiled where it stands, so few requests may reach it.
    guard ["sl_", "token=", "api_key="].contains(where: uri.contains) else { return false }
    return uri.contains(/sl_[a-z0-9]{8}_[A-Za-z0-9_-]{40}/) || uri.contains(/[?&](access_token|token|api_key)=/)
  }

  // MARK: - Limits

  /// Takes one request from what a token may make.
  private func take(_ token: APIToken) throws {
    let rate = token.requestsPerSecond ?? Self.rate.perSecond
    let burst = Double(token.requestsPerSecond.map { $0 * 2 } ?? Self.rate.burst)
    let instant = uptime()
    let wait: Int? = state.withLock { state in
      var bucket = state.buckets[token.key] ?? Bucket(left: burst, at: instant)
      bucket.left = min(burst, bucket.left + bucket.at.duration(to: instant) / .seconds(1) * Double(rate))
      bucket.at = instant
      defer { state.buckets[token.key] = bucket }
      guard bucket.left >= 1 else { return max(1, Int(((1 - bucket.left) / Double(rate)).rounded(.up))) }
      bucket.left -= 1
      return nil
    }
    guard let wait else { return }
    throw HTTPProblem(
      code: "too_many_requests", status: .tooManyRequests,
      detail: "The token may make \(rate) requests a second. Wait, then send the request again.", retryAfter: wait,
      headers: [
        HTTPField.Name("RateLimit-Policy")!: "\"token\";q=\(rate);w=1",
        HTTPField.Name("RateLimit")!: "\"token\";r=0;t=\(wait)",
      ])
  }

  /// Counts a wrong token. A valid one is never refused for the wrong ones of others: behind a proxy, all programs have
  /// one address.
  /// - Throws: ``HTTPProblem`` when the address sent too many.
  private func count(guessOf address: NetworkAddress?) throws {
    guard let address else { return }
    let instant = uptime()
    let wait: Int? = state.withLock { state in
      // An attacker with many addresses must not fill the memory.
      if state.guesses.count > 10_000 { state.guesses = [:] }
      var guesses = state.guesses[address] ?? Guesses(count: 0, since: instant)
      let age = guesses.since.duration(to: instant)
      if age >= .seconds(60) { guesses = Guesses(count: 0, since: instant) }
      guesses.count += 1
      state.guesses[address] = guesses
      return guesses.count > wrongTokens ? max(1, Int((.seconds(60) - age) / .seconds(1))) : nil
    }
    guard let wait else { return }
    throw HTTPProblem(
      code: "too_many_wrong_tokens", status: .tooManyRequests,
      detail: "This address sent too many wrong tokens. Wait for a minute.", retryAfter: wait)
  }
}

import AppStore

/// The limits of requests. Apple names them for a second and enforces them over the hour; the sandbox has a tenth (Apple,
/// "Identifying rate limits").
struct RateLimit: Sendable {
  private let share: Int64
  private var hour: Int64 = 0
  private var counts: [APIEndpoint: Int64] = [:]

  init(_ environment: Environment) { share = environment == .production ? 1 : 10 }

  /// Counts a request of an endpoint.
  /// - Returns: the instant from which requests are answered again, where this one is too many; else `nil`.
  mutating func count(_ endpoint: APIEndpoint, at now: Instant) -> Instant? {
    guard let rate = endpoint.rate else { return nil }
    let present = now.milliseconds / RenewalRate.hour
    if present != hour { (hour, counts) = (present, [:]) }
    guard counts[endpoint, default: 0] < rate * 3600 / share else {
      return Instant(milliseconds: (present + 1) * RenewalRate.hour)
    }
    counts[endpoint, default: 0] += 1
    return nil
  }
}

internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Limits the requests that one sender behind a trusted proxy has open at the same time. Without a proxy, the table of
/// connections does this.
final class SenderLimit: Sendable {
  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")!

  private let limit: Int
  private let proxies: Set<NetworkAddress>
  private let counts = Mutex<[NetworkAddress: Int]>([:])

  /// Creates a limit for one server.
  /// - Parameters:
  ///   - limit: the greatest number of requests of one address.
  ///   - proxies: the proxies whose `X-Forwarded-For` is believed.
  init(_ limit: Int, proxies: Set<NetworkAddress>) { (self.limit, self.proxies) = (limit, proxies) }

  /// Returns whose request it is: the sender that a trusted proxy names, else the other end of the connection.
  func address(of request: Request, connection: NetworkAddress?) -> NetworkAddress? {
    guard let connection, proxies.contains(connection) else { return connection }
    let fields = request.headers[values: Self.forwardedFor]
    return NetworkAddress.forwarded(fields.joined(separator: ","), through: proxies) ?? connection
  }

  /// The place of one request. It ends with this value.
  final class Permit: Sendable {
    private let end: @Sendable () -> Void
    fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  /// Takes a place for a request of an address.
  /// - Throws: ``HTTPProblem`` when the address has too many.
  func enter(_ address: NetworkAddress?) throws -> Permit? {
    guard let address, !proxies.isEmpty, !proxies.contains(address) else { return nil }
    let hasCapacity = counts.withLock { counts in
      guard counts[address, default: 0] < limit else { return false }
      counts[address, default: 0] += 1
      return true
    }
    guard hasCapacity else {
      throw HTTPProblem.unavailable(
        "too_many_requests_of_address", "This address has too many requests at the same time.")
    }
    return Permit { self.counts.withLock { $0.countDown(address) } }
  }
}

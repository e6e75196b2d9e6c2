internal import Synchronization

/// All connections. When there are too many, or too many of one address, some give way to new ones: first those that
/// wait for a request, then those whose request arrives slowly. So nobody can lock others out by opening connections.
final class ConnectionTable: Sendable {
  /// What a connection does.
  enum Phase: Int, Sendable {
    /// Its next request has not begun.
    case idle
    /// A request arrives on it.
    case receiving
    /// A request is answered.
    case answering
  }

  private struct Entry {
    let address: NetworkAddress?
    let close: @Sendable () -> Void
    var phase = Phase.idle
    /// When the phase began, as a number that grows.
    var since: Int
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var counts: [NetworkAddress: Int] = [:]
    var turn = 0
  }

  private let limit: (all: Int, ofAddress: Int)
  private let proxies: Set<NetworkAddress>
  private let state = Mutex(State())

  /// Creates a table without connections.
  /// - Parameters:
  ///   - limit: the greatest number of connections, in all and of one address.
  ///   - proxies: the addresses that the second limit does not hold for, because they send for many others.
  init(limit: (all: Int, ofAddress: Int), proxies: Set<NetworkAddress> = []) {
    (self.limit, self.proxies) = (limit, proxies)
  }

  /// The number of open connections.
  var count: Int { state.withLock { $0.entries.count } }

  /// Adds a connection. When it is one too many, another one is closed, or this one when no other can be.
  func open(_ id: ObjectIdentifier, from address: NetworkAddress?, close: @escaping @Sendable () -> Void) {
    let closes = state.withLock { state in
      state.turn += 1
      state.entries[id] = Entry(address: address, close: close, since: state.turn)
      if let address { state.counts[address, default: 0] += 1 }
      var closes: [@Sendable () -> Void] = []
      if let address, !proxies.contains(address), state.counts[address, default: 0] > limit.ofAddress {
        closes.append(remove(victim(&state, but: id) { $0.address == address } ?? id, &state))
      }
      if state.entries.count > limit.all {
        closes.append(remove(victim(&state, but: id) { _ in true } ?? id, &state))
      }
      return closes
    }
    for close in closes { close() }
  }

  /// Notes what a connection does now.
  func note(_ id: ObjectIdentifier, _ phase: Phase) {
    state.withLock { state in
      state.turn += 1
      state.entries[id]?.phase = phase
      state.entries[id]?.since = state.turn
    }
  }

  /// Removes a connection that was closed.
  func close(_ id: ObjectIdentifier) { state.withLock { _ = remove(id, &$0) } }

  /// Returns the connection that gives way: one that does the least, of the address that has the most, for the longest
  /// time.
  private func victim(
    _ state: inout State, but id: ObjectIdentifier, _ suits: (Entry) -> Bool
  ) -> ObjectIdentifier? {
    func rank(_ entry: Entry) -> (Int, Int, Int) {
      let isProxy = entry.address.map(proxies.contains) ?? false
      return (entry.phase.rawValue, isProxy ? 0 : -(entry.address.flatMap { state.counts[$0] } ?? 0), entry.since)
    }
    return state.entries.filter { $0.key != id && $0.value.phase != .answering && suits($0.value) }
      .min { rank($0.value) < rank($1.value) }?.key
  }

  private func remove(_ id: ObjectIdentifier, _ state: inout State) -> @Sendable () -> Void {
    guard let entry = state.entries.removeValue(forKey: id) else { return {} }
    if let address = entry.address { state.counts.countDown(address) }
    return entry.close
  }
}

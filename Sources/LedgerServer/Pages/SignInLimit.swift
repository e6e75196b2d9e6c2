internal import Synchronization

/// Counts wrong passwords, so that nobody can guess one: five for a name and twenty for an address in 15 minutes. After
/// that, each further one makes the wait twice as long.
final class SignInLimit: Sendable {
  private enum Subject: Hashable {
    case name(String)
    case address(NetworkAddress)

    var limit: Int { if case .name = self { 5 } else { 20 } }
  }

  private struct Failures {
    var count = 0
    var last: ContinuousClock.Instant
  }

  private static let time = Duration.seconds(900)
  private static let first = Duration.seconds(30)

  private let state = Mutex<[Subject: Failures]>([:])
  private let uptime: @Sendable () -> ContinuousClock.Instant

  init(uptime: @escaping @Sendable () -> ContinuousClock.Instant) { self.uptime = uptime }

  private func subjects(_ name: String, _ address: NetworkAddress?) -> [Subject] {
    [.name(String(name.prefix(64)))] + (address.map { [.address($0)] } ?? [])
  }

  /// Returns how long a sign-in must wait, in whole seconds; `nil` when it may try.
  func wait(_ name: String, _ address: NetworkAddress?) -> Int? {
    let now = uptime()
    return state.withLock { state in
      subjects(name, address).compactMap { subject -> Int? in
        guard let failures = state[subject], failures.count >= subject.limit else { return nil }
        let wait = min(Self.time, Self.first * (1 << min(10, failures.count - subject.limit)))
        let left = wait - failures.last.duration(to: now)
        return left > .zero ? Int((left / .seconds(1)).rounded(.up)) : nil
      }.max()
    }
  }

  /// Counts a wrong name or password.
  func fail(_ name: String, _ address: NetworkAddress?) {
    let now = uptime()
    state.withLock { state in
      // An attacker with many names or addresses must not fill the memory.
      if state.count > 10_000 { state = state.filter { $0.value.last.duration(to: now) < Self.time } }
      if state.count > 20_000 { state = [:] }
      for subject in subjects(name, address) {
        var failures = state[subject] ?? Failures(last: now)
        if failures.last.duration(to: now) >= Self.time { failures.count = 0 }
        (failures.count, failures.last) = (failures.count + 1, now)
        state[subject] = failures
      }
    }
  }

  /// Forgets the wrong passwords of a name, after the right one.
  func succeed(_ name: String) { state.withLock { $0[.name(String(name.prefix(64)))] = nil } }
}

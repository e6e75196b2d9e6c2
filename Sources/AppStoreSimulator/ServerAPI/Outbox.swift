import AppStore
import HeapModule

/// What a local App Store has sent to the app's server, and what it tries again.
struct Outbox: Sendable {
  /// A further attempt that is due at an instant.
  private struct Attempt: Comparable, Sendable {
    let at: Instant
    let number: Int

    static func < (one: Attempt, other: Attempt) -> Bool { (one.at, one.number) < (other.at, other.number) }
  }

  /// The time from the signature to the first attempt, in milliseconds.
  static let firstDelay: Int64 = 40
  /// The hours from one attempt to the next (Apple, "Responding to App Store Server Notifications").
  private static let hours: [NotificationVersion: [Int64]] = [.v2: [1, 12, 24, 48, 72], .v1: [6, 24, 48]]

  /// How many notifications are forgotten at once, at least.
  private static let step = 1000

  let file: NotificationFile
  /// The version that the app's server wants; `nil` where the app has named no server.
  var version: NotificationVersion?
  /// Whether a failed attempt is repeated. In Apple's sandbox none is.
  let isRetried: Bool
  /// How many of the following notifications get a fault.
  var faults: [(fault: WebhookFault, left: Int)] = []
  /// The shares of notifications that get a fault.
  var delivery = Delivery()
  private var random: SeededGenerator
  private var notifications: [SentNotification] = []
  /// The number of the first notification in ``notifications``.
  private var first = 0
  private var waiting = Heap<Attempt>()

  init(_ file: NotificationFile, isRetried: Bool, seed: UInt64) {
    (self.file, self.isRetried) = (file, isRetried)
    random = SeededGenerator(seed: seed, part: 0x0B0C)
  }

  /// The number of the next notification.
  var nextNumber: Int { first + notifications.count }
  /// The instant of the next attempt; `nil` where nothing waits.
  var nextAttemptAt: Instant? { waiting.min?.at }

  /// Returns the notifications that the history may have, in the order of sending.
  /// - Parameter number: the first number to return.
  func all(from number: Int = 0) -> LazyFilterSequence<ArraySlice<SentNotification>> {
    notifications[min(max(number - first, 0), notifications.count)...].lazy.filter { !$0.isLost }
  }

  subscript(number: Int) -> SentNotification? {
    notifications.indices.contains(number - first) ? notifications[number - first] : nil
  }

  /// Adds a notification that was received before this store began to run.
  mutating func addReceived(_ notification: SentNotification) {
    var one = notification
    one.attempts = [SendAttempt(at: one.signedAt + Self.firstDelay, result: .success, status: 200)]
    notifications.append(one)
  }

  /// Sorts what was received, and gives it new numbers.
  mutating func sortReceived() {
    notifications.sort { ($0.signedAt, $0.number) < ($1.signedAt, $1.number) }
    for index in notifications.indices { notifications[index].number = index }
  }

  /// Adds a notification. It is sent at once, where the app has named a server.
  /// - Parameter isTest: whether the app's server gets version 2 in any case.
  mutating func add(_ notification: SentNotification, isTest: Bool = false) {
    var one = notification
    let isSent = version == .v2 || isTest || version == .v1 && one.bodyV1 != nil
    one.fault = isTest ? nil : nextFault()
    if version != nil, isSent, !one.isLost {
      one.nextAttemptAt = one.signedAt + (Self.firstDelay + (one.fault == .late ? RenewalRate.hour : 0))
      if delivery.isShuffled, !isTest { one.nextAttemptAt = one.signedAt + random.number(in: 40..<RenewalRate.hour) }
    }
    if let at = one.nextAttemptAt { waiting.insert(Attempt(at: at, number: one.number)) }
    notifications.append(one)
  }

  private mutating func nextFault() -> WebhookFault? {
    if let wanted = faults.first {
      faults[0].left -= 1
      if faults[0].left <= 0 { faults.removeFirst() }
      return wanted.fault
    }
    for (fault, share) in [
      (.lost, delivery.lost), (.late, delivery.late), (.repeated, delivery.repeated), (.torn, delivery.torn),
    ] as [(WebhookFault, Double)] where random.happens(share) {
      return fault
    }
    return nil
  }

  /// Returns the next notification to post; `nil` where none is due.
  mutating func nextDelivery(at now: Instant) throws -> WebhookDelivery? {
    while let due = waiting.min, due.at <= now {
      waiting.removeMin()
      guard let one = self[due.number], one.nextAttemptAt == due.at else { continue }
      notifications[due.number - first].nextAttemptAt = nil
      let body = try one.bodyV1.map { try file.text(at: $0) } ?? postedText(of: one)
      let isTorn = one.fault == .torn && one.attempts.isEmpty
      return WebhookDelivery(
        number: one.number, body: isTorn ? Array(body.prefix(body.count * 2 / 3)) : body, isTorn: isTorn)
    }
    return nil
  }

  private func postedText(of one: SentNotification) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedPayload", plain: try file.text(at: one.payload))
    return text.finished
  }

  /// Records the outcome of a delivery, and plans the next attempt.
  mutating func note(_ result: SendAttemptResult, status: Int?, of delivery: WebhookDelivery, at now: Instant) {
    let index = delivery.number - first
    guard notifications.indices.contains(index) else { return }
    notifications[index].attempts.append(SendAttempt(at: now, result: result, status: status))
    let one = notifications[index]
    var hours: Int64?
    let isFirst = one.attempts.count == 1
    if result != .success {
      let schedule = Self.hours[one.bodyV1 == nil ? .v2 : .v1] ?? []
      let isGivenUp = status == 400 && one.fault == .notRetriedAfter400
      if isRetried, !isGivenUp, schedule.count >= one.attempts.count { hours = schedule[one.attempts.count - 1] }
    }
    // What was cut short or is sent twice comes again, also after a success.
    if isFirst, delivery.isTorn || one.fault == .repeated, hours == nil { hours = 1 }
    guard let hours else { return }
    let at = now + hours * RenewalRate.hour
    notifications[index].nextAttemptAt = at
    waiting.insert(Attempt(at: at, number: one.number))
  }

  /// Forgets what the history does not have any more.
  mutating func forget(before instant: Instant) {
    // A rare and larger step costs less than one each time; and each time looks at one notification only.
    guard notifications.count > Self.step, notifications[Self.step].signedAt < instant else { return }
    let count = notifications.firstIndex { $0.signedAt >= instant || $0.nextAttemptAt != nil } ?? notifications.count
    notifications.removeFirst(count)
    first += count
  }
}

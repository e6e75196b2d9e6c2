internal import AppStore
internal import AppStoreClient
internal import CoreMetrics
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore
internal import Synchronization

/// What the server counts about its own work.
final class ServerMetrics: Sendable {
  private let factory = TextMetrics()
  private let inFlight = Mutex(0)
  private let droppedLogLines = Mutex<Int64>(0)

  /// All metrics as text.
  var text: String { factory.text }

  private func count(_ name: String, _ dimensions: [(String, String)] = []) {
    Counter(label: "subledger_\(name)_total", dimensions: dimensions, factory: factory).increment()
  }

  private func time(_ name: String, _ seconds: Double, _ dimensions: [(String, String)] = []) {
    Recorder(label: "subledger_\(name)_seconds", dimensions: dimensions, aggregate: true, factory: factory)
      .record(seconds)
  }

  /// Sets a number that can go up and down.
  func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) {
    Meter(label: "subledger_\(name)", dimensions: dimensions, factory: factory).set(value)
  }

  // MARK: - Requests

  func begin() {
    set(
      "http_requests_in_flight",
      Double(
        inFlight.withLock {
          $0 += 1; return $0
        }))
  }

  func end(route: String, method: String, status: Int, time: Duration) {
    set(
      "http_requests_in_flight",
      Double(
        inFlight.withLock {
          $0 -= 1; return $0
        }))
    // A sender can invent methods and paths, and each would be a new series.
    let known = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"].contains(method) ? method : "other"
    let dimensions = [("route", route), ("method", known), ("status", String(status))]
    count("http_requests", dimensions)
    self.time("http_request_duration", time / .seconds(1), [("route", route), ("method", known)])
  }

  func reject(_ code: String) { count("http_rejected", [("reason", code)]) }

  /// States how many lines of the log were not written since the server began.
  func setDroppedLogLines(_ number: Int64) {
    let new = droppedLogLines.withLock { known in
      defer { known = max(known, number) }
      return max(0, number - known)
    }
    Counter(label: "subledger_log_lines_dropped_total", factory: factory).increment(by: new)
  }

  // MARK: - Payloads

  /// Counts payloads by kind, source and outcome.
  func count(_ arrivals: [Arrival], _ results: [ArrivalResult], source: String, now: Instant) {
    for (arrival, result) in zip(arrivals, results) {
      guard case .evidence(let evidence) = arrival.outcome else {
        count("payloads", [("kind", "unknown"), ("source", source), ("outcome", "quarantined")])
        continue
      }
      let outcome = result == .duplicate ? "duplicate" : "recorded"
      count("payloads", [("kind", evidence.kind.rawValue), ("source", source), ("outcome", outcome)])
      guard let notification = evidence.notification else { continue }
      let (type, environment) = (notification.type, Self.known(evidence.environment))
      let isKnown = Messages.explains(notification: type)
      count(
        "notifications",
        [
          ("type", isKnown ? type : "other"), ("subtype", isKnown ? Self.plain(notification.subtype) : ""),
          ("environment", environment),
        ])
      set("last_notification_timestamp_seconds", Double(now.milliseconds) / 1000, [("environment", environment)])
      if let stated = evidence.statedAt, result == .recorded {
        time(
          "notification_delay", max(0, Double(now.milliseconds - stated.milliseconds) / 1000),
          [("environment", environment)])
      }
    }
  }

  /// Counts a notification that was recorded before.
  func countRepetition(of version: PostedNotification.Version) {
    count("payloads", [("kind", "notification_\(version.rawValue)"), ("source", "webhook"), ("outcome", "duplicate")])
  }

  /// Counts a payload that found no place in quarantine.
  func countLeftOut() {
    count("payloads", [("kind", "unknown"), ("source", "webhook"), ("outcome", "left_out")])
  }

  private static func known(_ environment: Environment) -> String {
    Environment.all.contains(environment) ? environment.name : "other"
  }

  /// Returns a subtype as a label. Only Apple can sign one, but V1 is not signed.
  private static func plain(_ subtype: String?) -> String {
    guard let subtype, subtype.utf8.count <= 40, subtype.allSatisfy({ $0.isUppercase || $0 == "_" }) else { return "" }
    return subtype
  }

  /// Counts a transaction of the ledger.
  func recorded(in duration: Duration) { time("record_duration", duration / .seconds(1)) }

  // MARK: - Requests to Apple

  /// Counts a request to Apple.
  func count(_ attempt: AppStoreAttempt) {
    let dimensions = [("endpoint", attempt.request.endpoint.rawValue), ("environment", attempt.environment.name)]
    count("apple_requests", dimensions + [("verdict", attempt.verdict.rawValue)])
    time("apple_request_duration", attempt.duration / .seconds(1), dimensions)
    // After this instant verifyReceipt no longer answers (RFC 8594).
    if let sunset = attempt.sunset {
      set("apple_sunset_timestamp_seconds", Double(sunset.milliseconds) / 1000, [dimensions[0]])
    }
  }

  /// States how far the histories have been walked, and how many questions are open.
  func set(_ walks: [NotificationHistoryWalk], _ questions: [OpenQuestionCount]) {
    for walk in walks {
      guard let until = walk.walkedUntil else { continue }
      set(
        "notification_history_walked_timestamp_seconds", Double(until.milliseconds) / 1000,
        [("bundle_id", walk.bundleID), ("environment", walk.environment.name)])
    }
    for reason in OpenQuestion.Reason.allCases {
      let count = questions.first { $0.reason == reason }?.count ?? 0
      set("open_questions", Double(count), [("reason", reason.rawValue)])
    }
  }

  /// Counts notifications that only the history of Apple had.
  func missed(_ missed: Int64, lost: Int64, in environment: Environment) {
    for (name, number) in [("notifications_missed", missed), ("notifications_lost", lost)] {
      Counter(
        label: "subledger_\(name)_total", dimensions: [("environment", environment.name)], factory: factory
      ).increment(by: number)
    }
  }

  /// Counts that somebody read about a person.
  func hasRead() { count("people_read") }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import NIOCore

/// Answers how the server does, for operators and their programs.
struct OperationsAPI: Sendable {
  let readers: ReaderPool
  let counts: ServerMetrics
  let sync: AppleSync?
  let path: String
  let version: String
  let droppedLogLines: @Sendable () -> Int64
  let begun: Instant

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/status", "showStatus", [.metrics, .admin]) { try await status($0) },
      Endpoint(.get, "/metrics", "listMetrics", [.metrics, .admin]) { try await metrics($0) },
      Endpoint(.get, "/openapi.json", "describe", []) { _ in Self.description },
    ]
  }

  private func status(_ call: Call) async throws -> Response {
    let status = try await readers.read(for: call) { try $0.status() }
    let last = status.lastNotifications.map {
      JSONText.object([
        "environment": .text($0.environment),
        "received_at": .instant($0.receivedAt),
        "age_seconds": .integer((call.now.milliseconds - $0.receivedAt.milliseconds) / 1000),
      ])
    }
    return call.json(
      JSONText.members([
        "version": .text(version),
        "schema": .text(status.schema),
        "seq": .integer(status.sequence),
        "started_at": .instant(begun),
        "quarantine_count": .integer(Int64(status.quarantineCount)),
        "last_change": Value(status.lastChange?.description),
        "feed_advanced_at": Value(status.feedAdvancedAt),
        "database_bytes": Value(FileSize.bytes(path)),
      ]) + [
        ("last_notifications", JSONText.array(last)),
        ("apple", try await apple(call)),
      ])
  }

  /// Returns what the server asks Apple, and what it waits for; null where it only listens.
  private func apple(_ call: Call) async throws -> String {
    guard let sync else { return "null" }
    let (walks, questions) = try await asking(call)
    let status = sync.status
    func seconds(_ milliseconds: Int64) -> Value { .integer(milliseconds / 1000) }
    let histories = walks.map {
      JSONText.object([
        "bundle_id": .text($0.bundleID),
        "environment": .text($0.environment.name),
        "walked_until": Value($0.walkedUntil),
        "is_in_progress": .flag($0.window != nil),
        "notifications": .integer($0.notificationCount),
        "missed": .integer($0.missedCount),
        "lost": .integer($0.lostCount),
      ])
    }
    let open = questions.map {
      JSONText.object([
        "reason": Value($0.reason),
        "count": .integer($0.count),
        "unsettled": .integer($0.unsettledCount),
        "oldest_at": .instant($0.oldestAt),
      ])
    }
    let silences = status.silences.filter(\.isUnusual).map {
      JSONText.object([
        "environment": .text($0.environment.name),
        "last_received_at": .instant($0.lastReceivedAt),
        "silent_seconds": seconds($0.duration),
        "longest_before_seconds": seconds($0.longestBefore),
        "advice": .text(AppleSync.silenceAdvice),
      ])
    }
    return JSONText.nested(
      [
        ("walks_history", sync.settings.walksHistory ? "true" : "false"),
        ("reconciles", sync.settings.reconciles ? "true" : "false"),
        ("notification_history", JSONText.array(histories)), ("open_questions", JSONText.array(open)),
        ("silences", JSONText.array(silences)), ("failures", JSONText.array(status.failures.map(JSONText.string))),
      ])
  }

  /// Reads how far the histories have been walked, and how many questions are open.
  private func asking(_ call: Call) async throws -> ([NotificationHistoryWalk], [OpenQuestionCount]) {
    try await readers.read(for: call) { (try $0.notificationHistoryWalks(), try $0.openQuestionCounts()) }
  }

  private func metrics(_ call: Call) async throws -> Response {
    let status = try await readers.read(for: call) { try $0.status() }
    counts.set("build_info", 1, [("version", version), ("schema", status.schema)])
    counts.set("sequence", Double(status.sequence))
    counts.set("quarantine_rows", Double(status.quarantineCount))
    counts.setDroppedLogLines(droppedLogLines())
    if sync != nil {
      let (walks, questions) = try await asking(call)
      counts.set(walks, questions)
    }
    for (name, file) in [("database_bytes", path), ("wal_bytes", path + "-wal")] {
      counts.set(name, Double(FileSize.bytes(file) ?? 0))
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: counts.text)))
  }

  /// The description of the API: openapi.json.
  static let document = String(decoding: PackageResources.openapi_json, as: UTF8.self)

  private static var description: Response {
    Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: document)))
  }
}

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
      JSONText.object(
        ["environment", "received_at", "age_seconds"],
        [
          .text($0.environment), .instant($0.receivedAt),
          .integer((call.now.milliseconds - $0.receivedAt.milliseconds) / 1000),
        ])
    }
    return call.json(
      AnswerJSON.members(
        [
          "version", "schema", "seq", "started_at", "quarantine_count", "last_change", "feed_advanced_at",
          "database_bytes",
        ],
        [
          .text(version), .text(status.schema), .integer(status.sequence), .instant(begun),
          .integer(Int64(status.quarantineCount)), .optional(status.lastChange?.description),
          .optional(status.feedAdvancedAt),
          .optional(FileSize.bytes(path)),
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
      JSONText.object(
        ["bundle_id", "environment", "walked_until", "is_in_progress", "notifications", "missed", "lost"],
        [
          .text($0.bundleID), .text($0.environment.name), .optional($0.walkedUntil), .flag($0.window != nil),
          .integer($0.notificationCount), .integer($0.missedCount), .integer($0.lostCount),
        ])
    }
    let open = questions.map {
      JSONText.object(
        ["reason", "count", "unsettled", "oldest_at"],
        [.text($0.reason.rawValue), .integer($0.count), .integer($0.unsettledCount), .instant($0.oldestAt)])
    }
    let silences = status.silences.filter(\.isUnusual).map {
      JSONText.object(
        ["environment", "last_received_at", "silent_seconds", "longest_before_seconds", "advice"],
        [
          .text($0.environment.name), .instant($0.lastReceivedAt), seconds($0.duration), seconds($0.longestBefore),
          .text(AppleSync.silenceAdvice),
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

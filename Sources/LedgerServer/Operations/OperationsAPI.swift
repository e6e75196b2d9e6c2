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
        ]) + [("last_notifications", JSONText.array(last))])
  }

  private func metrics(_ call: Call) async throws -> Response {
    let status = try await readers.read(for: call) { try $0.status() }
    counts.set("build_info", 1, [("version", version), ("schema", status.schema)])
    counts.set("sequence", Double(status.sequence))
    counts.set("quarantine_rows", Double(status.quarantineCount))
    counts.setDroppedLogLines(droppedLogLines())
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

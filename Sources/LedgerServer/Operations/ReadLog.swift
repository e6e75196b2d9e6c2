internal import Ledger

/// Writes readings about people into the access log. Without its entries no answer leaves.
struct ReadLog: Sendable {
  let inbox: Inbox
  let counts: ServerMetrics

  /// Writes the entries of one reading. When this returns, they are on disk.
  func write(_ entries: [AccessLogEntry]) async throws {
    _ = try await inbox.store([], logging: entries, from: .backEnd)
    counts.hasRead()
  }
}

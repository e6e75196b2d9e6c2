internal import Ledger
internal import LedgerSync

/// Writes into the ledger after the requests that wait already. Nobody waits for it, so it tries again where a request
/// would be refused.
struct InboxWriting: LedgerWriting {
  let inbox: Inbox

  func run<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerRecorder) throws -> Value
  ) async throws -> Value {
    while true {
      do { return try await inbox.run(body) } catch Inbox.Refusal.full, Inbox.Refusal.late {
        try await Task.sleep(for: .milliseconds(200))
      } catch Inbox.Refusal.failed(let error) { throw error }
    }
  }
}

public import Ledger

/// Runs what writes into a ledger: a command does so at once, a server after what waits already.
public protocol LedgerWriting: Sendable {
  /// Runs something that records, and waits for it.
  /// - Throws: the errors of `body`; another error where the ledger cannot be written now.
  func run<Value: Sendable>(_ body: @escaping @Sendable (LedgerRecorder) throws -> Value) async throws -> Value
}

extension LedgerRecorder: LedgerWriting {
  /// Runs something that records, at once.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerRecorder) throws -> Value
  ) async throws -> Value {
    try body(self)
  }
}

internal import Dispatch
public import Ledger

/// Runs what reads a ledger, on a thread that may wait for the disk.
public protocol LedgerReading: Sendable {
  /// Runs something that reads.
  /// - Throws: the errors of `body`; another error where too much waits already.
  func withReader<Value: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> Value) async throws -> Value
}

extension LedgerReader: LedgerReading {
  /// Runs something that reads, on a thread that may wait.
  public func withReader<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerReader) throws -> Value
  ) async throws -> Value {
    try await runBlocking { try body(self) }
  }
}

/// Runs work that may wait for the disk. The threads of Swift's tasks are as few as the processor has cores, and must not
/// wait.
private func runBlocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global().async { done.resume(with: Result { try body() }) }
  }
}

/// Runs what writes into a ledger: a command does so at once, a server after what waits already.
public protocol LedgerWriting: Sendable {
  /// Runs something that records, and waits for it.
  /// - Throws: the errors of `body`; another error where the ledger cannot be written now.
  func run<Value: Sendable>(_ body: @escaping @Sendable (LedgerRecorder) throws -> Value) async throws -> Value
}

extension LedgerRecorder: LedgerWriting {
  /// Runs something that records, on a thread that may wait.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerRecorder) throws -> Value
  ) async throws -> Value {
    try await runBlocking { try body(self) }
  }
}

internal import Ledger
internal import LedgerStore
internal import ServiceLifecycle
internal import Synchronization

/// Whether the server's file is still at its path with the schema of this version. When the file is gone, the server
/// ends: what it would record there, nobody would find.
final class FileWatch: Service {
  private let ledger: LedgerRecorder
  private let isFaulty = Atomic(false)
  private let losses: AsyncStream<LedgerError>
  private let loss: AsyncStream<LedgerError>.Continuation

  init(_ ledger: LedgerRecorder) {
    self.ledger = ledger
    (losses, loss) = AsyncStream.makeStream(of: LedgerError.self, bufferingPolicy: .bufferingOldest(1))
  }

  /// Whether the file could not be used at the last check.
  var hasFault: Bool { isFaulty.load(ordering: .relaxed) }

  /// Checks that the file is there and is the same.
  func check() {
    do {
      try ledger.checkFile()
      isFaulty.store(false, ordering: .relaxed)
    } catch {
      isFaulty.store(true, ordering: .relaxed)
      if let error = error as? LedgerError, error.code == .fileMoved { end(error) }
    }
  }

  /// Ends the server, because its file is no longer at its path.
  func end(_ error: LedgerError) { loss.yield(error) }

  /// Waits until the file is gone.
  /// - Throws: the `LedgerError` that says so.
  func run() async throws {
    for await error in losses.cancelOnGracefulShutdown() { throw error }
  }
}

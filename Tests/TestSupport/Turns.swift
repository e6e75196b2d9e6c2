import Foundation
import Testing

/// Lets only a few tests run at a time that start programs or servers.
///
/// All tests begin at once, and each process takes a processor from the others. Tests that take turns wait until they can
/// have one.
package struct Turns: SuiteTrait, TestTrait, TestScoping {
  /// How many tests have a turn at the same time.
  package static let count = max(2, ProcessInfo.processInfo.activeProcessorCount)

  /// The turns that are free, and the tests that wait, the first one first.
  private actor Queue {
    private var free = Turns.count
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
      if free > 0 {
        free -= 1
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }

    func give() {
      if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
  }

  private static let queue = Queue()

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.queue.take()
    let result: Result<Void, any Error>
    do { result = .success(try await function()) } catch { result = .failure(error) }
    await Self.queue.give()
    try result.get()
  }
}

extension Trait where Self == Turns {
  /// The tests start programs or servers, and take turns.
  package static var takesTurns: Self { Self() }
}

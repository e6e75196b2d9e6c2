internal import Dispatch
internal import Foundation
internal import LedgerSchema
internal import Synchronization

/// Divides a range of numbers into slices, and runs their work on several cores.
package enum Slices {
  /// Returns slices of `width` numbers each. The first slice has no lower limit and the last has no upper limit. So
  /// every row is in one of them.
  package static func of(_ width: Int64, from first: Int64, through last: Int64) -> [ClosedRange<Int64>] {
    guard first <= last else { return [Int64.min...Int64.max] }
    let starts = Array(stride(from: first, through: last, by: Int64.Stride(width)))
    return starts.indices.map { index in
      let begin = index == 0 ? Int64.min : starts[index]
      return begin...(index == starts.count - 1 ? Int64.max : starts[index + 1] - 1)
    }
  }

  /// Runs the work of each slice once, on several threads.
  /// - Parameters:
  ///   - slices: the units of work.
  ///   - threads: the greatest number of threads.
  ///   - done: called after each slice with the number of finished slices. The calls come one at a time.
  ///   - body: the work of one thread, by its number from 0. It takes slices until none is left.
  /// - Returns: the results, in the order of the slices.
  /// - Throws: the first error. Then the remaining slices are not started.
  package static func run<Slice: Sendable, Result: Sendable>(
    _ slices: [Slice], threads: Int, done: @escaping @Sendable (Int) -> Void = { _ in },
    body: @Sendable (_ thread: Int, _ take: ((Slice) throws -> Result) throws -> Bool) throws -> Void
  ) throws -> [Result] {
    let state = Mutex<State<Result>>(State(results: Array(repeating: nil, count: slices.count)))
    DispatchQueue.concurrentPerform(iterations: min(threads, slices.count)) { thread in
      do {
        try body(thread) { work in
          guard let index = state.withLock({ $0.take() }) else { return false }
          let result = try work(slices[index])
          state.withLock {
            $0.results[index] = result
            $0.done += 1
            done($0.done)
          }
          return true
        }
      } catch {
        state.withLock { if $0.error == nil { $0.error = error } }
      }
    }
    let (error, results) = state.withLock { ($0.error, $0.results) }
    if let error { throw error }
    return results.compactMap(\.self)
  }

  private struct State<Result: Sendable>: Sendable {
    var results: [Result?]
    var next = 0
    var done = 0
    var error: (any Error)?

    mutating func take() -> Int? {
      guard error == nil, next < results.count else { return nil }
      defer { next += 1 }
      return next
    }
  }
}

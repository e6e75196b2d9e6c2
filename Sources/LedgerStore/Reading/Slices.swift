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
  ///   - done: called on the calling thread after each slice, with the number of finished slices.
  ///   - body: the work of one thread, by its number from 0. It takes slices until none is left.
  /// - Returns: the results, in the order of the slices.
  /// - Throws: the first error. Then the remaining slices are not started.
  package static func run<Slice: Sendable, Result: Sendable>(
    _ slices: [Slice], threads: Int, done: (Int) -> Void = { _ in },
    body: @Sendable (_ thread: Int, _ take: ((Slice) throws -> Result) throws -> Bool) throws -> Void
  ) throws -> [Result] {
    var results: [Result?] = Array(repeating: nil, count: slices.count)
    var count = 0
    try forEachResult(of: slices, threads: min(threads, slices.count), body: body) { index, result in
      results[index] = result
      count += 1
      done(count)
    }
    return results.compactMap(\.self)
  }

  /// Runs the work of each slice once, on several threads, and gives each result to the calling thread. Only few results
  /// wait at any time. So memory is the same for any number of slices.
  /// - Parameters:
  ///   - slices: the units of work.
  ///   - threads: the number of threads.
  ///   - body: the work of one thread, by its number from 0. It takes slices until none is left.
  ///   - consume: called on the calling thread with the index of each slice and its result, in no certain order.
  /// - Throws: the first error. Then the remaining slices are not started.
  package static func forEachResult<Slice: Sendable, Result: Sendable>(
    of slices: [Slice], threads: Int,
    body: @Sendable (_ thread: Int, _ take: ((Slice) throws -> Result) throws -> Bool) throws -> Void,
    consume: (_ index: Int, Result) throws -> Void
  ) throws {
    let results = ResultQueue<Result>(count: slices.count, limit: 2 * threads)
    let group = DispatchGroup()
    // All threads have ended when this returns.
    withoutActuallyEscaping(body) { body in
      for thread in 0..<threads {
        DispatchQueue.global().async(group: group) {
          do {
            try body(thread) { work in
              guard let index = results.take() else { return false }
              results.add(try work(slices[index]), of: index)
              return true
            }
          } catch {
            results.fail(error)
          }
        }
      }
      while let (index, result) = results.next() {
        do { try consume(index, result) } catch { results.fail(error) }
      }
      results.release(threads)
      group.wait()
    }
    if let error = results.error { throw error }
  }
}

/// Results between the threads that make them and the one that consumes them.
private final class ResultQueue<Result: Sendable>: Sendable {
  private struct State: Sendable {
    var results: [(index: Int, Result)] = []
    var started = 0
    var consumed = 0
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let count: Int
  /// Counts the results that may be made before others are consumed.
  private let capacity = DispatchSemaphore(value: 0)
  /// Counts the results that wait, and a failure.
  private let available = DispatchSemaphore(value: 0)

  init(count: Int, limit: Int) {
    self.count = count
    // A semaphore that ends below its first value ends the process, and after a failure results are left.
    for _ in 0..<limit { capacity.signal() }
  }

  var error: (any Error)? { state.withLock { $0.error } }

  /// Returns the number of the next unit of work, once there is room for its result; `nil`: nothing is left to do.
  func take() -> Int? {
    capacity.wait()
    let index = state.withLock { state -> Int? in
      guard state.error == nil, state.started < count else { return nil }
      defer { state.started += 1 }
      return state.started
    }
    if index == nil { capacity.signal() }
    return index
  }

  func add(_ result: Result, of index: Int) {
    state.withLock { $0.results.append((index, result)) }
    available.signal()
  }

  func fail(_ error: any Error) {
    state.withLock { if $0.error == nil { $0.error = error } }
    available.signal()
  }

  /// Waits for a result; `nil`: all are consumed, or something failed.
  func next() -> (index: Int, Result)? {
    guard state.withLock({ $0.error == nil && $0.consumed < count }) else { return nil }
    available.wait()
    return state.withLock { state in
      guard state.error == nil else { return nil }
      state.consumed += 1
      capacity.signal()
      return state.results.removeLast()
    }
  }

  /// Lets threads go on that wait for room. They then find nothing left to do.
  func release(_ threads: Int) { for _ in 0..<threads { capacity.signal() } }
}

import AppStore
import Foundation
import Ledger

/// A ledger in a folder of its own, with batches of arrivals recorded.
package struct LedgerBench {
  /// The folder, which is removed with the bench.
  package let folder: TemporaryFolder
  /// The ledger.
  package let ledger: LedgerRecorder

  package init(_ batches: [[Arrival]]) throws {
    folder = try TemporaryFolder()
    ledger = try EmptyLedger.make(in: folder)
    for batch in batches { try ledger.record(batch) }
  }

  /// Returns what the ledger answers about all subscriptions, as the slow model gives it.
  package func answers(_ parameters: QueryParameters) throws -> [SlowModel.Answer] {
    try ledger.reader.entitlements(parameters).map(SlowModel.Answer.init).sorted { $0.subscription < $1.subscription }
  }
}

/// Random choices about a history.
package enum RandomChoice {
  /// The seed that SUBLEDGER_SEED runs once more.
  private static let repeated = ProcessInfo.processInfo.environment["SUBLEDGER_SEED"].flatMap(UInt64.init)

  /// A seed that was not chosen by hand: a random one, or that of SUBLEDGER_NEW_SEED. The gate sets it from the
  /// contents of the commit, so that each commit has its own seed, and the same answer each time.
  private static let new =
    ProcessInfo.processInfo.environment["SUBLEDGER_NEW_SEED"].flatMap(UInt64.init)
    ?? .random(in: 0...UInt64(UInt32.max))

  /// The seeds of random histories: SUBLEDGER_SEED runs one again, SUBLEDGER_HISTORIES says how many.
  package static let seeds: [UInt64] = {
    if let repeated { return [repeated] }
    let environment = ProcessInfo.processInfo.environment
    let count = environment["SUBLEDGER_HISTORIES"].flatMap(Int.init) ?? SampleSize.pick(3, full: 6)
    var random = SplitMix(seed: new)
    return (0..<count).map { $0 < count / 2 ? UInt64($0) : UInt64.random(in: 0...UInt64(UInt32.max), using: &random) }
  }()

  /// A seed for one test: that of SUBLEDGER_SEED, else a new one, which the test names when it fails.
  package static var seed: UInt64 { repeated ?? new }

  package static func questions(_ history: RandomHistory, _ random: inout SplitMix, _ count: Int) -> [QueryParameters] {
    (0..<count).map { index in
      let asOf = history.instants.randomElement(using: &random) ?? day(0)
      let knownAt = index.isMultiple(of: 3) ? day(20_000) : history.instants.randomElement(using: &random) ?? day(0)
      return QueryParameters(asOf: asOf, knownAt: knownAt)
    }
  }

  package static func split(_ arrivals: [Arrival], _ random: inout SplitMix) -> [[Arrival]] {
    var batches: [[Arrival]] = [[]]
    for arrival in arrivals {
      if random.once(in: 5) { batches.append([]) }
      batches[batches.count - 1].append(arrival)
    }
    return batches
  }
}

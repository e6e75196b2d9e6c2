import AppStore
import Ledger
import TestSupport
import Testing

@testable import LedgerService

/// When no notification arrives for longer than is usual.
@Suite struct SilenceTests {
  private static let hour: Int64 = 3_600_000
  private static let begin = day(0)

  private struct Case {
    let name: String
    let count: Int
    /// The hours between two notifications.
    let pace: Int64
    /// The minutes since the last one.
    let passed: Int64
    /// The minutes for which the server has listened.
    var listening: Int64 = 100_000
    let isUnusual: Bool?
  }

  private static let cases: [Case] = [
    Case(name: "too few to know", count: 19, pace: 1, passed: 6000, isUnusual: nil),
    Case(name: "as long as usual", count: 20, pace: 2, passed: 120, isUnusual: false),
    Case(name: "twice as long", count: 20, pace: 2, passed: 240, isUnusual: false),
    Case(name: "longer than that", count: 20, pace: 2, passed: 241, isUnusual: true),
    Case(name: "less than an hour", count: 20, pace: 0, passed: 60, isUnusual: false),
    Case(name: "more than an hour", count: 20, pace: 0, passed: 61, isUnusual: true),
    Case(name: "the server was away", count: 20, pace: 2, passed: 6000, listening: 240, isUnusual: false),
    Case(name: "it listens again for long", count: 20, pace: 2, passed: 6000, listening: 241, isUnusual: true),
  ]

  @Test(arguments: cases.indices)
  func `silence is unusual after twice the longest pause, in which the server listened`(index: Int) {
    let row = Self.cases[index]
    let arrivals = (0..<row.count).map { Self.begin + Int64($0) * row.pace * Self.hour }
    let now = (arrivals.last ?? Self.begin) + row.passed * 60_000
    let silence = Silence(
      in: .production, after: arrivals.reversed(), listeningSince: now + -row.listening * 60_000, now: now)
    #expect(silence?.isUnusual == row.isUnusual, "\(row.name)")
  }
}

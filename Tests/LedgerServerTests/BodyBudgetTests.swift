import NIOCore
import TestSupport
import Testing

@testable import LedgerServer

/// The memory for all bodies: many senders could begin long bodies and never end them.
@Suite struct BodyBudgetTests {
  private static func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 7, count: count) }

  @Test func `bodies that never end give way to newer ones, the longest and oldest first`() throws {
    let budget = BodyBudget(100)
    let unfinished = [30, 40, 30].map { (budget.part(), $0) }
    for (part, count) in unfinished { try part.append(Self.bytes(count)) }
    #expect(budget.used == 100)
    let genuine = budget.part()
    try genuine.append(Self.bytes(20))
    #expect(budget.used == 80)
    #expect(throws: HTTPProblem.self) { try unfinished[1].0.append(Self.bytes(1)) }
    #expect(throws: HTTPProblem.self) { try unfinished[1].0.take() }
    // Of two as long, the older one.
    try genuine.append(Self.bytes(21))
    #expect(throws: HTTPProblem.self) { try unfinished[0].0.take() }
    #expect(try genuine.take().count == 41 && unfinished[2].0.take().count == 30)
  }

  @Test func `a body that has arrived has its memory until its request ends, and no other takes it`() throws {
    let budget = BodyBudget(100)
    var whole: BodyBudget.Part? = budget.part()
    try whole?.append(Self.bytes(90))
    #expect(try whole?.take().count == 90 && budget.used == 90)
    let other = budget.part()
    #expect(throws: HTTPProblem.self) { try other.append(Self.bytes(11)) }
    #expect(budget.used == 90)
    whole = nil
    let next = budget.part()
    try next.append(Self.bytes(100))
    #expect(budget.used == 100)
  }

  @Test(arguments: RandomChoice.seeds)
  func `the memory is never more than the budget, and nothing stays reserved`(seed: UInt64) throws {
    let budget = BodyBudget(1000)
    var random = SplitMix(seed: seed)
    var parts: [BodyBudget.Part] = []
    var refused = 0
    for _ in 0..<2000 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: parts.append(budget.part())
      case 1: if !parts.isEmpty { parts.remove(at: Int.random(in: 0..<parts.count, using: &random)) }
      case 2: _ = try? parts.randomElement(using: &random)?.take()
      default:
        do {
          try parts.randomElement(using: &random)?.append(Self.bytes(Int.random(in: 1...300, using: &random)))
        } catch { refused += 1 }
      }
      #expect(budget.used <= 1000, "seed \(seed)")
    }
    #expect(refused > 0, "seed \(seed): canary")
    parts = []
    #expect(budget.used == 0, "seed \(seed)")
  }
}

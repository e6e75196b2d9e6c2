import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// The program is killed while it derives entitlement periods: at the end of an import, or in a repair. No answer
/// depends on it.
@Suite(.enabled(if: Faults.library != nil), .takesTurns) struct PeriodTests {
  private static let count = 300

  /// Receipts of one subscription each: more than one transaction of an import derives.
  private static let receipts = (0..<count).map { number in
    PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("p\(number)", originalID: "p\(number)", day(0), day(30))],
      environment: "Production")
  }.joined(separator: "\n")

  /// How many subscriptions have stored periods, and how many wait for theirs.
  private static func stored(_ folder: TemporaryFolder) throws -> (stored: Int, waiting: Int) {
    try DatabaseQueue(path: folder.file("l.sqlite")).read { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT COUNT(DISTINCT original_transaction_key) FROM \(table)") ?? 0
      }
      return (try count("entitlement_period"), try count("entitlement_period_gap"))
    }
  }

  @Test
  func
    `killed at any instant of an import, the answers are those of the recorded payloads, and the next import completes the periods`()
    async throws
  {
    let whole = try Program()
    _ = try whole.folder.write(Self.receipts, to: "receipts.ndjson")
    let arguments = ["import", "receipts.ndjson", "--database", "l.sqlite"]
    let calls = try Faults.calls(on: "l.sqlite") { try whole.run(arguments, environment: $0) }
    #expect(try Self.stored(whole.folder) == (Self.count, 0))
    var random = SplitMix(seed: Trials.seed)
    let callNumbers = Trials.sample(1...calls, 2, full: 12, &random)
    var waited = 0
    for callNumber in callNumbers {
      let program = try Program()
      _ = try program.folder.write(Self.receipts, to: "receipts.ndjson")
      let killed = try program.run(arguments, environment: Faults.environment("kill", at: callNumber, on: "l.sqlite"))
      #expect(killed.code == 9, "call \(callNumber): the program was not killed")
      if let reader = try? LedgerReader(path: program.folder.file("l.sqlite")) {
        let recorded = try await DatabaseQueue(path: program.folder.file("l.sqlite")).read {
          try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM payload") ?? 0
        }
        let answers = try reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(20_000)))
        #expect(answers.count == recorded && answers.allSatisfy(\.hasAccess), "call \(callNumber), seed \(Trials.seed)")
        waited += try Self.stored(program.folder).waiting
      }
      #expect(try program.run(arguments).code == 0)
      #expect(try Self.stored(program.folder) == (Self.count, 0), "call \(callNumber), seed \(Trials.seed)")
      #expect(
        try program.run(["audit", "--database", "l.sqlite"]).code == 0, "call \(callNumber), seed \(Trials.seed)")
    }
    Trials.report("killed at a random instant of an import with \(waited) periods that waited", callNumbers.count)
  }

  @Test func `killed at any instant of a repair, nothing is repaired or everything, and evidence never changes`() throws
  {
    let damaged = try Program()
    _ = try damaged.folder.write(Self.receipts, to: "receipts.ndjson")
    #expect(try damaged.run(["import", "receipts.ndjson", "--database", "l.sqlite"]).code == 0)
    let anchor = try damaged.run(["audit", "--anchor", "--database", "l.sqlite"]).output
    try DatabaseQueue(path: damaged.folder.file("l.sqlite")).write { database in
      try database.execute(
        sql: "UPDATE entitlement_period SET state = 'revoked' WHERE original_transaction_key IN (3, 5)")
    }
    let found = try damaged.run(["audit", "--database", "l.sqlite"])
    #expect(found.code == 1 && found.output.contains("original_transaction_key 3"), "\(found)")
    #expect(found.output.contains("original_transaction_key 5"), "\(found)")
    // Each subscription is named once for what is stored, and once for what is missing, whatever number of rows.
    #expect(found.output.components(separatedBy: "original_transaction_key 3").count == 3, "\(found)")
    let repair = ["audit", "--repair", "--database", "l.sqlite"]
    let whole = try StoryInParts.copy(damaged.folder)
    let calls = try Faults.calls(on: "l.sqlite") { try Program(folder: whole).run(repair, environment: $0) }
    var random = SplitMix(seed: Trials.seed)
    let callNumbers = Trials.sample(1...calls, 2, full: 12, &random)
    for callNumber in callNumbers {
      let folder = try StoryInParts.copy(damaged.folder)
      let fault = Faults.environment("kill", at: callNumber, on: "l.sqlite")
      #expect(try Program(folder: folder).run(repair, environment: fault).code == 9, "call \(callNumber)")
      let left = try Program(folder: folder).run(["audit", "--database", "l.sqlite"])
      #expect(left.code == 0 || left.output == found.output, "call \(callNumber), seed \(Trials.seed): \(left)")
      #expect(try Program(folder: folder).run(repair).code == 0, "call \(callNumber), seed \(Trials.seed)")
      #expect(try Program(folder: folder).run(["audit", "--anchor", "--database", "l.sqlite"]).output == anchor)
    }
    Trials.report("killed at a random instant of a repair", callNumbers.count)
  }
}

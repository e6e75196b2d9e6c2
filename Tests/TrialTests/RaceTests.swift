import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Many programs on one file at once: each gets its turn, none sees what another has half done, and together they record
/// what one alone would have.
@Suite(.takesTurns) struct RaceTests {
  private static let importers = 8
  private static let turns = SampleSize.pick(2, full: 4)

  /// 0 in every state of the file that a reader may see: rows without a seal, or seals without their rows.
  private static let difference =
    "SELECT (SELECT COALESCE(SUM(row_count), 0) FROM seal)"
    + [
      "origin", "jws_header", "text_template", "payload", "delivery", "original_transaction", "transaction_info",
      "renewal_info", "transaction_version", "renewal_info_version",
    ].map { " - (SELECT COUNT(*) FROM \($0))" }.joined() + " AS difference"

  /// What must not depend on who recorded what first: states, and all evidence, named by digests and not by row numbers.
  private static let answers =
    [["entitlements", "--as-of", "2025-06-01", "--known-at", "2027-01-01", "--format", "csv"]]
    + [
      """
      SELECT p.digest, d.received_at, d.is_explicit FROM payload p LEFT JOIN delivery d USING (payload_id)
      ORDER BY 1, 2, 3
      """,
      """
      SELECT p.digest, l.environment, l.original_transaction_id, t.transaction_id, w.digest, v.source_rank, v.signed_at
      FROM transaction_version v
      JOIN payload p USING (payload_id)
      JOIN original_transaction l ON l.original_transaction_key = v.original_transaction_key
      JOIN stg_transaction t ON t.transaction_key = v.transaction_key
      JOIN transaction_info w USING (transaction_info_id)
      ORDER BY 1, 2, 3, 4, 5, 6, 7
      """,
      """
      SELECT p.digest, l.environment, l.original_transaction_id, w.digest, v.source_rank, v.signed_at
      FROM renewal_info_version v
      JOIN payload p USING (payload_id)
      JOIN original_transaction l ON l.original_transaction_key = v.original_transaction_key
      JOIN renewal_info w USING (renewal_info_id)
      ORDER BY 1, 2, 3, 4, 5, 6
      """, "SELECT digest FROM transaction_info ORDER BY 1", "SELECT digest FROM renewal_info ORDER BY 1",
    ].map { ["query", $0, "--format", "csv"] }

  private struct Tally: Sendable {
    var payloads = 0
    var recorded = 0
    var failures: [String] = []
  }

  @Test func `eight importers and eight readers: nobody is turned away, and nothing is counted twice or seen half`()
    async throws
  {
    let one = try Program()
    let customers = String(4 * min(Trials.length, 100))
    let lines = try one.run(["simulate", "--seed", "5", "--customers", customers, "--payload-format", "receipt"]).output
      .split(separator: "\n").map(String.init)
    let shared = try Program()
    let first = try shared.run(["import", "-", "--database", "l.sqlite"], input: lines[0])
    #expect(first.code == 0)
    var random = SplitMix(seed: Trials.seed)
    let shares = (0..<Self.importers).map { number in
      // Each has most of it, in an order of its own, and together they have all.
      lines.enumerated().filter { $0.offset % Self.importers == number || !random.once(in: 3) }.map(\.element)
        .shuffled(using: &random)
    }
    let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
      for share in shares { group.addTask { try await Self.detached { try Self.importAll(share, shared) } } }
      for _ in 0..<8 { group.addTask { try await Self.detached { try Self.read(shared) } } }
      return try await group.reduce(into: Tally()) { all, one in
        all.payloads += one.payloads
        all.recorded += one.recorded
        all.failures += one.failures
      }
    }
    #expect(tally.failures == [], "seed \(Trials.seed)")
    #expect(tally.payloads == shares.map(\.count).reduce(0, +))
    #expect(tally.recorded + 1 == lines.count, "seed \(Trials.seed)")
    #expect(try one.run(["import", "-", "--database", "l.sqlite"], input: lines.joined(separator: "\n")).code == 0)
    for answer in Self.answers {
      let (together, alone) = try (
        shared.run(answer + ["--database", "l.sqlite"]), one.run(answer + ["--database", "l.sqlite"])
      )
      #expect(together.code == 0 && together.output == alone.output)
      #expect(together.output.split(separator: "\n").count > 1, "\(answer)")
    }
    #expect(try await LedgerReader(path: shared.folder.file("l.sqlite")).faults() == [])
    Trials.report("eight importers and eight readers on one file, payloads", tally.payloads)
  }

  /// Waits for processes without keeping others from running.
  private static func detached(_ body: @escaping @Sendable () throws -> Tally) async throws -> Tally {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  private static func importAll(_ share: [String], _ program: Program) throws -> Tally {
    var tally = Tally()
    for turn in 0..<turns {
      let part = share[(turn * share.count / turns)..<((turn + 1) * share.count / turns)]
      let result = try program.run(
        ["import", "-", "--database", "l.sqlite", "--format", "json", "--busy-timeout", "10m"],
        input: part.joined(separator: "\n"))
      let counts = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Int] ?? [:]
      tally.payloads += counts["payloads"] ?? 0
      tally.recorded += counts["recorded"] ?? 0
      if result.code != 0 || counts["payloads"] != (counts["recorded"] ?? 0) + (counts["duplicates"] ?? 0) {
        tally.failures.append("import: \(result)")
      }
    }
    return tally
  }

  private static func read(_ program: Program) throws -> Tally {
    var tally = Tally()
    for _ in 0..<SampleSize.pick(2, full: 6) {
      let result = try program.run(["query", difference, "--format", "csv", "--database", "l.sqlite"])
      if result.code != 0 || result.output != "difference\n0\n" { tally.failures.append("query: \(result)") }
      let states = try program.run(["entitlements", "--format", "csv", "--database", "l.sqlite"])
      if states.code != 0 { tally.failures.append("entitlements: \(states)") }
    }
    return tally
  }
}

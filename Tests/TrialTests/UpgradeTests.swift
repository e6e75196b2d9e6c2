import AppStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger

/// Files of every schema that was ever shipped, as the programs of their time made them (`Data/schema-NNNN.sqlite`, by the
/// last step that they know): each opens, is brought up to date, and answers as it did.
@Suite(.serialized) struct UpgradeTests {
  static let shipped: [String] = Checkout.files(in: "Tests/TrialTests/Data", ending: ".sqlite")

  /// A copy of a file, in a folder of its own.
  private func copy(_ file: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: Checkout.path + "/" + file, toPath: folder.file("l.sqlite"))
    return folder
  }

  private func answers(_ program: Program) throws -> String {
    try ["2025-01-01", "2025-06-01", "2026-03-03"].map { instant in
      let query =
        "SELECT as_of, environment, original_transaction_id, state, rule, access_ends_at FROM entitlement ORDER BY 2, 3"
      return try program.run(
        [
          "query", query, "--as-of", instant, "--known-at", "2027-01-01", "--format", "ndjson", "--database",
          "l.sqlite",
        ]
      ).output
    }.joined()
  }

  @Test(arguments: shipped)
  func `a file of an older schema is brought up to date, sealed and sound, and answers as the program of its time did`(
    file: String
  ) async throws {
    let folder = try copy(file)
    let program = Program(folder: folder)
    let asked = try program.run(["entitlements", "--database", "l.sqlite"])
    #expect(asked.code == 0 || asked.complaints.contains("older version of subledger"))
    let archive = try Checkout.contents("Tests/TrialTests/Data/archive.ndjson")
    let result = try program.run(["import", "-", "--database", "l.sqlite"], input: archive)
    #expect(result.output.hasPrefix("13 payloads: 0 recorded, 13 known already"), "\(result)")
    #expect(try answers(program) == Checkout.contents("Tests/TrialTests/Data/answers.ndjson"))
    let ledger = try Ledger(path: folder.file("l.sqlite"), for: .recording)
    #expect(try await ledger.faults() == [])
    #expect(try ledger.anchor()?.seal ?? 0 > 0)
  }

  @Test func `there is a file for the present schema and for those before it`() {
    #expect(Self.shipped.contains(where: isPresent) && Self.shipped.count >= 7)
  }

  private func isPresent(_ file: String) -> Bool { file.hasSuffix("-00\(Schema.migrations.count).sqlite") }

  @Test func `a file of a newer program is refused in words, and not touched`() throws {
    let folder = try copy(try #require(Self.shipped.last))
    let file = try DatabaseQueue(path: folder.file("l.sqlite"))
    try file.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999_from_the_future')") }
    try file.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("l.sqlite")))
    for command in [["import", "-"], ["entitlements"], ["audit"], ["backup", "b.sqlite"]] {
      let result = try Program(folder: folder).run(command + ["--database", "l.sqlite"])
      #expect(result.code == 74 && result.complaints.contains("newer version of subledger"), "\(command): \(result)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("l.sqlite"))) == before)
  }

  /// The steps that a file has had, and its rows.
  private func contents(_ folder: TemporaryFolder) throws -> [String] {
    try DatabaseQueue(path: folder.file("l.sqlite")).read { database in
      #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
      let names = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      let counts = try names.map { "\($0) \(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0)" }
      return try counts + String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1")
    }
  }

  @Test(.enabled(if: Faults.library != nil), arguments: ["kill", "torn", "full"])
  func `an upgrade that is killed midway leaves the old file or the new one, and the next run brings it up to date`(
    kind: String
  ) async throws {
    var random = SplitMix(seed: Trials.seed)
    var count = 0
    let old = Self.shipped.filter { !isPresent($0) }
    for file in SampleSize.pick(Array(old.shuffled(using: &random).prefix(2)), full: old) {
      let whole = try copy(file)
      let old = try contents(whole)
      let counted = Faults.environment(nil, on: "l.sqlite", count: whole.file("calls"))
      let arguments = ["import", "-", "--database", whole.file("l.sqlite")]
      #expect(try Program(folder: whole).run(arguments, input: "", environment: counted).code == 0)
      let new = try contents(whole)
      #expect(old != new)
      let calls = try String(contentsOfFile: whole.file("calls"), encoding: .utf8)
      for place in Trials.sample(1...(Int(calls.dropLast()) ?? 1), 1, full: 2, &random) {
        let folder = try copy(file)
        let fault = Faults.environment(kind, at: place, on: "l.sqlite")
        let path = ["import", "-", "--database", folder.file("l.sqlite")]
        _ = try Program(folder: folder).run(path, input: "", environment: fault)
        let left = try contents(folder)
        #expect(left == old || left == new, "\(file), call \(place), seed \(Trials.seed)")
        #expect(try Program(folder: folder).run(path, input: "").code == 0)
        #expect(try contents(folder) == new, "\(file), call \(place), seed \(Trials.seed)")
        count += 1
      }
    }
    Trials.report("upgrade of an older file, \(kind)", count)
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing
@testable import LedgerMaintenance
@testable import LedgerQueries
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// What becomes of files of other versions: an obsolete one is refused, one of an older version is upgraded as one
/// transaction, one of a newer version is refused. Nothing is lost whenever the program is killed.
@Suite(.takesTurns) struct UpgradeTests {
  /// A ledger with the payloads of the archive.
  private func ledger() throws -> (TemporaryFolder, Program) {
    let folder = try TemporaryFolder()
    let program = Program(folder: folder)
    let archive = try Checkout.contents("Tests/TrialTests/Data/archive.ndjson")
    let result = try program.run(["import", "-", "--database", "l.sqlite"], input: archive)
    #expect(result.output.hasPrefix("13 payloads: 13 recorded"), "\(result)")
    return (folder, program)
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

  @Test func `an archive is answered as by every earlier version`() throws {
    let (folder, program) = try ledger()
    defer { withExtendedLifetime(folder) {} }
    #expect(try answers(program) == Checkout.contents("Tests/TrialTests/Data/answers.ndjson"))
  }

  private static let refusals: [(change: String, words: String)] = [
    ("INSERT INTO schema_migration VALUES ('9999_from_the_future')", "newer version of subledger"),
    ("CREATE TABLE grdb_migrations (identifier TEXT)", "before 1.0, whose tables are no longer read"),
    ("PRAGMA application_id = 7", "it is not a ledger"),
  ]

  @Test func `a file of a newer version, of an obsolete one, of another program: refused in words, and not touched`()
    throws
  {
    for (change, words) in Self.refusals {
      let (folder, program) = try ledger()
      let file = try DatabaseQueue(path: folder.file("l.sqlite"))
      try file.writeWithoutTransaction { try $0.execute(sql: change) }
      try file.close()
      let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("l.sqlite")))
      for command in [["import", "-"], ["entitlements"], ["audit"], ["backup", "b.sqlite"]] {
        let result = try program.run(command + ["--database", "l.sqlite"])
        #expect(result.code != 0 && result.complaints.contains(words), "\(command): \(result)")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("l.sqlite"))) == before)
    }
  }

  /// The next version of the schema, which only this test knows: a table that is sealed, and a column more.
  private func next(_ sql: String = Self.step) throws -> Schema.Version {
    let text = Schema.dataDictionary.sql + "\n-- @sealed 99\nCOMMENT ON TABLE next_thing IS 'Something.';"
    let relations = try SchemaRelations(CommentScript(text))
    return Schema.Version(
      migrations: Schema.migrations + [Schema.Script("0017_next", Array(sql.utf8))], relations: relations)
  }

  private static let step = """
    CREATE TABLE next_thing (thing_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    ALTER TABLE customer ADD COLUMN nickname TEXT;
    """

  private func open(_ path: String, _ version: Schema.Version) throws -> DatabaseQueue {
    try LedgerFile.openForRecording(path: path, BusyTimeout(.seconds(1)), version).queue
  }

  @Test
  func `a file of an older version takes the next migration with its rows and seals, and protects what is new`()
    async throws
  {
    let (folder, program) = try ledger()
    let path = folder.file("l.sqlite")
    let before = try contents(folder)
    let answers = try answers(program)
    let anchor = try #require(try LedgerReader(path: path).anchor())
    let version = try next()
    for _ in 1...2 { try open(path, version).close() }
    let file = try DatabaseQueue(path: path)
    try await file.write { database in
      let rows = try String.fetchAll(database, sql: "SELECT original_transaction_id FROM entitlement")
      #expect(!rows.isEmpty)
      #expect(try SealedTable.all(database).last?.name == "next_thing")
      try database.execute(sql: "INSERT INTO next_thing VALUES (1, 'a')")
      for change in [
        "UPDATE next_thing SET name = 'b'", "DELETE FROM next_thing", "REPLACE INTO next_thing VALUES (1, 'b')",
        "REPLACE INTO next_thing VALUES (2, 'a')",
      ] {
        #expect(throws: DatabaseError.self, "\(change)") { try database.execute(sql: change) }
      }
    }
    try file.close()
    #expect(try contents(folder) != before)
    // To this version of the program the file is one of a newer version; taken back, it is what it was.
    #expect { try LedgerRecorder(path: path) } throws: { ($0 as? LedgerError)?.code == .newerSchema }
    let back = try DatabaseQueue(path: path)
    try await back.writeWithoutTransaction {
      for name in try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'") {
        try $0.execute(sql: "DROP VIEW \(name)")
      }
      try $0.execute(
        sql: """
          DROP TABLE next_thing; DELETE FROM schema_migration WHERE name = '0017_next'; DROP TRIGGER customer_refuses_update;
          ALTER TABLE customer DROP COLUMN nickname; DROP TRIGGER sealed_table_refuses_delete;
          DELETE FROM sealed_table WHERE table_number = 99; UPDATE generated_schema SET digest = 'old'
          """)
    }
    try back.close()
    let ledger = try LedgerRecorder(path: path)
    #expect(try await ledger.reader.audit(against: anchor.digest).filter { $0.code != .disagreement } == [])
    #expect(try self.answers(program) == answers)
    #expect(try contents(folder) == before)
  }

  @Test func `a migration that fails leaves the file as it was`() throws {
    let (folder, program) = try ledger()
    let path = folder.file("l.sqlite")
    let (before, answers) = (try contents(folder), try answers(program))
    let failing = try next(Self.step + "INSERT INTO next_thing VALUES (1, NULL);")
    #expect(throws: DatabaseError.self) { try open(path, failing) }
    #expect(try contents(folder) == before)
    #expect(try self.answers(program) == answers)
    #expect(throws: Never.self) { try open(path, try next()).close() }
  }

  /// Every row of a file, with the migrations that it has had, and the text of its schema.
  private struct Contents: Equatable {
    let rows: TableContents
    let texts: [String]
  }

  private func contents(_ folder: TemporaryFolder) throws -> Contents {
    try DatabaseQueue(path: folder.file("l.sqlite")).read { database in
      #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
      return Contents(
        rows: try TableContents { try String.fetchAll(database, sql: $0) },
        texts: try String.fetchAll(database, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql"))
    }
  }

  @Test(.enabled(if: Faults.library != nil), arguments: ["kill", "torn", "full"])
  func `an upgrade that is killed midway leaves the old file or the new one, and the next run brings it up to date`(
    kind: String
  ) async throws {
    var random = SplitMix(seed: Trials.seed)
    var count = 0
    /// As a version left it that had other views, other guards and no projections.
    func older() throws -> TemporaryFolder {
      let (folder, _) = try ledger()
      let file = try DatabaseQueue(path: folder.file("l.sqlite"))
      try file.write { database in
        try database.execute(
          sql: """
            DROP VIEW entitlement; CREATE VIEW entitlement AS SELECT 1; CREATE VIEW leftover AS SELECT 1;
            DROP TRIGGER payload_refuses_update; UPDATE generated_schema SET digest = 'old'; DELETE FROM projection_original_transaction
            """)
      }
      try file.close()
      return folder
    }
    let made = try older()
    func copy() throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: made.file("l.sqlite"), toPath: folder.file("l.sqlite"))
      return folder
    }
    let whole = try copy()
    let old = try contents(whole)
    let arguments = ["import", "-", "--database", whole.file("l.sqlite")]
    let calls = try Faults.calls(on: "l.sqlite") {
      try Program(folder: whole).run(arguments, input: "", environment: $0)
    }
    let new = try contents(whole)
    #expect(old != new)
    for callNumber in Trials.sample(1...calls, 2, full: 10, &random) {
      let folder = try copy()
      let fault = Faults.environment(kind, at: callNumber, on: "l.sqlite")
      let path = ["import", "-", "--database", folder.file("l.sqlite")]
      _ = try Program(folder: folder).run(path, input: "", environment: fault)
      let left = try contents(folder)
      #expect(left == old || left == new, "call \(callNumber), seed \(Trials.seed)")
      #expect(try Program(folder: folder).run(path, input: "").code == 0)
      #expect(try contents(folder) == new, "call \(callNumber), seed \(Trials.seed)")
      count += 1
    }
    Trials.report("upgrade of an older file, \(kind)", count)
  }
}

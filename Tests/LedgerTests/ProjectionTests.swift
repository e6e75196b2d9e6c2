import AppStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger

/// What is kept for speed can be dropped, and is derived again; and what is kept of texts gives them back.
@Suite struct ProjectionTests {
  private static let question = Question(asOf: day(20_000), knownAt: day(20_000))

  @Test func `a file whose projections were emptied has them again when it is next opened for recording`() async throws
  {
    let bench = try LawTests.Bench([await RandomHistory(seed: 1, count: 30).arrivals])
    let before = try bench.answers(Self.question)
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write { try $0.execute(sql: "DELETE FROM projection_line; DELETE FROM projection_renewal") }
    let again = try Ledger(path: bench.ledger.path, for: .recording)
    #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM projection_line") } ?? 0 > 0)
    #expect(try await again.audit().filter { $0.code != .disagreement } == [])
    #expect(try bench.answers(Self.question) == before)
  }

  @Test func `SQL gives every text back: each unsigned statement and payload has the digest of its text`() async throws
  {
    let bench = try LawTests.Bench([await RandomHistory(seed: 2, count: 60).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let rows = try file.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT t.digest, t.source FROM statement_text t JOIN statement w USING (statement_id)
          WHERE w.header_id IS NULL
          """)
    }
    #expect(rows.count > 20)
    for row in rows {
      #expect(Digest(sha256: Array((row["source"] as String).utf8)).hexadecimal == row["digest"])
    }
    let isTakenApart = try await file.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM statement WHERE form_id > 0")
    }
    #expect(isTakenApart ?? 0 > 20)
  }

  @Test func `no form holds what names a person`() async throws {
    let bench = try LawTests.Bench([await RandomHistory(seed: 3, count: 80).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let (forms, ids) = try await file.read { database in
      (
        try String.fetchAll(database, sql: "SELECT text FROM text_form"),
        try String.fetchAll(
          database,
          sql: """
            SELECT identifier FROM line_identifier WHERE length(identifier) > 8
            UNION SELECT transaction_id FROM store_transaction WHERE length(transaction_id) > 8
            """)
      )
    }
    for id in ids { #expect(!forms.contains { $0.contains("\"\(id)\"") }, "\(id)") }
  }

  /// The file as its maker left it, and as this program brings it up to date: 0014 began to take texts apart, and to keep
  /// for every version while it was the current one.
  @Test func `a file of the schema before 0014 is brought up to date, and answers the same at any instants`()
    async throws
  {
    var random = SplitMix(seed: 4)
    let history = await RandomHistory(seed: 4, count: 40)
    let present = try LawTests.Bench([history.arrivals])
    let old = present.folder.file("old.sqlite")
    try Self.makeOldFile(old, from: present.ledger.path)
    let upgraded = try Ledger(path: old, for: .recording)
    for question in LawTests.questions(history, &random, 12) {
      let answers = try upgraded.entitlements(question).map(SlowModel.Answer.init).sorted { $0.line < $1.line }
      #expect(try present.answers(question) == answers)
    }
    #expect(try await upgraded.audit().filter { $0.code != .disagreement } == [])
    #expect(try upgraded.record(history.arrivals).recorded == 0)
  }

  /// Evidence as the first thirteen steps of the schema kept it: whole texts, and no forms.
  private static func makeOldFile(_ path: String, from present: String) throws {
    let file = try DatabaseQueue(path: path)
    try file.write { _ = try Schema.migrate($0, upTo: "0013_complete_indexes") }
    try file.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      try database.execute(sql: "ATTACH ? AS present", arguments: [present])
      try database.execute(sql: "PRAGMA foreign_keys = OFF")
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            AND name NOT LIKE 'grdb_%' AND name NOT LIKE 'projection_%' AND name NOT IN ('view_text', 'calendar_month')
          """)
      for table in tables {
        let columns = try database.columns(in: table, in: "main").map(\.name)
        let isText = ["statement", "payload"].contains(table)
        let names = columns.map { isText && $0 == "source" ? "x.source" : "t.\($0)" }.joined(separator: ", ")
        let texts = table == "payload" ? "payload_rest_text" : "statement_text"
        let join = isText ? "JOIN present.\(texts) x ON x.\(table)_id = t.\(table)_id" : ""
        try database.execute(sql: "INSERT INTO main.\(table) SELECT \(names) FROM present.\(table) t \(join)")
      }
    }
    try file.close()
  }
}

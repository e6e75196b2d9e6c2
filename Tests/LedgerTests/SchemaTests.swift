import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger

/// The SQL in the program and the SQL in the folder are one.
@Suite struct SchemaTests {
  @Test
  func
    `every migration of the folder is in the program, in order, with its text, and so is what is said of the schema`()
    throws
  {
    let files = Checkout.files(in: "Migrations", ending: ".sql").filter { !$0.contains("/views/") }
    let scripts = Schema.migrations + [Schema.dictionary, Schema.examples]
    #expect(scripts.map { "Migrations/\($0.name).sql" } == files)
    for (script, file) in zip(scripts, files) { #expect(try script.sql == Checkout.contents(file)) }
    #expect(Schema.migrations.allSatisfy { $0.name.first?.isNumber == true })
  }

  @Test func `the digest of the schema that is written down is that of the schema`() throws {
    // Where this fails after a change of a step or a view, the second is to be written into SchemaAudit.swift.
    let made = try SchemaAudit.madeDigest()
    #expect(SchemaAudit.knownDigest == made)
  }

  /// The rules, read once more over every instant of a line's life: see `Schema.passages`.
  static let again = [
    "passage_fact": "entitlement_fact", "passage_rule": "entitlement_rule", "passage_state": "entitlement_state",
    "signed_payload_text": "signed_statement_text", "payload_rest_text": "statement_text",
  ]

  @Test func `every view of the folder is in the program with its text`() throws {
    let files = Checkout.files(in: "Migrations/views", ending: ".sql")
    let views = Schema.views.filter { Self.again[$0.name] == nil }
    #expect(views.map { "Migrations/views/\($0.name).sql" }.sorted() == files)
    for view in views { #expect(try view.sql == Checkout.contents("Migrations/views/\(view.name).sql")) }
    for view in Schema.views { #expect(view.sql.contains("\nCREATE VIEW \(view.name) AS\n"), "\(view.name)") }
  }

  @Test func `a rule is written once: what reads it over whole lives has its text with other names`() throws {
    #expect(Schema.views.count { Self.again[$0.name] != nil } == 5)
    for (name, origin) in Self.again where !name.hasSuffix("_text") {
      let view = try #require(Schema.views.first { $0.name == name })
      var text = try Checkout.contents("Migrations/views/\(origin).sql")
      #expect(text != view.sql)
      text = text.replacing("entitlement_", with: "passage_").replacing("line_fact", with: "passage")
      #expect(text == view.sql)
    }
  }

  /// The way out to other engines: see the design, "The way of the data".
  @Test func `the derivation is written in the SQL that engines share`() {
    let foreign = [
      "julianday", "strftime", "unixepoch", "datetime(", "json_", "ifnull(", "iif(", "group_concat", "printf(", "glob ",
      "rowid", "typeof(", "instr(", " is not distinct", "total(", "||",
    ]
    // Texts are for people, and no part of the derivation.
    for view in Schema.views where view.name != "question" && !view.name.hasSuffix("_text") {
      let code = view.sql.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("--") }
        .joined(separator: "\n").lowercased()
      for word in foreign { #expect(!code.contains(word), "\(view.name) uses \(word)") }
      // One-argument MIN and MAX are aggregates everywhere; with two arguments they are SQLite's own.
      #expect(code.range(of: #"(min|max)\([a-z_.]+,"#, options: .regularExpression) == nil, "\(view.name)")
    }
  }

  @Test func `an older file gets the present views when it is opened for recording`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("l.sqlite")
    _ = try Ledger(path: path, for: .recording)
    let file = try DatabaseQueue(path: path)
    try file.write { database in
      try database.execute(
        sql: "DROP VIEW entitlement; CREATE VIEW leftover AS SELECT 1; UPDATE view_text SET digest = 'old'")
    }
    _ = try Ledger(path: path, for: .recording)
    let names = try file.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'") }
    #expect(Set(names) == Set(Schema.views.map(\.name)))
  }

  @Test func `a file from before an index was added gets it, and one that has it keeps it`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("l.sqlite")
    _ = try Ledger(path: path, for: .recording)
    let file = try DatabaseQueue(path: path)
    let indexes = ["client_event_of_transaction", "transaction_version_of_statement"]
    func found() throws -> Set<String> {
      try file.read { try Set(String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'index'")) }
    }
    let all = try found()
    #expect(all.isSuperset(of: indexes))
    for dropped in [indexes, []] {
      try file.write { database in
        for name in dropped { try database.execute(sql: "DROP INDEX \(name)") }
        try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '0013_complete_indexes'")
      }
      _ = try Ledger(path: path, for: .recording)
      #expect(try found() == all)
    }
  }

  @Test func `the file's own view answers now, in any SQLite tool`() throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger(path: folder.file("l.sqlite"), for: .recording)
    let file = try DatabaseQueue(path: ledger.path)
    let (asOf, columns) = try file.read { database in
      (
        try Int64.fetchOne(database, sql: "SELECT as_of FROM question") ?? 0,
        try database.columns(in: "entitlement").map(\.name)
      )
    }
    #expect(abs(asOf - Int64(Date().timeIntervalSince1970 * 1000)) < 60_000)
    #expect(Entitlement.columns.allSatisfy(columns.contains))
  }
}

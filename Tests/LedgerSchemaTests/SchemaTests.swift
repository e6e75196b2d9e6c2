import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerSchema

/// The SQL in the program and the SQL in the folder are one.
@Suite struct SchemaTests {
  @Test
  func
    `every migration of the folder is in the program, in order, with its text, and so is what is said of the schema`()
    throws
  {
    let files = Checkout.files(in: "Migrations", ending: ".sql").filter { !$0.contains("/views/") }
    let scripts = Schema.migrations + [Schema.dataDictionary, Schema.examples]
    #expect(scripts.map { "Migrations/\($0.name).sql" } == files)
    for (script, file) in zip(scripts, files) { #expect(try script.sql == Checkout.contents(file)) }
    #expect(Schema.migrations.allSatisfy { $0.name.first?.isNumber == true })
  }

  /// After a change of a migration, a view or a trigger, `SUBLEDGER_GOLDEN=write swift test --filter SchemaTests` writes the
  /// digest down.
  @Test func `the digest of the schema that is written down is that of the schema`() throws {
    let made = try SchemaAudit.madeDigest()
    if ProcessInfo.processInfo.environment["SUBLEDGER_GOLDEN"] == "write" {
      let path = "Sources/LedgerSchema/SchemaAudit.swift"
      let text = try Checkout.contents(path).replacing(SchemaAudit.knownDigest, with: made)
      try text.write(toFile: Checkout.path + "/" + path, atomically: true, encoding: .utf8)
    }
    #expect(SchemaAudit.knownDigest == made)
  }

  /// The views whose text is another's over other relations, by their names.
  static let repeated = Dictionary(
    uniqueKeysWithValues: Schema.repetitions.map { ($0.names[$0.view] ?? "", (view: $0.view, names: $0.names)) })

  /// The folder of a view tells its layer, as the first word of its name does.
  private static let layers = [
    "param": "parameters", "stg": "staging", "int": "intermediate", "rule": "rules",
  ]

  private static func file(_ view: String) -> String {
    let layer =
      view.hasSuffix("_text") || view.hasSuffix("_value")
      ? "texts" : view.hasPrefix("metric_delta") ? "metrics" : layers[String(view.prefix { $0 != "_" })] ?? "public"
    return "Migrations/views/\(layer)/\(view).sql"
  }

  @Test func `a view for analysts has a bare name, and a step the name of its layer`() {
    for relation in SchemaRelations.current.relations where relation.isView && !relation.isSQLiteOnly {
      #expect(relation.isStep != Self.file(relation.name).contains("/public/"), "\(relation.name)")
    }
  }

  @Test func `every view of the folder is in the program with its text`() throws {
    let files = Checkout.files(in: "Migrations/views", ending: ".sql")
    let views = Schema.views.filter { Self.repeated[$0.name] == nil }
    #expect(views.map { Self.file($0.name) }.sorted() == files)
    for view in views { #expect(try view.sql == Checkout.contents(Self.file(view.name))) }
    for view in Schema.views { #expect(view.sql.contains("\nCREATE VIEW \(view.name) AS\n"), "\(view.name)") }
  }

  @Test func `a text is written once: another view of the same form has it with other names`() throws {
    #expect(Self.repeated.count == 8)
    for (name, origin) in Self.repeated {
      let view = try #require(Schema.views.first { $0.name == name })
      var lines = try Checkout.contents(Self.file(origin.view)).split(separator: "\n")
      #expect(lines.joined(separator: "\n") + "\n" != view.sql)
      for (word, other) in origin.names {
        let pattern = try Regex("\\b\(word)\\b").wordBoundaryKind(.simple)
        lines = lines.map { $0.replacing(pattern, with: "{\(other)}")[...] }
      }
      let text = lines.joined(separator: "\n").replacing("{", with: "").replacing("}", with: "") + "\n"
      #expect(text == view.sql)
    }
  }

  @Test func `what is stored comes from the views of the rules, and from all that they read`() {
    let views = Schema.derivation(of: Schema.answerViews)
    #expect(views.isSuperset(of: ["rule_decision", "rule_input", "int_deciding_period", "stg_payload", "param_query"]))
    #expect(!views.contains("entitlement") && Schema.answerDigest != Schema.metricDigest)
    #expect(Set(SchemaRelations.current.relations.compactMap(\.derived)) == Set(Schema.answerViews))
  }

  @Test func `each view stands after those that it reads`() throws {
    var before: Set<String> = []
    let names = Set(Schema.views.map(\.name))
    for view in Schema.views {
      #expect(view.needs(among: names).isSubset(of: before), "\(view.name)")
      before.insert(view.name)
    }
  }

  /// The way out to other engines: see Analysts.md, "Use another engine".
  @Test func `the derivation is written in the SQL that engines share`() {
    let foreign = [
      "julianday", "strftime", "unixepoch", "datetime(", "json_", "ifnull(", "iif(", "group_concat", "printf(", "glob ",
      "rowid", "typeof(", "instr(", " is not distinct", "total(", "||",
    ]
    // Texts are for people, and no part of the derivation.
    for view in Schema.views where view.name != "param_query" && !view.name.hasSuffix("_text") {
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
    _ = try LedgerRecorder(path: path)
    let file = try DatabaseQueue(path: path)
    try file.write { database in
      try database.execute(
        sql: "DROP VIEW entitlement; CREATE VIEW leftover AS SELECT 1; UPDATE generated_schema SET digest = 'old'")
    }
    _ = try LedgerRecorder(path: path)
    let names = try file.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'") }
    #expect(Set(names) == Set(Schema.views.map(\.name)))
  }

  @Test func `a digest has two hexadecimal digits for each byte`() {
    #expect(([0x00, 0x0A, 0x10, 0xFF] as [UInt8]).hexadecimal == "000a10ff")
    #expect(Schema.viewDigest.count == 32)
  }

  @Test func `the file's own view answers now, in any SQLite tool`() throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let file = try DatabaseQueue(path: ledger.path)
    func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
    let before = now()
    let (asOf, columns) = try file.read { database in
      (
        try Int64.fetchOne(database, sql: "SELECT as_of FROM param_query") ?? 0,
        try database.columns(in: "entitlement").map(\.name)
      )
    }
    // SQLite counts whole seconds.
    #expect((before - 1000...now()).contains(asOf))
    #expect(Entitlement.columns.allSatisfy(columns.contains))
  }
}

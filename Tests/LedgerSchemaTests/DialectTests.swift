import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import LedgerSchema

/// The views' texts for other engines: rewritten word by word, and nowhere else.
@Suite struct DialectTests {
  @Test(arguments: [
    // What our texts say, and what Spark, PostgreSQL and DuckDB are told.
    ["(a + 1) / 2", "(a + 1) DIV 2", "(a + 1) / 2", "(a + 1) // 2"],
    ["a/b", "a/b", "a/b", "a/b"],
    ["CAST(a AS TEXT)", "CAST(a AS STRING)", "CAST(a AS TEXT)", "CAST(a AS TEXT)"],
    ["CAST(a AS INTEGER)", "CAST(a AS BIGINT)", "CAST(a AS BIGINT)", "CAST(a AS BIGINT)"],
    ["s.text AS TEXT_form", "s.text AS TEXT_form", "s.text AS TEXT_form", "s.text AS TEXT_form"],
    ["SUM(a) OVER w", "SUM(a) OVER w", "integer_sum(a) OVER w", "SUM(a) OVER w"],
    ["SUMMARY, a.SUM_x", "SUMMARY, a.SUM_x", "SUMMARY, a.SUM_x", "SUMMARY, a.SUM_x"],
    ["'a / b, SUM(x)' -- a / b", "'a / b, SUM(x)' -- a / b", "'a / b, SUM(x)' -- a / b", "'a / b, SUM(x)' -- a / b"],
    ["'it''s / 2' / 2", "'it''s / 2' DIV 2", "'it''s / 2' / 2", "'it''s / 2' // 2"],
    ["-- it's / so\na / b", "-- it's / so\na DIV b", "-- it's / so\na / b", "-- it's / so\na // b"],
  ])
  func `division, type names and sums are an engine's own, and nothing in comments and strings`(texts: [String]) {
    for (dialect, expected) in zip([Dialect.spark, .postgresql, .duckdb], texts.dropFirst()) {
      #expect(DialectRenderer(dialect: dialect).render(texts[0]) == expected)
    }
  }

  @Test(arguments: [
    ("ORDER BY a", "ORDER BY a NULLS FIRST"),
    ("ORDER BY a DESC, b", "ORDER BY a DESC NULLS LAST, b NULLS FIRST"),
    ("(ORDER BY f(a, b) DESC) x", "(ORDER BY f(a, b) DESC NULLS LAST) x"),
    (
      "ORDER BY CASE WHEN a THEN 1 ELSE 0 END, b;", "ORDER BY CASE WHEN a THEN 1 ELSE 0 END NULLS FIRST, b NULLS FIRST;"
    ),
    ("(PARTITION BY a, b ORDER BY c ROWS BETWEEN x)", "(PARTITION BY a, b ORDER BY c NULLS FIRST ROWS BETWEEN x)"),
    ("ORDER BY x(ORDER BY y DESC), z", "ORDER BY x(ORDER BY y DESC NULLS LAST) NULLS FIRST, z NULLS FIRST"),
    ("ORDER BY a -- why, then\n", "ORDER BY a NULLS FIRST -- why, then\n"),
    ("SELECT a, b FROM t", "SELECT a, b FROM t"),
  ])
  func `an engine that sorts NULL elsewhere gets its order stated`(text: String, expected: String) {
    #expect(DialectRenderer(dialect: .postgresql).render(text) == expected)
    #expect(DialectRenderer(dialect: .duckdb).render(text) == expected)
    #expect(DialectRenderer(dialect: .spark).render(text) == text)
  }

  @Test(arguments: Dialect.allCases)
  func `of a view nothing is rewritten but these words`(dialect: Dialect) {
    let allowed: Set = ["/ DIV", "/ //", "TEXT STRING", "INTEGER BIGINT", "SUM integer_sum"]
    for view in PortableSchema.views {
      let before = SQLToken.split(view.sql)
      #expect(before.map(\.text).joined() == view.sql)
      let rendered = DialectRenderer(dialect: dialect).render(view.sql)
      let after = SQLToken.split(
        rendered.replacing(" NULLS FIRST", with: "").replacing(" NULLS LAST", with: "").replacing("//", with: "DIV"))
      #expect(before.count == after.count, "\(view.name)")
      for (old, new) in zip(before, after) where old != new {
        #expect(allowed.contains("\(old.text) \(new.text)"), "\(view.name): \(old.text) became \(new.text)")
      }
    }
  }

  @Test(arguments: Dialect.allCases)
  func `a script makes every table and view that the views read, without SQLite's own syntax`(dialect: Dialect) throws {
    let script = try dialect.schemaScript()
    let code = SQLToken.split(script).filter { $0.isCode && $0.kind != .string }.map(\.text)
    let foreign = ["STRICT", "ROWID", "BLOB", "julianday", "PRAGMA", "INTEGER", "AUTOINCREMENT", "TEMP", "char"]
    for word in foreign { #expect(!code.contains(word), "\(word)") }
    for view in PortableSchema.views { #expect(script.contains("\nCREATE VIEW \(view.name) AS\n")) }
    #expect(
      script.contains("CREATE TABLE param_query (\n  as_of BIGINT,\n  known_at BIGINT,\n  minimum_trust BIGINT\n"))
    #expect(script.contains("INSERT INTO calendar_month VALUES\n  (0, 0, 2678400000), "))
    #expect(!script.contains("VIEW param_query ") && !script.contains("payload_text"))
    // A division that is not spaced would be of reals somewhere.
    for view in PortableSchema.views {
      let tokens = SQLToken.split(view.sql)
      for index in tokens.indices where tokens[index] == SQLToken(text: "/", kind: .other) {
        #expect(tokens[index - 1].kind == .space && tokens[index + 1].kind == .space, "\(view.name)")
      }
      #expect(!view.sql.contains("\\"), "\(view.name): Spark reads a backslash in a string otherwise")
      #expect(!view.sql.contains("AVG("), "\(view.name): a mean of integers is no integer, and not alike everywhere")
    }
  }

  @Test func `each view stands after those that it reads: other engines look for them at once`() {
    let views = PortableSchema.views
    for (index, view) in views.enumerated() {
      let later = Set(views[index...].dropFirst().map(\.name))
      #expect(view.needs(among: later).isEmpty, "\(view.name)")
    }
  }

  @Test func `a script that is run again makes what SQLite has: the renderer is proved to see what differs`() throws {
    // The same text with another rule is another script: what the conformance run compares is what is written here.
    let text = try #require(Schema.views.first { $0.name == "rule_decision" }?.sql)
    let altered = text.replacing("revoked_at <= as_of", with: "revoked_at < as_of")
    for dialect in Dialect.allCases {
      let renderer = DialectRenderer(dialect: dialect)
      #expect(renderer.render(text) != renderer.render(altered))
    }
    // DuckDB's tables, keys aside, are understood by SQLite: the views' own texts stand on them.
    let queue = try DatabaseQueue()
    try queue.write { database in
      for statement in try Dialect.duckdb.schemaScript().components(separatedBy: "\n\n")
      where statement.hasPrefix("CREATE TABLE") || statement.contains("\nCREATE TABLE") {
        try database.execute(sql: statement)
      }
      // GRDB would look for each table that a view names.
      sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
      for view in PortableSchema.views { try database.execute(sql: view.sql) }
      for view in PortableSchema.views {
        _ = try Row.fetchAll(database, sql: "SELECT * FROM \(view.name)")
      }
    }
  }
}

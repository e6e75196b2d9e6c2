import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerSchema

/// The data dictionary tells of everything that there is, and of nothing else.
@Suite struct DictionaryTests {
  /// What is wrong with comments on relations: missing ones, and ones on what is not there.
  static func gaps(_ relations: [DataDictionary.Described], _ script: CommentScript) throws -> [String] {
    let described = try DataDictionary(relations, script, views: Schema.everyView).relations
    var gaps = described.filter(\.comment.isEmpty).map { "\($0.kind.rawValue) \($0.name) has no comment" }
    let targets = Set(script.comments.map(\.target))
    // A step may be described by its own file, without its columns.
    for relation in described
    where targets.contains(relation.kind == .table ? .table(relation.name) : .view(relation.name)) {
      for column in relation.columns where column.comment.isEmpty {
        gaps.append("\(relation.name).\(column.name) has no comment")
      }
    }
    for comment in script.comments {
      let isThere =
        switch comment.target {
        case .table(let name): relations.contains { $0.name == name && $0.kind == .table }
        case .view(let name): relations.contains { $0.name == name && $0.kind == .view }
        case .column(let name, let relation):
          relations.contains { $0.name == relation && $0.columns.contains { $0.name == name } }
        }
      if !isThere { gaps.append("line \(comment.line) comments on what is not there") }
    }
    return gaps
  }

  static let relations: [DataDictionary.Described] = [
    .init(
      name: "original_transaction", kind: .table,
      columns: [("original_transaction_key", "INTEGER"), ("environment", "TEXT")]),
    .init(name: "state", kind: .view, columns: [("original_transaction_key", "INTEGER"), ("rule", "")]),
  ]
  static let text = """
    COMMENT ON TABLE original_transaction IS 'A subscription.';
    COMMENT ON COLUMN original_transaction.original_transaction_key IS 'Its number.';
    COMMENT ON COLUMN original_transaction.environment IS 'Where it is.';
    -- @step
    COMMENT ON VIEW state IS 'Its state.';
    COMMENT ON COLUMN state.rule IS 'What decided.';
    """

  @Test func `every table, view and column has a comment, and every comment is on one of them`() throws {
    let gaps = try Self.gaps(DataDictionary.described(), CommentScript(Schema.dataDictionary.sql))
    #expect(gaps == [])
  }

  @Test func `canary: a missing comment and a stale one are found`() throws {
    #expect(try Self.gaps(Self.relations, CommentScript(Self.text)) == [])
    for line in Self.text.split(separator: "\n") where !line.hasPrefix("--") {
      let text = Self.text.replacing("-- @step\n", with: "").replacing(line, with: "")
      #expect(try !Self.gaps(Self.relations, CommentScript(text)).isEmpty, "\(line)")
    }
    for stale in ["TABLE state", "VIEW original_transaction", "VIEW other", "COLUMN state.environment"] {
      let script = try CommentScript(Self.text + "\nCOMMENT ON \(stale) IS 'Stale.';")
      #expect(try Self.gaps(Self.relations, script) == ["line 7 comments on what is not there"])
    }
  }

  @Test func `a column without a comment of its own has that of the first column of its name`() throws {
    let script = try CommentScript(
      Self.text + "\nCOMMENT ON COLUMN state.original_transaction_key IS 'The same number.';")
    let dictionary = try DataDictionary(Self.relations, script)
    #expect(dictionary.relation("state")?.columns.map(\.comment) == ["The same number.", "What decided."])
    let inherited = try DataDictionary(Self.relations, CommentScript(Self.text))
    #expect(inherited.relation("state")?.columns.map(\.comment) == ["Its number.", "What decided."])
    #expect(inherited.relation("state")?.columns.map(\.type) == ["INTEGER", "TEXT"])
    #expect(inherited.relations.map(\.name) == ["original_transaction", "state"], "steps come last")
    #expect(inherited.relations.map(\.group) == [.public, .step])
  }

  @Test func `a comment says what NULL means wherever a table allows it, and the unit of instants and money`() throws {
    let dictionary = try DataDictionary.current()
    let isNullable = try DatabaseQueue().write { database in
      try Schema.migrate(database)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT m.name || '.' || c.name AS qualified_name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
          WHERE m.type = 'table' AND NOT c."notnull" AND NOT c.pk
          """)
      return Set(rows.map { $0["qualified_name"] as String })
    }
    for relation in dictionary.relations {
      for column in relation.columns where !column.comment.isEmpty {
        let qualifiedName = "\(relation.name).\(column.name)"
        if isNullable.contains(qualifiedName) { #expect(column.comment.contains("NULL: "), "\(qualifiedName)") }
        if column.name.hasSuffix("_at") {
          #expect(column.comment.contains("milliseconds since 1970"), "\(qualifiedName)")
        }
        if column.name.hasSuffix("_milliunits") {
          #expect(column.comment.contains("in milliunits of"), "\(qualifiedName)")
        }
      }
    }
  }

  @Test func `every relation that the guide's table names is public`() throws {
    let dictionary = try DataDictionary.current()
    let readme = try Checkout.contents("Sources/Ledger/Ledger.docc/Analysts.md")
    let model = try #require(readme.components(separatedBy: "## The model\n").last).components(separatedBy: "\n\n")[0]
    let names = model.split(separator: "\n").flatMap { row -> [String] in
      let cell = row.split(separator: "|").last ?? ""
      return cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
    let relations = names.filter { !$0.hasSuffix("_at") && !$0.contains("…") }
    #expect(relations.count > 25 && relations.contains("entitlement"))
    for name in relations { #expect(dictionary.relation(name)?.group == .public, "\(name)") }
  }

  @Test func `projections and steps are not public`() throws {
    let groups = Dictionary(grouping: try DataDictionary.current().relations, by: \.group).mapValues { $0.map(\.name) }
    let steps = [
      "param_scope", "rule_input", "projection_original_transaction", "calendar_month", "generated_schema",
      "original_transaction_identifier", "param_query",
    ]
    #expect(Set(groups.filter { $0.key != .public }.flatMap(\.value)).isSuperset(of: steps))
    #expect(
      groups[.projection]?.contains("projection_original_transaction") == true
        && groups[.machinery]?.contains("sealed_table") == true)
    #expect(groups[.public]?.first == "entitlement")
  }

  @Test func `a name that is nearly right finds what was meant`() throws {
    let dictionary = try DataDictionary.current()
    #expect(dictionary.nearest(to: "entitlemnt").first == "entitlement")
    #expect(dictionary.nearest(to: "Transactions_current").first == "transaction_current")
    #expect(dictionary.nearest(to: "refund").contains("refund_request"))
    #expect(dictionary.nearest(to: "zzzzzzzz") == [])
  }

  // MARK: - The parser

  @Test func `a text is read with its quotes, its lines and its comments`() throws {
    let script = try CommentScript(
      """
      -- Why.
      COMMENT ON TABLE a IS 'One''s, and
          two; -- three.';

      COMMENT ON COLUMN a.b_1 IS
        'é';
      """)
    #expect(
      script.comments == [
        .init(target: .table("a"), text: "One's, and two; -- three.", line: 2),
        .init(target: .column("b_1", of: "a"), text: "é", line: 5),
      ])
    #expect(try CommentScript("").comments == [])
  }

  @Test(arguments: [
    ("SELECT 1;", 1, "'SELECT' instead of 'COMMENT'"),
    ("\nCOMMENT ON INDEX a IS 'x';", 2, "'INDEX' is not TABLE, VIEW or COLUMN"),
    ("COMMENT ON TABLE A IS 'x';", 1, "'A' is not a name"),
    ("COMMENT ON TABLE \"a\" IS 'x';", 1, "'\"' is not a name"),
    ("COMMENT ON TABLE a.b IS 'x';", 1, "'.' instead of 'IS'"),
    ("COMMENT ON COLUMN a IS 'x';", 1, "'IS' instead of '.'"),
    ("COMMENT ON TABLE a IS NULL;", 1, "'NULL' instead of '''"),
    ("COMMENT ON TABLE a IS 'x'", 1, "'' instead of ';'"),
    ("COMMENT ON TABLE a IS 'x\n\n", 3, "the text has no end"),
    ("COMMENT ON TABLE a IS ' \n ';", 2, "the comment is empty"),
    ("COMMENT ON TABLE a IS 'x';\nCOMMENT ON TABLE a IS 'y';", 2, "a second comment on the same"),
    ("COMMENT ON TABLE a IS 'x';\n-- @step\nCOMMENT ON COLUMN a.b IS 'y';", 3, "marks belong to a table or view"),
  ])
  func `anything else is refused, with the line`(text: String, line: Int, detail: String) {
    #expect(throws: CommentScript.ParseError(line: line, detail: detail)) { try CommentScript(text) }
  }

  @Test func `marks are read with their values, several lines of one word as one list`() throws {
    let script = try CommentScript(
      "-- @sealed 4\n-- @erasable a, b\n-- Why.\n-- @erasable c\nCOMMENT ON TABLE t IS 'x';\nCOMMENT ON VIEW v IS 'y';")
    #expect(script.comments.map(\.marks) == [["sealed": ["4"], "erasable": ["a", "b", "c"]], [:]])
    let relations = try SchemaRelations(script)
    #expect(relations["t"]?.sealNumber == 4 && relations["t"]?.erasableColumns == ["a", "b", "c"])
    #expect(relations["v"]?.isView == true && relations["v"]?.isAppendOnly == false && relations["w"] == nil)
  }

  @Test func `a mark that means nothing is refused`() {
    #expect(throws: CommentScript.ParseError(line: 2, detail: "'@seeled' is not a known mark")) {
      try SchemaRelations(CommentScript("-- @seeled 4\nCOMMENT ON TABLE t IS 'x';"))
    }
  }

  @Test func `a view without a comment is a step, and its own file says what it is`() throws {
    func view(_ head: String) -> Schema.Script {
      Schema.Script("int_a", Array("\(head)CREATE VIEW int_a AS\nSELECT 1 AS number;\n".utf8))
    }
    let described = DataDictionary.Described(name: "int_a", kind: .view, columns: [("number", "")])
    let step = view("-- Rows of\n-- numbers.\n--\n-- More.\n-- @key b, c\n-- @integer number\n")
    let dictionary = try DataDictionary([described], CommentScript(""), views: [step])
    #expect(dictionary.relations.map(\.comment) == ["Rows of numbers."])
    #expect(dictionary.relations.map(\.group) == [.step])
    #expect(dictionary.relations[0].columns.map(\.type) == ["INTEGER"])
    #expect(step.key == "b, c" && view("-- Rows.\n").key == nil)
    let script = try CommentScript("COMMENT ON VIEW int_a IS 'Public.';")
    #expect(try DataDictionary([described], script, views: [step]).relations.map(\.group) == [.public])
    #expect(throws: CommentScript.ParseError(line: 1, detail: "'@keys' of int_a is not a known mark")) {
      try SchemaRelations(CommentScript(""), views: [view("-- @keys b\n")])
    }
    for view in Schema.views { #expect(!view.summary.isEmpty, "\(view.name)") }
  }

  @Test func `columns that the relations names are there, and no two tables have one number in seals`() throws {
    let described = try DataDictionary.described()
    for relation in SchemaRelations.current.relations {
      let columns = Set(
        try #require(described.first { $0.name == relation.name }, "\(relation.name)").columns.map(\.name))
      for column in relation.erasableColumns + relation.internalColumns + relation.textColumns {
        #expect(columns.contains(column), "\(relation.name).\(column)")
      }
    }
    let numbers = SchemaRelations.current.sealedTables.compactMap(\.sealNumber)
    #expect(numbers == Array(1...numbers.count))
  }

  // MARK: - The example queries

  @Test func `every example query runs in SQLite over a ledger's own views, with parameters and without`() async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 3, count: 80).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let line = try await file.read {
      try String.fetchOne($0, sql: "SELECT original_transaction_id FROM original_transaction")
    }
    for example in try ExampleQuery.all() {
      try await file.read { database in
        LedgerFile.stopTracking(database)
        let statement = try database.makeStatement(sql: example.sql)
        #expect(statement.isReadonly && statement.columnCount > 0)
        // Only named ones, as Datasette asks for them.
        #expect(!example.sql.contains("?"))
        let names = ["environment", "id", "original_transaction_id", "days"].filter { example.sql.contains(":\($0)") }
        for value in ["", line ?? "", "Production"] {
          let values = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
          _ = try Row.fetchAll(statement, arguments: StatementArguments(values))
        }
      }
    }
  }

  @Test func `the example queries find what a ledger holds`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 3, count: 80).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let examples = Dictionary(uniqueKeysWithValues: try ExampleQuery.all().map { ($0.name, $0.sql) })
    try await file.read { database in
      let (line, environment) = try #require(
        try Row.fetchOne(database, sql: "SELECT original_transaction_id, environment FROM entitlement")
          .map { ($0[0] as String, $0[1] as String) })
      func count(_ name: String, _ arguments: [String: String]) throws -> Int {
        try Row.fetchAll(
          database, sql: try #require(examples[name]), arguments: StatementArguments(arguments)
        ).count
      }
      #expect(try count("one_person", ["id": line]) > 0)
      #expect(try count("one_person", ["id": ""]) == 0)
      #expect(try count("one_subscription", ["original_transaction_id": line]) > 0)
      #expect(try count("access_by_state", ["environment": environment]) > 0)
      #expect(try count("renewals_by_month", ["environment": environment]) > 0)
      #expect(try count("revenue_by_month", ["environment": environment]) > 0)
    }
  }

  @Test(arguments: [
    ("-- a: A\nSELECT 1;", "'-- a: A' is not '-- name: Title' with a description below it"),
    ("-- a\n-- b\nSELECT 1;", "'-- a' is not '-- name: Title' with a description below it"),
    ("-- A b: A\n-- b\nSELECT 1;", "'A b' is not a name of lowercase letters and underscores"),
    ("-- a: A\n-- b\nSELECT 1", "'a' is not one statement with a semicolon at its end"),
    ("-- a: A\n-- b\nSELECT 1;\nSELECT 2;", "'a' is not one statement with a semicolon at its end"),
    ("-- a: A\n-- b\nSELECT 1;\n\n-- a: A\n-- b\nSELECT 1;", "'a' occurs twice"),
  ])
  func `an example query without its words, or that is not one statement, is refused`(text: String, detail: String) {
    #expect(throws: ExampleQuery.ParseError(detail: detail)) { try ExampleQuery.all(in: text) }
  }
}

import AppStore
import Foundation
import TestSupport
import Testing

/// A spreadsheet runs a cell that begins like a formula. No text of a purchase, and none of a query, becomes one.
@Suite(.takesTurns) struct SpreadsheetTests {
  static let attack = "=HYPERLINK(1)"

  /// A ledger with a product, a transaction and a file whose names are formulas.
  static func program() throws -> Program { try Program(copying: imported.get().folder) }

  /// What every test has a copy of; those that only ask take it as it is.
  private static let imported = Result { try importing() }

  private static func importing() throws -> Program {
    let program = try Program()
    let purchase = TransactionFixture(
      "+1", originalID: "@SUM(1)", product: attack, day(0), day(30), extra: [("web_order_line_item_id", "\"-2\"")])
    try program.folder.write(
      PayloadFixture.receipt(at: day(1), latest: [purchase], environment: "Production") + "\n{\"torn\":\n",
      to: "=cmd.json")
    #expect(try program.run(["import", "=cmd.json"]).code == 65)
    return program
  }

  /// The cells of a text in CSV, read as RFC 4180 has it, the header's too.
  static func cells(_ text: String) -> [String] {
    var (cells, cell, isQuoted) = ([String](), "", false)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case "\r" where !isQuoted: continue
      case "," where !isQuoted, "\n" where !isQuoted:
        cells.append(cell)
        cell = ""
      default: cell.unicodeScalars.append(scalar)
      }
    }
    return cells + [cell]
  }

  /// Whether a spreadsheet runs it. A number is no formula.
  static func isFormula(_ cell: String) -> Bool {
    guard let first = cell.unicodeScalars.first else { return false }
    return "=+-@\t\r".unicodeScalars.contains(first) && Double(cell) == nil
  }

  @Test(arguments: [
    ["entitlements"], ["query", "SELECT * FROM transaction_current"], ["quarantine", "list"], ["products", "unknown"],
    ["report", "active_subscriptions", "--group-by", "product", "--from", "2026-01-01", "--to", "2026-02-01"],
  ])
  func `no command writes a formula unless raw CSV is asked for`(arguments: [String]) throws {
    let program = try Self.program()
    let result = try program.run(arguments + ["--format", "csv"])
    #expect(result.code == 0 && Self.cells(result.output).filter(Self.isFormula) == [], "\(result)")
    #expect(result.output.contains("'="), "\(result)")
    let raw = try program.run(arguments + ["--format", "csv", "--raw-csv"])
    #expect(raw.code == 0 && !raw.output.contains("'") && raw.output.contains("="), "\(raw)")
  }

  @Test(arguments: [
    ("'=1+1'", "'=1+1"), ("'+1'", "'+1"), ("'-5'", "'-5"), ("'@A1'", "'@A1"), ("char(9) || 'x'", "'\tx"),
    ("char(13) || 'x'", "\"'\rx\""), ("'=1,2'", "\"'=1,2\""), ("-5", "-5"), ("-1.5", "-1.5"), ("'a=1'", "a=1"),
    ("''", ""), ("NULL", ""), ("'''=1'", "'=1"),
    // A quote with an accent after it is one character, and must end no cell.
    ("'x' || char(34, 769) || ',=1'", "\"x\"\"\u{301},=1\""), ("'x,' || char(769) || '=1'", "\"x,\u{301}=1\""),
  ])
  func `texts of a query are escaped, numbers stay`(sql: String, cell: String) throws {
    let program = try Self.imported.get()
    let result = try program.run(["query", "SELECT \(sql) AS a, 7 AS b", "--format", "csv"])
    #expect(Array(result.output.utf8) == Array("a,b\n\(cell),7\n".utf8), "\(result)")
  }

  @Test func `names of columns are as foreign as values`() throws {
    let program = try Self.program()
    let sql = "SELECT 1 AS \"=cmd\", 2 AS \"a\u{1B}[31m\u{202E}\""
    let csv = try program.run(["query", sql, "--format", "csv"])
    #expect(csv.output.hasPrefix("'=cmd,"), "\(csv)")
    for format in ["table", "json", "ndjson"] {
      let output = try program.run(["query", sql, "--format", format]).output
      #expect(output.contains("=cmd") && !output.contains("\u{1B}") && !output.contains("\u{202E}"), "\(output)")
    }
    let terminal = try PseudoTerminal(["query", sql, "--format", "csv"], in: program.folder)
    let shown = try terminal.expect("1,2")
    #expect(!shown.contains("\u{1B}") && !shown.contains("\u{202E}") && shown.contains("\\u{1b}"), "\(shown)")
  }

  @Test func `an export holds no formula, says so, and is not continued in another way`() throws {
    let program = try Self.program()
    func files(_ folder: String) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: program.folder.file(folder)).filter { $0.hasSuffix(".csv") }
        .map { try String(contentsOfFile: program.folder.file(folder) + "/" + $0, encoding: .utf8) }
    }
    #expect(try program.run(["export", "out"]).code == 0)
    let cells = try files("out").flatMap(Self.cells)
    #expect(cells.filter(Self.isFormula) == [] && cells.contains("'" + Self.attack) && cells.contains("'-2"))
    // JSON needs no apostrophe.
    let reader = try ExportReader(program.folder.file("out"), format: "ndjson")
    #expect(reader.relations["transaction_current"]?.first?["product_id"] == Self.attack)
    #expect(reader.schemas[0]["are_formulas_escaped"] as? Bool == true)
    let other = try program.run(["export", "out", "--raw-csv"])
    #expect(other.code == 1 && other.complaints.contains("--full"), "\(other)")
    #expect(try program.run(["export", "raw", "--raw-csv"]).code == 0)
    #expect(try files("raw").flatMap(Self.cells).contains(Self.attack))
    #expect(try program.run(["export", "raw", "--raw-csv"]).output.contains("what is new"))
  }

  @Test func `canary: the search for formulas finds one`() {
    #expect(Self.cells("a,b\r\n\"=1,2\",x\n").filter(Self.isFormula) == ["=1,2"])
    #expect(!Self.isFormula("-5") && Self.isFormula("-a"))
  }
}

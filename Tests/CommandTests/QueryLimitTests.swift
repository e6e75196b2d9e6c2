import Foundation
import TestSupport
import Testing

/// A statement of a user's own takes no more time and memory than it may.
@Suite(.takesTurns) struct QueryLimitTests {
  static let endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"

  private static func program() throws -> Program {
    let program = try Program()
    _ = try program.run(["import", "-"], input: CommandTests.receipt)
    return program
  }

  @Test func `a statement without an end is stopped, says so, and exits 1`() throws {
    let program = try Self.program()
    let stated = try GuideTests.run(
      "(\(Program.hangGuard) subledger query '\(Self.endless)' --timeout 1s; echo $?)", in: program.folder)
    #expect(
      stated == "subledger: The statement took longer than 1.0 seconds and was stopped. Its result is incomplete. "
        + "Select less, or allow it more time.\n1\n")
    #expect(try program.run(["query", "SELECT 1 AS a", "--timeout", "0s"]).output == "a\n1\n")
    for wrong in [["--timeout", "soon"], ["--timeout", "5"], ["--memory", "-1"], ["--memory", "much"]] {
      #expect(try program.run(["query", "SELECT 1"] + wrong).code == 64, "\(wrong)")
    }
  }

  @Test(arguments: [
    ("SELECT length(randomblob(1000000000))", [] as [String]),
    ("SELECT length(hex(randomblob(900000000)))", []),
    ("WITH RECURSIVE c (x) AS (SELECT randomblob(1000000000) UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c", []),
    ("SELECT length(group_concat(hex(randomblob(1000000)))) FROM generate", []),
    ("SELECT length(hex(randomblob(20000000)))", ["--memory", "16"]),
  ])
  func `a statement that would take the machine's memory is stopped`(sql: String, options: [String]) throws {
    let program = try Self.program()
    let generate = "WITH RECURSIVE generate (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM generate LIMIT 200) "
    let sql = sql.hasSuffix("generate") ? generate + sql : sql
    // A megabyte is 1,024 blocks of ulimit -v; the program itself needs some hundred of address space.
    let line =
      "(ulimit -v 4000000; \(Program.hangGuard) subledger query \"\(sql)\" \(options.joined(separator: " ")); echo $?)"
    let stated = try GuideTests.run(line, in: program.folder)
    #expect(stated.hasPrefix("subledger: The statement needs more memory than its limit") && stated.hasSuffix("\n1\n"))
  }

  @Test func `a single step that goes on and on is stopped too`() throws {
    let program = try Program()
    try program.folder.write(CommandTests.receipt, to: "r.json")
    _ = try program.run(["import", "r.json"])
    let search =
      "SELECT instr(replace(hex(zeroblob(2500000)), '0', 'a'), replace(hex(zeroblob(1200000)), '0', 'a') || 'b')"
    let stopped = try program.run(["query", search, "--timeout", "1s"])
    #expect(stopped.code == 1 && stopped.complaints.contains("took longer than 1.0 seconds"))
  }

  @Test func `wide rows do not wait in memory to be laid out as a table`() throws {
    let program = try Self.program()
    let sql = """
      WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g LIMIT 30)
      SELECT n, replace(hex(zeroblob(2000000)), '0', 'x') AS wide FROM g
      """
    let line = "ulimit -v 250000; \(Program.hangGuard) subledger query \"\(sql)\" | cut -c 1-2 | tail -n 1"
    #expect(try GuideTests.run(line, in: program.folder) == "30\n")
  }
}

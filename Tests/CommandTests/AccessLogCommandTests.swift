import Foundation
import TestSupport
import Testing

/// The access log of the command line: who read about whom, and when.
@Suite(.takesTurns) struct AccessLogCommandTests {
  /// A program whose ledger has one purchase of ada.
  private static func program() throws -> Program {
    let program = try PeopleCommandTests.program()
    _ = try program.run(["customers", "link", "ada", "t1"] + PeopleCommandTests.by)
    return program
  }

  private static let user = ProcessInfo.processInfo.userName

  /// The rows of the log as `operation customer purchase count reason`, the oldest first.
  private static func rows(_ program: Program) throws -> [String] {
    let sql = """
      SELECT operation || ' ' || coalesce(customer, '-') || ' ' || coalesce(original_transaction_id, '-') || ' ' \
      || result_count || ' ' || coalesce(reason, '-') AS row FROM access_log ORDER BY entry_id
      """
    return try program.run(["query", sql, "--format", "csv"]).output.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `each answer about a person is in the access log, with the user's name of the system`() throws {
    let program = try Self.program()
    for arguments in [
      ["show", "ada", "--reason", "ticket 7"], ["show", "t1"], ["history", "ada"], ["history", "t1"], ["why", "ada"],
      ["why", "t1", "--format", "json"], ["customers", "list", "ad"], ["seats", "list", "t1"], ["access-log", "ada"],
    ] { #expect(try program.run(arguments).code == 0, "\(arguments)") }
    #expect(
      try Self.rows(program) == [
        "showCustomer ada - 1 ticket 7", "showPurchase ada t1 1 -", "listCustomerHistory ada - 1 -",
        "listPurchaseHistory ada t1 1 -", "explainCustomer ada - 1 -", "explainPurchase ada t1 1 -", "search - - 1 -",
        "listSeatClaims ada t1 1 -", "listAccessLog - - 7 -",
      ])
    let authors = try program.run([
      "query", "SELECT DISTINCT author, program, token_id FROM access_log", "--format", "csv",
    ])
    #expect(authors.output == "author,program,token_id\n\(Self.user),subledger,\n")
  }

  @Test func `what is found by no id, and what answers a program, is no entry about a person`() throws {
    let program = try Self.program()
    #expect(try program.run(["show", "nobody"]).code == 1)
    _ = try program.run(["check", "ada", "pro"])
    _ = try program.run(["entitlements"])
    #expect(try Self.rows(program) == [])
  }

  @Test func `a card has who read it before, and the command line names who shares a user`() throws {
    let program = try Self.program()
    #expect(try !program.run(["show", "ada"]).output.contains("Read by"))
    _ = try program.run(["why", "t1", "--reason", "a refund"], environment: ["SUBLEDGER_AUTHOR": "mia"])
    let second = try program.run(["show", "ada"]).output.split(separator: "\n").map(String.init)
    let index = try #require(second.firstIndex { $0.hasPrefix("  Read by    ") })
    #expect(second[index].hasSuffix("Z by mia (user \(Self.user)) (subledger): a refund"), "\(second[index])")
    #expect(
      second[index + 1].hasPrefix("             20") && second[index + 1].hasSuffix(" by \(Self.user) (subledger)"))
    // The purchase was read once. As a part of the customer's card it does not repeat who read it.
    #expect(second.filter { $0.contains("Read by") }.count == 1)
    let purchase = try program.run(["show", "t1", "--format", "json"]).output
    #expect(purchase.contains(#""reads": {"count": 1, "latest": [{"entered_at": "20"#), "\(purchase)")
    for _ in 0..<3 { _ = try program.run(["show", "ada"]) }
    #expect(
      try program.run(["show", "ada"]).output.contains("             … and 4 before: subledger access-log ada\n"))
  }

  @Test func `the access log is listed by person, by purchase, and from an instant on, the latest first`() throws {
    let program = try Self.program()
    _ = try program.run(["show", "ada", "--reason", "one"])
    _ = try program.run(["show", "t1", "--reason", "two"])
    func reasons(_ arguments: [String]) throws -> [String] {
      let text = try program.run(["access-log", "--format", "ndjson"] + arguments).output
      return text.matches(of: /"reason": "(\w+)"/).map { String($0.1) }
    }
    #expect(try reasons(["ada"]) == ["two", "one"])
    #expect(try reasons(["t1"]) == ["two"])
    #expect(try reasons([]) == ["two", "one"])
    #expect(try reasons(["--since", "2100-01-01"]) == [])
    let limited = try program.run(["access-log", "ada", "--limit", "1"])
    #expect(limited.complaints == "There are more. Write a later --since, or a greater --limit.\n")
    #expect(try program.run(["access-log", "bob"]).complaints == "The access log has no such entry.\n")
  }

  @Test func `a file that cannot be written still answers, and a message says that the answer is not recorded`() throws
  {
    let program = try Self.program()
    let path = program.folder.file("subledger.sqlite")
    // Another program that holds the file for writing stops root too.
    let held = try LockHolder(path)
    let result = try program.run(["show", "ada", "--busy-timeout", "1s"])
    try held.release()
    #expect(result.code == 0 && result.output.hasPrefix("Customer ada"))
    #expect(result.complaints.hasPrefix("The access log does not have this answer. "), "\(result.complaints)")
    #expect(try Self.rows(program) == [])
  }

  @Test func `a blank reason is refused`() throws {
    let program = try Self.program()
    #expect(try program.run(["show", "ada", "--reason", " "]).code == 64)
  }
}

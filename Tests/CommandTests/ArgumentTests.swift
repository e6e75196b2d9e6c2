import AppStore
import Foundation
import TestSupport
import Testing

import subledger

/// The arguments that people type: instants, lengths of time, authors and statements.
@Suite(.takesTurns) struct ArgumentTests {
  @Test func `an instant may be a word, a month, or a time ago`() throws {
    let now = Instant.commandStart.milliseconds
    let today = now - now % 86_400_000
    for (text, milliseconds) in [
      ("now", now), (" now\n", now), ("today", today), ("yesterday", today - 86_400_000),
      ("-7d", now - 7 * 86_400_000), ("-90min", now - 5_400_000), ("-2w", now - 14 * 86_400_000),
      ("2026-02", 1_769_904_000_000),
      ("2026-02-01", 1_769_904_000_000), ("1769904000000", 1_769_904_000_000),
    ] {
      #expect(try Instant.argument(text).milliseconds == milliseconds, "\(text)")
    }
    for text in ["", "tomorrow", "-d", "-7", "7d", "--7d", "2026-13", "-99999999999d"] {
      #expect(throws: (any Error).self, "\(text)") { try Instant.argument(text) }
    }
  }

  @Test func `a month or a year ago is one of the calendar, and m alone is refused`() throws {
    let (year, month) = try (Instant.argument("-1y"), Instant.argument("-12mo"))
    #expect(year == month && [365, 366].contains((Instant.commandStart.milliseconds - year.milliseconds) / 86_400_000))
    #expect(year.description.dropFirst(10) == Instant.commandStart.description.dropFirst(10))
    let error = #expect(throws: (any Error).self) { try Instant.argument("-6m") }
    #expect("\(try #require(error))".contains("Write -6min or -6mo."))
  }

  @Test func `a grant lasts for a time, and its author may be a variable`() throws {
    let program = try Program()
    _ = try program.run(["import", "-"], input: "")
    let refused = try program.run(["grant", "ada", "pro", "--for", "30d", "--reason", "asked"])
    #expect(refused.code == 64 && refused.complaints.contains("set SUBLEDGER_AUTHOR"))
    let from = ["--from", "2026-01-01", "--reason", "asked"]
    for (options, code, words) in [
      (["--for", "30d"], 0, "ada has pro from 2026-01-01 00:00:00Z until 2026-01-31 00:00:00Z, by our own grant."),
      (["--for", "30d", "--until", "forever"], 64, "When does the grant end?"), ([], 64, "When does the grant end?"),
    ] as [([String], Int32, String)] {
      let result = try program.run(["grant", "ada", "pro"] + options + from, environment: ["SUBLEDGER_AUTHOR": "anna"])
      #expect(result.code == code && (result.output + result.complaints).contains(words), "\(options): \(result)")
    }
    #expect(try program.run(["show", "ada", "--as-of", "2026-01-02"]).output.contains("by anna: asked"))
    // A value that begins with a hyphen is a value.
    #expect(try program.run(["entitlements", "--as-of", "-7d"]).code == 0)
  }

  @Test func `a statement is an argument, a file or standard input, and its columns always have names`() throws {
    let program = try Program()
    _ = try program.run(["import", "-"], input: "")
    let sql = "SELECT 1 AS one, 'a' AS letter"
    try program.folder.write(sql, to: "q.sql")
    for (arguments, input) in [([sql], ""), (["-"], sql), (["--file", "q.sql"], "")] {
      #expect(try program.run(["query"] + arguments, input: input).output == "one  letter\n  1  a\n")
    }
    #expect(try program.run(["query", sql + " WHERE 1 = 0"]).output == "one  letter\n")
    for (wrong, near) in [
      ("SELECT * FROM entitlment", "no such table: entitlment. Nearest: entitlement"),
      ("SELECT e.stat FROM entitlement e", "no such column: e.stat. Nearest: state"),
    ] {
      #expect(try program.run(["query", wrong]).complaints.contains(near), "\(wrong)")
    }
    for (arguments, code) in [([], 64), ([sql, "--file", "q.sql"], 64), (["--file", "none.sql"], 66)]
      as [([String], Int32)]
    {
      #expect(try program.run(["query"] + arguments).code == code, "\(arguments)")
    }
  }

  @Test func `a misspelt command has its nearest names, and the ledger may be named before the command`() throws {
    let program = try Program()
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    for (arguments, words) in [
      (["cutomers", "list"], "'cutomers' is not a command. Nearest: customers."),
      (["entitlement"], "'entitlement' is not a command. Nearest: entitlements."),
      (["xyzzy"], "'xyzzy' is not a command. See subledger --help."),
      (["help", "backups"], "'backups' is not a command. Nearest: backup."),
      (["--database", "l.sqlite", "shwo"], "Nearest: show."),
    ] {
      let result = try program.run(arguments)
      #expect(result.code == 64 && result.complaints.hasSuffix("\(words)\n"), "\(result)")
    }
    for arguments in [
      ["--database", "l.sqlite", "query", "SELECT 1 AS n"], ["--database=l.sqlite", "query", "SELECT 1 AS n"],
      ["query", "SELECT 1 AS n", "--database", "l.sqlite"], ["--database", "l.sqlite", "query", "--", "SELECT 1 AS n"],
    ] {
      #expect(try program.run(arguments).output == "n\n1\n", "\(arguments)")
    }
    #expect(try program.run(["help", "show"]).code == 0 && program.run(["--version"]).code == 0)
  }

  @Test func `a name, an address or an order id of a mail leads to the customer, or to what to do`() throws {
    let program = try PeopleCommandTests.program()
    let by = ["--author", "anna"]
    _ = try program.run(["customers", "link", "ada", "t1", "--reason", "wrote from Ada.Müller@example.com"] + by)
    _ = try program.run(["customers", "note", "bea", "a friend of ADA MÜLLER"] + by)
    _ = try program.run(["grant", "cleo", "pro", "--for", "1d", "--reason", "müller's sister"] + by)
    let found = try program.run(["customers", "list", "MÜLLER", "--format", "csv"])
    #expect(
      found.output.split(separator: "\n").map { $0.split(separator: ",").prefix(4).joined(separator: ",") } == [
        "customer,found_in,text,author", "ada,link,t1: wrote from Ada.Müller@example.com,anna",
        "bea,note,a friend of ADA MÜLLER,anna", "cleo,grant,pro: müller's sister,anna",
      ])
    #expect(try program.run(["customers", "list", "ada", "--limit", "1"]).complaints.contains("There are more."))
    #expect(
      try program.run(["customers", "list", "nobody"]).complaints == "No customer has this text. Check the spelling.\n")
    let empty = try Program()
    _ = try empty.run(["import", "-"], input: "")
    #expect(try empty.run(["customers", "list"]).complaints == "The ledger has no customers yet.\n")
    let shown = try program.run(["show", "ada müller"])
    #expect(shown.code == 1 && shown.complaints.contains("  about bea (note): a friend of ADA MÜLLER\n"))
    #expect(shown.complaints.hasSuffix("See who it is with subledger show bea.\n"), "\(shown.complaints)")
    // What staff wrote about people was shown.
    let log = try program.run(["query", "SELECT operation FROM access_log", "--format", "csv"])
    #expect(log.output.hasSuffix("search\n"), "\(log.output)")
    #expect(try program.run(["show", "MQ2WHK3T6J"]).complaints.contains("looks like an order id"))
    #expect(try !program.run(["show", "2000000000"]).complaints.contains("looks like an order id"))
  }

  @Test func `check has words for people, a word finds views and metrics, and a query shows instants`() throws {
    let program = try PeopleCommandTests.program()
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "--bundle-id", "b"])
    _ = try program.run(["customers", "link", "ada", "t1"] + PeopleCommandTests.by)
    for (arguments, code, words) in [
      (["ada", "pro", "--as-of", "2026-01-20"], 0, "pro  yes, until 2026-01-31 00:00:00Z"),
      (["ada", "pro", "--as-of", "2026-02-20"], 1, "pro  NO, it ended on 2026-01-31 00:00:00Z: expired"),
      (["bob", "pro"], 2, "pro  NO, no evidence, link or grant names bob"),
      (["ada", "prp"], 2, "prp  NO, no product and no grant has an entitlement of this name"),
    ] as [([String], Int32, String)] {
      let result = try program.run(["check"] + arguments + ["--format", "text"])
      #expect(result.code == code && result.output.hasPrefix(words), "\(result)")
    }
    #expect(try program.run(["schema", "storefront"]).output.contains("transaction_fact"))
    let metrics = try program.run(["schema", "churn"])
    #expect(metrics.output.contains("metric_figure") && metrics.complaints.contains("churned, churn_rate"))
    #expect(try program.run(["schema", "revenue"]).complaints.contains("revenue, revenue_gross"))
    #expect(try program.run(["schema", "shoe"]).code == 1)
    let sql = "SELECT purchase_at, 1 AS n FROM transaction_current WHERE original_transaction_id = 't1'"
    #expect(try program.run(["query", "--instants", sql]).output.contains("2026-01-01 00:00:00Z"))
    #expect(try program.run(["query", sql]).output.contains("1767225600000"))
    let asOf = try program.run(["query", "--instants", "SELECT as_of FROM entitlement", "--as-of", "2026-01-20"])
    #expect(asOf.output.contains("2026-01-20 00:00:00Z"))
    // Amounts without any figure have no currency to name.
    let overview = try program.run(["report", "overview"])
    #expect(overview.output.contains("Revenue ") && !overview.output.contains("no currency"), "\(overview)")
    #expect(try program.run(["report", "revenue", "--format", "svg"]).output.hasPrefix("<svg"))
  }
}

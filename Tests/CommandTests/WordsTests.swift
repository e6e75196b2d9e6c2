import AppStore
import Foundation
import TestSupport
import Testing

@testable import subledger

/// The words that people type: instants, lengths of time, authors and statements.
@Suite(.takesTurns) struct WordsTests {
  @Test func `an instant may be a word, a month, or a time ago`() throws {
    let now = Instant.commandStart.milliseconds
    let today = now - now % 86_400_000
    for (text, milliseconds) in [
      ("now", now), (" now\n", now), ("today", today), ("yesterday", today - 86_400_000),
      ("-7d", now - 7 * 86_400_000), ("-90m", now - 5_400_000), ("2026-02", 1_769_904_000_000),
      ("2026-02-01", 1_769_904_000_000), ("1769904000000", 1_769_904_000_000),
    ] {
      #expect(try Instant.argument(text).milliseconds == milliseconds, "\(text)")
    }
    for text in ["", "tomorrow", "-d", "-7", "7d", "--7d", "2026-13", "-99999999999d"] {
      #expect(throws: (any Error).self, "\(text)") { try Instant.argument(text) }
    }
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
    for (arguments, code) in [([], 64), ([sql, "--file", "q.sql"], 64), (["--file", "none.sql"], 66)]
      as [([String], Int32)]
    {
      #expect(try program.run(["query"] + arguments).code == code, "\(arguments)")
    }
  }
}

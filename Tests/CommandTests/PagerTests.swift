import Foundation
import TestSupport
import Testing

/// Long tables at a terminal, and how many rows there are.
@Suite(.takesTurns) struct PagerTests {
  private static func program() throws -> Program {
    let program = try Program()
    _ = try program.run([
      "simulate", "--seed", "3", "--customers", "20", "--payload-format", "v2", "--out", "w",
    ])
    #expect(try program.run(["import", "w", "--trust", "w/authority/root.pem"]).code == 0)
    return program
  }

  @Test func `a table at a terminal goes through the pager of the user, and the notes come after it`() throws {
    let program = try Self.program()
    let terminal = try PseudoTerminal(["entitlements"], in: program.folder, pager: "sed 's/^/PAGED /'; echo LEFT")
    try terminal.expect("PAGED original_transaction_id")
    let rest = try terminal.expect("subscriptions: ")
    #expect(rest.contains("LEFT\n"), "\(rest)")
    #expect(terminal.end() == 0)
  }

  @Test func `a pager that ends early, or does not exist, ends the list and nothing else`() throws {
    let program = try Self.program()
    for pager in ["true", "no-such-pager-of-anybody"] {
      let terminal = try PseudoTerminal(["entitlements"], in: program.folder, pager: pager)
      #expect(terminal.end() == 0, "\(pager)")
    }
  }

  @Test func `entitlements says how many there are in each state, also where a limit hides some`() throws {
    let program = try Self.program()
    let all = try program.run(["entitlements", "--format", "csv"]).output.split(separator: "\n").dropFirst()
    #expect(all.count > 5)
    let table = try program.run(["entitlements"])
    #expect(table.complaints.hasPrefix("\(all.count) subscriptions: "), "\(table.complaints)")
    let numbers = table.complaints.matches(of: /(\d+) (active|grace_period|billing_retry|expired|revoked)/)
    #expect(numbers.compactMap { Int($0.1) }.reduce(0, +) == all.count)
    let limited = try program.run(["entitlements", "--limit", "2", "--format", "ndjson"])
    #expect(limited.output.split(separator: "\n").count == 2)
    #expect(limited.complaints.hasPrefix("2 of \(all.count) are listed. Write a greater --limit for more.\n"))
    #expect(try program.run(["entitlements", "--limit", "0"]).code == 64)
  }
}

import AppStore
import TestSupport
import Testing

/// The guide's table of the codes of problems.
@Suite struct ProblemCodeTests {
  @Test func `the guide states of every code what it means, what follows, and what to do`() throws {
    let page = try Checkout.contents("Sources/Ledger/Ledger.docc/Importing.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    for code in Problem.Code.allCases {
      let mine = rows.filter { $0.contains("`\(code.rawValue)`") }
      #expect(mine.count == 1, "\(code.rawValue)")
      #expect(mine.allSatisfy { $0.split(separator: "|").count >= 4 }, "\(code.rawValue)")
    }
  }
}

import TestSupport
import Testing

/// The words of the guide stand where its table says.
@Suite struct GlossaryTests {
  /// Returns the names in the last column of the table of words.
  static func names(_ page: String) -> [String] {
    guard let start = page.firstRange(of: "## The words"), let end = page.firstRange(of: "## The states") else {
      return []
    }
    return page[start.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("|") }.flatMap { row in
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      return cells.dropLast().last?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
    }
  }

  @Test func `every table, view, column and type that the table of words names is there`() throws {
    let names = Self.names(try Checkout.contents("Sources/Ledger/Ledger.docc/Concepts.md"))
    #expect(names.count > 50, "canary: the table is read")
    let sql = try Checkout.files(in: "Migrations", ending: ".sql").map(Checkout.contents).joined()
    let swift = try Checkout.files(in: "Sources", ending: ".swift").map(Checkout.contents).joined()
    let words = Set(sql.matches(of: /\w+/).map { String($0.output) })
    let types = Set(swift.matches(of: /(?:struct|enum|class) (\w+)/).map { String($0.1) })
    let folders = Set(
      Checkout.files(in: "Sources", ending: ".swift").compactMap { $0.split(separator: "/").dropFirst().first }
        .map(String.init))
    for name in names where !name.hasPrefix("--") && !name.hasPrefix("subledger ") && !name.hasSuffix("…") {
      let isThere =
        name.first?.isUppercase == true ? types.contains(name) || folders.contains(name) : words.contains(name)
      #expect(isThere, "\(name)")
    }
  }
}

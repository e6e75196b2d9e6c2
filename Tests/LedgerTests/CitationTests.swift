import Foundation
import TestSupport
import Testing

/// Comments cite the specification: "rules" with a section or a label of Rules.md, and "law" with a number of Laws.md.
/// Every citation leads to something that the guide has.
@Suite struct CitationTests {
  static let guide = "Sources/Ledger/Ledger.docc"
  /// The section sign. This file writes it only here, because it is searched too.
  static let sign = "\u{A7}"

  /// What can be cited: the sections and labels of the rules ("4", "4b"), the laws, and the documents by name.
  struct Targets {
    var rules: Set<String>
    var laws: Set<String>
    var documents: Set<String> = ["README.md", "CHANGELOG.md"]

    init() throws {
      rules = CitationTests.numbers(try Checkout.contents(CitationTests.guide + "/Rules.md"))
      laws = CitationTests.numbers(try Checkout.contents(CitationTests.guide + "/Laws.md"))
      for page in Checkout.files(in: CitationTests.guide, ending: ".md") { documents.insert(CitationTests.name(page)) }
    }
  }

  /// Returns the numbers of sections (`## 4. Title`) and the labels of table rows (`| 4b |`).
  static func numbers(_ page: String) -> Set<String> {
    let section = /^## (\d+)\./
    let label = /^\| (\d+[a-z]) \|/
    var found: Set<String> = []
    for line in page.split(separator: "\n") {
      if let match = line.firstMatch(of: section) ?? line.firstMatch(of: label) { found.insert(String(match.1)) }
    }
    return found
  }

  static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// Returns the citations of a text that lead nowhere.
  static func unresolved(_ text: String, _ targets: Targets) -> [String] {
    // Most files cite nothing. A citation may go on in the next line of a comment.
    guard [sign, "law", "Law", ".md"].contains(where: { text.contains($0) }) else { return [] }
    let mark = /(?:\/\/\/?|--|#) ?/
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let joined = lines.map { String($0.trimmingPrefix(mark)) }.joined(separator: " ")
    return sections(joined, targets) + laws(joined, targets) + documents(lines, targets)
  }

  /// Each section sign stands after "rules" and before a section or a label, or after the number of an RFC. In a list
  /// or a range it may also stand after the citation before it.
  private static func sections(_ text: String, _ targets: Targets) -> [String] {
    let number = /\d+(?:[a-z]\b)?/
    let rfc = /RFC \d+\s$/
    let link = /\d+[a-z]?(?:,|,? and|,? or| to)\s/
    let parts = text.components(separatedBy: sign)
    var isRule = false
    var found: [String] = []
    for (before, after) in zip(parts, parts.dropFirst()) {
      let end = String(before.suffix(24))
      let label = after.prefixMatch(of: number).map { String($0.output) } ?? ""
      let isLinked = before.wholeMatch(of: link) != nil
      let isExternal = isLinked ? !isRule : end.contains(rfc)
      isRule = isLinked ? isRule : end.hasSuffix("rules ") || end.hasSuffix("Rules ")
      if !isExternal, !isRule || !targets.rules.contains(label) { found.append(end + sign + label) }
    }
    return found
  }

  /// Each number after "law" or "laws" is a law.
  private static func laws(_ text: String, _ targets: Targets) -> [String] {
    let pattern = /[Ll]aws? (\d+)(?:(?:,| and| or| to) (\d+))?/
    return text.matches(of: pattern).compactMap { match in
      let isLaw = targets.laws.contains(String(match.1)) && targets.laws.contains(String(match.2 ?? match.1))
      return isLaw ? nil : String(match.0)
    }
  }

  /// A comment names only documents of this repository, or of the fixtures.
  private static func documents(_ lines: [String], _ targets: Targets) -> [String] {
    let pattern = /[\w.\/-]+\.md\b/
    let known = targets.documents.union(["EXPECTED.md", "MANIFEST.md"])
    let comments = lines.filter { $0.hasPrefix("//") || $0.hasPrefix("--") || $0.hasPrefix("#") }
    return comments.filter { $0.contains(".md") }.flatMap { line in
      line.matches(of: pattern).map { String($0.output) }.filter { !known.contains(name($0)) }
    }
  }

  @Test func `every citation of a rule, a law or a document leads to one`() throws {
    let targets = try Targets()
    #expect(targets.rules.count == 20 && targets.laws.count == 7)
    let endings = [".swift", ".sql", ".md", ".py", ".c", ".sh", ".json"]
    let files = ["Sources", "Tests", "Migrations", "Packaging", "Benchmarks"]
      .flatMap { Checkout.files(in: $0, ending: "") }
      .filter { file in endings.contains { file.hasSuffix($0) } }
      .filter { !$0.contains("/Data/") }
    #expect(files.count > 500)
    for file in files + ["README.md", "CHANGELOG.md"] {
      #expect(Self.unresolved(try Checkout.contents(file), targets) == [], "\(file)")
    }
  }

  @Test func `canary: a citation that leads nowhere is noticed, and a right one passes`() throws {
    let targets = try Targets()
    let (one, law, page) = (Self.sign, "law", "gone.m" + "d")
    let right = [
      "rules \(one)4b", "Rules \(one)4 and \(one)5", "(rules\n/// \(one)3, \(one)5 or \(one)7)",
      "rules \(one)3 to \(one)7", "RFC 5280 \(one)4.2.1.3", "\(law) 7, rules \(one)8", "\(law)s 4 and 6",
      "// Rules.md", "let a = \"\(page)\"",
    ]
    for text in right { #expect(Self.unresolved(text, targets) == [], "\(text)") }
    let wrong = [
      "rules \(one)11", "rules \(one)4f", "rules \(one)4 and \(one)12", "\(one)4", "page \(one)4", "rules \(one)x",
      "\(law) 8", "\(law)s 4 and 9", "// \(page), Trust",
    ]
    for text in wrong { #expect(Self.unresolved(text, targets).count == 1, "\(text)") }
  }
}

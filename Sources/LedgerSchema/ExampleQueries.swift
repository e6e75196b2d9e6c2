/// A question that is asked of every ledger, in SQL: one of `Migrations/examples.sql`.
public struct ExampleQuery: Sendable, Equatable {
  /// A short name, as a path may hold it.
  public let name: String
  /// A heading.
  public let title: String
  /// What there is to say of it.
  public let description: String
  /// One statement, with named parameters, any of which may be empty.
  public let sql: String

  /// Why a text holds no such questions.
  struct ParseError: Error, Equatable, CustomStringConvertible {
    let detail: String
    var description: String { "examples.sql: \(detail)" }
  }

  /// Reads a text: paragraphs of comment lines (name and title, then the description) and one statement each. A paragraph
  /// of comments alone is about the text itself.
  static func all(in text: String) throws(ParseError) -> [ExampleQuery] {
    var found: [ExampleQuery] = []
    for paragraph in text.split(separator: "\n\n") {
      let lines = paragraph.split(separator: "\n")
      let words = lines.prefix { $0.hasPrefix("-- ") }.map { $0.dropFirst(3) }
      let statement = lines.dropFirst(words.count)
      if statement.isEmpty { continue }
      guard let head = words.first, let colon = head.firstRange(of: ": "), words.count > 1 else {
        throw ParseError(detail: "'\(lines[0])' is no '-- name: Title' with a description below it")
      }
      let name = String(head[..<colon.lowerBound])
      guard name.utf8.allSatisfy({ (97...122).contains($0) || $0 == UInt8(ascii: "_") }) else {
        throw ParseError(detail: "'\(name)' is no name")
      }
      guard !found.contains(where: { $0.name == name }) else { throw ParseError(detail: "'\(name)' stands here twice") }
      guard statement.last?.hasSuffix(";") == true, !statement.dropLast().contains(where: { $0.hasSuffix(";") }) else {
        throw ParseError(detail: "'\(name)' is not one statement with a semicolon at its end")
      }
      found.append(
        ExampleQuery(
          name: name, title: String(head[colon.upperBound...]),
          description: words.dropFirst().joined(separator: " "),
          sql: String(statement.joined(separator: "\n").dropLast())))
    }
    return found
  }
}

extension ExampleQuery {
  /// Returns questions that are asked of every ledger. Each runs in any SQLite tool.
  public static func all() throws -> [ExampleQuery] { try all(in: Schema.examples.sql) }
}

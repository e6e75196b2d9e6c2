/// A query from `Migrations/examples.sql` that is useful for every ledger.
public struct ExampleQuery: Sendable, Equatable {
  /// A short name of lowercase letters and underscores, which a URL path can contain.
  public let name: String
  /// A heading for people, in English.
  public let title: String
  /// A description for people, in English: what the query returns.
  public let description: String
  /// One SQL statement without its semicolon. It has named parameters, and each of them may be empty.
  public let sql: String

  /// The reason why a text is not a list of example queries.
  struct ParseError: Error, Equatable, CustomStringConvertible {
    let detail: String
    var description: String { "examples.sql: \(detail)" }
  }

  /// Parses a text of paragraphs. A paragraph is comment lines (the name and title, then the description) and one
  /// statement. A paragraph of comments alone describes the text and is skipped.
  static func all(in text: String) throws(ParseError) -> [ExampleQuery] {
    var found: [ExampleQuery] = []
    for paragraph in text.split(separator: "\n\n") {
      let lines = paragraph.split(separator: "\n")
      let words = lines.prefix { $0.hasPrefix("-- ") }.map { $0.dropFirst(3) }
      let statement = lines.dropFirst(words.count)
      if statement.isEmpty { continue }
      guard let head = words.first, let colon = head.firstRange(of: ": "), words.count > 1 else {
        throw ParseError(detail: "'\(lines[0])' is not '-- name: Title' with a description below it")
      }
      let name = String(head[..<colon.lowerBound])
      guard name.utf8.allSatisfy({ (97...122).contains($0) || $0 == UInt8(ascii: "_") }) else {
        throw ParseError(detail: "'\(name)' is not a name of lowercase letters and underscores")
      }
      guard !found.contains(where: { $0.name == name }) else { throw ParseError(detail: "'\(name)' occurs twice") }
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
  /// Returns all example queries. Each of them runs in any SQLite tool.
  /// - Throws: `ParseError` when the embedded text is invalid.
  public static func all() throws -> [ExampleQuery] { try all(in: Schema.examples.sql) }
}

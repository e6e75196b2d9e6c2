/// The parsed text of `Migrations/data_dictionary.sql`: `COMMENT ON` statements in the syntax of PostgreSQL and DuckDB. Lines
/// `-- @word values` may come before the comment of a table or view. The text contains nothing else.
struct CommentScript {
  /// The table, view or column that a comment describes.
  enum Target: Hashable {
    case table(String)
    case view(String)
    case column(String, of: String)
  }

  struct Comment: Equatable {
    let target: Target
    let text: String
    /// The line of the script on which the comment begins, from 1.
    let line: Int
    /// The `-- @word values` lines before the comment of a table or view: each word with its values.
    var marks: [String: [String]] = [:]
  }

  /// The first place at which a text is not a valid script, with the reason.
  struct ParseError: Error, Equatable, CustomStringConvertible {
    let line: Int
    let detail: String
    var description: String { "data_dictionary.sql:\(line): \(detail)" }
  }

  let comments: [Comment]

  /// Parses a script and checks it.
  /// - Throws: ``ParseError`` for the first thing that is not expected here, is empty, or comments on something twice.
  init(_ text: String) throws(ParseError) {
    var scanner = Scanner(bytes: Array(text.utf8))
    var comments: [Comment] = []
    var known: Set<Target> = []
    while let comment = try scanner.comment() {
      guard known.insert(comment.target).inserted else {
        throw ParseError(line: comment.line, detail: "a second comment on the same")
      }
      comments.append(comment)
    }
    self.comments = comments
  }

  /// Adds the mark `word value, value` to others. Several marks with one word are one list.
  static func addMark(_ text: Substring, to marks: inout [String: [String]]) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let word = parts.first else { return }
    let values = parts.dropFirst().first?.split(separator: ",").map { $0.trimmingPrefix(" ") } ?? []
    marks[String(word), default: []] += values.map(String.init)
  }

  /// A parser that goes through the bytes once.
  private struct Scanner {
    let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    /// The marks found so far for the next table or view.
    private var marks: [String: [String]] = [:]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next comment, or `nil` at the end of the script.
    mutating func comment() throws(ParseError) -> Comment? {
      skip()
      guard offset < bytes.count else { return nil }
      let start = line
      try expect("COMMENT")
      try expect("ON")
      let kind = word()
      let name = try self.name()
      let target: Target
      switch kind {
      case "TABLE": target = .table(name)
      case "VIEW": target = .view(name)
      case "COLUMN":
        try expect(".")
        target = .column(try self.name(), of: name)
      default: throw ParseError(line: line, detail: "'\(kind)' is not TABLE, VIEW or COLUMN")
      }
      try expect("IS")
      let text = try literal()
      try expect(";")
      if case .column = target, !marks.isEmpty {
        throw ParseError(line: start, detail: "marks belong to a table or view")
      }
      defer { marks = [:] }
      return Comment(target: target, text: text, line: start, marks: marks)
    }

    /// Reads a line `-- @word value, value`.
    private mutating func mark(_ line: ArraySlice<UInt8>) {
      let text = String(decoding: line.drop { $0 != UInt8(ascii: "@") }.dropFirst(), as: UTF8.self)
      CommentScript.addMark(text[...], to: &marks)
    }

    /// Skips white space and SQL comments, and reads the marks inside these comments.
    private mutating func skip() {
      while offset < bytes.count {
        if bytes[offset] == Self.dash, offset + 1 < bytes.count, bytes[offset + 1] == Self.dash {
          let start = offset
          while offset < bytes.count, bytes[offset] != Self.newline { offset += 1 }
          if bytes[start...].starts(with: "-- @".utf8) { mark(bytes[start..<offset]) }
        } else if Self.isSpace(bytes[offset]) {
          if bytes[offset] == Self.newline { line += 1 }
          offset += 1
        } else {
          return
        }
      }
    }

    /// Reads letters, digits and underscores, or else one other character.
    private mutating func word() -> String {
      skip()
      let start = offset
      while offset < bytes.count, Self.isLetter(bytes[offset]) { offset += 1 }
      if offset == start, offset < bytes.count { offset += 1 }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func expect(_ wanted: String) throws(ParseError) {
      let found = word()
      guard found == wanted else { throw ParseError(line: line, detail: "'\(found)' instead of '\(wanted)'") }
    }

    private mutating func name() throws(ParseError) -> String {
      let found = word()
      guard found.utf8.allSatisfy({ Self.isLetter($0) && !(65...90).contains($0) }), !found.isEmpty else {
        throw ParseError(line: line, detail: "'\(found)' is not a name")
      }
      return found
    }

    /// Reads a text in single quotes, where two quotes stand for one. A line end and the spaces after it become one
    /// space.
    private mutating func literal() throws(ParseError) -> String {
      try expect("'")
      var text: [UInt8] = []
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        if byte == Self.newline {
          line += 1
          while offset < bytes.count, bytes[offset] == Self.space { offset += 1 }
          text.append(Self.space)
        } else if byte != Self.quote {
          text.append(byte)
        } else if offset < bytes.count, bytes[offset] == Self.quote {
          text.append(byte)
          offset += 1
        } else if text.allSatisfy(Self.isSpace) {
          throw ParseError(line: line, detail: "the comment is empty")
        } else {
          return String(decoding: text, as: UTF8.self)
        }
      }
      throw ParseError(line: line, detail: "the text has no end")
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    private static let dash = UInt8(ascii: "-")
    private static let quote = UInt8(ascii: "'")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == space || byte == newline }

    private static func isLetter(_ byte: UInt8) -> Bool {
      byte >= 97 && byte <= 122 || byte == UInt8(ascii: "_") || byte >= 48 && byte <= 57 || byte >= 65 && byte <= 90
    }
  }
}

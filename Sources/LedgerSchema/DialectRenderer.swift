/// Rewrites the text of a view for another engine, token by token. Comments and strings stay as they are.
///
/// In the ledger's views, `/` between spaces always divides an integer by an integer.
struct DialectRenderer {
  let dialect: Dialect

  /// Returns a view's text in the engine's dialect.
  func render(_ sql: String) -> String {
    var tokens = SQLToken.split(sql)
    for index in tokens.indices {
      switch tokens[index].text {
      case "/" where tokens.isSpaced(index): tokens[index].text = dialect.division
      case "TEXT" where tokens.isCast(index): tokens[index].text = dialect.castTextType
      case "INTEGER" where tokens.isCast(index): tokens[index].text = dialect.integerType
      case "SUM" where tokens[index].isWord: tokens[index].text = dialect.integerSum ?? "SUM"
      default: continue
      }
    }
    if dialect.needsNullOrdering { addNullOrdering(&tokens) }
    return tokens.map(\.text).joined()
  }

  /// Adds the position of NULL to every term of an ORDER BY: first, or last for a descending term.
  private func addNullOrdering(_ tokens: inout [SQLToken]) {
    // For each open parenthesis, whether the scan is inside a list of ORDER BY terms there.
    var isOrdering = [false]
    var isDescending = false
    // The index of the last token of the current term.
    var end: Int?
    func close() {
      if let end { tokens[end].text += isDescending ? " NULLS LAST" : " NULLS FIRST" }
      end = nil
      isDescending = false
    }
    // A term may contain parentheses with an ORDER BY inside (a window's). After them, the term outside continues.
    var outer: [(isDescending: Bool, end: Int?)] = []
    for index in tokens.indices where tokens[index].isCode {
      switch tokens[index].text {
      case "(":
        outer.append((isDescending, index))
        isOrdering.append(false)
        (isDescending, end) = (false, nil)
      case ")":
        if isOrdering.last == true { close() }
        if isOrdering.count > 1 { isOrdering.removeLast() }
        isDescending = outer.popLast()?.isDescending ?? false
        end = index
      case "ORDER" where tokens.nextWord(index) == "BY":
        isOrdering[isOrdering.count - 1] = true
        isDescending = false
        end = nil
      case "BY":
        end = nil
      case ",", ";", "ROWS", "RANGE", "LIMIT", "WINDOW", "UNION":
        guard isOrdering.last == true else { continue }
        close()
        if tokens[index].text != "," { isOrdering[isOrdering.count - 1] = false }
      case let word:
        if word == "DESC" { isDescending = true }
        end = index
      }
    }
    if isOrdering.last == true { close() }
  }
}

/// A piece of SQL: a word or number, a string, a comment, white space, or one other character.
struct SQLToken: Equatable {
  /// The kind of a token.
  enum Kind { case word, string, comment, space, other }

  var text: String
  let kind: Kind

  var isWord: Bool { kind == .word }

  /// Whether the engine uses the token: it is neither white space nor a comment.
  var isCode: Bool { kind != .space && kind != .comment }

  /// Splits SQL into tokens. Their texts, joined, are the original SQL.
  static func split(_ sql: String) -> [SQLToken] {
    var rest = Array(sql.utf8)[...]
    var tokens: [SQLToken] = []
    while let first = rest.first {
      let (kind, count) = measure(first, rest)
      tokens.append(SQLToken(text: String(decoding: rest.prefix(count), as: UTF8.self), kind: kind))
      rest = rest.dropFirst(count)
    }
    return tokens
  }

  private static func measure(_ first: UInt8, _ rest: ArraySlice<UInt8>) -> (Kind, Int) {
    func length(while holds: (UInt8) -> Bool) -> Int { rest.prefix(while: holds).count }
    if isWordByte(first) { return (.word, length(while: isWordByte)) }
    if isSpace(first) { return (.space, length(while: isSpace)) }
    if rest.starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) {
      return (.comment, length { $0 != UInt8(ascii: "\n") })
    }
    // A doubled quote inside a string ends one token and begins the next. Both are strings, so the joined text is
    // unchanged.
    if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
      return (.string, min(rest.count, rest.dropFirst().prefix { $0 != first }.count + 2))
    }
    return (.other, 1)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension [SQLToken] {
  fileprivate func isSpaced(_ index: Int) -> Bool {
    self[index].kind == .other && index > 0 && self[index - 1].kind == .space && index + 1 < count
      && self[index + 1].kind == .space
  }

  /// Returns whether the token is the type name of a CAST.
  fileprivate func isCast(_ index: Int) -> Bool {
    self[index].isWord && index > 1 && index + 1 < count && self[index + 1].text == ")"
      && self[index - 1].kind == .space
      && self[index - 2].text == "AS"
  }

  fileprivate func nextWord(_ index: Int) -> String? { self[(index + 1)...].first(where: \.isCode)?.text }
}

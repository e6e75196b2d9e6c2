import AppStore

extension FuzzTargets {
  /// The token of a person who has ids of every kind: a token, an address, a word, a number.
  private static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"
  /// The pseudonym of the person. No id begins with its last letters, so that it cannot form an id with the text after
  /// it.
  private static let pseudonym = "gone0000-0000-4000-8000-00000000gone"
  private static let eraser = IdentifierEraser(
    ids: [token, "1", "user-42", "Ann@x.org"], pseudonym: pseudonym)

  func checkEraser(_ bytes: [UInt8]) throws {
    let erased = Self.eraser.erased(bytes) ?? bytes
    try hold(Self.eraser.erased(erased) == nil, "a person erased is not found again", shown(erased))
    let words = String(decoding: bytes, as: UTF8.self)
    let cleanWords = Self.eraser.erasedWords(words) ?? words
    try hold(Self.eraser.erasedWords(cleanWords) == nil, "a person is erased from words at once", cleanWords)
    let fragment = Self.eraser.erasedFragment(bytes) ?? bytes
    for text in [erased, fragment] {
      try hold(!text.lowercasedASCII.holds("\"\(Self.token)\""), "a token is erased from torn text", shown(text))
    }
    guard let before = try? JSONDocument(bytes) else { return }
    let after: JSONDocument
    do throws(JSONError) {
      after = try JSONDocument(erased)
    } catch {
      // Two ids of the person were keys of one object, and are equal now.
      try hold(error.reason == .duplicateKey, "JSON stays JSON when a person is erased", shown(erased))
      return
    }
    try hold(shape(before.root) == shape(after.root), "nothing but values is erased", shown(erased))
    try checkGone(after.root)
  }

  /// Returns the brackets and kinds of a value, without its texts.
  private func shape(_ value: JSONValue) -> [String] {
    if value.isArray { return ["["] + value.elements.flatMap(shape) + ["]"] }
    return value.isObject ? ["{"] + value.members.flatMap(shape) + ["}"] : ["-"]
  }

  private func checkGone(_ value: JSONValue) throws {
    for inner in value.elements + value.members { try checkGone(inner) }
    try hold(value.string?.lowercased() != Self.token, "a token is erased wherever it stands", value.path)
    for key in value.keys { try hold(key.lowercased() != Self.token, "a token is erased from keys", value.path) }
  }
}

extension [UInt8] {
  fileprivate var lowercasedASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

  fileprivate func holds(_ word: String) -> Bool {
    let word = Array(word.utf8)
    guard count >= word.count else { return false }
    return (0...count - word.count).contains { self[$0..<$0 + word.count].elementsEqual(word) }
  }
}

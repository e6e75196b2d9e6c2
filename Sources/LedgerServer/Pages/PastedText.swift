internal import AppStore
internal import LedgerPresentation

/// A text in which a user looks for an id: the id itself, or a whole mail.
enum PastedText {
  /// The greatest number of texts that one search tries.
  private static let limit = 20

  /// Returns the texts to look for. The first one is the whole text, where it is one line that is short enough for an id.
  static func candidates(_ text: String) -> [String] {
    let whole = text.trimmingSpace
    var found: [String] = whole.utf8.count <= Call.longestID && !whole.contains(where: \.isNewline) ? [whole] : []
    for word in whole.split(whereSeparator: { $0.isWhitespace || "\"'<>()[]{},;“”‘’«»„".contains($0) }) {
      var word = word
      while let last = word.last, ".:!?".contains(last) { word.removeLast() }
      let candidate = String(word)
      guard isLikeAnID(candidate), !found.contains(candidate) else { continue }
      found.append(candidate)
      if found.count == limit { break }
    }
    return found
  }

  /// Whether a text has the form of an id that Apple can be asked about: a transaction id, or the order id of a receipt by
  /// mail.
  static func isOfApple(_ text: String) -> Bool {
    text.wholeMatch(of: /[0-9]{12,20}|[Mm][0-9A-Za-z]{7,15}/) != nil
  }

  /// Whether a word of a mail can be an id: it has a digit, or it is an address.
  private static func isLikeAnID(_ word: String) -> Bool {
    guard (5...Call.longestID).contains(word.utf8.count),
      word.unicodeScalars.allSatisfy({ !Printable.isDisturbing($0) })
    else { return false }
    return word.contains("@") || word.utf8.contains { (0x30...0x39).contains($0) }
  }
}

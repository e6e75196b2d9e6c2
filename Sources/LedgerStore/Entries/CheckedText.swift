internal import AppStore
internal import LedgerSchema

/// Checks of texts that people type, before the ledger stores them.
package enum CheckedText {
  /// Checks a text that the ledger stores for ever and shows to people. It must not be blank, too long, or contain NUL.
  /// - Parameters:
  ///   - text: the text to check.
  ///   - what: the start of the error message, such as "The author".
  ///   - limit: the greatest length in UTF-8 bytes.
  /// - Throws: ``LedgerError`` with `refused_text`.
  package static func text(_ text: String, _ what: String, limit: Int = ClientEvent.idLimit) throws {
    guard !text.allSatisfy(\.isWhitespace) else {
      throw LedgerError(.refusedText, "\(what) may not be empty.")
    }
    guard text.utf8.count <= limit, !text.contains("\0") else {
      throw LedgerError(.refusedText, "\(what) may not be longer than \(limit) bytes, and may not contain NUL.")
    }
  }

  /// Returns a customer's id in the form in which the ledger stores it.
  /// - Throws: ``LedgerError`` with `refused_text`.
  package static func customer(_ id: String) throws -> String {
    try text(id, "A customer's id")
    return AccountToken.normalized(trimmed(id))
  }

  /// Returns one of Apple's ids, which a person typed, in the form in which the ledger stores it.
  /// - Throws: ``LedgerError`` with `refused_text`.
  static func identifier(_ id: String) throws -> String {
    try text(id, "The id")
    return AccountToken.normalized(trimmed(id))
  }

  /// Returns an id without white space at its ends, which comes from copying.
  package static func trimmed(_ id: String) -> String {
    var text = Substring(id)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

internal import AppStore
internal import LedgerSchema

/// What people type, checked before it is kept.
package enum CheckedText {
  /// A text that is kept for ever and shown to people.
  /// - Throws: ``LedgerError`` with `refusedText`.
  static func text(_ text: String, _ what: String, limit: Int = ClientEvent.idLimit) throws {
    guard !text.allSatisfy(\.isWhitespace) else {
      throw LedgerError(.refusedText, "\(what) may not be empty.")
    }
    guard text.utf8.count <= limit, !text.contains("\0") else {
      throw LedgerError(.refusedText, "\(what) may not be longer than \(limit) bytes, nor hold a NUL.")
    }
  }

  /// A customer's id as the ledger writes it.
  /// - Throws: ``LedgerError`` with `refusedText`.
  package static func customer(_ id: String) throws -> String {
    try text(id, "A customer's id")
    return AccountToken.normalized(trimmed(id))
  }

  /// An id of Apple's as a person typed it.
  /// - Throws: ``LedgerError`` with `refusedText`.
  static func identifier(_ id: String) throws -> String {
    try text(id, "The id")
    return AccountToken.normalized(trimmed(id))
  }

  /// Spaces around an id come from copying it.
  package static func trimmed(_ id: String) -> String {
    var text = Substring(id)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

import AppStore
import Ledger

/// What differs between two cards of one person: at two instants, or as known at two instants.
package struct Comparison: Sendable {
  /// One of the two cards.
  package struct Side: Sendable {
    /// The instants of the card.
    package let parameters: QueryParameters
    /// The sentences that answer what the person has access to.
    package let answers: [String]
    /// What only this card has in its timeline, the newest first.
    package let entries: [Timeline.Entry]
  }

  package let first: Side
  package let second: Side

  /// Compares two cards of the same person.
  package init(_ first: CustomerCard, _ second: CustomerCard) {
    let (one, other) = (Timeline(first).entries, Timeline(second).entries)
    self.first = Side(
      parameters: first.parameters, answers: Messages.answer(first), entries: Self.entries(of: one, notIn: other))
    self.second = Side(
      parameters: second.parameters, answers: Messages.answer(second), entries: Self.entries(of: other, notIn: one))
  }

  /// Whether both cards answer the same.
  package var isSame: Bool { first.answers == second.answers }

  private struct Event: Hashable {
    let happenedAt: Instant
    let sentence: String
    let originalTransactionID: String?

    /// A later payload may state the same event again.
    init(_ entry: Timeline.Entry) {
      (happenedAt, sentence) = (entry.happenedAt, entry.sentence)
      originalTransactionID = entry.originalTransactionID
    }
  }

  private static func entries(of entries: [Timeline.Entry], notIn others: [Timeline.Entry]) -> [Timeline.Entry] {
    let known = Set(others.map(Event.init))
    return entries.filter { !known.contains(Event($0)) }
  }
}

import AppStore
import Ledger

/// What a member of staff copies into a ticket about a person: the answer, its instants and its evidence. It has no
/// personal data but the customer's id.
package struct Ticket: Sendable {
  private let lines: [String]
  /// The digests of the payloads that decided.
  package let evidence: [ContentDigest]
  private let parameters: QueryParameters
  private let customer: String

  /// The greatest number of subscriptions whose evidence is named.
  private static let limit = 5

  /// Reads the evidence behind the answer of a card.
  /// - Throws: `LedgerError` when the file cannot be read.
  package init(_ card: CustomerCard, _ ledger: LedgerReader) throws {
    (customer, parameters) = (card.record.customer, card.parameters)
    lines = Messages.answer(card) + Messages.latest(card)
    let decided = Set(card.accesses.compactMap(\.originalTransactionID))
    let purchases = card.purchases.filter { decided.contains($0.match.originalTransactionID) }.prefix(Self.limit)
    let cited = try purchases.compactMap(\.entitlement).flatMap { try ledger.evidence(for: $0) }
    evidence = cited.filter(\.isDecisive).map(\.payload).reduce(into: []) { all, digest in
      if !all.contains(digest) { all.append(digest) }
    }
  }

  /// Returns the text.
  /// - Parameter page: the address of the person's page at the instants of the card.
  package func text(page: String) -> String {
    let instants = "As of \(Messages.instant(parameters.asOf)), as known at \(Messages.instant(parameters.knownAt))"
    return
      (["Customer \(Printable.text(customer))"] + lines + [instants]
      + evidence.map { "Evidence \($0.hexadecimal)" } + [page]).joined(separator: "\n")
  }
}

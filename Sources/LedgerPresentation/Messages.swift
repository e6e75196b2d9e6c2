import AppStore
import Ledger

/// The ledger's answers in plain words, for support staff.
package enum Messages {
  /// Returns an instant for people: `2026-03-01 10:00:00Z`. Programs get ISO 8601 with milliseconds.
  package static func instant(_ instant: Instant) -> String {
    let text = instant.description
    return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
  }

  package static func instant(_ instant: Instant?) -> String {
    instant.map { Self.instant($0) } ?? "an unknown instant"
  }

  /// Returns the text for evidence in which Apple stated no date (rules §1, evidence_at).
  package static func undated(_ bound: Instant?) -> String {
    guard let bound, bound.milliseconds > 0 else { return "undated" }
    return "undated; not before \(instant(bound))"
  }

  /// The warning about a receipt that states one instant twice, with different values.
  package static let contradiction = "This receipt contradicts itself: it may be forged or edited."

  /// Returns the trust of evidence, with the name of an added root.
  package static func trust(_ trust: Trust?, _ addedRoot: String?) -> String {
    let text = trust?.rawValue ?? "unknown trust"
    return addedRoot.map { "\(text) by an added root, \(Printable.text($0))" } ?? text
  }

  /// Returns the answer of signed evidence alone, for when unsigned evidence decided against it.
  package static func againstSigned(_ signed: Entitlement) -> String {
    "\(againstSigned) \(plainState(signed.state)). " + verdict(signed)
  }

  /// The beginning of the sentence about unsigned evidence that decided against signed evidence.
  package static let againstSigned = "Decided by unsigned evidence against signed: by signed evidence alone"

  package static func text(_ text: String?) -> String { text.map(Printable.text) ?? "–" }

  /// Returns an amount of money as text: `9.99 USD`.
  package static func amount(_ amount: Milliunits, _ currency: String?) -> String {
    "\(Currency.exact(amount, of: currency)) \(text(currency))"
  }

  /// Returns a value as the cell of a table for people.
  package static func cell(_ value: Value) -> String {
    switch value {
    case .null: "–"
    case .instant(let instant): self.instant(instant)
    case .flag(let flag): flag ? "yes" : "no"
    default: Printable.text(value.plainText)
    }
  }
}

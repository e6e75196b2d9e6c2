import AppStore
import Ledger

/// What staff should know before they rely on an answer.
extension Messages {
  /// Returns why the state of a subscription is not confirmed; `nil` where it is.
  package static func doubt(_ entitlement: Entitlement) -> String? {
    guard !entitlement.isConfirmed else { return nil }
    return entitlement.isContradictory
      ? "Not confirmed: only contradictory evidence supports this. Ask Apple before you rely on it."
      : "Not confirmed: a renewal may be missing. Ask Apple before you deny access."
  }

  /// Returns the warning about a purchase that several customers claim.
  package static func claimants(_ count: Int) -> String {
    "\(count) customers claim this purchase. Decide whose it is."
  }

  /// Returns what staff should know about a purchase: whose it is, what contradicts itself, and what is not signed.
  package static func warnings(_ card: PurchaseCard) -> [String] {
    var warnings: [String] = []
    if let entitlement = card.entitlement {
      if let doubt = doubt(entitlement) { warnings.append(doubt) }
      if entitlement.trust == .unsigned { warnings.append("No signature of Apple's supports this state.") }
    }
    if let signed = card.signed { warnings.append(againstSigned(signed)) }
    if !card.contradictions.isEmpty { warnings.append(contradiction) }
    if card.claims.count > 1 {
      warnings.append(claimants(card.claims.count))
    }
    for reporter in card.unlinkedReporters {
      warnings.append("The app reports \(Printable.text(reporter)) as the buyer, who is not linked to it.")
    }
    if !card.unread.mentions.isEmpty {
      warnings.append("\(count(card.unread.mentions.count, "payload")) about this purchase could not be read in full.")
    }
    return warnings
  }

  /// Returns what staff should know about a customer.
  package static func warnings(_ card: CustomerCard) -> [String] {
    let environments = Set(card.purchases.map(\.match.environment))
    var warnings: [String] = []
    if !environments.isEmpty, !environments.contains(Environment.production.name) {
      warnings.append("All purchases are of a test environment: nobody paid.")
    }
    for purchase in card.purchases {
      let name = card.purchases.count == 1 ? "" : "\(Printable.text(purchase.match.originalTransactionID)): "
      warnings += Messages.warnings(purchase).map { name + $0 }
    }
    return warnings + card.attempts.compactMap(finding).map { "The device: \($0)." }
  }

  /// Returns when a version of a text was stated and recorded, and where it comes from.
  package static func cited(_ version: CitedVersion) -> String {
    let location = Printable.text(version.origin) + (version.sourceLine.map { ":\($0)" } ?? "")
    let stated = version.isInferred ? undated(version.evidenceAt) : "stated \(instant(version.evidenceAt))"
    return "\(stated), recorded \(instant(version.recordedAt)), \(trust(version.trust, version.addedRoot)), "
      + "\(version.kind.rawValue) from \(location)"
  }

  /// The warning about a text that an erasure changed.
  package static let erased = "an erasure changed this text, so its signature cannot be verified again"
}

internal import AppStore
package import Ledger
package import LedgerPresentation

/// The page that explains an answer: the rule that decided, and the evidence behind it.
package struct WhyPage {
  struct Evidence {
    let text: String
    let digest: String
    let target: String
  }

  let id: String
  let answers: [String]
  let timeBar: TimeBar
  let rules: [String]
  let evidence: [Evidence]
  let target: String

  /// Creates the page of a purchase's state.
  /// - Parameters:
  ///   - card: the purchase, at the instants of `bar`.
  ///   - evidence: the versions that the answer cites.
  ///   - bar: the instants of the page.
  package init(_ card: PurchaseCard, _ evidence: [CitedVersion], _ bar: TimeBar) {
    let original = card.match.originalTransactionID
    (id, timeBar, target) = (Printable.text(original), bar, PageAddress.purchase(original, bar.query))
    answers = PurchasePage.answers(card)
    if let entitlement = card.entitlement {
      rules =
        ["\(entitlement.rule.rawValue): \(Messages.rule(entitlement))"]
        + [Messages.doubt(entitlement), card.signed.map(Messages.againstSigned)].compactMap(\.self)
    } else {
      rules = card.transactions.compactMap { transaction in
        transaction.oneTimeState.map { state in
          "\(state.rawValue): bought once on \(Messages.instant(transaction.purchaseAt)), "
            + "a \(Messages.text(transaction.type)) [\(Printable.text(transaction.transactionID))]"
        }
      }
    }
    self.evidence = evidence.map { version in
      let notes = [
        version.isErased ? Messages.erased : nil, version.isContradictory ? Messages.contradiction : nil,
      ].compactMap(\.self)
      return Evidence(
        text: (version.isDecisive ? "Decided. " : "") + "\(version.role.rawValue), \(Messages.cited(version))"
          + notes.map { "; \($0)" }.joined(), digest: version.payload.hexadecimal,
        target: PageAddress.payload(version.payload))
    }
  }
}

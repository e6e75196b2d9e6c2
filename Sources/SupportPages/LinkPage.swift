internal import AppStore
package import Ledger
package import LedgerPresentation

/// What a user wrote into the form of a link.
package struct LinkFields: Sendable {
  package var identifier: String
  package var reason: String
  /// The customer from whom the purchase is taken over; empty for nobody.
  package var from: String

  package init(identifier: String, reason: String, from: String) {
    (self.identifier, self.reason, self.from) = (identifier, reason, from)
  }
}

/// A purchase in short form, where a user decides whose it is.
struct PurchaseLine {
  let id: String
  let target: String
  let product: String
  let state: String
  let warning: String?

  init(_ card: PurchaseCard) {
    let original = card.match.originalTransactionID
    (id, target) = (Printable.text(original), PageAddress.purchase(original))
    product = PurchasePage.product(card)
    state = PurchasePage.answers(card).joined(separator: " ")
    warning = Messages.environmentWarning(card.match.environment)
  }
}

/// The page on which a user links a purchase to a customer: a form, and what it would do.
package struct LinkPage {
  /// The link that a user is about to make.
  struct Preview {
    let before: String
    let after: String
    let button: String
    let reason: String
    let identifier: String
    let from: String
    let target: String
    let formToken: String
    let requestKey: String
  }

  /// The greatest number of purchases that the page shows.
  package static let limit = 20

  let customer: String
  let person: String
  let form: String
  let faults: [FieldFault]
  let purchases: [PurchaseLine]
  let preview: Preview?
  let holders: [FormChoice]
  let identifier: String
  let reason: String

  /// Creates the page with the fields that the user wrote.
  /// - Parameters:
  ///   - customer: the customer who gets the purchase.
  ///   - fields: what the user wrote before.
  ///   - cards: the purchases that the id leads to.
  ///   - holders: the other customers to whom they belong now.
  ///   - faults: what is wrong with the fields.
  ///   - isFilledIn: whether the user has sent the form.
  ///   - formToken: the token of the session's forms.
  ///   - requestKey: a name for the request, so that it counts once.
  package init(
    _ customer: String, _ fields: LinkFields, _ cards: [PurchaseCard], holders: [String], faults: [FieldFault],
    isFilledIn: Bool, formToken: String, requestKey: String
  ) {
    let name = Printable.text(customer)
    self.customer = name
    (person, form) = (PageAddress.person(customer), PageAddress.link(customer))
    (self.faults, purchases) = (faults, cards.map(PurchaseLine.init))
    (identifier, reason) = (fields.identifier, fields.reason)
    let names = holders.map(Printable.text)
    let others = names.joined(separator: " and ")
    let former = Printable.text(fields.from)
    let remaining = holders.filter { $0 != fields.from }.map(Printable.text)
    let also = remaining.isEmpty ? "" : " It still belongs to \(remaining.joined(separator: " and ")), too."
    preview =
      faults.isEmpty && isFilledIn
      ? Preview(
        before: names.isEmpty ? "It belongs to nobody else." : "It belongs to \(others).",
        after: (fields.from.isEmpty
          ? "It belongs to \(name)." : "From now on it belongs to \(name), and no longer to \(former).") + also,
        button: fields.from.isEmpty ? "Link it" : "Take it over", reason: fields.reason,
        identifier: fields.identifier, from: fields.from, target: PageAddress.links(customer), formToken: formToken,
        requestKey: requestKey) : nil
    self.holders =
      holders.isEmpty
      ? []
      : [FormChoice("", "Nobody: it belongs to all of them", isChosen: fields.from.isEmpty)]
        + holders.map { FormChoice($0, Printable.text($0), isChosen: $0 == fields.from) }
  }
}

/// The page on which a user ends the link of a purchase.
package struct UnlinkPage {
  let customer: String
  let identifier: String
  let person: String
  let target: String
  let purchases: [PurchaseLine]
  let after: String
  let formToken: String
  let requestKey: String

  /// Creates the page of a link.
  /// - Parameters:
  ///   - customer: the customer.
  ///   - identifier: the id that is linked.
  ///   - cards: the purchases that it leads to.
  ///   - others: the other customers to whom they belong.
  package init(
    _ customer: String, _ identifier: String, _ cards: [PurchaseCard], others: [String], formToken: String,
    requestKey: String
  ) {
    (self.customer, self.identifier) = (Printable.text(customer), Printable.text(identifier))
    (person, target) = (PageAddress.person(customer), PageAddress.unlink(customer, identifier))
    purchases = cards.map(PurchaseLine.init)
    let rest = others.map(Printable.text).joined(separator: " and ")
    after =
      "It no longer belongs to \(Printable.text(customer))"
      + (others.isEmpty
        ? ", and to nobody else, unless its own account token names somebody." : ". \(rest) still has it.")
    (self.formToken, self.requestKey) = (formToken, requestKey)
  }
}

/// The page on which a user erases a person.
package struct ForgetPage {
  let customer: String
  let person: String
  let target: String
  let changes: [String]
  let remainders: [String]
  let formToken: String

  /// Creates the page from what an erasure would change.
  package init(_ customer: String, _ erasure: Erasure, formToken: String) {
    self.customer = Printable.text(customer)
    (person, target, self.formToken) = (PageAddress.person(customer), PageAddress.forget(customer), formToken)
    changes =
      erasure.changes.map { "\(Messages.count($0.count, "row")) of \($0.table)" }
      + (erasure.textCount > 0
        ? ["\(Messages.count(erasure.textCount, "text")) of Apple’s, which cannot be verified again"] : [])
    remainders = erasure.remainders.map { "\(Messages.count($0.count, "row")) of \($0.table), column \($0.column)" }
  }
}

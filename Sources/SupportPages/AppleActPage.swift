internal import AppStore
internal import Ledger
package import LedgerPresentation

/// What a user wrote into the form that answers Apple.
package struct RefundAnswerFields: Sendable {
  package var delivery: String
  package var preference: String
  package var hasSample: Bool
  package var hasConsent: Bool
  package var reason: String

  package init(delivery: String, preference: String, hasSample: Bool, hasConsent: Bool, reason: String) {
    (self.delivery, self.preference, self.reason) = (delivery, preference, reason)
    (self.hasSample, self.hasConsent) = (hasSample, hasConsent)
  }
}

/// A page with a form about a purchase that Apple does something for: first what it does, then the button.
package struct AppleActPage {
  /// What is sent when the user confirms it.
  package struct Preview {
    let facts: [Fact]
    let fields: [Fact]
    let button: String
    let target: String
    let formToken: String

    /// Creates the preview of a form.
    /// - Parameters:
    ///   - facts: what the user sees, by name.
    ///   - fields: the fields of the form, by name.
    package init(
      facts: [(name: String, value: String)], fields: [(name: String, value: String)], button: String, target: String,
      formToken: String
    ) {
      self.facts = facts.compactMap { Fact($0.name, Printable.text($0.value)) }
      self.fields = fields.compactMap { Fact($0.name, $0.value) }
      (self.button, self.target, self.formToken) = (button, target, formToken)
    }
  }

  /// The fields of an answer about a refund.
  struct RefundForm {
    let deliveries: [FormChoice]
    let preferences: [FormChoice]
    let hasSample: Bool
    let hasConsent: Bool
  }

  /// The fields of an extension.
  struct ExtensionForm {
    let days: String
    let codes: [FormChoice]
  }

  /// The field of an account token.
  struct TokenForm {
    let token: String
  }

  let heading: String
  let id: String
  let person: String
  let state: String
  let remarks: [String]
  let faults: [FieldFault]
  let preview: Preview?
  let notes: [String]
  let form: String
  private(set) var refund: RefundForm?
  private(set) var renewal: ExtensionForm?
  private(set) var account: TokenForm?
  let reason: String

  private init(
    _ heading: String, _ card: PurchaseCard, form: String, remarks: [String], faults: [FieldFault], preview: Preview?,
    notes: [String], reason: String
  ) {
    let original = card.match.originalTransactionID
    (self.heading, self.form, self.remarks) = (heading, form, remarks)
    (id, person) = (Printable.text(original), PageAddress.purchase(original))
    state = PurchasePage.answers(card).joined(separator: " ")
    (self.faults, self.preview, self.notes, self.reason) = (faults, preview, notes, reason)
  }

  /// Creates the page on which a user answers a request for a refund.
  package init(
    refundOf card: PurchaseCard, _ fields: RefundAnswerFields, deliveries: [FormChoice], preferences: [FormChoice],
    faults: [FieldFault], preview: Preview?
  ) {
    let now = card.parameters.asOf
    self.init(
      "Answer Apple about a refund of", card, form: PageAddress.refundAnswer(card.match.originalTransactionID),
      remarks: card.requests.map { request in
        Messages.request(request, asOf: now) + (request.outcome == nil ? " (\(Messages.timeLeft(request, now)))" : "")
      }, faults: faults, preview: preview,
      notes: [
        "Apple decides about the refund. It waits for 12 hours, and the last answer before its decision counts.",
        "Without the customer’s consent, do not answer at all: Apple then decides by itself.",
      ], reason: fields.reason)
    refund = RefundForm(
      deliveries: deliveries, preferences: preferences, hasSample: fields.hasSample, hasConsent: fields.hasConsent)
  }

  /// Creates the page on which a user extends a subscription.
  /// - Parameter usedCount: how often it was extended in the last 365 days.
  package init(
    extensionOf card: PurchaseCard, days: String, codes: [FormChoice], reason: String, usedCount: Int,
    faults: [FieldFault], preview: Preview?
  ) {
    self.init(
      "Extend the renewal date of", card, form: PageAddress.renewalExtension(card.match.originalTransactionID),
      remarks: ["Extended \(usedCount) of 2 times in the last 365 days."], faults: faults, preview: preview,
      notes: ["Apple mails the customer. An extension cannot be undone. The customer pays nothing for these days."],
      reason: reason)
    renewal = ExtensionForm(days: days, codes: codes)
  }

  /// Creates the page on which a user sets the account token of a purchase.
  package init(
    accountTokenOf card: PurchaseCard, token: String, reason: String, faults: [FieldFault], preview: Preview?
  ) {
    let present = card.entitlement?.appAccountToken.map(Printable.text)
    self.init(
      "Set the account token of", card, form: PageAddress.accountToken(card.match.originalTransactionID),
      remarks: [present.map { "The present token is \($0)." } ?? "Apple stated no token."], faults: faults,
      preview: preview,
      notes: [
        "From then on, Apple states this token in all that it says about the purchase.",
        "A purchase that a family member shares takes no token.",
      ], reason: reason)
    account = TokenForm(token: token)
  }
}

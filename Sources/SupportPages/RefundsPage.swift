package import AppStore
package import Ledger
package import LedgerPresentation

/// The page of the latest requests for a refund.
package struct RefundsPage {
  struct Row {
    let requested: String
    let purchase: PageDocument.Link
    let warning: String?
    let reason: String
    let state: String
    let answer: String?
  }

  let open: [Row]
  let decided: [Row]

  /// Creates the page of some requests.
  /// - Parameters:
  ///   - requests: the requests, the newest first.
  ///   - now: the present instant.
  ///   - mayAnswer: whether the user and the server can answer Apple.
  package init(
    _ requests: [(purchase: OriginalTransactionMatch, request: RefundRequest)], now: Instant, mayAnswer: Bool
  ) {
    func row(_ purchase: OriginalTransactionMatch, _ request: RefundRequest) -> Row {
      let id = purchase.originalTransactionID
      let isWaiting = request.outcome == nil && request.requestedAt + Messages.refundAnswerTime > now
      return Row(
        requested: Messages.instant(request.requestedAt), purchase: .init(Printable.text(id), PageAddress.purchase(id)),
        warning: Messages.environmentWarning(purchase.environment), reason: request.reason.map(Printable.text) ?? "",
        state: request.outcome == nil
          ? Messages.timeLeft(request, now) : Messages.request(request, asOf: now),
        answer: mayAnswer && isWaiting ? PageAddress.refundAnswer(id) : nil)
    }
    let waiting = requests.filter { $0.request.outcome == nil }
    // What ends first comes first.
    open = waiting.sorted { $0.request.requestedAt < $1.request.requestedAt }.map(row)
    decided = requests.filter { $0.request.outcome != nil }.map(row)
  }
}

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

/// A choice of a list in a form.
package struct FormChoice: Sendable {
  let value: String
  let text: String
  let isChosen: Bool

  package init(_ value: String, _ text: String, isChosen: Bool) {
    (self.value, self.text, self.isChosen) = (value, text, isChosen)
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

  let heading: String
  let id: String
  let person: String
  let state: String
  let requests: [String]
  let faults: [FieldFault]
  let preview: Preview?
  let notes: [String]
  let form: String
  let deliveries: [FormChoice]
  let preferences: [FormChoice]
  let reasons: [FormChoice]
  let isRefund: Bool
  let hasSample: Bool
  let hasConsent: Bool
  let days: String
  let reason: String

  /// Creates the page on which a user answers a request for a refund.
  package init(
    refundOf card: PurchaseCard, _ fields: RefundAnswerFields, deliveries: [FormChoice], preferences: [FormChoice],
    faults: [FieldFault], preview: Preview?
  ) {
    let original = card.match.originalTransactionID
    (heading, isRefund) = ("Answer Apple about a refund of", true)
    (id, person) = (Printable.text(original), PageAddress.purchase(original))
    state = PurchasePage.answers(card).joined(separator: " ")
    requests = card.requests.map { request in
      Messages.request(request, asOf: card.parameters.asOf)
        + (request.outcome == nil ? " (\(Messages.timeLeft(request, card.parameters.asOf)))" : "")
    }
    (self.faults, self.preview, form) = (faults, preview, PageAddress.refundAnswer(original))
    notes = [
      "Apple decides about the refund. It waits for 12 hours, and the last answer before its decision counts.",
      "Without the customer’s consent, do not answer at all: Apple then decides by itself.",
    ]
    (self.deliveries, self.preferences, reasons) = (deliveries, preferences, [])
    (hasSample, hasConsent, days, reason) = (fields.hasSample, fields.hasConsent, "", fields.reason)
  }

  /// Creates the page on which a user extends a subscription.
  /// - Parameter usedCount: how often it was extended in the last 365 days.
  package init(
    extensionOf card: PurchaseCard, days: String, reasons: [FormChoice], reason: String, usedCount: Int,
    faults: [FieldFault], preview: Preview?
  ) {
    let original = card.match.originalTransactionID
    (heading, isRefund) = ("Extend the renewal date of", false)
    (id, person) = (Printable.text(original), PageAddress.purchase(original))
    state = PurchasePage.answers(card).joined(separator: " ")
    requests = ["Extended \(usedCount) of 2 times in the last 365 days."]
    (self.faults, self.preview, form) = (faults, preview, PageAddress.renewalExtension(original))
    notes = ["Apple mails the customer. An extension cannot be undone. The customer pays nothing for these days."]
    (deliveries, preferences, self.reasons) = ([], [], reasons)
    (hasSample, hasConsent, self.days, self.reason) = (false, false, days, reason)
  }
}

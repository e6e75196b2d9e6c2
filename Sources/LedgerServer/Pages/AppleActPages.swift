internal import AppStore
internal import AppStoreClient
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerSync
internal import SupportPages

/// The forms with which Apple is asked to do something: an answer about a refund, and the extension of a subscription.
struct AppleActPages: Sendable {
  private static let patience = Duration.seconds(8)
  private static let year: Int64 = 365 * 86_400_000
  private static let longestList = 200

  let readers: ReaderPool
  let purchases: PurchaseReading
  let changes: PageChanges
  let log: ReadLog
  let templates: PageTemplates
  /// Asks Apple; `nil` where the server only listens.
  let sync: AppleSync?

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/refunds", "listRefundRequests", .support) { try await list($0) },
      PageEndpoint(.get, "/purchases/{id}/refund-answer", "previewRefundAnswer", .lead) { try await previewAnswer($0) },
      PageEndpoint(.post, "/purchases/{id}/refund-answer", "answerRefundRequest", .lead) { try await answer($0) },
      PageEndpoint(.get, "/purchases/{id}/extension", "previewExtension", .lead) { try await previewExtension($0) },
      PageEndpoint(.post, "/purchases/{id}/extension", "extendSubscription", .lead) { try await extend($0) },
      PageEndpoint(.get, "/purchases/{id}/account-token", "previewAccountToken", .lead) { try await previewToken($0) },
      PageEndpoint(.post, "/purchases/{id}/account-token", "setAccountToken", .lead) { try await setToken($0) },
    ]
  }

  private func list(_ call: PageCall) async throws -> Response {
    let parameters = call.present
    let requests = try await readers.read(by: call.key) {
      try $0.latestRefundRequests(limit: Self.longestList, parameters)
    }
    try await log.write(call.entries([], count: requests.count))
    return templates.response(
      .refunds, call, "Requests for a refund",
      RefundsPage(requests, now: call.now, mayAnswer: sync != nil && call.session.role >= .lead))
  }

  // MARK: - Refunds

  private func previewAnswer(_ call: PageCall) async throws -> Response {
    let (card, _) = try await read(call)
    let fields = RefundAnswerFields(
      delivery: call.query["delivery"], preference: call.query["preference"], hasSample: call.query["sample"] == "yes",
      hasConsent: call.query["consent"] == "yes", reason: call.query["reason"].trimmingSpace)
    let delivery = AppStoreRequest.DeliveryStatus(rawValue: fields.delivery)
    var faults: [FieldFault] = []
    if call.isFilledIn {
      if delivery == nil { faults.append(FieldFault("delivery", "Choose what was delivered.")) }
      if !fields.hasConsent {
        faults.append(FieldFault("consent", "Apple takes no answer without the customer’s consent."))
      }
      if fields.reason.isEmpty { faults.append(.missingReason) }
    }
    let preview = try preview(call, faults, "Answer Apple", PageAddress.refundAnswer(card.match.originalTransactionID))
    {
      (
        facts: [
          ("Transaction", try Self.subject(card)), ("Delivered", Self.text(fields.delivery)),
          ("Wish", fields.preference.isEmpty ? "none" : Self.text(fields.preference)),
          ("Free sample", fields.hasSample ? "yes" : "no"), ("Consent", "yes"), ("Reason", fields.reason),
        ],
        fields: [
          ("delivery", fields.delivery), ("preference", fields.preference),
          ("sample", fields.hasSample ? "yes" : ""), ("consent", "yes"), ("reason", fields.reason),
        ]
      )
    }
    let page = AppleActPage(
      refundOf: card, fields,
      deliveries: AppStoreRequest.DeliveryStatus.allCases.map {
        FormChoice($0.rawValue, Self.text($0.rawValue), isChosen: $0 == delivery)
      },
      preferences: [FormChoice("", "no wish", isChosen: fields.preference.isEmpty)]
        + AppStoreRequest.RefundPreference.allCases.map {
          FormChoice($0.rawValue, Self.text($0.rawValue), isChosen: $0.rawValue == fields.preference)
        }, faults: faults, preview: preview)
    return templates.response(
      .appleAct, call, "Answer a request for a refund", page, status: faults.isEmpty ? .ok : .badRequest)
  }

  private func answer(_ call: PageCall) async throws -> Response {
    let (card, customers) = try await read(call)
    let action = try call.staffAction()
    let preference = AppStoreRequest.RefundPreference(rawValue: call.form["preference"])
    guard let delivery = AppStoreRequest.DeliveryStatus(rawValue: call.form["delivery"]),
      preference != nil || call.form["preference"].isEmpty, call.form["consent"] == "yes"
    else { throw HTTPProblem.foreignForm }
    let subject = try Self.subject(card)
    let request = try AppStoreRequest.consumption(
      of: subject, delivery: delivery, hasSample: call.form["sample"] == "yes", preference: preference)
    let wish = preference.map { ", with the wish \(Self.text($0.rawValue))" } ?? ""
    return try await act(
      call, request, card, customers, action, .answeredRefund,
      note: "Answered Apple’s request about a refund of \(subject): \(Self.text(delivery.rawValue))\(wish).")
  }

  /// Returns the transaction whose refund Apple asks about.
  private static func subject(_ card: PurchaseCard) throws -> String {
    guard let request = card.requests.last(where: { $0.outcome == nil }) else {
      throw HTTPProblem(
        code: "nothing_to_answer", status: .conflict, detail: "No request for a refund of this purchase is open.")
    }
    return request.transactionID ?? card.match.originalTransactionID
  }

  // MARK: - Extension

  private func previewExtension(_ call: PageCall) async throws -> Response {
    let (card, _) = try await read(call)
    let (days, code) = (call.query["days"].trimmingSpace, call.query["code"])
    let reason = call.query["reason"].trimmingSpace
    let usedCount = card.events.count {
      $0.kind == .notification && $0.detail == "RENEWAL_EXTENDED"
        && $0.happenedAt.milliseconds > call.now.milliseconds - Self.year
    }
    var faults: [FieldFault] = []
    if call.isFilledIn {
      if Int(days).map({ (1...90).contains($0) }) != true {
        faults.append(FieldFault("days", "Write a number of days from 1 to 90."))
      }
      if usedCount >= 2 { faults.append(FieldFault("days", "Apple extends a subscription twice in 365 days.")) }
      if card.entitlement == nil { faults.append(FieldFault("days", "Only a subscription can be extended.")) }
      if reason.isEmpty { faults.append(.missingReason) }
    }
    let end = card.entitlement?.expiresAt.map { Messages.instant($0) } ?? "–"
    let preview = preview(call, faults, "Extend it", PageAddress.renewalExtension(card.match.originalTransactionID)) {
      (
        facts: [
          ("Now", "It renews on \(end)."), ("Then", "It renews \(days) days later, without a payment for them."),
          ("Reason", reason),
        ],
        fields: [
          ("days", days), ("code", code), ("reason", reason),
        ]
      )
    }
    let page = AppleActPage(
      extensionOf: card, days: days,
      codes: AppStoreRequest.ExtensionReason.allCases.map {
        FormChoice(String($0.rawValue), Self.text($0), isChosen: String($0.rawValue) == code)
      }, reason: reason, usedCount: usedCount, faults: faults, preview: preview)
    return templates.response(
      .appleAct, call, "Extend a subscription", page, status: faults.isEmpty ? .ok : .badRequest)
  }

  private func extend(_ call: PageCall) async throws -> Response {
    let (card, customers) = try await read(call)
    let (action, key) = (try call.staffAction(), try call.requestKey())
    guard let days = Int(call.form["days"]), (1...90).contains(days),
      let code = Int(call.form["code"]).flatMap(AppStoreRequest.ExtensionReason.init)
    else { throw HTTPProblem.foreignForm }
    // Apple does nothing more for the same identifier, so a form that arrives twice counts once.
    let request = try AppStoreRequest.extend(
      card.match.originalTransactionID, byDays: days, code, identifier: key)
    return try await act(
      call, request, card, customers, action, .extended,
      note: "Extended the renewal date of \(card.match.originalTransactionID) by \(Messages.count(days, "day")).")
  }

  // MARK: - Account token

  private func previewToken(_ call: PageCall) async throws -> Response {
    let (card, _) = try await read(call)
    let (token, reason) = (call.query["token"].trimmingSpace, call.query["reason"].trimmingSpace)
    var faults: [FieldFault] = []
    if call.isFilledIn {
      if (try? Self.tokenRequest(token, card)) == nil { faults.append(FieldFault("token", "Write a UUID.")) }
      if card.entitlement?.inAppOwnershipType == "FAMILY_SHARED" {
        faults.append(FieldFault("token", "A family member shares this purchase. It takes no token."))
      }
      if reason.isEmpty { faults.append(.missingReason) }
    }
    let preview = preview(call, faults, "Set the token", PageAddress.accountToken(card.match.originalTransactionID)) {
      (
        facts: [("Account token", token), ("Reason", reason)],
        fields: [("token", token), ("reason", reason)]
      )
    }
    let page = AppleActPage(accountTokenOf: card, token: token, reason: reason, faults: faults, preview: preview)
    return templates.response(
      .appleAct, call, "Set an account token", page, status: faults.isEmpty ? .ok : .badRequest)
  }

  private func setToken(_ call: PageCall) async throws -> Response {
    let (card, customers) = try await read(call)
    let (action, token) = (try call.staffAction(), call.form["token"])
    guard let request = try? Self.tokenRequest(token, card) else { throw HTTPProblem.foreignForm }
    return try await act(
      call, request, card, customers, action, .setToken,
      note: "Set the account token of \(card.match.originalTransactionID) to \(token.lowercased()).")
  }

  private static func tokenRequest(_ token: String, _ card: PurchaseCard) throws -> AppStoreRequest {
    try .setAppAccountToken(token, of: card.match.originalTransactionID)
  }

  // MARK: - One act

  /// Returns the preview of a form, with the button that sends it; `nil` before the form is filled in without a fault.
  private func preview(
    _ call: PageCall, _ faults: [FieldFault], _ button: String, _ target: String,
    _ content: () throws -> (facts: [(name: String, value: String)], fields: [(name: String, value: String)])
  ) rethrows -> AppleActPage.Preview? {
    guard call.isFilledIn, faults.isEmpty else { return nil }
    let (facts, fields) = try content()
    return AppleActPage.Preview(
      facts: facts, fields: fields + [("request_key", PageCall.newRequestKey())], button: button, target: target,
      formToken: call.secret.formToken)
  }

  /// Asks Apple to do something, and notes it in the timeline of each customer of the purchase.
  private func act(
    _ call: PageCall, _ request: AppStoreRequest, _ card: PurchaseCard, _ customers: [String], _ action: StaffAction,
    _ done: PageDone, note: String
  ) async throws -> Response {
    guard let sync else { throw HTTPProblem.asksNothing }
    // A form without a name of its request must not reach Apple: nothing would say who sent it.
    _ = try call.requestKey()
    let app = try sync.app(card.entitlement?.bundleID)
    let environment = AppStore.Environment.named(card.match.environment) ?? .production
    do {
      let answer = try await app.client.ask(request, in: environment, tries: 1, within: Self.patience)
      try await app.recorder.recordRequests(of: answer, .command)
    } catch let failure as AppStoreFailure {
      try await app.recorder.record(failure, .command)
      throw HTTPProblem(code: "apple_refused", status: .conflict, detail: "Nothing was done. \(failure)")
    }
    return try await changes.make(
      call, about: customers, reason: action.reason,
      then: PageAddress.purchase(card.match.originalTransactionID, [("done", done.rawValue)])
    ) { transaction in
      for customer in Set(customers.map(AccountToken.normalized)).sorted() {
        try transaction.note("\(note) \(action.reason)", about: customer, by: action.author, now: action.enteredAt)
      }
    }
  }

  private func read(_ call: PageCall) async throws -> (PurchaseCard, [String]) {
    let parameters = call.present
    let found = try await purchases.read(
      try call.parameter("id"), call, parameters, isLogged: call.request.method == .get
    ) { _, _ in }
    return (found.card, found.customers)
  }

  /// Returns a value of Apple's as words: `undelivered wrong item`.
  private static func text(_ value: String) -> String { value.lowercased().replacing("_", with: " ") }

  private static func text(_ reason: AppStoreRequest.ExtensionReason) -> String {
    switch reason {
    case .undeclared: "no reason stated"
    case .customerSatisfaction: "to satisfy a customer"
    case .other: "another reason"
    case .serviceIssue: "the service had an outage"
    }
  }
}

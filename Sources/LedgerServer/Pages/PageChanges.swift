internal import AppStore
internal import Hummingbird
internal import Ledger
internal import LedgerService
internal import LedgerStore
internal import SupportPages

/// What a user has just done, for the address of the next page.
enum PageDone: String, CaseIterable {
  case note, grant, link, transfer, unlink, forget
  case endGrant = "end-grant"
  case askedNews = "asked-news"
  case askedNothingNew = "asked-nothing-new"
  case askedUnknown = "asked-unknown"
  case answeredRefund = "answered-refund"
  case extended
  case setToken = "set-token"

  /// The status line of the page.
  var text: String {
    switch self {
    case .note: "The note is added."
    case .grant: "The access is granted."
    case .endGrant: "The grant is ended."
    case .link: "The purchase is linked."
    case .transfer: "The purchase is taken over."
    case .unlink: "The link is ended."
    case .forget: "The person is forgotten. This is the pseudonym under which the purchases stay together."
    case .askedNews: "Apple answered with something new. This page has it already."
    case .askedNothingNew: "Apple answered. The ledger knew all of it already."
    case .answeredRefund: "Apple has the answer. Its decision comes as a notification."
    case .setToken: "Apple has the account token. What it states from now on has it, too."
    case .extended: "Apple has extended the subscription. Its notification brings the new date."
    case .askedUnknown: "Apple answered that it does not know this id."
    }
  }
}

/// Makes the changes of forms. Each change and its entries in the access log are one transaction, and a form that arrives
/// twice counts once.
struct PageChanges: Sendable {
  let inbox: Inbox
  /// The present instant by a clock that never jumps while the server runs, for how long a form is remembered.
  let steadyNow: @Sendable () -> Instant

  /// Makes a change once, also when its form arrives twice, and leads to a page.
  /// - Parameters:
  ///   - customers: the customers whom the change is about.
  ///   - reason: the reason for the access log.
  ///   - target: the address of the next page.
  func make(
    _ call: PageCall, about customers: [String], reason: String?, then target: String,
    _ body: @escaping @Sendable (EvidenceTransaction) throws -> Void
  ) async throws -> Response {
    let once = IdempotentRequest(
      call.key, key: try call.requestKey(), content: Array("\(call.request.uri.path)\n\(call.form.text)".utf8))
    let entries = call.entries(customers, reason: reason, count: 1)
    _ = try await inbox.change { transaction in
      try transaction.answer(once: once, now: steadyNow()) {
        try body(transaction)
        for entry in entries { try transaction.log(entry) }
        return "{}"
      }
    }
    return PageResponse.redirect(target)
  }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore
internal import SupportPages

/// The form with which an admin erases a person. The purchases stay together under a pseudonym.
struct ForgetPages: Sendable {
  let inbox: Inbox
  let log: ReadLog
  let templates: PageTemplates

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/people/{customer}/forget", "previewErasure", .admin) { try await preview($0) },
      PageEndpoint(.post, "/people/{customer}/forget", "eraseCustomer", .admin) { try await forget($0) },
    ]
  }

  private func preview(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let action = StaffAction(author: call.session.user.name, reason: "preview", enteredAt: call.now)
    let erasure = try await inbox.run { ledger in
      try ledger.erase(customer, as: Erasure.newPseudonym(), action, isCommitted: false)
    }
    try await log.write(
      call.entries(
        [customer], parameters: call.present, count: erasure.changes.count))
    let page = ForgetPage(customer, erasure, formToken: call.secret.formToken)
    return templates.response(.forget, call, "Forget a person", page)
  }

  private func forget(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    guard call.form["customer"].trimmingSpace == customer else {
      throw HTTPProblem.wrongRequest(
        "wrong_value", "customer", "The id is not the one of this person. Go back, and write it as it stands there.")
    }
    let action = try call.staffAction()
    let pseudonym = try await inbox.run { ledger in
      let erasure = try ledger.erase(customer, as: Erasure.newPseudonym(), action)
      // The log has the pseudonym, because the id must be nowhere. The erasure itself has the reason.
      let count = erasure.changes.reduce(0) { $0 + $1.count }
      try ledger.log(call.entries([erasure.pseudonym], count: count))
      return erasure.pseudonym
    }
    return PageResponse.redirect(PageAddress.person(pseudonym, [("done", PageDone.forget.rawValue)]))
  }
}

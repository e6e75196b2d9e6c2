internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore

/// Answers who read about whom, and erases people: for those who answer for the data.
struct AdminAPI: Sendable {
  let readers: ReaderPool
  let inbox: Inbox

  /// The greatest number of entries of the access log in one answer.
  static let longestPage: Int64 = 1000

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/access-log", "listAccessLog", [.admin],
        query: ["customer", "purchase", "since", "before", "limit", "reason"]
      ) { try await accessLog($0) },
      Endpoint(.post, "/v1/erasures", "eraseCustomer", [.admin]) { try await erase($0) },
    ]
  }

  private func accessLog(_ call: Call) async throws -> Response {
    let customer = try call.query["customer"].map { try Call.id($0, at: "customer") }
    let purchase = try call.query["purchase"].map { try Call.id($0, at: "purchase") }
    guard customer == nil || purchase == nil else {
      throw HTTPProblem.wrongRequest("wrong_value", "purchase", "Name a customer or a purchase, and not both.")
    }
    let subject = customer.map(AccessLogSubject.customer) ?? purchase.map(AccessLogSubject.purchase)
    let limit = Int(try call.number("limit", in: 1...Self.longestPage, default: 100))
    let before = try call.number("before", in: 1...Int64.max, default: .max)
    let since = try call.instant("since")
    let rows = try await readers.read(for: call) {
      try $0.accessLog(about: subject, before: before, since: since, limit: limit + 1)
    }
    let shown = rows.prefix(limit)
    _ = try await inbox.store([], logging: try call.entries([], count: shown.count), from: .backEnd)
    return call.json([
      ("entries", JSONText.array(shown.map { JSONText.object($0) })),
      ("next_before", rows.count > limit ? shown.last.map { String($0.entryID) } ?? "null" : "null"),
    ])
  }

  private func erase(_ call: Call) async throws -> Response {
    let body = try await call.body(["customer", "reason", "author", "dry_run"])
    let customer = try body.requiredID("customer")
    let staffAction = StaffAction(
      author: call.author(try body.prose("author")), reason: try body.requiredProse("reason"), enteredAt: call.now)
    let isCommitted = try !(body.flag("dry_run") ?? false)
    let erasure = try await inbox.run { ledger in
      let erasure = try ledger.erase(customer, as: Erasure.newPseudonym(), staffAction, isCommitted: isCommitted)
      // The log has the pseudonym, because the id must be nowhere. The erasure itself has the reason.
      let count = erasure.changes.reduce(0) { $0 + $1.count }
      try ledger.log(try call.entries(isCommitted ? [erasure.pseudonym] : [], count: count))
      return erasure
    }
    return call.json([("dry_run", isCommitted ? "false" : "true")] + erasure.members)
  }
}

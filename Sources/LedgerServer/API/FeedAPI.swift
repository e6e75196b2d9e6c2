internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService

/// Answers which states changed, in one total order.
struct FeedAPI: Sendable {
  let readers: ReaderPool
  let worker: FeedWorker
  let uptime: @Sendable () -> ContinuousClock.Instant

  /// The greatest number of changes in one answer.
  static let longestPage: Int64 = 100
  /// The longest time that a request waits for a change, in seconds.
  static let longestWait: Int64 = 60

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/v1/changes", "listChanges", [.ask, .support], query: ["after", "limit", "wait"]) {
        try await changes($0)
      }
    ]
  }

  private func changes(_ call: Call) async throws -> Response {
    let after = try call.query["after"].map { text in
      guard let id = ChangeID(text) else {
        throw HTTPProblem.wrongRequest(
          "wrong_change_id", "after", "Give the id of a change, for example the `next` of an answer.")
      }
      return id
    }
    let limit = try call.number("limit", in: 1...Self.longestPage, default: Self.longestPage)
    let wait = try call.number("wait", in: 0...Self.longestWait, default: 0)
    let deadline = uptime() + .seconds(wait)
    while true {
      let turn = worker.turn
      let page = try await readers.read(for: call) { try $0.changes(after: after, limit: Int(limit), now: call.now) }
      guard let page else {
        throw HTTPProblem.unavailable("feed_not_ready", "The server still reads the present states. Ask again.")
      }
      guard page.containsCursor else { throw HTTPProblem.changesRestarted(page.last.description) }
      if !page.changes.isEmpty || uptime() >= deadline {
        return call.json([
          ("changes", JSONText.array(page.changes.map(Self.json))),
          ("next", JSONText.string(page.next.description)), ("last", JSONText.string(page.last.description)),
        ])
      }
      switch await worker.wait(after: turn, atMost: uptime().duration(to: deadline), token: call.token.key) {
      case .over: break
      case .revoked: throw HTTPProblem.endedToken
      case .tooMany: throw HTTPProblem.tooManyWait
      case .tooManyOfToken: throw HTTPProblem.tooManyWaitOfToken
      }
    }
  }

  private static func json(_ change: StateChange) -> String {
    JSONText.nested(
      JSONText.members([
        "id": .text(change.id.description),
        "kind": Value(change.kind),
        "cause": Value(change.cause),
        "changed_at": .instant(change.changedAt),
        "environment": Value(change.environment),
        "original_transaction_id": Value(change.originalTransactionID),
        "transaction_id": Value(change.transactionID),
        "entitlement": Value(change.entitlement),
        "action": Value(change.link?.action),
        "identifier": Value(change.link?.identifier),
        "payload": Value(change.payload?.hexadecimal),
      ]) + [
        ("customers", JSONText.array(change.customers.map(JSONText.string))),
        ("before", json(change.before)), ("after", json(change.after)),
      ])
  }

  private static func json(_ state: StateChange.State?) -> String {
    guard let state else { return "null" }
    return JSONText.object([
      "state": Value(state.name),
      "has_access": .flag(state.hasAccess),
      "product_id": Value(state.productID),
      "access_ends_at": Value(state.accessEndsAt),
      "will_renew": Value(state.willRenew),
    ])
  }
}

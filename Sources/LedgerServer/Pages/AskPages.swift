internal import AppStore
internal import AppStoreClient
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerService
internal import LedgerSync
internal import SupportPages
internal import Synchronization

/// The form that asks Apple about an id at once, and records the answer.
final class AskPages: Sendable {
  /// How long a user waits for Apple's answer.
  private static let patience = Duration.seconds(8)
  /// The time in which Apple is asked about one id once, in milliseconds.
  private static let pause: Int64 = 60_000

  let readers: ReaderPool
  let log: ReadLog
  /// Asks Apple; `nil` where the server only listens.
  let sync: AppleSync?
  /// When Apple was asked about an id the last time, for the ids of the last minute.
  private let askedAt = Mutex<[String: Instant]>([:])

  init(readers: ReaderPool, log: ReadLog, sync: AppleSync?) {
    (self.readers, self.log, self.sync) = (readers, log, sync)
  }

  var endpoints: [PageEndpoint] {
    [PageEndpoint(.post, "/ask-apple", "askApple", .support) { try await self.ask($0) }]
  }

  private func ask(_ call: PageCall) async throws -> Response {
    let id = try Call.id(call.form["id"].trimmingSpace, at: "id")
    guard let sync else { throw HTTPProblem.asksNothing }
    let parameters = call.present
    let found = try await readers.read(by: call.key) {
      ledger -> (purchase: OriginalTransactionMatch, entitlement: Entitlement?, customers: [String])? in
      guard let purchase = try ledger.purchase(withID: id) else { return nil }
      return (
        purchase, try ledger.entitlement(of: purchase, parameters), try ledger.customers(of: purchase, parameters)
      )
    }
    let app = try sync.app(found?.entitlement?.bundleID ?? Self.text(call.form["bundle_id"]))
    let request = try Self.request(id, isSubscription: found?.entitlement != nil)
    try await log.write(
      call.entries(found?.customers ?? [], purchase: found?.purchase.originalTransactionID, count: found == nil ? 0 : 1)
    )
    try startAsking(found?.purchase.originalTransactionID ?? id, at: call.now)
    let environment = found.flatMap { AppStore.Environment.named($0.purchase.environment) }
    let done: PageDone
    do {
      let answer = try await app.client.find(request, in: environment, tries: 1, within: Self.patience)
      let recorded = try await app.recorder.record(answer, .command)
      done = recorded.summary.recorded > 0 ? .askedNews : .askedNothingNew
    } catch let failure as AppStoreFailure {
      try await app.recorder.record(failure, .command)
      guard failure.verdict == .unknownTransaction || failure.verdict == .wrongRequest else {
        throw HTTPProblem.unavailable("apple_did_not_answer", "Apple did not answer now. Ask again in some minutes.")
      }
      done = .askedUnknown
    }
    let target =
      found.map { PageAddress.purchase($0.purchase.originalTransactionID, [("done", done.rawValue)]) }
      ?? PageAddress.search(id)
    return PageResponse.redirect(target)
  }

  /// Remembers that Apple is asked about an id now.
  /// - Throws: ``HTTPProblem`` when somebody asked less than a minute ago.
  private func startAsking(_ id: String, at now: Instant) throws {
    let isEarly = askedAt.withLock { askedAt in
      askedAt = askedAt.filter { now.milliseconds - $0.value.milliseconds < Self.pause }
      guard askedAt[id] == nil else { return true }
      askedAt[id] = now
      return false
    }
    guard !isEarly else {
      throw HTTPProblem(
        code: "asked_before", status: .tooManyRequests,
        detail: "Apple was asked about this id less than a minute ago. Open the page again: it has Apple’s answer.",
        retryAfter: Int(Self.pause / 1000))
    }
  }

  private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Returns what is asked: an order of a receipt by mail, the state of a subscription, or one transaction.
  private static func request(_ id: String, isSubscription: Bool) throws -> AppStoreRequest {
    do {
      if id.contains(where: \.isLetter) { return try .orderLookup(id.uppercased()) }
      return try isSubscription ? .subscriptionStatuses(of: id) : .transactionInfo(id)
    } catch {
      throw HTTPProblem.wrongRequest("wrong_value", "id", "Write a transaction id or an order id of Apple’s.")
    }
  }
}

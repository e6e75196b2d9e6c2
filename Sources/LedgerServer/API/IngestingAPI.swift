internal import AppStore
internal import AppStoreClient
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore
internal import LedgerSync

/// Records what back ends pass on: receipts, signed transactions and events of apps. They are on disk before the
/// answer.
struct IngestingAPI: Sendable {
  let readers: ReaderPool
  let inbox: Inbox
  let decoder: PayloadDecoder
  let counts: ServerMetrics
  /// Asks Apple about receipts; `nil` where the server only listens.
  let sync: AppleSync?

  /// The greatest number of transactions or events in one request.
  static let longestList = 100
  /// The greatest length of a receipt's answer, in bytes.
  static let longestReceipt = 4 << 20
  /// The greatest length of a list of transactions or events, in bytes.
  static let longestBody = 1 << 20

  var endpoints: [Endpoint] {
    [
      Endpoint(.post, "/v1/receipts", "postReceipt", [.ingest], query: ["customer", "bundle_id"]) {
        try await receipt($0)
      },
      Endpoint(.post, "/v1/transactions", "postTransactions", [.ingest]) { try await transactions($0) },
      Endpoint(.post, "/v1/client-events", "postClientEvents", [.ingest]) { try await events($0) },
    ]
  }

  /// Records what Apple states of a receipt: the answer that a back end got, or the one that the server asks for.
  private func receipt(_ call: Call) async throws -> Response {
    let customer = try call.query["customer"].map { try Call.id($0, at: "customer") }
    let bytes = try await call.bytes(atMost: Self.longestReceipt)
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      throw HTTPProblem.wrongRequest(
        "wrong_json", "$", "Write an object: a receipt as receipt-data, or the answer of verifyReceipt.")
    }
    let root = try JSONBody.document(bytes).root
    guard root["receipt-data"] == nil || root["status"] != nil else {
      let receipt = try RequestObject(root, ["receipt-data"]).requiredText("receipt-data")
      return try await self.receipt(receipt, call, customer: customer)
    }
    // It is not signed: the token states that it came from Apple.
    var decoder = decoder
    decoder.unsigned = .accepted(from: "a back end with the scope ingest")
    return try await record([bytes], decoder, call, customer: customer)
  }

  /// Records the receipt of a device, if Apple's signature on it is valid. Apple is asked about its purchases later: the
  /// device may not have every renewal and refund. What cannot be verified here, Apple judges at once.
  private func receipt(_ receipt: String, _ call: Call, customer: String?) async throws -> Response {
    var decoder = decoder
    decoder.now = call.now
    let bytes = Array(receipt.utf8)
    let check = await decoder.check(receipt: bytes)
    if check.refusal?.signature != nil || check.kind == nil, let sync {
      return try await ask(sync, receipt, call, customer: customer)
    }
    guard check.kind != nil else { throw Self.notReceipt }
    let outcome: PayloadDecoder.Outcome =
      switch check.result {
      case .success(let evidence): .evidence(evidence)
      case .failure(let refusal): .refused(refusal, raw: SecretRedactor.redacted(bytes))
      }
    return try await record([outcome], call, customer: customer) { transaction, arrivals, results in
      try askLater(about: arrivals, results, transaction, now: call.now) { transactions in
        // One question for each purchase: a receipt lists every period.
        Dictionary(grouping: transactions, by: \.originalTransactionID).values.compactMap { purchase in
          purchase.max { ($0.fields.purchaseAt?.milliseconds ?? 0) < ($1.fields.purchaseAt?.milliseconds ?? 0) }
        }
      }
    }
  }

  /// Opens questions about transactions in payloads that were recorded. Apple may know more about them than the device: a
  /// refund, for example.
  /// - Parameter selected: the transactions of a payload to ask about.
  private func askLater(
    about arrivals: [Arrival], _ results: [ArrivalResult], _ transaction: EvidenceTransaction, now: Instant,
    _ selected: ([TransactionVersion]) -> [TransactionVersion]
  ) throws {
    guard sync?.settings.reconciles == true else { return }
    for (arrival, result) in zip(arrivals, results) where result == .recorded {
      guard case .evidence(let evidence) = arrival.outcome else { continue }
      for version in selected(evidence.transactions) {
        try transaction.openQuestion(
          aboutPosted: version.transactionID, in: version.environment, now: now, due: now + Reconciler.firstWait)
      }
    }
  }

  private static let notReceipt = HTTPProblem.wrongRequest(
    "wrong_value", "$.receipt-data", "Write the receipt of the device in Base64.")

  /// How long somebody waits for Apple's answer about a receipt.
  private static let patience = Duration.seconds(8)

  /// Asks Apple about the receipt of a device, and records the answer. Where Apple cannot answer now, the receipt waits.
  private func ask(_ sync: AppleSync, _ receipt: String, _ call: Call, customer: String?) async throws -> Response {
    let app = try sync.app(call.query["bundle_id"])
    let digest = ContentDigest(sha256: Array(receipt.utf8))
    let request: AppStoreRequest
    do { request = try app.receiptRequest(receipt) } catch {
      throw Self.notReceipt
    }
    do {
      let answer = try await app.client.find(request, tries: 1, within: Self.patience)
      let requests = app.recorder.requests(answer.attempts, .question(.postedReceipt))
      return try await record([answer.body], app.recorder.decoder, call, customer: customer) {
        transaction, _, results in
        try transaction.log(requests, answered: results)
        try transaction.closeQuestion(aboutReceipt: digest)
      }
    } catch let failure as AppStoreFailure {
      // Without the reconciler nobody would ask later.
      let waits = sync.settings.reconciles
      let entries = try call.entries([customer].compactMap(\.self), count: 0)
      let due = max(failure.retryAt ?? call.now, call.now + Reconciler.firstWait)
      try await app.recorder.record(failure, .question(.postedReceipt)) { transaction in
        for entry in entries { try transaction.log(entry) }
        guard !failure.refusesReceipt else { return try transaction.closeQuestion(aboutReceipt: digest) }
        guard waits else { return }
        try transaction.openQuestion(
          aboutReceipt: receipt, of: app.client.bundleID, digest: digest, now: call.now, due: due)
      }
      if failure.refusesReceipt { throw HTTPProblem.receiptIsRefused(code: failure.code) }
      guard waits else { throw HTTPProblem.unavailable("apple_did_not_answer", "Apple did not answer. Send it again.") }
      let waiting = Self.outcome("waiting", failure.verdict.rawValue)
      let (sequence, _) = try await readers.answer(for: call) { _ in }
      return call.json(
        [("recorded", "false"), ("results", JSONText.array([waiting])), ("seq", String(sequence))], status: .accepted)
    }
  }

  /// Records transactions that Apple signed. A device may have sent them to the back end.
  private func transactions(_ call: Call) async throws -> Response {
    let body = try await call.body(atMost: Self.longestBody, ["signed_transactions", "customer"])
    let texts = try body.list("signed_transactions", atMost: Self.longestList).map { element in
      // Anything else could be a text that nobody signed.
      guard let text = element.string, text.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
        throw HTTPProblem.wrongRequest("wrong_type", element.path, "Write a signed transaction: a compact JWS.")
      }
      return Array(text.utf8)
    }
    var decoder = decoder
    decoder.unsigned = .refused
    return try await record(texts, decoder, call, customer: try body.id("customer")) {
      try askLater(about: $1, $2, $0, now: call.now) { $0 }
    }
  }

  /// Records what an app reports about its payment queue. It is never evidence of a purchase.
  private func events(_ call: Call) async throws -> Response {
    let bytes = try await call.bytes(atMost: Self.longestBody)
    let root = try RequestObject(JSONBody.document(bytes).root, ["events", "customer"])
    let customer = try root.id("customer")
    let texts = try root.list("events", atMost: Self.longestList).map { element in
      guard element.isObject else { throw HTTPProblem.wrongRequest("wrong_type", element.path, "Write an object.") }
      return Self.event(element, of: customer)
    }
    var decoder = decoder
    (decoder.unsigned, decoder.acceptsClientEvents) = (.refused, true)
    return try await record(texts, decoder, call, customer: customer)
  }

  /// Returns an event with the customer of the request. Whom the device names is data: it could name anybody, and so keep
  /// them from a purchase.
  private static func event(_ event: JSONValue, of customer: String?) -> [UInt8] {
    var (members, named): ([String], [String]) = (customer.map { ["\"customer\": \(JSONText.string($0))"] } ?? [], [])
    for (name, value) in zip(event.keys, event.members) {
      let member = "\(JSONText.string(name)): \(String(decoding: value.source, as: UTF8.self))"
      if ["customer", "app_account_token", "named_by_device"].contains(name) {
        named.append(member)
      } else {
        members.append(member)
      }
    }
    if !named.isEmpty { members.append("\"named_by_device\": {\(named.joined(separator: ", "))}") }
    return Array("{\(members.joined(separator: ", "))}".utf8)
  }

  private func record(
    _ texts: [[UInt8]], _ decoder: PayloadDecoder, _ call: Call, customer: String?,
    and further: @escaping @Sendable (EvidenceTransaction, [Arrival], [ArrivalResult]) throws -> Void = { _, _, _ in }
  ) async throws -> Response {
    var decoder = decoder
    decoder.now = call.now
    decoder.sharedSecrets = []
    var outcomes: [PayloadDecoder.Outcome] = []
    for text in texts { outcomes += await decoder.decode(text).outcomes }
    return try await record(outcomes, call, customer: customer, and: further)
  }

  private func record(
    _ outcomes: [PayloadDecoder.Outcome], _ call: Call, customer: String?,
    and further: @escaping @Sendable (EvidenceTransaction, [Arrival], [ArrivalResult]) throws -> Void
  ) async throws -> Response {
    let origin = "\(call.operation) by token \(call.token.id)"
    let arrivals = outcomes.map { Arrival(outcome: $0, receivedAt: call.now, isExplicit: true, origin: origin) }
    let parameters = QueryParameters(asOf: call.now, knownAt: call.now)
    let holder = try await readers.read(for: call) { ledger in
      try customer.map { try ledger.customer(named: $0, parameters) }
    }
    let entries = try call.entries([customer, holder].compactMap(\.self), count: arrivals.count)
    let results = try await inbox.store(arrivals, logging: entries, from: .backEnd) {
      try further($0, arrivals, $1)
    }
    counts.count(arrivals, results, source: "api", now: call.now)
    // Who may record does not see whether somebody has access.
    let asked = call.token.scopes.contains(.ask) ? customer : nil
    let (sequence, accesses) = try await readers.answer(for: call) { ledger in
      try asked.map { try ledger.accesses(of: $0, parameters) }
    }
    var members: JSONText.Members = [
      ("recorded", results.contains(.recorded) ? "true" : "false"),
      ("results", JSONText.array(results.map(Self.json))),
    ]
    if let accesses { members.append(("entitlements", JSONText.array(accesses.map(AnswerJSON.access)))) }
    return call.json(members + [("seq", String(sequence))])
  }

  private static func json(_ result: ArrivalResult) -> String {
    switch result {
    case .recorded: outcome("recorded")
    case .duplicate: outcome("duplicate")
    case .quarantined(let reason, _): outcome("quarantined", reason.rawValue)
    }
  }

  /// Returns what became of one payload.
  private static func outcome(_ outcome: String, _ reason: String? = nil) -> String {
    JSONText.object(["outcome": .text(outcome), "reason": Value(reason)])
  }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import SupportPages

/// Answers what happened to a person's purchases, and why. Each answer is in the access log before its answer leaves.
struct PeopleAPI: Sendable {
  let readers: ReaderPool
  let log: ReadLog

  /// The greatest number of purchases in one answer.
  static let longestList = 100

  var endpoints: [Endpoint] {
    let read = Call.instantParameters + ["reason"]
    let card = read + ["environment"]
    return [
      Endpoint(.get, "/v1/search", "search", [.support], query: read + ["text", "limit"]) { try await search($0) },
      Endpoint(.get, "/v1/customers/{customer}", "showCustomer", [.support], query: card) { try await customer($0) },
      Endpoint(.get, "/v1/customers/{customer}/history", "listCustomerHistory", [.support], query: read) {
        try await ofCustomer($0, Self.history)
      },
      Endpoint(.get, "/v1/customers/{customer}/why", "explainCustomer", [.support], query: read) {
        try await ofCustomer($0, Self.explanation)
      },
      Endpoint(.get, "/v1/purchases/{id}", "showPurchase", [.support], query: read) {
        try await ofPurchase($0, Self.card)
      },
      Endpoint(.get, "/v1/purchases/{id}/history", "listPurchaseHistory", [.support], query: read) {
        try await ofPurchase($0, Self.history)
      },
      Endpoint(.get, "/v1/purchases/{id}/why", "explainPurchase", [.support], query: read) {
        try await ofPurchase($0, Self.explanation)
      },
    ]
  }

  private func search(_ call: Call) async throws -> Response {
    guard let given = call.query["text"] else {
      throw HTTPProblem.wrongRequest(
        "missing_parameter", "text", "Write an id, its beginning, or a text that staff wrote.")
    }
    let (text, parameters) = (try Call.id(given, at: "text").trimmingSpace, try call.parameters())
    guard !text.isEmpty else { throw HTTPProblem.wrongRequest("refused_text", "text", "The text is blank.") }
    let limit = Int(try call.number("limit", in: 1...Int64(Self.longestList), default: 25))
    let (sequence, (matches, mentions)) = try await readers.answer(for: call) { ledger in
      let matches = try ledger.search(text).matches.prefix(limit).map { match in
        JSONText.object(try MatchRow(match, ledger, parameters))
      }
      let mentions = try ledger.customers(mentioning: text, knownAt: parameters.knownAt, limit: limit)
      return (matches, mentions.map { JSONText.object($0) })
    }
    try await log.write(try call.entries([], count: matches.count + mentions.count))
    return call.answer(
      [("matches", JSONText.array(matches)), ("mentions", JSONText.array(mentions))], parameters, sequence: sequence)
  }

  /// A text about one purchase, as JSON.
  typealias Describe = @Sendable (OriginalTransactionMatch, LedgerReader, QueryParameters) throws -> String

  private static let card: Describe = { purchase, ledger, parameters in
    try PurchaseCard(purchase, ledger, parameters, names: try ledger.productNames()).json
  }

  private static let history: Describe = { purchase, ledger, parameters in
    JSONText.nested([
      ("environment", JSONText.string(purchase.environment)),
      ("original_transaction_id", JSONText.string(purchase.originalTransactionID)),
      ("events", JSONText.array(try ledger.history(of: purchase, parameters).map(AnswerJSON.event))),
    ])
  }

  private static let explanation: Describe = { purchase, ledger, parameters in
    var why = "null"
    if let entitlement = try ledger.entitlement(of: purchase, parameters) {
      why = AnswerJSON.explanation(
        entitlement, try ledger.evidence(for: entitlement), try ledger.signedAnswer(against: entitlement, of: purchase))
    }
    return JSONText.nested([
      ("environment", JSONText.string(purchase.environment)),
      ("original_transaction_id", JSONText.string(purchase.originalTransactionID)),
      ("why", why),
      (
        "one_time_purchases",
        JSONText.array(
          try ledger.transactions(of: purchase, parameters).compactMap { transaction in
            Messages.oneTime(transaction).map { words in
              JSONText.object([
                "transaction_id": .text(transaction.transactionID),
                "state": Value(transaction.oneTimeState),
                "explanation": .text(words),
              ])
            }
          })
      ),
    ])
  }

  private func customer(_ call: Call) async throws -> Response {
    let (customer, parameters) = (try call.parameter("customer"), try call.parameters())
    let environment = try call.statedEnvironment()?.name
    let (sequence, (card, ticket)) = try await readers.answer(for: call) { ledger in
      let card = try CustomerCard(customer, ledger, parameters, environment: environment)
      return (card, try Ticket(card, ledger))
    }
    try await log.write(try call.entries(card.customers, parameters: parameters, count: card.record.claims.count))
    guard card.isKnown else { throw Self.unknownCustomer }
    let page = RequestOrigin.address(of: PageAddress.person(card.record.customer, parameters), for: call.request)
    return call.answer(
      [
        ("customer", card.json(at: call.now)), ("page", JSONText.string(page)),
        ("ticket", JSONText.string(ticket.text(page: page))),
      ], parameters, sequence: sequence)
  }

  private func ofCustomer(_ call: Call, _ describe: @escaping Describe) async throws -> Response {
    let (customer, parameters) = (try call.parameter("customer"), try call.parameters())
    let (sequence, (texts, count, holder)) = try await readers.answer(for: call) { ledger in
      let purchases = try ledger.purchases(of: customer, parameters)
      return (
        try purchases.prefix(Self.longestList).map { try describe($0, ledger, parameters) }, purchases.count,
        try ledger.customer(named: customer, parameters)
      )
    }
    try await log.write(try call.entries([customer, holder], parameters: parameters, count: count))
    return call.answer(
      [
        ("customer", JSONText.string(AccountToken.normalized(customer))), ("purchases", JSONText.array(texts)),
        ("left_out", String(count - texts.count)),
      ], parameters, sequence: sequence)
  }

  private func ofPurchase(_ call: Call, _ describe: @escaping Describe) async throws -> Response {
    let (id, parameters) = (try call.parameter("id"), try call.parameters())
    let (sequence, found) = try await readers.answer(for: call) { ledger in
      let (matches, isExact) = try ledger.search(id)
      let purchases = matches.compactMap { match -> OriginalTransactionMatch? in
        if case .purchase(let purchase) = match, isExact { purchase } else { nil }
      }
      return try purchases.map { purchase in
        (
          text: try describe(purchase, ledger, parameters), id: purchase.originalTransactionID,
          customers: try ledger.customers(of: purchase, parameters)
        )
      }
    }
    let entries = try found.flatMap {
      try call.entries($0.customers, purchase: $0.id, parameters: parameters, count: 1)
    }
    try await log.write(entries.isEmpty ? try call.entries([], parameters: parameters, count: 0) : entries)
    guard !found.isEmpty else {
      throw HTTPProblem(
        code: "unknown_purchase", status: .notFound,
        detail: "No purchase has this id. Write a whole transaction id, order id or another id of Apple's.")
    }
    return call.answer([("purchases", JSONText.array(found.map(\.text)))], parameters, sequence: sequence)
  }

  private static let unknownCustomer = HTTPProblem(
    code: "unknown_customer", status: .notFound, detail: "No evidence, link, grant or note names this customer.")
}

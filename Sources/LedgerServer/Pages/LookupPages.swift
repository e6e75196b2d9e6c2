internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import SupportPages

/// The pages with which a user looks up a person: search, person, purchase and explanation. Each of them is in the access
/// log before it leaves.
struct LookupPages: Sendable {
  let readers: ReaderPool
  let log: ReadLog
  let purchases: PurchaseReading
  let templates: PageTemplates
  let signIn: SignIn
  /// Whether the server can ask Apple.
  let asksApple: Bool

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/search", "search", .viewer) { try await search($0) },
      PageEndpoint(.get, "/people/{customer}", "showCustomer", .viewer) { try await person($0) },
      PageEndpoint(.get, "/people/{customer}/compare", "compareCustomer", .viewer) { try await compare($0) },
      PageEndpoint(.get, "/purchases/{id}", "showPurchase", .viewer) { try await purchase($0) },
      PageEndpoint(.get, "/purchases/{id}/why", "explainPurchase", .viewer) { try await why($0) },
      PageEndpoint(.post, "/sign-out", "signOut", .viewer) { try await signIn.end($0) },
    ]
  }

  private static let recentCount = 10
  private static let longestList = 100

  private func first(_ call: PageCall) async throws -> Response {
    let recent = try await readers.read(by: call.key) {
      try $0.latestReads(by: call.session.user, limit: Self.recentCount)
    }
    let page = SearchPage(recent: recent.map { ($0.customer, $0.originalTransactionID, $0.enteredAt) })
    return templates.response(.search, call, "Look up", page)
  }

  private func search(_ call: PageCall) async throws -> Response {
    let text = call.query["q"].trimmingSpace
    guard !text.isEmpty else { return try await first(call) }
    guard text.utf8.count <= 16_000 else {
      throw HTTPProblem.wrongRequest("refused_text", "q", "The text is too long. Paste the part with the id.")
    }
    let parameters = call.present
    let candidates = PastedText.candidates(text)
    let (rows, mentions, only) = try await readers.read(by: call.key) { ledger in
      var (matches, seen): ([Match], Set<String>) = ([], [])
      for candidate in candidates {
        let (found, isExact) = try ledger.search(candidate)
        // Only a single word may be the beginning of an id.
        guard isExact || candidates.count == 1 else { continue }
        for match in found where seen.insert("\(match.kind) \(match.identifier)").inserted { matches.append(match) }
      }
      let mentions = try candidates.first.map {
        try ledger.customers(mentioning: $0, knownAt: parameters.knownAt, limit: 25)
      }
      let rows = try matches.prefix(Self.longestList).map { try MatchRow($0, ledger, parameters) }
      return (rows, mentions ?? [], matches.count == 1 ? matches.first : nil)
    }
    try await log.write(call.entries([], count: rows.count + mentions.count))
    if let target = only.flatMap(ResultsPage.target) { return PageResponse.redirect(target) }
    let page = ResultsPage(
      rows, mentions: mentions, tried: candidates,
      asks: candidates.filter(PastedText.isOfApple).prefix(3).compactMap { ask($0, call) })
    return templates.response(.results, call, "Results", page, query: candidates.count == 1 ? text : "")
  }

  private func person(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let (bar, parameters) = try call.instants(path: PageAddress.person(customer))
    let (subject, part) = try call.timelinePart()
    // A page of the past is compared with what is known now, or with what was known then.
    let other =
      try bar.isPast
      ? QueryParameters(
        asOf: parameters.asOf, knownAt: call.instant("known_at") == nil ? parameters.asOf : call.now) : nil
    let (card, comparison, ticket) = try await readers.read(by: call.key) { ledger in
      let card = try CustomerCard(customer, ledger, parameters, environment: nil)
      let other = try other.map { try CustomerCard(customer, ledger, $0, environment: nil) }
      return (card, other.map { Comparison(card, $0) }, try Ticket(card, ledger))
    }
    let record = card.record
    try await log.write(call.entries(card.customers, parameters: parameters, count: record.claims.count))
    let mayAct = call.session.role >= .support
    let page = PersonPage(
      card, bar, comparison, subject: subject, page: part,
      acts: mayAct
        ? .init(
          record, mayLink: call.session.role >= .lead, mayForget: call.session.role >= .admin,
          formToken: call.secret.formToken, requestKey: PageCall.newRequestKey()) : nil,
      refusal: mayAct ? nil : "Your role is viewer. Somebody with the role support can write notes and grant access.",
      status: call.done,
      ticket: ticket.text(page: call.address(PageAddress.person(record.customer, parameters))))
    return templates.response(
      .person, call, "Customer \(record.customer)", page,
      status: card.isKnown || bar.isPast ? .ok : .notFound)
  }

  private func compare(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let first = ComparePage.Instants(asOf: try call.instant("as_of"), knownAt: try call.instant("known_at"))
    let second = ComparePage.Instants(
      asOf: try call.instant("other_as_of"), knownAt: try call.instant("other_known_at"))
    let parameters = [first, second].map { QueryParameters(asOf: $0.asOf ?? call.now, knownAt: $0.knownAt ?? call.now) }
    let (cards, comparison) = try await readers.read(by: call.key) { ledger in
      let cards = try parameters.map { try CustomerCard(customer, ledger, $0, environment: nil) }
      return (cards, Comparison(cards[0], cards[1]))
    }
    try await log.write(
      cards.flatMap { call.entries($0.customers, parameters: $0.parameters, count: $0.record.claims.count) })
    return templates.response(
      .compare, call, "Compare \(customer)", ComparePage(cards[0].record.customer, comparison, first, second))
  }

  private func purchase(_ call: PageCall) async throws -> Response {
    let id = try call.parameter("id")
    let (bar, parameters) = try call.instants(path: PageAddress.purchase(id))
    let (subject, part) = try call.timelinePart()
    let card = try await purchases.read(id, call, parameters) { _, _ in }.card
    return templates.response(
      .purchase, call, "Purchase \(card.match.originalTransactionID)",
      PurchasePage(
        card, bar, subject: subject, page: part, ask: ask(card.match.originalTransactionID, call),
        mayAct: asksApple && call.session.role >= .lead, status: call.done))
  }

  /// Returns the form that asks Apple about an id; `nil` where the user or the server cannot.
  private func ask(_ id: String, _ call: PageCall) -> AskForm? {
    asksApple && call.session.role >= .support ? AskForm(id, formToken: call.secret.formToken) : nil
  }

  private func why(_ call: PageCall) async throws -> Response {
    let id = try call.parameter("id")
    let (bar, parameters) = try call.instants(path: PageAddress.why(id))
    let (card, _, evidence) = try await purchases.read(id, call, parameters) { card, ledger in
      try card.entitlement.map { try ledger.evidence(for: $0) } ?? []
    }
    return templates.response(.why, call, "Why? \(card.match.originalTransactionID)", WhyPage(card, evidence, bar))
  }
}

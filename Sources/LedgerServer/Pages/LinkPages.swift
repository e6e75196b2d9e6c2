internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore
internal import SupportPages

/// The forms with which a lead decides whose a purchase is.
struct LinkPages: Sendable {
  let readers: ReaderPool
  let changes: PageChanges
  let log: ReadLog
  let templates: PageTemplates

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/people/{customer}/link", "previewLink", .lead) { try await preview($0) },
      PageEndpoint(.post, "/people/{customer}/links", "linkCustomer", .lead) { try await link($0) },
      PageEndpoint(.get, "/people/{customer}/links/{identifier}/unlink", "previewUnlink", .lead) {
        try await unlinkForm($0)
      },
      PageEndpoint(.post, "/people/{customer}/links/{identifier}/unlink", "unlinkCustomer", .lead) {
        try await unlink($0)
      },
    ]
  }

  /// The purchases that an id leads to, and all customers whom they name.
  private struct Found: Sendable {
    let cards: [PurchaseCard]
    let claims: [CustomerClaim]
    var holders: [String] { Set(claims.map(\.customer)).sorted() }
  }

  private func find(_ identifier: String, _ call: PageCall) async throws -> Found {
    let parameters = call.present
    return try await readers.read(by: call.key) { ledger in
      let (matches, isExact) = try ledger.search(identifier)
      guard isExact else { return Found(cards: [], claims: []) }
      let names = try ledger.productNames()
      let purchases = try matches.flatMap { match -> [OriginalTransactionMatch] in
        switch match {
        case .purchase(let purchase): [purchase]
        case .customer(let customer): try ledger.purchases(of: customer, parameters)
        case .notification, .order, .payload, .unread: []
        }
      }
      let cards = try purchases.prefix(LinkPage.limit).map { try PurchaseCard($0, ledger, parameters, names: names) }
      return Found(cards: cards, claims: cards.flatMap(\.claims))
    }
  }

  private func preview(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let fields = LinkFields(
      identifier: call.query["identifier"].trimmingSpace, reason: call.query["reason"].trimmingSpace,
      from: call.query["from"])
    let found = fields.identifier.isEmpty ? Found(cards: [], claims: []) : try await find(fields.identifier, call)
    let holders = found.holders.filter { $0 != AccountToken.normalized(customer) }
    var faults: [FieldFault] = []
    if call.isFilledIn {
      if found.cards.isEmpty {
        faults.append(FieldFault("identifier", "No purchase has this id. Write a whole id of Apple’s."))
      }
      if !fields.from.isEmpty, !holders.contains(fields.from) {
        faults.append(FieldFault("from", "The purchase does not belong to that customer. Choose one of the list."))
      }
      if fields.reason.isEmpty { faults.append(.missingReason) }
    }
    try await log.write(
      call.entries(
        [customer] + holders, parameters: call.present, count: found.cards.count))
    let page = LinkPage(
      customer, fields, found.cards, holders: holders, faults: faults, isFilledIn: call.isFilledIn,
      formToken: call.secret.formToken, requestKey: PageCall.newRequestKey())
    return templates.response(.link, call, "Link a purchase", page, status: faults.isEmpty ? .ok : .badRequest)
  }

  private func link(_ call: PageCall) async throws -> Response {
    let (customer, from) = (try call.parameter("customer"), call.form["from"])
    let identifier = try Call.id(call.form["identifier"], at: "identifier")
    let action = try call.staffAction()
    guard !from.isEmpty else {
      return try await changes.make(
        call, about: [customer], reason: action.reason,
        then: PageAddress.person(customer, [("done", PageDone.link.rawValue)])
      ) { transaction in _ = try transaction.link(customer, to: identifier, since: nil, action) }
    }
    var call = call
    call.operation = "transferLink"
    let former = try Call.id(from, at: "from")
    return try await changes.make(
      call, about: [former, customer], reason: action.reason,
      then: PageAddress.person(customer, [("done", PageDone.transfer.rawValue)])
    ) { transaction in
      try transaction.transfer(identifier, from: former, to: customer, at: action.enteredAt, action)
    }
  }

  private func unlinkForm(_ call: PageCall) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let found = try await find(identifier, call)
    try await log.write(
      call.entries(
        [customer], parameters: call.present, count: found.cards.count))
    let page = UnlinkPage(
      customer, identifier, found.cards, others: found.holders.filter { $0 != AccountToken.normalized(customer) },
      formToken: call.secret.formToken, requestKey: PageCall.newRequestKey())
    return templates.response(.unlink, call, "End a link", page)
  }

  private func unlink(_ call: PageCall) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let action = try call.staffAction()
    return try await changes.make(
      call, about: [customer], reason: action.reason,
      then: PageAddress.person(customer, [("done", PageDone.unlink.rawValue)])
    ) { transaction in
      _ = try transaction.unlink(customer, from: identifier, at: action.enteredAt, action)
    }
  }
}

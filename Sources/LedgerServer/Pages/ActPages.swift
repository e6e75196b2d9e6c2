internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore
internal import SupportPages

/// The forms of notes and grants.
struct ActPages: Sendable {
  let readers: ReaderPool
  let changes: PageChanges
  let log: ReadLog
  let templates: PageTemplates

  /// The greatest length of a grant by somebody with the role support, in days.
  static let supportDays: Int64 = 30

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.post, "/people/{customer}/notes", "addNote", .support) { try await note($0) },
      PageEndpoint(.get, "/people/{customer}/grant", "previewGrant", .support) { try await previewGrant($0) },
      PageEndpoint(.post, "/people/{customer}/grants", "grantEntitlement", .support) { try await grant($0) },
      PageEndpoint(.get, "/people/{customer}/grants/{entitlement}/end", "previewEndOfGrant", .support) {
        try await endGrantForm($0)
      },
      PageEndpoint(.post, "/people/{customer}/grants/{entitlement}/end", "revokeGrants", .support) {
        try await endGrant($0)
      },
    ]
  }

  // MARK: - Notes

  private func note(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let text = try call.text("text", atMost: 2000)
    return try await change(call, customer, .note, reason: nil) { transaction in
      try transaction.note(text, about: customer, by: call.session.user.name, now: call.now)
    }
  }

  // MARK: - Grants

  private func previewGrant(_ call: PageCall) async throws -> Response {
    let customer = try call.parameter("customer")
    let fields = GrantFields(
      entitlement: call.query["entitlement"], length: call.query["length"], day: call.query["day"].trimmingSpace,
      reason: call.query["reason"].trimmingSpace, ticket: call.query["ticket"].trimmingSpace)
    let parameters = call.present
    let (names, accesses) = try await readers.read(by: call.key) { ledger in
      (try ledger.entitlementNames(parameters).sorted(), try ledger.accesses(of: customer, parameters))
    }
    let (end, faults) = call.isFilledIn ? check(fields, names, call) : (nil, [])
    let access = Self.present(accesses, fields.entitlement)
    let preview = end.map { end in
      GrantPage.Preview(
        access, entitlement: fields.entitlement, until: end,
        reason: fields.reason + (fields.ticket.isEmpty ? "" : " (ticket \(fields.ticket))"),
        target: PageAddress.grants(customer), formToken: call.secret.formToken, requestKey: PageCall.newRequestKey())
    }
    try await log.write(call.entries([customer], parameters: parameters, count: accesses.count))
    let page = GrantPage(
      customer, fields, entitlements: names, faults: faults, preview: preview,
      limit: call.session.role < .lead
        ? "Your role may grant access for at most \(Self.supportDays) days. A lead may grant it for longer."
        : "Your role may grant access for any time.")
    return templates.response(
      .grant, call, "Grant access", page, status: faults.isEmpty ? .ok : .badRequest)
  }

  /// Returns when a grant ends, or what is wrong with the fields of its form.
  private func check(_ fields: GrantFields, _ names: [String], _ call: PageCall) -> (Instant?, [FieldFault]) {
    var faults: [FieldFault] = []
    if !names.contains(fields.entitlement) {
      faults.append(FieldFault("entitlement", "Choose an entitlement of the catalogue."))
    }
    var end = GrantLength(rawValue: fields.length).map { call.now + $0.days * 86_400_000 }
    if !fields.day.isEmpty { end = PageCall.instant(fields.day, now: call.now) }
    if let fault = fault(end, call) { faults.append(FieldFault(fields.day.isEmpty ? "until" : "day", fault)) }
    if fields.reason.isEmpty { faults.append(.missingReason) }
    return (faults.isEmpty ? end : nil, faults)
  }

  /// Returns why a grant may not end at an instant; `nil` when it may.
  private func fault(_ end: Instant?, _ call: PageCall) -> String? {
    guard let end else { return "Choose a length, or write an instant such as 2026-03-03 14:00." }
    guard end > call.now else { return "The end is in the past. Choose a later one." }
    guard call.session.role >= .lead || end.milliseconds - call.now.milliseconds <= Self.supportDays * 86_400_000 else {
      return "Your role may grant access for at most \(Self.supportDays) days. Choose an earlier end, or ask a lead."
    }
    return nil
  }

  private func grant(_ call: PageCall) async throws -> Response {
    let (customer, entitlement) = (
      try call.parameter("customer"), try Call.id(call.form["entitlement"], at: "entitlement")
    )
    let (end, action) = (Instant(call.form["until"]), try call.staffAction())
    if let fault = fault(end, call) { throw HTTPProblem.wrongRequest("refused_entry", "until", fault) }
    return try await change(call, customer, .grant, reason: action.reason) { transaction in
      try transaction.grant(entitlement, to: customer, from: call.now, until: end, action)
    }
  }

  /// Returns what a customer has of an entitlement of Production, which a grant is compared with.
  private static func present(_ accesses: [CustomerAccess], _ entitlement: String) -> CustomerAccess? {
    accesses.first { $0.entitlement == entitlement && $0.environment == AppStore.Environment.production.name }
  }

  private func endGrantForm(_ call: PageCall) async throws -> Response {
    let (customer, entitlement) = (try call.parameter("customer"), try call.parameter("entitlement"))
    let parameters = call.present
    let accesses = try await readers.read(by: call.key) { try $0.accesses(of: customer, parameters) }
    try await log.write(call.entries([customer], parameters: parameters, count: accesses.count))
    let access = Self.present(accesses, entitlement)
    let page = EndGrantPage(
      customer, entitlement, access, formToken: call.secret.formToken,
      requestKey: PageCall.newRequestKey())
    return templates.response(.endGrant, call, "End a grant", page)
  }

  private func endGrant(_ call: PageCall) async throws -> Response {
    let (customer, entitlement) = (try call.parameter("customer"), try call.parameter("entitlement"))
    let action = try call.staffAction()
    return try await change(call, customer, .endGrant, reason: action.reason) { transaction in
      let count = try transaction.revokeGrants(of: entitlement, from: customer, at: call.now, action)
      guard count > 0 else {
        throw LedgerError(.refusedEntry, "No grant of this entitlement is open.", "Open the page of the person again.")
      }
    }
  }

  private func change(
    _ call: PageCall, _ customer: String, _ done: PageDone, reason: String?,
    _ body: @escaping @Sendable (EvidenceTransaction) throws -> Void
  ) async throws -> Response {
    try await changes.make(
      call, about: [customer], reason: reason, then: PageAddress.person(customer, [("done", done.rawValue)]), body)
  }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import LedgerStore

/// Records what staff decide: links, grants and notes. Each change and its entry in the access log are one transaction.
struct StaffAPI: Sendable {
  let readers: ReaderPool
  let inbox: Inbox
  /// The present instant by a clock that never jumps while the server runs, for how long a key is remembered.
  let steadyNow: @Sendable () -> Instant

  var endpoints: [Endpoint] {
    [
      Endpoint(.put, "/v1/customers/{customer}/links/{identifier}", "linkCustomer", [.ingest, .support]) {
        try await link($0)
      },
      Endpoint(.post, "/v1/customers/{customer}/links/{identifier}/unlink", "unlinkCustomer", [.support]) {
        try await unlink($0)
      },
      Endpoint(.put, "/v1/customers/{customer}/seats/{identifier}", "claimSeat", [.ingest, .support]) {
        try await claimSeat($0)
      },
      Endpoint(
        .post, "/v1/customers/{customer}/seats/{identifier}/unclaim", "unclaimSeat", [.ingest, .support]
      ) {
        try await unclaimSeat($0)
      },
      Endpoint(.post, "/v1/transfers", "transferLink", [.support]) { try await transfer($0) },
      Endpoint(.post, "/v1/customers/{customer}/grants", "grantEntitlement", [.support]) { try await grant($0) },
      Endpoint(.post, "/v1/customers/{customer}/grants/{entitlement}/revoke", "revokeGrants", [.support]) {
        try await revoke($0)
      },
      Endpoint(.post, "/v1/customers/{customer}/notes", "addNote", [.support]) { try await note($0) },
    ]
  }

  private func link(_ call: Call) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let body = try await call.body(["reason", "author", "since"])
    let (staffAction, since) = (try Self.staffAction(call, body), try body.instant("since"))
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      let link = try transaction.link(customer, to: identifier, since: since, staffAction)
      return [
        ("recorded", link.isNew ? "true" : "false"), ("purchase_count", String(link.purchaseCount)),
        ("since", JSONText.value(Value(link.since))),
      ]
    }
  }

  private func unlink(_ call: Call) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let body = try await call.body(["reason", "author", "at"])
    let (staffAction, instant) = (try Self.staffAction(call, body), try body.instant("at") ?? call.now)
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      _ = try transaction.unlink(customer, from: identifier, at: instant, staffAction)
      return [("recorded", "true"), ("since", JSONText.string(instant.description))]
    }
  }

  private func claimSeat(_ call: Call) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let body = try await call.body(["seat_claim_id", "reason", "author", "at"])
    let (staffAction, instant) = (try Self.staffAction(call, body), try body.instant("at") ?? call.now)
    let seatClaimID = try body.prose("seat_claim_id")
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      let done = try transaction.claimSeat(
        of: identifier, for: customer, seatClaimID: seatClaimID, at: instant, staffAction)
      return [
        ("recorded", done.isNew ? "true" : "false"), ("seats", done.seats.map(String.init) ?? "null"),
        ("open_claim_count", String(done.openCount)),
      ]
    }
  }

  private func unclaimSeat(_ call: Call) async throws -> Response {
    let (customer, identifier) = (try call.parameter("customer"), try call.parameter("identifier"))
    let body = try await call.body(["reason", "author", "at"])
    let (staffAction, instant) = (try Self.staffAction(call, body), try body.instant("at") ?? call.now)
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      let isNew = try transaction.unclaimSeat(of: identifier, from: customer, at: instant, staffAction)
      return [("recorded", isNew ? "true" : "false"), ("unclaimed_at", JSONText.string(instant.description))]
    }
  }

  private func transfer(_ call: Call) async throws -> Response {
    let body = try await call.body(["identifier", "from_customer", "to_customer", "reason", "author", "at"])
    let (staffAction, instant) = (try Self.staffAction(call, body), try body.instant("at") ?? call.now)
    let (identifier, from) = (try body.requiredID("identifier"), try body.requiredID("from_customer"))
    let to = try body.requiredID("to_customer")
    return try await change(call, body, staffAction, customers: [from, to]) { transaction in
      try transaction.transfer(identifier, from: from, to: to, at: instant, staffAction)
      return [("recorded", "true"), ("since", JSONText.string(instant.description))]
    }
  }

  private func grant(_ call: Call) async throws -> Response {
    let customer = try call.parameter("customer")
    let body = try await call.body(["entitlement", "from", "until", "reason", "author"])
    let (staffAction, entitlement) = (try Self.staffAction(call, body), try body.requiredID("entitlement"))
    let begin = try body.instant("from") ?? call.now
    // A grant without an end must be written out, because it is easily made by mistake.
    let until = try body.requiredText("until")
    let end = until == "forever" ? nil : try Call.instant(until, at: "$.until")
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      try transaction.grant(entitlement, to: customer, from: begin, until: end, staffAction)
      return [
        ("recorded", "true"), ("from", JSONText.string(begin.description)), ("until", JSONText.value(Value(end))),
      ]
    }
  }

  private func revoke(_ call: Call) async throws -> Response {
    let (customer, entitlement) = (try call.parameter("customer"), try call.parameter("entitlement"))
    let body = try await call.body(["reason", "author", "at"])
    let (staffAction, instant) = (try Self.staffAction(call, body), try body.instant("at") ?? call.now)
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      let count = try transaction.revokeGrants(of: entitlement, from: customer, at: instant, staffAction)
      return [("recorded", count > 0 ? "true" : "false"), ("revoked_count", String(count))]
    }
  }

  private func note(_ call: Call) async throws -> Response {
    let customer = try call.parameter("customer")
    let body = try await call.body(["text", "author"])
    let (text, author) = (try body.requiredProse("text"), call.author(try body.prose("author")))
    let staffAction = StaffAction(author: author, reason: "note", enteredAt: call.now)
    return try await change(call, body, staffAction, customers: [customer]) { transaction in
      try transaction.note(text, about: customer, by: author, now: call.now)
      return [("recorded", "true")]
    }
  }

  // MARK: - One change

  private static func staffAction(_ call: Call, _ body: RequestObject) throws -> StaffAction {
    StaffAction(
      author: call.author(try body.prose("author")), reason: try body.requiredProse("reason"), enteredAt: call.now)
  }

  /// Records a change once, also when its sender repeats the request.
  private func change(
    _ call: Call, _ body: RequestObject, _ staffAction: StaffAction, customers: [String],
    _ make: @escaping @Sendable (EvidenceTransaction) throws -> JSONText.Members
  ) async throws -> Response {
    let once = try idempotentRequest(call, body)
    let entries = try call.entries(customers, reason: staffAction.reason, count: 1)
    let answer = try await inbox.change { transaction in
      try transaction.answer(once: once, now: steadyNow()) {
        let members = try make(transaction)
        for entry in entries { try transaction.log(entry) }
        return JSONText.nested(members)
      }
    }
    return try await response(answer, call)
  }

  private func idempotentRequest(_ call: Call, _ body: RequestObject) throws -> IdempotentRequest? {
    guard let key = call.request.headers[Self.idempotencyKey] else { return nil }
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw HTTPProblem.wrongRequest(
        "refused_text", "Idempotency-Key", "A key has 1 to 255 visible ASCII characters.")
    }
    let target = "\(call.request.method.rawValue) \(call.request.uri.path)\n"
    return IdempotentRequest(.token(call.token.key), key: key, content: Array(target.utf8) + body.source)
  }

  private static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  private static let sequence = HTTPField.Name("Ledger-Seq")!

  /// Returns the answer to a change, with a sequence number at or after it.
  private func response(_ json: String, _ call: Call) async throws -> Response {
    let number = try await readers.read(for: call) { try $0.sequence() }
    return Response(
      status: .ok, headers: [.contentType: "application/json", Self.sequence: String(number)],
      body: ResponseBody(byteBuffer: .init(string: json + "\n")))
  }
}

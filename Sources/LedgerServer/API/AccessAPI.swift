internal import AppStore
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService

/// Answers whether customers have access, and whether they may buy. Programs ask this often, so no access log has it.
struct AccessAPI: Sendable {
  let readers: ReaderPool

  /// The greatest number of checks in one request.
  static let longestBatch = 100

  var endpoints: [Endpoint] {
    let parameters = Call.instantParameters
    return [
      Endpoint(
        .get, "/v1/customers/{customer}/entitlements", "listEntitlements", [.ask, .support],
        query: parameters + ["environment"]
      ) { try await entitlements($0) },
      Endpoint(
        .get, "/v1/customers/{customer}/entitlements/{entitlement}", "checkEntitlement", [.ask, .support],
        query: parameters + ["environment"]
      ) { try await check($0) },
      Endpoint(
        .get, "/v1/customers/{customer}/may-purchase/{product}", "checkPurchase", [.ask, .support],
        query: parameters + ["environment", "attempt_timeout_seconds"]
      ) { try await clearance($0) },
      Endpoint(.post, "/v1/checks", "checkEntitlements", [.ask, .support], query: parameters + ["environment"]) {
        try await checks($0)
      },
    ]
  }

  private func entitlements(_ call: Call) async throws -> Response {
    let (customer, parameters) = (try call.parameter("customer"), try call.parameters())
    let environment = try call.statedEnvironment()
    let (sequence, all) = try await readers.answer(.check, for: call) { try $0.accesses(of: customer, parameters) }
    let accesses = all.filter { environment == nil || $0.environment == environment?.name }
    return call.answer(
      [
        ("customer", JSONText.string(all.first?.customer ?? AccountToken.normalized(customer))),
        ("entitlements", JSONText.array(accesses.map(AnswerJSON.access))),
      ], parameters, sequence: sequence)
  }

  private func check(_ call: Call) async throws -> Response {
    let (customer, entitlement) = (try call.parameter("customer"), try call.parameter("entitlement"))
    let (parameters, environment) = (try call.parameters(), try call.environment())
    let (sequence, members) = try await readers.answer(.check, for: call) {
      try $0.check(customer, entitlement, environment, parameters)
    }
    return call.answer(members, parameters, sequence: sequence)
  }

  private func checks(_ call: Call) async throws -> Response {
    let (parameters, environment) = (try call.parameters(), try call.environment())
    let body = try await call.body(["checks"])
    let asked = try body.list("checks", atMost: Self.longestBatch).map { element in
      let object = try RequestObject(element, ["customer", "entitlement"])
      return (try object.requiredID("customer"), try object.requiredID("entitlement"))
    }
    // A hundred checks take too long for the reader of checks.
    let (sequence, answers) = try await readers.answer(for: call) { ledger in
      try asked.map { JSONText.nested(try ledger.check($0.0, $0.1, environment, parameters)) }
    }
    return call.answer([("checks", JSONText.array(answers))], parameters, sequence: sequence)
  }

  private func clearance(_ call: Call) async throws -> Response {
    let (customer, product) = (try call.parameter("customer"), try call.parameter("product"))
    let (parameters, environment) = (try call.parameters(), try call.environment())
    let timeout = try call.number("attempt_timeout_seconds", in: 0...86_400, default: 600) * 1000
    let (sequence, (clearance, isKnown)) = try await readers.answer(.check, for: call) { ledger in
      (
        try ledger.clearance(
          of: customer, toPurchase: product, in: environment, attemptTimeout: timeout, parameters),
        try ledger.productIDs(parameters).contains(product)
      )
    }
    // A misspelt product would allow every purchase.
    let members = AnswerJSON.clearance(clearance) + [("is_in_catalogue", isKnown ? "true" : "false")]
    return call.answer(members, parameters, sequence: sequence)
  }
}

extension LedgerReader {
  /// Returns whether a customer has an entitlement, and for how long the answer holds without further evidence.
  fileprivate func check(
    _ customer: String, _ entitlement: String, _ environment: AppStore.Environment, _ parameters: QueryParameters
  ) throws -> JSONText.Members {
    let answer = try access(of: customer, to: entitlement, in: environment, parameters)
    var (end, holder): (Instant?, String) = (nil, AccountToken.normalized(customer))
    if case .decided(let access) = answer {
      (end, holder) = (access.accessEndsAt.flatMap { $0 > parameters.asOf ? $0 : nil }, access.customer)
    }
    let next = try nextGrant(of: entitlement, to: holder, parameters)
    let change = [end, next].compactMap(\.self).min()
    let age = change.map { String(($0.milliseconds - parameters.asOf.milliseconds) / 1000) } ?? "null"
    return AnswerJSON.check(answer, customer, entitlement, in: environment) + [("max_age_seconds", age)]
  }
}

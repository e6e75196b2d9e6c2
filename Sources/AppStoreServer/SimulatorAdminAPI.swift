internal import AppStore
internal import AppStoreSimulator
internal import Foundation

/// What a test or an operator asks of the local App Store: the clock, actions, faults, and what was asked and sent. Apple
/// has none of it.
struct SimulatorAdminAPI: Sendable {
  let running: RunningStores
  let now: @Sendable () -> Instant

  /// The answer to a request: a status and a JSON object.
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  /// The reason why a request cannot be done, for RFC 9457.
  struct HTTPProblem: Error {
    let status: Int
    let code: String
    let detail: String

    static func wrongBody(_ detail: String) -> HTTPProblem {
      HTTPProblem(status: 400, code: "wrong_request", detail: detail)
    }
  }

  /// Answers a request for a path below `/admin`.
  func answer(_ request: APIRequest) async throws -> Answer {
    do {
      switch (request.method, request.path.dropFirst().joined(separator: "/")) {
      case ("GET", "clock"): return try await clock()
      case ("POST", "clock"): return try await moveClock(try object(request, ["advance", "to", "speed"]))
      case ("GET", "requests"): return try await requests(request)
      case ("DELETE", "requests"):
        await running.clearLog()
        return try await requests(request)
      case ("GET", "token"): return Answer(status: 200, body: Array(try await running.token(now: now()).utf8))
      case ("GET", "notifications"): return try await notifications(request)
      case ("GET", "actions"): return try Self.json(["actions": Action.help.split(separator: "\n").map(String.init)])
      case ("POST", "actions"): return try await act(try object(request, ["customer", "action", "environment"]))
      case ("GET", "customers"): return try await customers(request)
      case ("POST", "faults"):
        return try await addFault(
          try object(request, ["fault", "endpoint", "environment", "requests", "seconds"]))
      case ("GET", "faults"): return try await faults()
      case ("DELETE", "faults"):
        await running.removeFaults()
        return try await faults()
      default:
        throw HTTPProblem(
          status: 404, code: "not_found",
          detail:
            "No such path exists. There are GET and POST for /admin/clock, /admin/actions and /admin/faults, GET for "
            + "/admin/customers, /admin/token, /admin/requests and /admin/notifications, and DELETE for "
            + "/admin/faults and /admin/requests.")
      }
    } catch let problem as HTTPProblem {
      return try refused(problem)
    } catch let refusal as RunningStores.Refusal {
      return try refused(HTTPProblem(status: 409, code: refusal.code, detail: refusal.message))
    } catch let error as ActionError {
      return try refused(HTTPProblem(status: 409, code: error.code.rawValue, detail: Self.sentence(error.message)))
    }
  }

  private func refused(_ problem: HTTPProblem) throws -> Answer {
    struct Body: Encodable {
      let status: Int
      let code: String
      let detail: String
    }
    return try Self.json(
      Body(status: problem.status, code: problem.code, detail: problem.detail), status: problem.status)
  }

  private static func sentence(_ message: String) -> String {
    message.prefix(1).uppercased() + message.dropFirst() + "."
  }

  static func json(_ value: some Encodable, status: Int = 200) throws -> Answer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return Answer(status: status, body: Array(try encoder.encode(value)) + [UInt8(ascii: "\n")])
  }

  /// Reads a body that has these members and no others: a misspelt name must not become a default.
  private func object<Body: Decodable>(_ request: APIRequest, _ members: [String]) throws -> Body {
    let list = members.joined(separator: ", ")
    guard let document = try? JSONDocument(request.body), document.root.isObject else {
      throw HTTPProblem.wrongBody("The body is not a JSON object. It has members of \(list).")
    }
    if let unknown = document.root.keys.first(where: { !members.contains($0) }) {
      throw HTTPProblem.wrongBody("The body has a member '\(unknown)' that is not one of \(list).")
    }
    do { return try JSONDecoder().decode(Body.self, from: Data(request.body)) } catch DecodingError.keyNotFound(
      let key, _)
    {
      throw HTTPProblem.wrongBody("The body lacks the member '\(key.stringValue)'.")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      let name = context.codingPath.first?.stringValue ?? ""
      throw HTTPProblem.wrongBody("The member '\(name)' has a value of another type.")
    } catch {
      throw HTTPProblem.wrongBody("The body is not a JSON object. It has members of \(list).")
    }
  }

  // MARK: - The clock

  private struct Clock: Encodable {
    let clock: String
    let speed: Double
  }

  private struct Move: Decodable {
    let advance: String?
    let to: String?
    let speed: Double?
  }

  private func clock() async throws -> Answer {
    try Self.json(Clock(clock: await running.clock.description, speed: await running.pace))
  }

  private func moveClock(_ given: Move) async throws -> Answer {
    switch (given.advance, given.to, given.speed) {
    case (let text?, nil, nil):
      guard let length = TimeSpan(text) else {
        throw HTTPProblem.wrongBody("advance is not a length of time. Write for example PT1H, P1D, P2W, P1M or 12h.")
      }
      let instant = length.end(from: await running.clock) ?? Simulation.last
      try await running.move(to: instant)
    case (nil, let text?, nil):
      guard let instant = Instant(text) else {
        throw HTTPProblem.wrongBody("to is not an instant. Write it in ISO 8601.")
      }
      guard instant >= (await running.clock) else {
        throw HTTPProblem.wrongBody("to is past. The clock never goes back.")
      }
      try await running.move(to: instant)
    case (nil, nil, let speed?) where speed >= 0 && speed <= 10_000_000:
      await running.run(at: speed, now: now())
    default: throw HTTPProblem.wrongBody("Write one of advance, to and speed.")
    }
    return try await clock()
  }

  // MARK: - What was asked and sent

  private func requests(_ request: APIRequest) async throws -> Answer {
    struct Body: Encodable { let requests: [LoggedRequest] }
    let after = try number(request, "after", 0)
    let wanted = request.values("endpoint")
    let all = await running.log.requests(after: after)
    return try Self.json(Body(requests: all.filter { wanted.isEmpty || $0.endpoint.map(wanted.contains) ?? false }))
  }

  private func number(_ request: APIRequest, _ name: String, _ standard: Int) throws -> Int {
    guard let text = request.values(name).first else { return standard }
    guard let number = Int(text), number >= 0 else { throw HTTPProblem.wrongBody("\(name) is not a number.") }
    return number
  }

  private struct Sent: Encodable {
    struct Attempt: Encodable {
      let at: String
      let result: String
      let status: Int?
    }
    let number: Int
    let environment: String
    let notificationUUID: String
    let notificationType: String
    let subtype: String?
    let customer: String?
    let originalTransactionID: String?
    let signedAt: String
    let attempts: [Attempt]
    let nextAttemptAt: String?

    enum CodingKeys: String, CodingKey {
      case number, environment, customer, subtype, attempts, notificationType, signedAt, nextAttemptAt
      case notificationUUID = "notificationUuid"
      case originalTransactionID = "originalTransactionId"
    }

    init(_ one: SentNotification, _ environment: Environment) {
      (number, self.environment) = (one.number, environment.name)
      (notificationUUID, notificationType, subtype) = (one.uuid, one.type, one.subtype)
      (customer, originalTransactionID) = (one.customer, one.originalTransactionID.map { String($0) })
      (signedAt, nextAttemptAt) = (one.signedAt.description, one.nextAttemptAt?.description)
      attempts = one.attempts.map {
        Attempt(at: $0.at.description, result: $0.result.rawValue, status: $0.status)
      }
    }
  }

  private struct Notifications: Encodable { let notifications: [Sent] }

  private func notifications(_ request: APIRequest) async throws -> Answer {
    let last = try number(request, "last", 100)
    var all: [Sent] = []
    for environment in try environments(request.values("environment").first) {
      all += (await running.stores[environment]?.sentNotifications() ?? []).suffix(last).map { Sent($0, environment) }
    }
    all.sort { ($0.signedAt, $0.number) < ($1.signedAt, $1.number) }
    return try Self.json(Notifications(notifications: all.suffix(last)))
  }

  private func environments(_ name: String?) throws -> [Environment] {
    guard let name else { return [.production, .sandbox] }
    guard let found = [Environment.production, .sandbox].first(where: { $0.name.lowercased() == name.lowercased() })
    else { throw HTTPProblem.wrongBody("environment is neither Production nor Sandbox.") }
    return [found]
  }

  // MARK: - Customers

  private struct Card: Encodable {
    struct Purchase: Encodable {
      let originalTransactionId: String
      let customer: String
      let productId: String
      let state: String
      let accessEndsAt: String?
    }
    let customer: String
    let environment: String
    let purchases: [Purchase]

    init(_ card: LocalCustomerCard, _ environment: Environment) {
      (customer, self.environment) = (card.customer, environment.name)
      purchases = card.items.map {
        Purchase(
          originalTransactionId: String($0.originalTransactionID), customer: $0.customer, productId: $0.productID,
          state: $0.state, accessEndsAt: $0.accessEndsAt?.description)
      }
    }
  }

  /// Lists customers with what they have: one that is named, or the first thousand of each environment.
  private func customers(_ request: APIRequest) async throws -> Answer {
    let named = request.values("customer").first
    var cards: [Card] = []
    for environment in try environments(request.values("environment").first) {
      guard let store = await running.stores[environment] else { continue }
      let chosen =
        named.map { [store.customer($0)].compactMap(\.self) }
        ?? (0..<min(1000, store.simulation.customers)).compactMap { store.customer(number: $0) }
      cards += chosen.map { Card(store.card(of: $0), environment) }
    }
    return try Self.json(["customers": cards])
  }

  // MARK: - Actions and faults

  private struct Wanted: Decodable {
    let customer: String
    let action: String
    let environment: String?
  }

  private func act(_ given: Wanted) async throws -> Answer {
    struct Body: Encodable {
      let clock: String
      let notifications: [Sent]
    }
    let action: Action
    do { action = try Action(words: given.action) } catch {
      throw HTTPProblem.wrongBody(Self.sentence(error.message))
    }
    let wanted = try environments(given.environment)
    var found: LocalCustomer?
    for environment in wanted where found == nil { found = await running.stores[environment]?.customer(given.customer) }
    guard let found else {
      throw HTTPProblem(
        status: 404, code: "unknown_customer",
        detail: "No customer has this name or transaction id. purchases.ndjson has those that bought something.")
    }
    let sent = try await running.perform(action, for: found)
    return try Self.json(
      Body(clock: await running.clock.description, notifications: sent.map { Sent($0, found.environment) }))
  }

  private struct Fault: Codable {
    let fault: String
    var endpoint: String?
    var environment: String?
    var requests: Int?
    var seconds: Int?
  }

  private func addFault(_ given: Fault) async throws -> Answer {
    // Two environments would count each for itself, and the other one would keep the rest.
    let environments = try environments(given.environment ?? Environment.production.name)
    let requests = given.requests ?? 1
    guard (1...1_000_000).contains(requests) else { throw HTTPProblem.wrongBody("requests is not from 1 to 1000000.") }
    if given.endpoint == "webhook" {
      guard let fault = WebhookFault(rawValue: given.fault) else {
        throw HTTPProblem.wrongBody("fault is none of \(Self.list(WebhookFault.allCases)), the faults of webhooks.")
      }
      await running.add(fault, notifications: requests, in: environments)
    } else {
      let endpoint = given.endpoint.flatMap(APIEndpoint.init)
      guard given.endpoint == nil || endpoint != nil else {
        throw HTTPProblem.wrongBody("endpoint is none of webhook, \(Self.list(APIEndpoint.allCases)).")
      }
      guard let kind = APIFault.Kind(rawValue: given.fault) else {
        throw HTTPProblem.wrongBody("fault is none of \(Self.list(APIFault.Kind.allCases)).")
      }
      guard (0...86_400).contains(given.seconds ?? 10) else {
        throw HTTPProblem.wrongBody("seconds is not from 0 to 86400.")
      }
      await running.add(
        APIFault(kind, endpoint: endpoint, requests: requests, seconds: given.seconds), in: environments)
    }
    return try await faults()
  }

  private static func list<Kind: RawRepresentable<String>>(_ kinds: [Kind]) -> String {
    kinds.map(\.rawValue).joined(separator: ", ")
  }

  private func faults() async throws -> Answer {
    struct Body: Encodable { let faults: [Fault] }
    var all: [Fault] = []
    for environment in [Environment.production, .sandbox] {
      all += (await running.stores[environment]?.comingFaults ?? []).map {
        Fault(
          fault: $0.kind.rawValue, endpoint: $0.endpoint?.rawValue, environment: environment.name,
          requests: $0.requests)
      }
    }
    return try Self.json(Body(faults: all))
  }
}

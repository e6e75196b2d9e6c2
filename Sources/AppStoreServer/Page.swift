internal import AppStore
internal import AppStoreSimulator
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Mustache
internal import NIOCore

/// The page for people: customers, what they bought, what Apple sent, and buttons to let things happen. It needs no script.
struct Page: Sendable {
  private let running: RunningStores
  private let now: @Sendable () -> Instant
  private let template: MustacheTemplate

  private static let longestList = 50
  private static let sentCount = 30
  private static let steps = [
    ("PT1H", "1 hour"), ("P1D", "1 day"), ("P1W", "1 week"), ("P1M", "1 month"), ("P1Y", "1 year"),
  ]
  private static let actions = [
    ("cancel", "Turn renewal off"), ("resume", "Turn renewal on"), ("fail", "Let payments fail"),
    ("resolve", "Resolve the payment"), ("ask-refund", "Ask for a refund"), ("decline-refund", "Decline the refund"),
    ("refund", "Refund"), ("reverse-refund", "Reverse the refund"), ("extend 7", "Extend by 7 days"),
    ("share", "Share with the family"), ("restore", "Restore on a new device"),
  ]

  /// Creates the page of a running store.
  /// - Throws: an error of the template, which is a bug.
  init(running: RunningStores, now: @escaping @Sendable () -> Instant) throws {
    (self.running, self.now) = (running, now)
    template = try MustacheTemplate(string: String(decoding: PackageResources.page_mustache, as: UTF8.self))
  }

  /// Answers a request for the page, or for one of its buttons.
  func respond(to request: APIRequest) async throws -> Response {
    switch (request.method, request.path) {
    case ("GET", []): return try await show(request)
    case ("POST", ["page", "clock"]), ("POST", ["page", "action"]): return try await run(request)
    default: return Response(status: .notFound)
    }
  }

  // MARK: - Buttons

  /// Does what a button says, and leads back.
  private func run(_ request: APIRequest) async throws -> Response {
    let text = String(decoding: request.body, as: UTF8.self).replacing("+", with: " ")
    guard let form = APIRequest("GET", "/?" + text, authorization: nil) else { return Response(status: .badRequest) }
    func value(_ name: String) -> String { form.values(name).first ?? "" }
    let body: [String: String] =
      request.path.last == "clock"
      ? ["advance": value("advance")]
      : ["customer": value("customer"), "action": value("action"), "environment": value("environment")]
    let asked = APIRequest(
      "POST", request.path.last == "clock" ? "/admin/clock" : "/admin/actions", authorization: nil,
      body: Array(try JSONEncoder().encode(body)))
    guard let asked else { return Response(status: .badRequest) }
    let answer = try await SimulatorAdminAPI(running: running, now: now).answer(asked)
    // Only a path of this page leads back.
    var back = value("back").hasPrefix("/?") ? value("back") : "/?"
    if answer.status >= 400 {
      struct HTTPProblem: Decodable { let detail: String }
      let detail =
        (try? JSONDecoder().decode(HTTPProblem.self, from: Data(answer.body)))?.detail ?? "It is not possible."
      back += "&message=" + Self.encoded(detail)
    }
    return Response(status: .seeOther, headers: [.location: back])
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  // MARK: - The page

  private func show(_ request: APIRequest) async throws -> Response {
    let environment: StoreEnvironment = request.values("environment").first == "Sandbox" ? .sandbox : .production
    let asked = (request.values("customer").first ?? "").replacing("+", with: " ").trimmingCharacters(in: .whitespaces)
    var content: [String: Any] = [
      "clock": await running.clock.seconds, "environment": environment.name, "asked": asked,
      "environments": [StoreEnvironment.production, .sandbox].map {
        ["name": $0.name, "isCurrent": $0 == environment] as [String: Any]
      },
      "steps": Self.steps.map { ["value": $0.0, "label": $0.1] },
      "back": "/?environment=\(environment.name)&customer=\(Self.encoded(asked))",
    ]
    var message = request.values("message").first
    guard let store = await running.stores[environment] else { return Response(status: .notFound) }
    let customer = asked.isEmpty ? nil : store.customer(asked)
    var name: String?
    if let customer {
      let card = store.card(of: customer)
      name = card.customer
      content["card"] = Self.content(card, store, asked: asked)
    } else {
      if !asked.isEmpty { message = message ?? "No customer has this name or transaction id." }
      content["list"] = Self.list(store)
    }
    content["message"] = message
    let sent = store.sentNotifications().filter { one in name.map { one.customer == $0 } ?? true }
    content["sent"] = try sent.suffix(Self.sentCount).reversed().map { try Self.content($0, store) }
    content["requests"] = await running.log.requests(after: 0).suffix(20).reversed().map(Self.content)
    var response = Response(
      status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: template.render(content))))
    response.headers[.contentType] = "text/html; charset=utf-8"
    response.headers[.cacheControl] = "no-store"
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
    return response
  }

  private static func content(
    _ card: LocalCustomerCard, _ store: LocalAppStore, asked: String
  ) -> [String: Any] {
    [
      "customer": card.customer, "target": asked, "help": Action.help,
      "items": card.items.map {
        [
          "product": $0.productID, "state": $0.state, "until": $0.accessEndsAt?.seconds ?? "",
          "id": String($0.originalTransactionID), "whose": $0.customer == card.customer ? "" : $0.customer,
        ]
      },
      "products": store.simulation.catalog.products.map { product in
        ["id": product.id, "name": product.id.split(separator: ".").last.map(String.init) ?? product.id]
      },
      "actions": actions.map { ["value": $0.0, "label": $0.1] },
    ]
  }

  private static func list(_ store: LocalAppStore) -> [String: Any] {
    let shown = (0..<min(longestList, store.simulation.customers)).compactMap { store.customer(number: $0) }
    let left = store.simulation.customers - shown.count
    return [
      "rows": shown.map { customer in
        let card = store.card(of: customer)
        let items = card.items.map { "\($0.productID.split(separator: ".").last ?? ""): \($0.state)" }
        return ["customer": card.customer, "has": items.joined(separator: ", ")]
      },
      "more": left > 0 ? "And \(left) more. Look one up by its name or by a transaction id." : "",
    ]
  }

  private static func content(_ one: SentNotification, _ store: LocalAppStore) throws -> [String: Any] {
    let payload = ReadableText.opened(Array("\"".utf8) + (try store.signedPayload(of: one)) + Array("\"".utf8))
    let object = try? JSONSerialization.jsonObject(with: Data(payload))
    let readable = try object.map {
      try JSONSerialization.data(withJSONObject: $0, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }
    return [
      "at": one.signedAt.seconds, "type": one.type + (one.subtype.map { " " + $0 } ?? ""),
      "customer": one.customer ?? "", "payload": String(decoding: readable ?? Data(payload), as: UTF8.self),
      "attempts": one.attempts.map { attempt in
        [
          "isBad": attempt.result != .success,
          "words": attempt.at.seconds + " " + (attempt.status.map { "\($0)" } ?? attempt.result.rawValue),
        ] as [String: Any]
      },
      "next": one.nextAttemptAt.map { "again at " + $0.seconds } ?? (one.attempts.isEmpty ? "not sent" : ""),
    ]
  }

  private static func content(_ one: LoggedRequest) -> [String: Any] {
    [
      "at": one.at.prefix(19).replacing("T", with: " ") + "Z", "line": one.line, "verdict": one.verdict,
      "isBad": one.status >= 400,
    ]
  }
}

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LedgerService
internal import LedgerStore
internal import Logging

/// What every request meets first: an id, a line in the log, and a problem in place of an error.
struct RequestMiddleware: RouterMiddleware {
  typealias Context = ServerContext

  let log: Logger
  let counts: ServerMetrics
  let bodies: BodyBudget
  let senders: SenderLimit

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let begun = ContinuousClock.now
    var context = context
    context.requestID = Self.id(request.headers[Self.requestID])
    context.body = bodies.part()
    counts.begin()
    var response: Response
    do {
      context.address = senders.address(of: request, connection: context.address)
      let permit = try senders.enter(context.address)
      // A router reads `//` as `/`, and a proxy with rules for paths may not.
      if request.uri.path.contains("//") { throw HTTPProblem.notFound }
      response = try await next(request, context)
      withExtendedLifetime(permit) {}
    } catch {
      let fault = error as? PageFault
      let problem = problem(fault?.cause ?? error, context)
      counts.reject(problem.code)
      response = fault?.page(problem) ?? problem.response(context.requestID)
    }
    response.headers[Self.requestID] = context.requestID
    // Nothing here is for a cache or for another site's page.
    response.headers[.cacheControl] = "no-store"
    response.headers[Self.contentTypeOptions] = "nosniff"
    let (time, route) = (begun.duration(to: .now), context.endpointPath ?? "none")
    counts.end(route: route, method: request.method.rawValue, status: Int(response.status.code), time: time)
    // No id of a person, no query and no body: an operator does not need them.
    log.info(
      "request",
      metadata: [
        "request_id": "\(context.requestID)", "method": "\(Self.shown(request.method))", "route": "\(route)",
        "status": "\(response.status.code)", "ms": "\(Int(time / .milliseconds(1)))",
        "token_id": "\(context.facts.tokenID.withLock { $0 } ?? "none")",
      ])
    return response
  }

  private func problem(_ error: any Error, _ context: Context) -> HTTPProblem {
    switch error {
    case let problem as HTTPProblem: return problem
    case let refusal as Inbox.Refusal: return .inbox(refusal)
    case let error as LedgerError: return .ledger(error)
    case is IdempotentRequest.Conflict:
      return HTTPProblem(
        code: "idempotency_conflict", status: .unprocessableContent,
        detail: "Another request had this Idempotency-Key. Use a new key.", path: "Idempotency-Key")
    case let error as HTTPError: return error.status == .notFound ? .notFound : .fault
    case is CancellationError: return .unavailable("stopping", "The server is stopping. Send the request again.")
    default:
      log.error(
        "a request ended with an unknown error",
        metadata: ["request_id": "\(context.requestID)", "error": "\(type(of: error))"])
      return .fault
    }
  }

  static let requestID = HTTPField.Name("X-Request-Id")!
  private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!

  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]

  /// Returns a method for the log. A sender can invent methods.
  private static func shown(_ method: HTTPRequest.Method) -> String {
    methods.contains(method.rawValue) ? method.rawValue : "other"
  }

  /// Returns a caller's id for its request where it is short and plain, and else a new one.
  private static func id(_ given: String?) -> String {
    if let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(isPlain) { return given }
    return String(UInt64.random(in: 0...UInt64.max), radix: 16)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

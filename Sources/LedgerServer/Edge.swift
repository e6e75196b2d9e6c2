internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// What every request meets first: an id, a line in the log, and a problem in place of an error.
struct Edge: RouterMiddleware {
  typealias Context = BasicRequestContext

  let log: Logger

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let begun = ContinuousClock.now
    let id = Self.id(request.headers[Self.requestID])
    var response: Response
    do {
      response = try await next(request, context)
    } catch let problem as Problem {
      response = problem.response(id)
    } catch let error as HTTPError {
      response = (error.status == .notFound ? Problem.notFound : .fault).response(id)
    } catch is CancellationError {
      response = Problem.notStored("stopping", "The server is stopping. Send the request again.").response(id)
    } catch {
      log.error(
        "a request ended with an unknown error", metadata: ["request_id": "\(id)", "error": "\(type(of: error))"])
      response = Problem.fault.response(id)
    }
    response.headers[Self.requestID] = id
    let time = begun.duration(to: .now).components
    // No id of a person, no query and no body: an operator does not need them.
    log.info(
      "request",
      metadata: [
        "request_id": "\(id)", "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "none")",
        "status": "\(response.status.code)",
        "ms": "\(time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000)",
      ])
    return response
  }

  private static let requestID = HTTPField.Name("X-Request-Id")!

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

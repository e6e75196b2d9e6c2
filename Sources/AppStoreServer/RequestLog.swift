internal import AppStore
internal import AppStoreSimulator
internal import Foundation

/// A request that the app's server has sent, with the verdict.
struct LoggedRequest: Encodable, Sendable {
  /// The number of the request, from 1.
  var number = 0
  /// The instant of the real clock.
  let at: String
  /// The instant of the local App Store's clock.
  let clock: String
  let environment: String
  let method: String
  let path: String
  let query: [Parameter]
  /// The body as text, without the shared secret; `nil` where there was none.
  let body: String?
  let endpoint: String?
  let status: Int
  let errorCode: Int64?
  /// Why the token was refused. Apple does not say it.
  let refusal: String?
  /// The fault on demand that made or changed the answer.
  let fault: String?

  struct Parameter: Encodable, Sendable {
    let name: String
    let value: String
  }

  enum CodingKeys: String, CodingKey {
    case number, at, clock, environment, method, path, query, body, endpoint, status
    case errorCode = "error_code"
    case refusal, fault
  }

  private static let longestBody = 4096

  /// The request and the verdict, in one line.
  var text: String { "\(line): \(verdict)" }
  /// The environment, the method and the path.
  var line: String { "\(environment): \(method) \(path)" }
  /// The status, Apple's code, and why a token was refused.
  var verdict: String {
    "\(status)\(errorCode.map { " \($0)" } ?? "")\(refusal.map { ": " + $0 } ?? "")"
  }

  init(
    _ request: APIRequest, _ response: APIResponse, _ environment: Environment, clock: Instant, at now: Instant
  ) {
    (at, self.clock, self.environment) = (now.description, clock.description, environment.name)
    method = request.method
    path = "/" + request.path.joined(separator: "/")
    query = request.query.map { Parameter(name: $0.name, value: $0.value) }
    body =
      request.body.isEmpty
      ? nil
      : String(decoding: request.body.prefix(Self.longestBody), as: UTF8.self)
        .replacing(LocalAppStore.sharedSecret, with: "…")
    endpoint = response.endpoint?.rawValue
    status = response.status
    struct Code: Decodable { let errorCode: Int64? }
    errorCode = (try? JSONDecoder().decode(Code.self, from: Data(response.body)))?.errorCode
    refusal = response.refusal
    fault = response.fault?.rawValue
  }
}

/// The last requests of the app's server. Older ones are forgotten, so that memory stays flat.
struct RequestLog: Sendable {
  static let limit = 10_000

  private var requests: [LoggedRequest] = []
  /// The number of all requests, also of those that are forgotten.
  private(set) var count = 0

  mutating func append(_ request: LoggedRequest) {
    count += 1
    var request = request
    request.number = count
    requests.append(request)
    // A rare and larger step costs less than one each time.
    if requests.count >= 2 * Self.limit { requests.removeFirst(Self.limit) }
  }

  /// Returns the last requests after a number, oldest first.
  func requests(after number: Int) -> ArraySlice<LoggedRequest> {
    requests.suffix(Self.limit).drop { $0.number <= number }
  }
}

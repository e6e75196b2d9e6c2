internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LedgerService

/// One operation of the API: a method on a path, with what a caller needs in order to use it.
struct Endpoint: Sendable {
  let method: HTTPRequest.Method
  /// The path, with `{…}` for its variable parts, as in openapi.json.
  let path: String
  /// The `operationId` in openapi.json.
  let operation: String
  /// One of them is enough; when there is none, every token may ask.
  let scopes: Set<APIToken.Scope>
  /// The parameters that the query may have.
  let query: [String]
  let handler: @Sendable (Call) async throws -> Response

  init(
    _ method: HTTPRequest.Method, _ path: String, _ operation: String, _ scopes: Set<APIToken.Scope>,
    query: [String] = [], _ handler: @escaping @Sendable (Call) async throws -> Response
  ) {
    (self.method, self.path, self.operation) = (method, path, operation)
    (self.scopes, self.query, self.handler) = (scopes, query, handler)
  }

  /// The path in the router's spelling.
  var route: RouterPath { RouterPath(template: path) }

  /// Returns the parameters of a query.
  /// - Throws: ``HTTPProblem`` for one that the endpoint does not have, and for one that is there twice.
  func parameters(of request: Request) throws -> [String: String] {
    var found: [String: String] = [:]
    for part in (request.uri.query ?? "").split(separator: "&") {
      guard let (name, value) = FormFields.pair(part) else {
        throw HTTPProblem.wrongRequest("refused_text", nil, "The query is not percent-encoded UTF-8.")
      }
      guard query.contains(name) else {
        throw HTTPProblem.wrongRequest(
          "unknown_parameter", String(name.prefix(64)),
          query.isEmpty ? "This path has no parameters." : "This path has \(query.joined(separator: ", ")).")
      }
      guard found[name] == nil else {
        throw HTTPProblem.wrongRequest("repeated_parameter", name, "Write each parameter once.")
      }
      found[name] = value
    }
    return found
  }
}

extension RouterPath {
  /// Creates a path from one with `{…}` for its variable parts.
  init(template: String) { self.init(template.replacing("{", with: ":").replacing("}", with: "")) }
}

internal import HTTPTypes
internal import Hummingbird
internal import LedgerService

/// One page or one form: a method on an address, with the role that a user needs for it.
struct PageEndpoint: Sendable {
  let method: HTTPRequest.Method
  /// The path, with `{…}` for its variable parts.
  let path: String
  /// The name in the access log.
  let operation: String
  /// The least role that may open it.
  let role: StaffRole
  let handler: @Sendable (PageCall) async throws -> Response

  init(
    _ method: HTTPRequest.Method, _ path: String, _ operation: String, _ role: StaffRole,
    _ handler: @escaping @Sendable (PageCall) async throws -> Response
  ) {
    (self.method, self.path, self.operation, self.role, self.handler) = (method, path, operation, role, handler)
  }

  /// The path in the router's spelling.
  var route: RouterPath { RouterPath(template: path) }
}

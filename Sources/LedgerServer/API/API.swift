internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import LedgerService

/// All operations for programs with a token.
struct API: Sendable {
  let endpoints: [Endpoint]
  let authenticator: TokenAuthenticator
  let now: @Sendable () -> Instant

  /// Adds every operation to a router. Other methods on the same paths are refused.
  func add(to router: Router<ServerContext>) {
    for endpoint in endpoints {
      router.on(endpoint.route, method: endpoint.method) { request, context in
        let token = try await authenticator.token(of: request, context, scopes: endpoint.scopes)
        let call = Call(
          request: request, context: context, token: token, now: now(), query: try endpoint.parameters(of: request),
          operation: endpoint.operation)
        return try await endpoint.handler(call)
      }
    }
    router.refuseOtherMethods(beside: endpoints.map { ($0.path, $0.method) })
  }
}

extension Router<ServerContext> {
  /// Answers 405 to all methods of some paths but those that they have.
  func refuseOtherMethods(beside operations: [(path: String, method: HTTPRequest.Method)]) {
    for (path, own) in Dictionary(grouping: operations, by: \.path) {
      refuseOtherMethods(on: RouterPath(template: path), own.map(\.method))
    }
  }

  /// Answers 405 to all other methods of a path.
  func refuseOtherMethods(on path: RouterPath, _ allowed: [HTTPRequest.Method]) {
    let methods: [HTTPRequest.Method] = [
      .get, .put, .post, .delete, .patch, .head, .options, .trace, .connect, .init("QUERY")!,
    ]
    for method in methods where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in throw HTTPProblem.wrongMethod(allowed) }
    }
  }
}

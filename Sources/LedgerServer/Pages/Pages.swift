internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerService
internal import NIOCore
internal import SupportPages

/// The pages for people. Each address but those of sign-in and of the style sheet needs a session.
struct Pages: Sendable {
  /// The page with which a user begins.
  static let first = "/search"

  let endpoints: [PageEndpoint]
  let signIn: SignIn
  let templates: PageTemplates
  let now: @Sendable () -> Instant

  /// Adds every page to a router. Other methods on the same paths are refused.
  func add(to router: Router<ServerContext>) {
    for endpoint in endpoints {
      router.on(endpoint.route, method: endpoint.method) { request, context in
        try await answer(request, context, endpoint)
      }
    }
    router.get("/sign-in") { request, context in try await open(context) { try await signIn.form(request, now()) } }
    router.post("/sign-in") { request, context in
      try await open(context) { try await signIn.begin(request, context, now()) }
    }
    router.get("/style.css") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/css; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: PageTemplates.style)))
    }
    router.refuseOtherMethods(
      beside: endpoints.map { ($0.path, $0.method) } + [("/sign-in", .get), ("/sign-in", .post), ("/style.css", .get)])
  }

  private func answer(_ request: Request, _ context: ServerContext, _ endpoint: PageEndpoint) async throws -> Response {
    try await open(context) {
      let instant = now()
      guard let (session, secret) = try await signIn.session(of: request, at: instant) else {
        return try await signIn.refuse(request, context, instant)
      }
      var call = PageCall(
        request: request, context: context, session: session, secret: secret, now: instant,
        query: try FormFields(request.uri.query ?? ""), form: try FormFields(""), operation: endpoint.operation)
      if endpoint.method != .get {
        guard RequestOrigin.isOwn(request) else { throw HTTPProblem.foreignForm }
        call.form = try await FormFields(request, context)
        guard secret.isFormToken(call.form["form_token"]) else { throw HTTPProblem.foreignForm }
      }
      guard session.role >= endpoint.role else { throw HTTPProblem.roleMissing(session.role, endpoint.role) }
      return try await endpoint.handler(call)
    }
  }

  /// Answers, and turns an error into a page.
  private func open(_ context: ServerContext, _ body: () async throws -> Response) async throws -> Response {
    do { return try await body() } catch {
      throw PageFault(cause: error) { problem in
        let page = ProblemPage(
          heading: problem.status.reasonPhrase, detail: problem.detail, requestID: context.requestID)
        var response = templates.response(
          .problem, problem.status.reasonPhrase, page, user: nil, now: now(), status: problem.status)
        if let retryAfter = problem.retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
      }
    }
  }
}

extension HTTPProblem {
  /// A form that no page of this server sent, or that an earlier session had.
  static let foreignForm = HTTPProblem(
    code: "foreign_form", status: .forbidden,
    detail: "This form does not come from a page of your session. Open the page again, and send it from there.")

  /// No purchase has an id, for a person who looks for it.
  static let unknownPurchase = HTTPProblem(
    code: "unknown_purchase", status: .notFound,
    detail: "No purchase has this id. Look for another id of the purchase, or for the customer.")

  /// The user's role is not enough.
  static func roleMissing(_ role: StaffRole, _ needed: StaffRole) -> HTTPProblem {
    HTTPProblem(
      code: "role_missing", status: .forbidden,
      detail: "Your role is \(role.rawValue). This needs \(needed.rawValue). Ask somebody who has it.")
  }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerService
internal import SupportPages

/// Signs users in and out, and finds their sessions.
struct SignIn: Sendable {
  let inbox: Inbox
  /// Finds sessions by their secrets. Its owner closes it.
  let sessions: ReaderThread
  /// Compares passwords, one at a time, because each needs much memory.
  let passwords: ReaderThread
  let limit: SignInLimit
  let templates: PageTemplates

  /// The minute is enough for the end of an idle session.
  private static let useInterval: Int64 = 60_000

  /// Returns the session of a request, and notes its use; `nil` when there is none.
  func session(of request: Request, at now: Instant) async throws -> (StaffSession, SessionSecret)? {
    guard let secret = SessionCookie.secret(of: request),
      let session = try await sessions.withReader({ try $0.session(secret, at: now) })
    else { return nil }
    if now.milliseconds - session.lastUsedAt.milliseconds >= Self.useInterval {
      try await inbox.change { try $0.noteUse(of: secret, at: now) }
    }
    return (session, secret)
  }

  /// Answers a request without a session: it leads to the sign-in, and from there back. A form that comes from a page of
  /// this server is shown again after the sign-in, so that nothing is lost.
  func refuse(_ request: Request, _ context: ServerContext, _ now: Instant) async throws -> Response {
    guard request.method == .get else {
      guard RequestOrigin.isOwn(request), let form = try? await FormFields(request, context) else {
        return page(SignInPage(fault: "Your session is over.", next: Pages.first), now, .unauthorized)
      }
      let fault =
        "Your session is over. Sign in: what you wrote is shown again, and nothing is done before you confirm it."
      return page(
        SignInPage(fault: fault, unsent: UnsentForm(path: request.uri.path, fields: form.fields)), now, .unauthorized)
    }
    return PageResponse.redirect(PageAddress.of("/sign-in", [("next", request.uri.string)]))
  }

  /// Shows the form with which a user signs in.
  func form(_ request: Request, _ now: Instant) async throws -> Response {
    let next = Self.local(try FormFields(request.uri.query ?? "")["next"])
    return page(SignInPage(next: next), now)
  }

  /// Begins a session with a name and a password.
  func begin(_ request: Request, _ context: ServerContext, _ now: Instant) async throws -> Response {
    guard RequestOrigin.isOwn(request) else { throw HTTPProblem.foreignForm }
    let form = try await FormFields(request, context)
    let (name, next) = (form["name"].trimmingSpace, Self.local(form["next"]))
    let unsent = try Self.local(form["unsent_path"]).map {
      UnsentForm(path: $0, fields: try FormFields(form["unsent_fields"]).fields)
    }
    if let wait = limit.wait(name, context.address) {
      var response = page(
        SignInPage(
          fault: "Too many wrong passwords. Wait for \(wait) seconds, then try again.", name: name, next: next,
          unsent: unsent),
        now, .tooManyRequests)
      response.headers[.retryAfter] = String(wait)
      return response
    }
    let password = Password(typed: form["password"])
    guard let user = try await passwords.withReader({ try $0.staffUser(named: name, password: password) }) else {
      limit.fail(name, context.address)
      try await noteFailure(name, context, now)
      // The same words for an unknown name: nobody can find out which names exist.
      return page(
        SignInPage(
          fault: "This name and this password do not belong together.", name: name, next: next, unsent: unsent),
        now, .unauthorized)
    }
    limit.succeed(name)
    let (secret, former) = (SessionSecret(), SessionCookie.secret(of: request))
    let entry = AccessLogEntry(
      .staffUser(user.name), requestID: context.requestID, operation: "signIn", enteredAt: now)
    try await inbox.change { transaction in
      if let former { try transaction.endSession(former) }
      try transaction.beginSession(secret, of: user, at: now)
      try transaction.log(entry)
    }
    let cookie = SessionCookie.setting(secret)
    guard let unsent else { return PageResponse.redirect(next ?? Pages.first, cookie: cookie) }
    var response = templates.response(
      .unsent, "Send it now?", UnsentPage(unsent, formToken: secret.formToken), user: nil, now: now)
    response.headers[.setCookie] = cookie
    return response
  }

  /// Closes the connection with which passwords are compared.
  func close() { passwords.close() }

  /// Ends the session of a user who signs out.
  func end(_ call: PageCall) async throws -> Response {
    let entries = call.entries([], count: 0)
    try await inbox.change { transaction in
      try transaction.endSession(call.secret)
      for entry in entries { try transaction.log(entry) }
    }
    return PageResponse.redirect("/sign-in", cookie: SessionCookie.removing)
  }

  private func noteFailure(_ name: String, _ context: ServerContext, _ now: Instant) async throws {
    try await inbox.change { transaction in
      // What somebody typed as a name can be a password, so only names of users are written down.
      let requester: AccessLogEntry.Requester = try transaction.isStaffUser(name) ? .staffUser(name) : .nobody
      try transaction.log(
        AccessLogEntry(requester, requestID: context.requestID, operation: "failSignIn", enteredAt: now))
    }
  }

  private func page(_ page: SignInPage, _ now: Instant, _ status: HTTPResponse.Status = .ok) -> Response {
    templates.response(.signIn, "Sign in", page, user: nil, now: now, status: status)
  }

  /// Returns an address of this server, with which a sign-in goes on; `nil` for any other text.
  static func local(_ text: String) -> String? {
    guard text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasPrefix("/sign-in"), text.utf8.count <= 2048,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return text
  }
}

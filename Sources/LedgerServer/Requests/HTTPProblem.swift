internal import HTTPTypes
internal import Hummingbird
internal import LedgerPresentation
internal import LedgerStore
internal import NIOCore

/// An answer that reports a fault, as RFC 9457 describes it.
struct HTTPProblem: Error, Equatable {
  /// A stable name for programs.
  let code: String
  let status: HTTPResponse.Status
  /// What is wrong, and what to do. It has nothing of the request in it.
  let detail: String
  /// The place of the fault: a JSON path in the body, or the name of a parameter.
  var path: String?
  /// Whether the same request can succeed later, and then after how many seconds.
  var retryAfter: Int?
  /// Further fields of the head.
  var headers: HTTPFields = [:]

  static let notFound = HTTPProblem(
    code: "not_found", status: .notFound, detail: "No such path exists. GET /openapi.json describes all of them.")
  static let wrongType = HTTPProblem(
    code: "wrong_content_type", status: .unsupportedMediaType, detail: "The body must be application/json.")
  static let tooLong = HTTPProblem(
    code: "too_long", status: .contentTooLarge, detail: "The body is longer than this path accepts.")
  static let notANotification = HTTPProblem(
    code: "not_a_notification", status: .badRequest,
    detail:
      "The body is not exactly one notification: a JSON object with a signedPayload (V2) or a notification_type (V1). "
      + "Nothing was stored.")
  static let noSharedSecret = HTTPProblem(
    code: "no_shared_secret", status: .badRequest,
    detail: "The server has no shared secret of the app, so it accepts no V1 notifications. Nothing was stored.")
  static let quarantineIsFull = HTTPProblem(
    code: "quarantine_full", status: .serviceUnavailable,
    detail: "The notification could not be used, and nothing more is stored of such today.", retryAfter: 3600)
  static let asksNothing = HTTPProblem(
    code: "asks_nothing", status: .conflict,
    detail: "This server has no settings to ask Apple. Ask verifyReceipt, and post its answer in place of the receipt.")

  /// Apple cannot use a receipt, and never will.
  static func receiptIsRefused(code: Int64?) -> HTTPProblem {
    HTTPProblem(
      code: "receipt_refused", status: .unprocessableContent,
      detail:
        "Apple does not accept this receipt\(code.map { " (status \($0))" } ?? ""). Get a new one from the device.",
      path: "$.receipt-data")
  }
  static let fault = HTTPProblem(
    code: "fault", status: .internalServerError, detail: "The server has a fault. Its log names it by the request id.")

  /// The path does not answer this method.
  static func wrongMethod(_ allowed: [HTTPRequest.Method]) -> HTTPProblem {
    HTTPProblem(
      code: "wrong_method", status: .methodNotAllowed, detail: "This path does not answer this method.",
      headers: [.allow: allowed.map(\.rawValue).sorted().joined(separator: ", ")])
  }

  /// The request itself is wrong.
  static func wrongRequest(_ code: String, _ path: String?, _ detail: String) -> HTTPProblem {
    HTTPProblem(code: code, status: .badRequest, detail: detail, path: path)
  }

  static func unauthorized(_ detail: String) -> HTTPProblem {
    HTTPProblem(code: "unauthorized", status: .unauthorized, detail: detail, headers: [.wwwAuthenticate: "Bearer"])
  }
  static let endedToken = unauthorized("The token is wrong, has ended or was revoked.")
  static let tooManyWait = unavailable("too_many_wait", "Too many requests wait. Send it again.")
  static let tooManyWaitOfToken = HTTPProblem(
    code: "too_many_wait", status: .tooManyRequests,
    detail: "Too many requests of this token wait already. Wait for their answers, then send the request again.",
    retryAfter: 1)

  /// The feed has no such place. What the caller knows may be wrong, so it must read everything again.
  static func changesRestarted(_ last: String) -> HTTPProblem {
    HTTPProblem(
      code: "changes_restarted", status: .gone,
      detail:
        "The feed does not have this change, because the ledger was restored. Read all states again, and go on after "
        + "\(last).", path: "after")
  }

  /// Nothing was stored. Apple sends a notification again after a 503; a 4xx is not certain to be.
  static func unavailable(_ code: String, _ detail: String) -> HTTPProblem {
    HTTPProblem(code: code, status: .serviceUnavailable, detail: detail, retryAfter: 1)
  }

  /// Returns the problem for an error of the ledger. Its own words can name a path of this machine, so an answer has
  /// them only where the request caused the error.
  static func ledger(_ error: LedgerError) -> HTTPProblem {
    switch error.code {
    case .refusedText: HTTPProblem(code: error.code.rawValue, status: .badRequest, detail: "\(error)")
    case .refusedEntry: HTTPProblem(code: error.code.rawValue, status: .conflict, detail: "\(error)")
    case .busy, .cannotRead, .cannotWrite:
      unavailable(error.code.rawValue, "The ledger cannot be used at present. Send the request again.")
    default: fault
    }
  }

  /// Returns the problem for a request that the inbox did not take.
  static func inbox(_ refusal: Inbox.Refusal) -> HTTPProblem {
    switch refusal {
    case .full: unavailable("too_many_wait", "Too many requests wait to be stored. Send it again.")
    case .late: unavailable("waited_too_long", "The ledger was busy for too long. Send the request again.")
    case .closed: unavailable("stopping", "The server is stopping. Send the request again.")
    case .failed: unavailable("not_stored", "The ledger could not be written. Send the request again.")
    }
  }

  /// Returns the answer, with the id of its request.
  func response(_ requestID: String) -> Response {
    var members: JSONText.Members = [
      ("type", "\"about:blank\""), ("title", JSONText.string(status.reasonPhrase)), ("status", "\(status.code)"),
      ("detail", JSONText.string(detail)), ("code", JSONText.string(code)),
      ("retryable", retryAfter == nil ? "false" : "true"), ("request_id", JSONText.string(requestID)),
    ]
    if let path { members.append(("path", JSONText.string(path))) }
    var response = Response(
      status: status, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: JSONText.nested(members) + "\n")))
    response.headers[.contentType] = "application/problem+json"
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// An answer that reports a fault, as RFC 9457 describes it.
struct Problem: Error, Equatable {
  /// A stable name for programs.
  let code: String
  let status: HTTPResponse.Status
  /// What is wrong, and what to do. It has nothing of the request in it.
  let detail: String
  /// Whether the same request can succeed later, and then after how many seconds.
  var retryAfter: Int?

  static let notFound = Problem(
    code: "not_found", status: .notFound, detail: "No such path exists. GET /healthz answers on every server.")
  static let wrongMethod = Problem(
    code: "wrong_method", status: .methodNotAllowed, detail: "This path does not answer this method.")
  static let wrongType = Problem(
    code: "wrong_content_type", status: .unsupportedMediaType, detail: "The body must be application/json.")
  static let tooLong = Problem(
    code: "too_long", status: .contentTooLarge, detail: "The body is longer than this path accepts.")
  static let notANotification = Problem(
    code: "not_a_notification", status: .badRequest,
    detail: "The body is not a JSON object with a signedPayload (V2) or a notification_type (V1). Nothing was stored.")
  static let fault = Problem(
    code: "fault", status: .internalServerError, detail: "The server has a fault. Its log names it by the request id.")

  /// Nothing was stored. Apple sends a notification again after a 503; a 4xx is not certain to be.
  static func notStored(_ code: String, _ detail: String) -> Problem {
    Problem(code: code, status: .serviceUnavailable, detail: detail, retryAfter: 1)
  }

  /// Returns the answer, with the id of its request.
  func response(_ requestID: String) -> Response {
    // None of these texts has a character that JSON escapes.
    let body = """
      {"type": "about:blank", "title": "\(status.reasonPhrase)", "status": \(status.code), "detail": "\(detail)", \
      "code": "\(code)", "retryable": \(retryAfter != nil), "request_id": "\(requestID)"}

      """
    var response = Response(
      status: status, headers: [.contentType: "application/problem+json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}

internal import HTTPTypes
internal import Hummingbird
internal import AppStore
internal import NIOCore
internal import SupportPages

/// Answers with HTML, and the fields of the head that protect a page.
enum PageResponse {
  /// The fields of each page. Nothing comes from another site, and no other site shows or reads a page.
  static let headers: HTTPFields = [
    .contentSecurityPolicy:
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    // Ids in addresses leave for no other site. (With no-referrer, browsers hide the origin of forms from us, too.)
    HTTPField.Name("Referrer-Policy")!: "same-origin",
    HTTPField.Name("Cross-Origin-Opener-Policy")!: "same-origin",
    HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
    HTTPField.Name("Permissions-Policy")!: "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    HTTPField.Name("X-Robots-Tag")!: "noindex",
  ]

  /// Returns an answer that leads to another page, so that loading that page again sends no form again.
  static func redirect(_ target: String, cookie: String? = nil) -> Response {
    var fields = headers
    fields[.location] = target
    if let cookie { fields[.setCookie] = cookie }
    return Response(status: .seeOther, headers: fields)
  }

  /// Returns a file, which a browser saves and does not show.
  static func file(_ name: String, _ type: String, _ body: ResponseBody) -> Response {
    var fields = headers
    fields[.contentType] = type
    fields[.contentDisposition] = "attachment; filename=\"\(name)\""
    return Response(status: .ok, headers: fields, body: body)
  }
}

extension PageTemplates {
  /// Returns a page as an answer.
  func response(
    _ name: Name, _ title: String, _ content: Any, user: PageDocument.User?, now: Instant, query: String = "",
    status: HTTPResponse.Status = .ok
  ) -> Response {
    let document = PageDocument(title, user: user, now: now, query: query, content: content)
    var fields = PageResponse.headers
    fields[.contentType] = "text/html; charset=utf-8"
    return Response(
      status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: render(name, document))))
  }

  /// Returns a page for the user who asks, as an answer.
  func response(
    _ name: Name, _ call: PageCall, _ title: String, _ content: Any, query: String = "",
    status: HTTPResponse.Status = .ok
  ) -> Response {
    response(name, title, content, user: call.user, now: call.now, query: query, status: status)
  }
}

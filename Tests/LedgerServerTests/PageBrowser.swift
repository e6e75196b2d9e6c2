import AppStore
import Foundation
import FoundationNetworking
import Ledger
import LedgerService
import TestSupport

@testable import LedgerServer

/// A browser of a user: it has a cookie, and sends forms as the pages do. It follows no redirect.
final class PageBrowser: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  static let password = "correct horse battery staple"

  let port: Int
  var cookie: String?
  /// The token of the forms, as the last page had it.
  var formToken = ""

  init(port: Int) { self.port = port }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  /// Sends a request, and returns its answer.
  func send(
    _ path: String, _ method: String = "GET", _ body: String? = nil, headers: [String: String] = [:]
  ) async throws -> Answer {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: Eventually.limit / .seconds(1))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    if body != nil { request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type") }
    if let cookie { request.setValue("__Host-subledger=\(cookie)", forHTTPHeaderField: "Cookie") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let fields = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
    let answer = Answer(
      status: response.statusCode, body: String(decoding: data, as: UTF8.self),
      headers: Dictionary(fields) { first, _ in first })
    if let token = answer.body.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/) {
      formToken = String(token.1)
    }
    return answer
  }

  /// The fields of a form, as a browser sends them.
  static func form(_ fields: [String: String]) -> String {
    fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
      .sorted().joined(separator: "&")
  }

  /// Sends a form of a page.
  func post(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await send(
      path, "POST", Self.form(fields.merging(["form_token": formToken]) { first, _ in first }),
      headers: ["Origin": "http://127.0.0.1:\(port)"])
  }

  /// Signs in, and keeps the cookie.
  @discardableResult func signIn(
    _ name: String, _ password: String = PageBrowser.password, next: String = ""
  ) async throws -> Answer {
    let answer = try await post("/sign-in", ["name": name, "password": password, "next": next])
    if let found = answer.headers["set-cookie"]?.firstMatch(of: /__Host-subledger=([^;]*);/) {
      cookie = String(found.1)
    }
    return answer
  }
}

extension ServerBench {
  /// Makes users of the page, each named as its role.
  func makeUsers(_ roles: [StaffRole] = StaffRole.allCases) throws {
    let recorder = try LedgerRecorder(path: reader.path)
    defer { recorder.close() }
    for role in roles {
      try recorder.createStaffUser(
        role.rawValue, role: role, password: Password(new: PageBrowser.password), CustomerFixture.staffAction(1))
    }
  }

  /// Returns a browser in which a user with a role is signed in.
  func browser(_ role: StaffRole) async throws -> PageBrowser {
    let browser = PageBrowser(port: client.port)
    let answer = try await browser.signIn(role.rawValue)
    guard answer.status == 303 else { throw URLError(.userAuthenticationRequired) }
    _ = try await browser.send("/search")
    return browser
  }
}

/// The text of a page, as a browser reads it.
enum HTMLText {
  /// Returns the text that escapes stand for.
  static func plain(_ html: String) -> String {
    [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(html) {
      $0.replacing($1.0, with: $1.1)
    }
  }
}

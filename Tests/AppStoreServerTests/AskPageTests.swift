import Foundation
import Ledger
import TestSupport
import Testing

/// A user of the support page who asks Apple, beside a local App Store.
@Suite(.takesTurns) struct AskPageTests {
  /// A browser, as far as this page needs one.
  private struct Browser {
    let address: String
    var cookie = ""
    var formToken = ""

    mutating func send(_ path: String, _ fields: [String: String]? = nil) async throws -> Shop.Answer {
      var headers = [("Cookie", "__Host-subledger=\(cookie)"), ("Origin", address)]
      if fields != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
      let body = (fields ?? [:]).merging(fields == nil ? [:] : ["form_token": formToken]) { first, _ in first }
      let text = body.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
      let answer = try await Shop.send(
        fields == nil ? "GET" : "POST", address + path, text.joined(separator: "&"), headers: headers)
      if let found = answer.headers.first(name: "set-cookie")?.firstMatch(of: /__Host-subledger=([^;]*);/) {
        cookie = String(found.1)
      }
      if let token = answer.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/) {
        formToken = String(token.1)
      }
      return answer
    }
  }

  @Test func `a user asks Apple about an id, once a minute, and the page has the answer`() async throws {
    let desk = try Desk()
    let password = "correct horse battery staple"
    _ = try desk.folder.write(password, to: "password")
    let made = try desk.run([
      "users", "create", "mia", "--role", "support", "--password-file", desk.folder.file("password"), "--author", "a",
      "--reason", "r",
    ])
    #expect(made.code == 0, "\(made.complaints)")
    let process = try RunningProgram(
      ["run", "--listen", "127.0.0.1:0", "--drain", "0s", "--database", desk.folder.file("subledger.sqlite")],
      in: desk.folder,
      environment: desk.shop.settings.merging(["SUBLEDGER_NOTIFICATION_HISTORY": "off", "SUBLEDGER_RECONCILE": "off"]) {
        $1
      })
    var browser = Browser(address: "http://127.0.0.1:\(try process.port())")
    _ = try await browser.send("/sign-in", ["name": "mia", "password": password, "next": ""])
    let id = try desk.id("Production")
    let nothing = try await browser.send("/search?q=\(id)")
    #expect(nothing.text.contains("Nothing found") && nothing.text.contains("Ask Apple now about \(id)"))
    let order = try await browser.send("/search?q=M1234567890")
    #expect(order.text.contains("Look the order M1234567890 up at Apple"))
    let first = try await browser.send("/ask-apple", ["id": id])
    #expect(first.status == 303 && first.headers.first(name: "location") == "/search?q=\(id)", "\(first.text)")
    let found = try await browser.send("/search?q=\(id)")
    #expect(found.headers.first(name: "location") == "/purchases/\(id)")
    let early = try await browser.send("/ask-apple", ["id": id])
    #expect(early.status == 429 && early.headers.first(name: "retry-after") == "60", "\(early.text)")
    let unknown = try await browser.send("/ask-apple", ["id": "999999999999999"])
    #expect(unknown.headers.first(name: "location") == "/search?q=999999999999999", "\(unknown.text)")
    for wrong in ["", "abc!", "../x"] {
      #expect(try await browser.send("/ask-apple", ["id": wrong]).status == 400, "\(wrong)")
    }
    _ = try await desk.shop.admin("POST", "faults", #"{"fault":"503","endpoint":"transaction_info","requests":9}"#)
    let failed = try await browser.send("/ask-apple", ["id": "888888888888888"])
    #expect(failed.status == 503 && failed.text.contains("Apple did not answer now."), "\(failed.text)")
    #expect(
      try desk.query("SELECT DISTINCT occasion, endpoint, verdict FROM apple_request ORDER BY request_id").split(
        separator: "\n"
      ).dropFirst().allSatisfy { $0.hasPrefix("command,transaction_info,") })
    #expect(
      try desk.query("SELECT COUNT(*) FROM access_log WHERE operation = 'askApple'") == "COUNT(*)\n4\n",
      "each question is in the log, also one that is refused as too early")
    _ = process.end()
  }
}

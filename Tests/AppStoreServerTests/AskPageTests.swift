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

  private static let password = "correct horse battery staple"

  /// Starts a server beside a local App Store, and signs a user in.
  private static func signIn(_ role: String, _ desk: Desk) async throws -> (Browser, RunningProgram) {
    _ = try desk.folder.write(password, to: "password")
    let made = try desk.run([
      "users", "create", "mia", "--role", role, "--password-file", desk.folder.file("password"), "--author", "a",
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
    return (browser, process)
  }

  /// The hidden fields of the form that sends what a page has shown.
  private static func hidden(_ page: String) -> [String: String] {
    let form = page.components(separatedBy: "class=\"preview\"").last ?? ""
    let fields = form.matches(of: /<input type="hidden" name="([a-z_]+)" value="([^"]*)">/)
    return Dictionary(fields.map { (String($0.1), String($0.2)) }) { first, _ in first }
  }

  @Test func `a user asks Apple about an id, once a minute, and the page has the answer`() async throws {
    let desk = try Desk()
    var (browser, process) = try await Self.signIn("support", desk)
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

  @Test func `a lead answers Apple about a refund and extends a subscription, after a preview, once for each form`()
    async throws
  {
    let desk = try Desk()
    func perform(_ action: String) async throws -> String {
      try await desk.shop.admin("POST", "actions", #"{"customer": "user-000003", "action": "\#(action)"}"#).text
    }
    let id = try #require(try await perform("buy monthly").firstMatch(of: /"original_transaction_id":"(\d+)"/)?.1)
      .description
    _ = try await desk.shop.admin("POST", "clock", #"{"advance": "P20D"}"#)
    _ = try await perform("ask-refund")
    // The history has what Apple has sent.
    _ = try await desk.shop.admin("POST", "clock", #"{"advance": "PT5M"}"#)
    for arguments in [["statuses", id], ["notifications", "--from", "2024-05-25", "--to", "2024-07-15"]] {
      let fetched = try desk.fetch(arguments)
      #expect(fetched.code == 0, "\(fetched)")
    }
    _ = try desk.program.run(["customers", "link", "ann", id, "--author", "a", "--reason", "r"])
    var (browser, process) = try await Self.signIn("lead", desk)
    #expect(try await browser.send("/refunds").text.contains("href=\"/purchases/\(id)\""))
    #expect(try await browser.send("/purchases/\(id)").text.contains("Answer Apple about the refund"))
    let form = "/purchases/\(id)/refund-answer"
    let without = try await browser.send("\(form)?delivery=DELIVERED&preference=DECLINE&reason=used+it")
    #expect(without.status == 400 && without.text.contains("Apple takes no answer without the customer’s consent."))
    let preview = try await browser.send("\(form)?delivery=DELIVERED&preference=DECLINE&reason=used+it&consent=yes")
    #expect(preview.status == 200 && preview.text.contains("<dd>decline</dd>"), "\(preview.text)")
    for _ in 0..<2 {
      let done = try await browser.send(form, Self.hidden(preview.text))
      #expect(done.headers.first(name: "location") == "/purchases/\(id)?done=answered-refund", "\(done.text)")
    }
    let nameless = Self.hidden(preview.text).merging(["request_key": ""]) { $1 }
    let count = "SELECT COUNT(*) FROM apple_request"
    let before = try desk.query(count)
    #expect(try await browser.send(form, nameless).status == 403)
    #expect(try desk.query(count) == before, "a form of no page does not reach Apple")
    let forged = Self.hidden(preview.text).merging(["consent": ""]) { $1 }
    #expect(try await browser.send(form, forged).status == 403)
    let extend = "/purchases/\(id)/extension"
    for (query, words) in [("days=91&code=1&reason=x", "from 1 to 90"), ("days=3&code=1&reason=", "Write a reason")] {
      let refused = try await browser.send("\(extend)?\(query)")
      #expect(refused.status == 400 && refused.text.contains(words), "\(query)")
    }
    let plan = try await browser.send("\(extend)?days=3&code=3&reason=outage")
    #expect(plan.text.contains("It renews 3 days later") && plan.text.contains("Extended 0 of 2 times"), "\(plan.text)")
    for _ in 0..<2 {
      let done = try await browser.send(extend, Self.hidden(plan.text))
      #expect(done.headers.first(name: "location") == "/purchases/\(id)?done=extended", "\(done.text)")
    }
    let account = "/purchases/\(id)/account-token"
    #expect(try await browser.send("\(account)?token=me&reason=x").text.contains("Write a UUID."))
    let token = "7e3fb204-0000-4000-8000-0123456789ab"
    let set = try await browser.send(
      account, Self.hidden(try await browser.send("\(account)?token=\(token)&reason=x").text))
    #expect(set.headers.first(name: "location") == "/purchases/\(id)?done=set-token", "\(set.text)")
    let person = try await browser.send("/people/ann").text
    for words in [
      "Answered Apple’s request about a refund", "delivered, with the wish decline. used it",
      "Extended the renewal date of \(id) by 3 days. outage", "Set the account token of \(id) to \(token). x",
    ] {
      #expect(person.components(separatedBy: words).count == 2, "\(words)")
    }
    #expect(
      try desk.query("SELECT DISTINCT endpoint, verdict FROM apple_request WHERE endpoint IN ('consumption', 'extend')")
        == "endpoint,verdict\nconsumption,answered\nextend,answered\n")
    _ = try await desk.shop.admin("POST", "faults", #"{"fault":"503","endpoint":"extend","requests":9}"#)
    let again = try await browser.send("\(extend)?days=3&code=3&reason=outage")
    let failed = try await browser.send(extend, Self.hidden(again.text))
    #expect(failed.status == 409 && failed.text.contains("Nothing was done."), "\(failed.text)")
    _ = process.end()
  }
}

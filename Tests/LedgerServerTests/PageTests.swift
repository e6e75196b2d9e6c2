import AppStore
import Foundation
import Ledger
import LedgerPresentation
import LedgerService
import SupportPages
import TestSupport
import Testing

@testable import LedgerServer

/// The pages for support staff: who gets which, and what stands on them.
@Suite(.takesTurns) struct PageTests {
  private func log(_ bench: ServerBench) throws -> [String] {
    try bench.column(
      """
      SELECT author || ' ' || operation || ' ' || COALESCE(customer, '-') || ' '
        || COALESCE(original_transaction_id, '-') FROM access_log ORDER BY entry_id
      """)
  }

  @Test func `each page needs a session and a role, and says what is missing`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers()
    let digest = try #require(try bench.column("SELECT lower(hex(digest)) FROM payload").first)
    let paths: [String: String] = [
      "/purchases/{id}": "/purchases/t1",
      "/purchases/{id}/why": "/purchases/t1/why",
      "/purchases/{id}/refund-answer": "/purchases/t1/refund-answer",
      "/purchases/{id}/extension": "/purchases/t1/extension",
      "/purchases/{id}/account-token": "/purchases/t1/account-token",
      "/payloads/{digest}": "/payloads/\(digest)",
      "/payloads/{digest}/text": "/payloads/\(digest)/text",
      "/access-log/export": "/access-log/export?format=csv",
      "/reports/{metric}": "/reports/mrr",
      "/reports/{metric}/csv": "/reports/mrr/csv",
    ]
    func path(_ endpoint: PageEndpoint) -> String {
      paths[endpoint.path]
        ?? endpoint.path.replacing("{customer}", with: "ann").replacing("{entitlement}", with: "pro")
        .replacing("{identifier}", with: "t1")
    }
    // Signing out comes last.
    let all = bench.server.pages.endpoints
    let endpoints = all.filter { $0.path != "/sign-out" } + all.filter { $0.path == "/sign-out" }
    let nobody = PageBrowser(port: bench.client.port)
    for endpoint in endpoints {
      let path = path(endpoint)
      if endpoint.method == .get {
        let answer = try await nobody.send(path)
        #expect(answer.status == 303 && answer.headers["location"]?.hasPrefix("/sign-in?next=") == true, "\(path)")
      } else {
        #expect(try await nobody.post(path).status == 401, "\(path)")
      }
      #expect(try await nobody.send(path, "DELETE").status == 405, "\(path)")
    }
    for role in StaffRole.allCases {
      let browser = try await bench.browser(role)
      for endpoint in endpoints {
        let path = path(endpoint)
        let answer = try await endpoint.method == .get ? browser.send(path) : browser.post(path)
        if role < endpoint.role {
          #expect(answer.status == 403 && answer.body.contains("Your role is \(role.rawValue)"), "\(path) \(role)")
        } else {
          // A form without its fields is refused only after the role.
          #expect(
            [200, 303].contains(answer.status) || answer.status == 400 && endpoint.method == .post, "\(path) \(role)")
        }
      }
    }
    try await bench.stop()
  }

  @Test func `a user signs in with name and password, and the cookie is only for this host and TLS`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.support])
    let browser = PageBrowser(port: bench.client.port)
    let page = try await browser.send("/sign-in?next=/people/ann")
    #expect(page.status == 200 && page.body.contains(#"name="next" value="/people/ann""#), "\(page.body)")
    let wrong = try await browser.signIn("support", "wrong password here")
    let unknown = try await browser.signIn("nobody", "wrong password here")
    #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil)
    // Nobody can find out which names exist.
    #expect(unknown.body.replacing("nobody", with: "support") == wrong.body && unknown.status == wrong.status)
    let right = try await browser.signIn("support", next: "/people/ann")
    #expect(right.status == 303 && right.headers["location"] == "/people/ann")
    let attributes = try #require(right.headers["set-cookie"]?.split(separator: "; ").dropFirst().map(String.init))
    #expect(attributes == ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"])
    let person = try await browser.send("/people/ann")
    #expect(
      person.status == 200 && person.body.contains("Has pro until \(Messages.instant(day(30)))"), "\(person.body)")
    let former = browser.cookie
    try await browser.signIn("support")
    #expect(browser.cookie != former)
    let other = PageBrowser(port: bench.client.port)
    other.cookie = former
    #expect(try await other.send("/search").status == 303, "a second sign-in ends the first session of the browser")
    let out = try await {
      _ = try await browser.send("/search"); return try await browser.post("/sign-out")
    }()
    #expect(out.status == 303 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
    #expect(try await browser.send("/search").headers["location"]?.hasPrefix("/sign-in") == true)
    #expect(
      try log(bench) == [
        "support failSignIn - -", " failSignIn - -", "support signIn - -", "support showCustomer ann -",
        "support signIn - -", "support signOut - -",
      ])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test(arguments: [
    "//evil.example", "https://evil.example", "/\\evil.example", "/people/a\r\nX: y", "people", "/sign-in",
  ])
  func `a sign-in leads only to an address of this server`(next: String) async throws {
    #expect(SignIn.local(next) == nil)
  }

  @Test func `a name waits after five wrong passwords, and others do not`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.support, .lead])
    let browser = PageBrowser(port: bench.client.port)
    for _ in 0..<5 { #expect(try await browser.signIn("support", "wrong password here").status == 401) }
    let waiting = try await browser.signIn("support")
    #expect(
      waiting.status == 429 && waiting.headers["retry-after"] == "30" && waiting.body.contains("Wait for 30 seconds"))
    #expect(try await browser.signIn("lead").status == 303)
    bench.clock.advance(by: .seconds(30))
    #expect(try await browser.signIn("support", "wrong password here").status == 401)
    #expect(try await browser.signIn("support").headers["retry-after"] == "60", "each further one doubles the wait")
    bench.clock.advance(by: .seconds(60))
    #expect(try await browser.signIn("support").status == 303)
    #expect(
      try await browser.signIn("support", "wrong password here").status == 401,
      "the count begins again")
    try await bench.stop()
  }

  @Test func `a form of another site, of another session or without its token changes nothing`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.support, .lead])
    let (browser, other) = (try await bench.browser(.support), try await bench.browser(.lead))
    let own = "http://127.0.0.1:\(bench.client.port)"
    let token = PageBrowser.form(["form_token": browser.formToken])
    let cases: [(body: String, headers: [String: String])] = [
      (token, [:]), (token, ["Origin": "https://evil.example"]), (token, ["Origin": "null"]),
      (token, ["Origin": "http://127.0.0.1:1"]), (token, ["Sec-Fetch-Site": "cross-site"]),
      (token, ["Sec-Fetch-Site": "same-site"]), ("", ["Origin": own]), ("form_token=", ["Origin": own]),
      (PageBrowser.form(["form_token": other.formToken]), ["Origin": own]), (token + "&" + token, ["Origin": own]),
    ]
    for item in cases {
      let answer = try await browser.send("/sign-out", "POST", item.body, headers: item.headers)
      #expect([400, 403].contains(answer.status), "\(item)")
      #expect(try await browser.send("/search").status == 200, "\(item)")
    }
    let signIn = try await browser.send(
      "/sign-in", "POST", PageBrowser.form(["name": "lead", "password": PageBrowser.password]),
      headers: ["Origin": "https://evil.example"])
    #expect(signIn.status == 403 && signIn.headers["set-cookie"] == nil, "nobody signs a browser in from outside")
    #expect(
      try await browser.send("/sign-out", "POST", token, headers: ["Sec-Fetch-Site": "same-origin"]).status == 303)
    try await bench.stop()
  }

  @Test func `a session ends after half an hour without use, and says so to a form`() async throws {
    let clock = WallClock(day(10))
    let bench = try await AccessAPITests.bench { clock.now }
    try bench.makeUsers([.support])
    let browser = try await bench.browser(.support)
    for _ in 0..<3 {
      clock.set(clock.now + 29 * 60_000)
      #expect(try await browser.send("/search").status == 200)
    }
    clock.set(clock.now + 30 * 60_000)
    let late = try await browser.post("/sign-out")
    #expect(late.status == 401 && late.body.contains("Your session is over."))
    #expect(try await browser.send("/search").status == 303)
    // What was typed is not lost: it is shown after the sign-in, and sent when the user confirms it.
    let note = ["text": "Called.\n<b>&\"", "request_key": PageCall.newRequestKey()]
    let lost = try await browser.post("/people/ann/notes", note)
    #expect(lost.status == 401 && lost.body.contains("what you wrote is shown again"))
    let waiting = ActPageTests.fields(lost.body, ["unsent_path", "unsent_fields"]).filter { $0.key != "request_key" }
    let form = ["name": "support", "password": PageBrowser.password, "next": ""].merging(waiting) { first, _ in first }
    let wrong = try await browser.post("/sign-in", form.merging(["password": "wrong password"]) { $1 })
    #expect(wrong.status == 401 && wrong.body.contains("name=\"unsent_path\" value=\"/people/ann/notes\""))
    let again = try await browser.post("/sign-in", form)
    #expect(again.status == 200 && again.body.contains("Called.\n&lt;b&gt;&amp;&quot;"), "\(again.body)")
    #expect(try bench.column("SELECT COUNT(*) FROM customer_note") == ["0"], "nothing is done before")
    browser.cookie = try #require(again.headers["set-cookie"]?.firstMatch(of: /=([^;]*);/)).1.description
    #expect(try await browser.post("/people/ann/notes", note).headers["location"] == "/people/ann?done=note")
    #expect(try bench.column("SELECT text FROM customer_note") == ["Called.\n<b>&\""])
    let foreign = try await browser.post("/sign-in", form.merging(["unsent_path": "//evil.example/x"]) { $1 })
    #expect(foreign.status == 303 && foreign.headers["location"] == "/search")
    try await bench.stop()
  }

  @Test func `a browser at the first address gets the page, and a program the introduction`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let browser = PageBrowser(port: bench.client.port)
    let page = try await browser.send("/", headers: ["Accept": "text/html,application/xhtml+xml"])
    #expect(page.status == 303 && page.headers["location"] == "/search")
    #expect(try await browser.send("/", headers: ["Accept": "*/*"]).headers["content-type"] == "application/json")
    try await bench.stop()
  }

  @Test func `every page is protected against other sites, needs no script and loads nothing from outside`()
    async throws
  {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.admin])
    let browser = try await bench.browser(.admin)
    let digest = try #require(try bench.column("SELECT lower(hex(digest)) FROM payload").first)
    for path in [
      "/health", "/refunds", "/purchases/t1/refund-answer", "/purchases/t1/extension?days=x", "/reports",
      "/reports/mrr?group_by=product", "/payloads/\(digest)", "/access-log", "/access-log?author=x",
      "/people/ann/compare?as_of=2026-02-01",
      "/people/ann?as_of=2026-02-01&known_at=2026-02-01", "/search", "/search?q=zzz9999", "/people/ann",
      "/purchases/t1", "/purchases/t1/why", "/people/x",
      "/people/ann/link", "/people/ann/link?identifier=t1&reason=x", "/people/ann/links/t1/unlink",
      "/people/ann/forget",
      "/people/ann/grant", "/people/ann/grant?entitlement=x", "/people/ann/grants/pro/end",
    ] {
      let answer = try await browser.send(path)
      #expect(answer.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
      #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; style-src 'self'") == true)
      #expect(answer.headers["referrer-policy"] == "same-origin" && answer.headers["cache-control"] == "no-store")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      for text in ["<script", "http:", "https:", "style=", "onclick", "<img", "{{", "}}"] {
        // The name of SVG is not an address, and a ticket has the address of its page as text.
        let body = answer.body.replacing("http://www.w3.org/2000/svg", with: "")
          .replacing("http://127.0.0.1:\(bench.client.port)/people/", with: "")
        #expect(!body.contains(text), "\(path): \(text)")
      }
      #expect(
        answer.body.contains("<html lang=\"en\">") && answer.body.components(separatedBy: "<h1").count == 2, "\(path)")
    }
    try await bench.stop()
  }

  @Test func `an id with any characters is shown as text`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    let ids = [
      "<script>alert(1)</script>", "\"><b>x</b>", "\"\u{301} onfocus=x", "<\u{301}b>", "'\u{200D} a='b", "a\u{202E}b",
      "&lt;b&gt;", "{{customer}}", "../../etc", "%00", String(repeating: "é", count: 128),
    ]
    for id in ids {
      let recorder = try LedgerRecorder(path: bench.reader.path)
      try recorder.note("called about \(id)", about: id, by: "a", now: day(2))
      recorder.close()
      let encoded = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      for path in ["/people/\(encoded)", "/search?q=\(encoded)", "/purchases/\(encoded)", "/search"] {
        let answer = try await browser.send(path)
        #expect([200, 303, 404].contains(answer.status), "\(path): \(answer.status)")
        for mark in ["<b>", "<\u{301}b", "<script>alert", "\"\u{301}", "'\u{200D}", "\u{202E}"] {
          // Scalars, because a browser reads these.
          #expect(answer.body.unicodeScalars.firstRange(of: Array(mark.unicodeScalars)) == nil, "\(path): \(mark)")
        }
      }
      let page = try await browser.send("/people/\(encoded)")
      #expect(page.status == 200 && page.body.contains("<h1>"), "\(id)")
    }
    try await bench.stop()
  }

  @Test func `a search finds the person by any id, by its beginning, and in a whole mail`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.viewer])
    let recorder = try LedgerRecorder(path: bench.reader.path)
    try recorder.link("customer-4711", to: "t1", CustomerFixture.staffAction(2))
    recorder.close()
    let browser = try await bench.browser(.viewer)
    let mail =
      "Hello,\nI paid, and the app is locked!\nMy account is \u{201C}customer-4711\u{201D}, order M123ABC456.\nBye"
    for (text, target) in [
      ("ann", "/people/ann"), (" ann\n", "/people/ann"), ("an", "/people/ann"), ("t1", "/purchases/t1"),
      ("customer-47", "/people/customer-4711"), (mail, "/people/customer-4711"),
    ] {
      let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let answer = try await browser.send("/search?q=\(encoded)")
      #expect(answer.status == 303 && answer.headers["location"] == target, "\(text): \(answer)")
    }
    let nothing = try await browser.send("/search?q=M999XYZ999")
    #expect(nothing.status == 200 && nothing.body.contains("Nothing found") && nothing.body.contains("M999XYZ999"))
    #expect(try await browser.send("/search?q=%20").body.contains("Look up a person"))
    #expect(try await browser.send("/search").body.contains("Opened by you") == false)
    _ = try await browser.send("/people/ann")
    #expect(try await browser.send("/search").body.contains("href=\"/people/ann\""))
    try await bench.stop()
  }

  @Test func `every name in a template is a stored property of what the page is made of`() throws {
    // The library writes nothing for any other name, and it does not see computed properties.
    let sources = try Checkout.files(in: "Sources/SupportPages", ending: ".swift").map(Checkout.contents).joined()
    var known = Set(sources.matches(of: /(?:let|private\(set\) var) (\w+):/).map { String($0.1) })
    for match in sources.matches(of: /self\.(\w+)/) { known.insert(String(match.1)) }
    var count = 0
    for file in Checkout.files(in: "Sources/SupportPages/Templates", ending: ".mustache") {
      for match in try Checkout.contents(file).matches(of: /\{\{[#^\/]?(?:empty\()?(\w+)\)?\}\}/) {
        let name = String(match.1)
        #expect(known.contains(name) || ["layout", "main"].contains(name), "\(file): \(name)")
        count += 1
      }
    }
    #expect(count > 200, "canary: the names are read")
    #expect(!known.contains("hasRecent"))
  }

  @Test(arguments: [
    ("2026-03-03T14:00:00Z", "2026-03-03T14:00:00.000Z"), ("2026-03-03 9:30", "2026-03-03T09:30:00.000Z"),
    ("3 March 2025 14:00", "2025-03-03T14:00:00.000Z"), ("3 March 14:00", "2026-03-03T14:00:00.000Z"),
    ("3 Mar", "2026-03-03T00:00:00.000Z"), ("24 December 8:05", "2025-12-24T08:05:00.000Z"),
    ("31 February", nil), ("3 Smarch", nil), ("32 May 2025", nil), ("3 March 25:00", nil), ("March", nil),
  ])
  func `an instant is read as people write it, and without a year it is the last such day`(
    text: String, instant: String?
  ) throws {
    let now = try #require(Instant("2026-11-29"))
    #expect(PageCall.instant(text, now: now)?.description == instant)
  }

  @Test func `a page shows any instant, as known at any instant, and says that it is not the present`() async throws {
    let bench = try await AccessAPITests.bench(40)
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    let past = try await browser.send("/people/ann?as_of=\(day(5))")
    #expect(past.body.contains("Has pro until \(Messages.instant(day(30)))") && past.body.contains("Not the present."))
    let unknown = try await browser.send("/people/ann?as_of=\(day(5))&known_at=\(day(0.5))")
    #expect(unknown.body.contains("nothing that Apple stated, no link and no grant"), "\(unknown.body)")
    let present = try await browser.send("/people/ann")
    #expect(!present.body.contains("Not the present.") && present.body.contains("Has had no pro since"))
    for wrong in ["as_of=yesterday", "known_at=1", "show=x", "page=-1", "as_of=%ff"] {
      #expect(try await browser.send("/people/ann?\(wrong)").status == 400, "\(wrong)")
    }
    try await bench.stop()
  }
}

import AppStore
import Foundation
import Ledger
import LedgerPresentation
import LedgerService
import TestSupport
import Testing

@testable import LedgerServer

/// What users change with the forms of the page.
@Suite(.takesTurns) struct ActPageTests {
  /// The value of a hidden field of a page.
  static func value(_ name: String, _ page: String) -> String {
    let parts = page.components(separatedBy: "name=\"\(name)\" value=\"")
    return parts.count < 2 ? "" : String(parts[1].prefix { $0 != "\"" })
  }

  static func fields(_ page: String, _ names: [String]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (names + ["request_key"]).map { ($0, value($0, page)) })
  }

  @Test func `a grant is previewed, made once however often its form arrives, and ended`() async throws {
    let bench = try await AccessAPITests.bench(40)
    try bench.makeUsers([.support])
    let browser = try await bench.browser(.support)
    let preview = try await browser.send(
      "/people/ann/grant?entitlement=pro&length=7d&day=&reason=outage+of+the+app&ticket=12")
    #expect(
      preview.status == 200 && preview.body.contains("Has pro until \(Messages.instant(day(47))), by our own grant."))
    #expect(preview.body.contains("outage of the app (ticket 12)"), "\(preview.body)")
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["0"], "a preview changes nothing")
    let form = Self.fields(preview.body, ["entitlement", "until", "reason"])
    for _ in 0..<3 {
      let done = try await browser.post("/people/ann/grants", form)
      #expect(done.status == 303 && done.headers["location"] == "/people/ann?done=grant", "\(done)")
    }
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["1"])
    let person = try await browser.send("/people/ann?done=grant")
    for words in [
      "The access is granted.", "Has pro until \(Messages.instant(day(47))), by our own grant.",
      "Granted pro from \(Messages.instant(day(40)))", "by support: outage of the app (ticket 12)",
      "End the grant of pro",
    ] {
      #expect(person.body.contains(words), "\(words)")
    }
    // The same form with another content is another request.
    let changed = try await browser.post("/people/ann/grants", form.merging(["reason": "x"]) { $1 })
    #expect(changed.status == 422)
    let end = try await browser.send("/people/ann/grants/pro/end")
    #expect(end.status == 200 && end.body.contains("The access ends, unless a purchase gives it."))
    let ended = try await browser.post(
      "/people/ann/grants/pro/end", ["reason": "a mistake", "request_key": Self.value("request_key", end.body)])
    #expect(ended.status == 303)
    let after = try await browser.send("/people/ann?done=end-grant").body
    #expect(after.contains("Has had no pro since") && after.contains("Ended the grant of pro"), "\(after)")
    let again = try await browser.post(
      "/people/ann/grants/pro/end", ["reason": "x", "request_key": PageCall.newRequestKey()])
    #expect(again.status == 409 && again.body.contains("No grant of this entitlement is open."))
    #expect(
      try bench.column(
        "SELECT operation || ' ' || COALESCE(reason, '-') FROM access_log WHERE customer = 'ann' ORDER BY entry_id")
        == [
          "previewGrant -", "grantEntitlement outage of the app (ticket 12)", "showCustomer -", "previewEndOfGrant -",
          "revokeGrants a mistake", "showCustomer -",
        ])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `each fault of the form of a grant is named beside what was written`() async throws {
    let bench = try await AccessAPITests.bench(40)
    try bench.makeUsers([.support, .lead])
    let (support, lead) = (try await bench.browser(.support), try await bench.browser(.lead))
    let cases: [(query: String, words: [String])] = [
      ("entitlement=vip&length=7d&reason=x", ["Choose an entitlement of the catalogue."]),
      ("entitlement=pro&reason=x", ["Choose a length, or write an instant"]),
      ("entitlement=pro&day=tomorrow&reason=x", ["Choose a length, or write an instant", "value=\"tomorrow\""]),
      ("entitlement=pro&day=\(day(39))&reason=x", ["The end is in the past."]),
      ("entitlement=pro&length=7d&reason=+", ["Write a reason"]),
      ("entitlement=pro&length=90d&reason=x", ["at most 30 days"]), ("entitlement=", ["Write a reason", "Choose a"]),
    ]
    for item in cases {
      let answer = try await support.send("/people/ann/grant?\(item.query)")
      #expect(answer.status == 400 && !answer.body.contains("Grant it"), "\(item)")
      for words in item.words { #expect(answer.body.contains(words), "\(item): \(answer.body)") }
    }
    let long = try await lead.send("/people/ann/grant?entitlement=pro&length=90d&reason=x")
    #expect(long.status == 200 && long.body.contains("Grant it"))
    // The limit holds for a form that somebody wrote, too.
    let form = Self.fields(long.body, ["entitlement", "until", "reason"])
    let refused = try await support.post("/people/ann/grants", form)
    #expect(refused.status == 400 && refused.body.contains("at most 30 days"))
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["0"])
    #expect(try await lead.post("/people/ann/grants", form).status == 303)
    try await bench.stop()
  }

  @Test func `a note stands in the timeline with its author, once, and links in it are text`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.support, .viewer])
    let browser = try await bench.browser(.support)
    let page = try await browser.send("/people/ann").body
    let form = ["text": "Called.\r\nSee <b>https://x.example</b>", "request_key": Self.value("request_key", page)]
    for _ in 0..<2 { #expect(try await browser.post("/people/ann/notes", form).status == 303) }
    #expect(try bench.column("SELECT text FROM customer_note") == ["Called.\nSee <b>https://x.example</b>"])
    let after = try await browser.send("/people/ann?done=note").body
    #expect(after.contains("The note is added.") && after.contains("Note by support: Called.\nSee &lt;b&gt;https://"))
    for text in ["", "  \n", String(repeating: "a", count: 2001)] {
      let answer = try await browser.post(
        "/people/ann/notes", ["text": text, "request_key": PageCall.newRequestKey()])
      #expect(answer.status == 400 && answer.body.contains("1 to 2000 characters"), "\(text.count)")
    }
    #expect(try await browser.post("/people/ann/notes", ["text": "x"]).status == 403, "a form of no page")
    let viewer = try await bench.browser(.viewer)
    let seen = try await viewer.send("/people/ann").body
    #expect(!seen.contains("Add the note") && seen.contains("Your role is viewer."))
    let past = try await browser.send("/people/ann?as_of=\(day(5))").body
    #expect(!past.contains("Add the note") && past.contains("Nobody can change the past."))
    try await bench.stop()
  }
}

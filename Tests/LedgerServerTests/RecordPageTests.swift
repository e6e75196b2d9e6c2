import AppStore
import Foundation
import Ledger
import LedgerPresentation
import TestSupport
import Testing

@testable import LedgerServer

/// The pages of what the ledger has recorded: the texts of Apple's, and who read about whom.
@Suite(.takesTurns) struct RecordPageTests {
  @Test func `evidence is one click from a timeline, with its text, its source and its signature`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    let person = try await browser.send("/people/ann").body
    let link = try #require(person.firstMatch(of: /href="(\/payloads\/[0-9a-f]{64})">evidence/)).1
    #expect(try await browser.send("/purchases/t1/why").body.contains("href=\"\(link)\""))
    let page = try await browser.send(String(link))
    for words in [
      "A transaction, as the device has it.", "verified: it leads to", "\(Messages.instant(day(1))) from t",
      "href=\"/purchases/t1\"", "&quot;originalTransactionId&quot;: &quot;t1&quot;", "\(link)/text",
    ] {
      #expect(page.body.contains(words), "\(words): \(page.body)")
    }
    let digest = try #require(ContentDigest(hexadecimal: String(link.dropFirst("/payloads/".count))))
    let file = try await browser.send("\(link)/text")
    #expect(file.body == String(decoding: try bench.reader.arrival(digest) ?? [], as: UTF8.self))
    #expect(file.headers["content-disposition"] == "attachment; filename=\"\(digest.hexadecimal).txt\"")
    #expect(file.headers["content-type"] == "text/plain; charset=utf-8")
    let found = try await browser.send("/search?q=\(digest.hexadecimal.prefix(12))")
    #expect(found.status == 303 && found.headers["location"] == String(link))
    for wrong in ["abc", String(repeating: "0", count: 64), "%3Cb%3E"] {
      #expect(try await browser.send("/payloads/\(wrong)").status == 404, "\(wrong)")
    }
    #expect(
      try bench.column(
        """
        SELECT operation || ' ' || is_read || ' ' || COALESCE(customer, '-') || ' '
          || COALESCE(original_transaction_id, '-') FROM access_log WHERE operation LIKE '%Payload' ORDER BY entry_id
        """) == ["showPayload 1 ann t1", "downloadPayload 1 ann t1"] + Array(repeating: "showPayload 1 - -", count: 3))
    try await bench.stop()
  }

  @Test func `a help desk gets the sentences of the page as JSON, and both have the same text for a ticket`()
    async throws
  {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.viewer])
    let (client, browser) = (try bench.client([.support]), try await bench.browser(.viewer))
    let answer = try await client.send("/v1/customers/ann").json
    let card = try #require(answer["customer"] as? [String: Any])
    #expect((card["answers"] as? [String])?.first == "Has pro until \(Messages.instant(day(30))).")
    for name in ["warnings", "latest", "replies"] { #expect(card[name] is [String], "\(name)") }
    #expect((card["replies"] as? [String])?.isEmpty == false)
    for past in ["as_of=\(day(5))", "known_at=\(day(5))"] {
      let then = try await client.send("/v1/customers/ann?\(past)").json["customer"] as? [String: Any]
      #expect(then?["replies"] as? [String] == [], "a sentence about the past must not be sent: \(past)")
    }
    let ticket = try #require(answer["ticket"] as? String)
    let lines = ticket.split(separator: "\n").map(String.init)
    let digest = try #require(try bench.column("SELECT lower(hex(digest)) FROM payload").first)
    let instants = "As of \(Messages.instant(day(10))), as known at \(Messages.instant(day(10)))"
    #expect(lines.first == "Customer ann" && lines.contains(instants) && lines.contains("Evidence \(digest)"))
    #expect(lines.last == answer["page"] as? String)
    let prefix = "http://127.0.0.1:\(bench.client.port)"
    #expect(
      lines.last
        == "\(prefix)/people/ann?as_of=\(day(10))&known_at=\(day(10))".replacing(":", with: "%3A")
        .replacing("http%3A//127.0.0.1%3A", with: "http://127.0.0.1:"))
    let page = HTMLText.plain(try await browser.send("/people/ann").body)
    #expect(page.contains(ticket), "\(page)")
    let target = try #require(lines.last).dropFirst(prefix.count)
    let then = try await browser.send(String(target)).body
    #expect(
      then.contains("Has pro until") && then.contains("Not the present."), "a link shows what the ticket was about")
    try await bench.stop()
  }

  @Test func `the page of health says what arrived, what is asked and what could not be used`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.lead])
    let browser = try await bench.browser(.lead)
    let empty = try await browser.send("/health").body
    #expect(empty.contains("0 payloads that could not be used") && empty.contains("only listens"))
    let recorder = try LedgerRecorder(path: bench.reader.path)
    for text in ["{\"a\": <b>", "{\"b\":"] {
      for outcome in await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes {
        _ = try recorder.record([Arrival(outcome: outcome, receivedAt: day(9), isExplicit: true, origin: "t")])
      }
    }
    let notification = try PayloadFixture.signedV2(
      "DID_RENEW", at: day(8), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)), renewal: nil,
      environment: "Production", chain: TestAuthority.sharedChain.get())
    recorder.close()
    try await bench.record(signed: notification, at: day(8))
    let page = try await browser.send("/health").body
    #expect(page.contains("2 payloads that could not be used") && !page.contains("<b>"), "\(page)")
    #expect(page.contains("\(Messages.instant(day(8))), 2 days ago"), "\(page)")
    try await bench.stop()
  }

  @Test func `a text that an erasure changed says so`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.admin])
    let token = "11111111-2222-3333-4444-555555555555"
    let text = try TestAuthority.sharedChain.get().sign(
      TransactionFixture("t2", originalID: "t2", day(0), day(30)).signed(day(0), environment: "Production")
        .replacing("\"transactionId\"", with: "\"appAccountToken\":\"\(token)\",\"transactionId\""))
    try await bench.record(signed: text, at: day(1))
    let digest = ContentDigest(sha256: Array(text.utf8)).hexadecimal
    let browser = try await bench.browser(.admin)
    #expect(try await browser.send("/payloads/\(digest)").body.contains(token))
    let recorder = try LedgerRecorder(path: bench.reader.path)
    _ = try recorder.erase(token, as: Erasure.newPseudonym(), CustomerFixture.staffAction(2), isCommitted: true)
    recorder.close()
    let page = try await browser.send("/payloads/\(digest)").body
    #expect(!page.contains(token) && page.contains(Messages.erased), "\(page)")
    try await bench.stop()
  }

  @Test func `a lead reads who did what, by person, by subject and by day, and saves all of it`() async throws {
    let clock = WallClock(day(10))
    let bench = try await AccessAPITests.bench { clock.now }
    try bench.makeUsers([.support, .lead])
    let (support, lead) = (try await bench.browser(.support), try await bench.browser(.lead))
    _ = try await support.send("/people/ann")
    clock.set(day(10) + 60_000)
    _ = try await lead.send("/purchases/t1?as_of=\(day(5))")
    #expect(try await support.send("/access-log").status == 403)
    let all = try await lead.send("/access-log").body
    for words in [
      "show customer", "href=\"/people/ann\"", "as of \(Messages.instant(day(5)))", "sign in", "support page",
      ">Access log</a>",
    ] {
      #expect(all.contains(words), "\(words): \(all)")
    }
    func operations(_ query: String) async throws -> [String] {
      let body = try await lead.send("/access-log?\(query)").body
      return body.matches(of: /<\/span><\/td><td>([a-z ]+)/).map { String($0.1).trimmingCharacters(in: .whitespaces) }
    }
    #expect(try await operations("author=support") == ["show customer", "sign in"])
    #expect(try await operations("about=t1") == ["show purchase"])
    #expect(try await operations("about=ann") == ["show purchase", "show customer"])
    #expect(try await operations("author=support&until=\(day(10))").isEmpty)
    #expect(try await operations("author=support&since=\(day(10) + 1)").isEmpty)
    #expect(try await operations("author=%3Cb%3E").isEmpty)
    for wrong in ["since=x", "until=1", "before=x"] {
      #expect(try await lead.send("/access-log?\(wrong)").status == 400, "\(wrong)")
    }
    let recorder = try LedgerRecorder(path: bench.reader.path)
    try recorder.log(
      (0..<2100).map { number in
        var entry = AccessLogEntry(.user("mia"), requestID: "r\(number)", operation: "show", enteredAt: day(11))
        entry.reason = number == 0 ? "=1+1,\"x\"" : nil
        return entry
      })
    recorder.close()
    clock.set(day(12))
    let first = try await lead.signIn("lead")
    #expect(first.status == 303)
    let page = try await lead.send("/access-log?author=mia").body
    let older = String(try #require(page.firstMatch(of: /href="(\/access-log\?author=mia&amp;before=[0-9]+)"/)).1)
    #expect(page.components(separatedBy: "<tr>").count == 102)
    #expect(try await lead.send(older.replacing("&amp;", with: "&")).body.components(separatedBy: "<tr>").count == 102)
    let csv = try await lead.send("/access-log/export?author=mia&format=csv")
    let lines = csv.body.split(separator: "\n")
    #expect(lines.count == 2101 && lines[0].hasPrefix("entry_id,entered_at,program,author"))
    #expect(lines.last?.contains("\"'=1+1,\"\"x\"\"\"") == true, "a spreadsheet shows it and does not run it")
    #expect(csv.headers["content-disposition"] == "attachment; filename=\"access-log.csv\"")
    let json = try await lead.send("/access-log/export?author=mia&format=ndjson").body.split(separator: "\n")
    #expect(json.count == 2100 && json.allSatisfy { $0.hasPrefix("{\"entry_id\": ") && $0.hasSuffix("}") })
    #expect(try await lead.send("/access-log/export?format=xml").status == 400)
    #expect(
      try bench.column("SELECT operation FROM access_log WHERE operation LIKE 'export%'").count == 2,
      "an export is in the log, too")
    try await bench.stop()
  }
}

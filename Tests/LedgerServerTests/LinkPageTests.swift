import AppStore
import Foundation
import Ledger
import LedgerPresentation
import TestSupport
import Testing

@testable import LedgerServer

/// Whose a purchase is, and what remains of a person: the acts of leads and admins.
@Suite(.takesTurns) struct LinkPageTests {
  @Test func `a lead sees whose a purchase is before it is linked, and takes it over from another person`() async throws
  {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.lead])
    let browser = try await bench.browser(.lead)
    let nothing = try await browser.send("/people/bob/link?identifier=t9&reason=x")
    #expect(nothing.status == 400 && nothing.body.contains("No purchase has this id."))
    let bare = try await browser.send("/people/bob/link?identifier=t1&reason=")
    #expect(bare.status == 400 && bare.body.contains("Write a reason") && bare.body.contains("value=\"t1\""))
    let both = try await browser.send("/people/bob/link?identifier=t1&reason=one+person")
    for words in [
      "It belongs to ann.", "It belongs to bob. It still belongs to ann, too.", ">Link it<",
      "<option value=\"ann\">ann</option>", "Has access until \(Messages.instant(day(30)))",
    ] {
      #expect(both.body.contains(words), "\(words): \(both.body)")
    }
    let foreign = try await browser.send("/people/bob/link?identifier=t1&reason=x&from=eve")
    #expect(foreign.status == 400 && foreign.body.contains("does not belong to that customer"))
    let over = try await browser.send("/people/bob/link?identifier=t1&reason=one+person&from=ann").body
    #expect(over.contains("From now on it belongs to bob, and no longer to ann.") && over.contains(">Take it over<"))
    #expect(try bench.column("SELECT COUNT(*) FROM customer_link_entry") == ["1"], "a preview changes nothing")
    let form = ActPageTests.fields(over, ["identifier", "from", "reason"])
    for _ in 0..<2 {
      let done = try await browser.post("/people/bob/links", form)
      #expect(done.status == 303 && done.headers["location"] == "/people/bob?done=transfer", "\(done)")
    }
    let person = try await browser.send("/people/bob?done=transfer").body
    for words in ["The purchase is taken over.", "Has pro until", "Took over t1 from ann", "by lead: one person"] {
      #expect(person.contains(words), "\(words)")
    }
    #expect(try await browser.send("/people/ann").body.contains("Gave t1 to bob"))
    let end = try await browser.send("/people/bob/links/t1/unlink").body
    #expect(end.contains("It no longer belongs to bob, and to nobody else"), "\(end)")
    let ended = try await browser.post(
      "/people/bob/links/t1/unlink", ["reason": "a mistake", "request_key": ActPageTests.value("request_key", end)])
    #expect(ended.status == 303 && ended.headers["location"] == "/people/bob?done=unlink")
    #expect(try await browser.send("/people/bob?done=unlink").body.contains("Unlinked from t1"))
    let again = try await browser.post(
      "/people/bob/links/t1/unlink", ["reason": "x", "request_key": PageCall.newRequestKey()])
    #expect(again.status == 409, "\(again.body)")
    let plain = ActPageTests.fields(both.body, ["identifier", "from", "reason"])
    #expect(try await browser.post("/people/bob/links", plain).headers["location"] == "/people/bob?done=link")
    #expect(
      try bench.column(
        """
        SELECT operation || ' ' || customer FROM access_log WHERE reason IS NOT NULL ORDER BY entry_id
        """)
        == ["transferLink ann", "transferLink bob", "unlinkCustomer bob", "linkCustomer bob"])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `an admin sees what an erasure changes, types the id, and the person is gone`() async throws {
    let bench = try await AccessAPITests.bench(10)
    try bench.makeUsers([.admin])
    let browser = try await bench.browser(.admin)
    let page = try await browser.send("/people/ann/forget").body
    #expect(page.contains("of customer") && page.contains("Nobody can take this back."), "\(page)")
    #expect(try bench.column("SELECT COUNT(*) FROM erasure") == ["0"], "a preview changes nothing")
    let wrong = try await browser.post("/people/ann/forget", ["customer": "anna", "reason": "asked"])
    #expect(wrong.status == 400 && wrong.body.contains("The id is not the one of this person."))
    #expect(try await browser.post("/people/ann/forget", ["customer": "ann", "reason": ""]).status == 400)
    let done = try await browser.post("/people/ann/forget", ["customer": "ann", "reason": "asked by mail"])
    let target = try #require(done.headers["location"])
    #expect(done.status == 303 && target.hasPrefix("/people/forgotten-") && target.hasSuffix("?done=forget"))
    let after = try await browser.send(target).body
    #expect(after.contains("The person is forgotten.") && after.contains("Has pro until"), "\(after)")
    #expect(try await browser.send("/people/ann").status == 404)
    #expect(try bench.column("SELECT reason FROM erasure") == ["asked by mail"])
    let named = try bench.column(
      "SELECT COUNT(*) FROM access_log WHERE customer = 'ann' AND operation <> 'showCustomer'")
    #expect(named == ["0"], "the log has the pseudonym")
    let unknown = try await browser.send("/people/nobody/forget")
    #expect(unknown.status == 409 && unknown.body.contains("nobody") == false, "\(unknown.status)")
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }
}

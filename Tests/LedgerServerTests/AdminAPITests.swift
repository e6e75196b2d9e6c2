import AppStore
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

import LedgerServer

/// Search, the access log and erasures over HTTP.
@Suite(.takesTurns) struct AdminAPITests {
  private func objects(_ answer: Answer, _ name: String) throws -> [[String: Any]] {
    try answer.json[name] as? [[String: Any]] ?? []
  }

  @Test func `the address says what the server is, without a token and without a word about the ledger`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let answer = try await bench.client.send("/")
    #expect(answer.status == 200)
    #expect(try answer.json["description"] as? String == "/openapi.json")
    #expect(try answer.json["name"] as? String == "subledger-server")
    try await bench.stop()
  }

  @Test func `a search finds ids, their beginnings, and what staff wrote, and the log has no text of it`() async throws
  {
    let bench = try await AccessAPITests.bench(10)
    let client = try bench.client([.support])
    _ = try await client.send("/v1/customers/ann/notes", "POST", #"{"text": "Wrote from Lea.Meier@example.com"}"#)
    let exact = try await client.send("/v1/search?text=t1")
    #expect(try objects(exact, "matches").map { $0["original_transaction_id"] as? String } == ["t1"])
    #expect(try objects(exact, "matches").first?["found"] as? String == "purchase")
    let customer = try await client.send("/v1/search?text=an")
    #expect(try objects(customer, "matches").contains { $0["identifier"] as? String == "ann" })
    let mail = try await client.send("/v1/search?text=lea.meier@EXAMPLE.com")
    #expect(try objects(mail, "matches").isEmpty)
    #expect(try objects(mail, "mentions").map { $0["customer"] as? String } == ["ann"])
    for (query, status) in [("", 400), ("?text=%20", 400), ("?text=t1&limit=0", 400), ("?text=t1&limit=101", 400)] {
      #expect(try await client.send("/v1/search\(query)").status == status, "\(query)")
    }
    let logged = try bench.column(
      "SELECT COALESCE(customer, '-') || result_count FROM access_log WHERE operation = 'search'")
    #expect(logged == ["-2", "-2", "-1"])
    try await bench.stop()
  }

  @Test func `the access log is paged from the latest entry on, and reading it is an entry too`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let support = try bench.client([.support])
    for _ in 0..<3 { _ = try await support.send("/v1/customers/ann") }
    _ = try await support.send("/v1/purchases/t1?reason=ticket")
    let admin = try bench.client([.admin])
    let first = try await admin.send("/v1/access-log?customer=ann&limit=3")
    #expect(first.status == 200)
    #expect(
      try objects(first, "entries").map { $0["operation"] as? String } == [
        "showPurchase", "showCustomer", "showCustomer",
      ])
    let entry = try #require(try objects(first, "entries").first)
    #expect(entry["program"] as? String == "subledger-server" && entry["is_read"] as? Bool == true)
    #expect(entry["reason"] as? String == "ticket" && entry["token_id"] is String)
    let next = try #require(try first.json["next_before"] as? Int)
    let second = try await admin.send("/v1/access-log?customer=ann&limit=3&before=\(next)")
    #expect(try objects(second, "entries").count == 1)
    #expect(try second.json["next_before"] is NSNull)
    #expect(try objects(try await admin.send("/v1/access-log?purchase=t1"), "entries").count == 1)
    #expect(try objects(try await admin.send("/v1/access-log?since=2090-01-01"), "entries").isEmpty)
    let all = try await admin.send("/v1/access-log?reason=audit")
    #expect(try objects(all, "entries").filter { $0["operation"] as? String == "listAccessLog" }.count == 4)
    #expect(try await admin.send("/v1/access-log?purchase=t1&customer=ann").status == 400)
    #expect(try await support.send("/v1/access-log").status == 403)
    try await bench.stop()
  }

  @Test func `an erasure over HTTP can be tried first, leaves the id nowhere, and is logged by its pseudonym`()
    async throws
  {
    let bench = try await AccessAPITests.bench(10)
    let support = try bench.client([.support])
    let admin = try bench.client([.admin])
    _ = try await support.send("/v1/customers/ann")
    let body = #"{"customer": "ann", "reason": "asked by mail", "author": "mia", "dry_run": true}"#
    let tried = try await admin.send("/v1/erasures", "POST", body)
    #expect(tried.status == 200, "\(tried.body)")
    #expect(try tried.json["dry_run"] as? Bool == true && !objects(tried, "changes").isEmpty)
    #expect(try await support.send("/v1/customers/ann").status == 200)
    let done = try await admin.send("/v1/erasures", "POST", body.replacing("true", with: "false"))
    #expect(done.status == 200, "\(done.body)")
    #expect(try done.json["dry_run"] as? Bool == false && objects(done, "remainders").isEmpty)
    let pseudonym = try #require(try done.json["pseudonym"] as? String)
    // What happened stays together under the pseudonym.
    let log = try await admin.send("/v1/access-log?customer=\(pseudonym)")
    #expect(
      try objects(log, "entries").map { $0["operation"] as? String } == [
        "eraseCustomer", "showCustomer", "showCustomer",
      ])
    #expect(try await support.send("/v1/customers/\(pseudonym)").status == 200)
    // Nothing names the customer any more, except who asks now.
    let again = try await admin.send("/v1/erasures", "POST", body)
    #expect(again.status == 409, "\(again.body)")
    #expect(try bench.column("SELECT author FROM erasure").allSatisfy { $0.hasPrefix("mia (token ") })
    #expect(try bench.column("SELECT COUNT(*) FROM access_log_entry WHERE customer = 'ann'") == ["0"])
    #expect(try await bench.reader.audit() == [])
    for wrong in [#"{"customer": "ann"}"#, #"{"customer": "ann", "reason": "x", "dry_run": "yes"}"#] {
      #expect(try await admin.send("/v1/erasures", "POST", wrong).status == 400)
    }
    #expect(try await support.send("/v1/erasures", "POST", body).status == 403)
    try await bench.stop()
  }
}

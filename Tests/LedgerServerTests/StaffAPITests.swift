import AppStore
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

@testable import LedgerServer

/// Changes and answers, and the access log of both.
@Suite(.takesTurns) struct StaffAPITests {
  private func log(_ bench: ServerBench) throws -> [String] {
    try bench.column(
      """
      SELECT operation || ' ' || COALESCE(customer, '-') || ' ' || COALESCE(original_transaction_id, '-') || ' '
        || result_count FROM access_log_entry ORDER BY entry_id
      """)
  }

  @Test func `every answer about a person and every change is in the access log, and no check is`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let client = try bench.client([.support, .ask])
    let requests: [(path: String, status: Int, entry: String)] = [
      ("/v1/customers/ann?reason=ticket%2012", 200, "showCustomer ann - 1"),
      ("/v1/customers/nobody", 404, "showCustomer nobody - 0"),
      ("/v1/customers/ann/history", 200, "listCustomerHistory ann - 1"),
      ("/v1/customers/ann/why", 200, "explainCustomer ann - 1"),
      ("/v1/purchases/t1", 200, "showPurchase ann t1 1"),
      ("/v1/purchases/t1/history", 200, "listPurchaseHistory ann t1 1"),
      ("/v1/purchases/t1/why", 200, "explainPurchase ann t1 1"),
      ("/v1/purchases/t", 404, "showPurchase - - 0"),
    ]
    for request in requests { #expect(try await client.send(request.path).status == request.status, "\(request)") }
    #expect(try await client.send("/v1/customers/ann/entitlements/pro").status == 200)
    #expect(try log(bench) == requests.map(\.entry))
    #expect(try bench.column("SELECT COUNT(*) FROM access_log_entry WHERE reason = 'ticket 12'") == ["1"])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `a link, a transfer, a grant and a note change what the next question finds`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let client = try bench.client([.support, .ask])
    func has(_ customer: String) async throws -> Bool {
      try await client.send("/v1/customers/\(customer)/entitlements/pro").json["has_access"] as? Bool ?? false
    }
    func change(_ path: String, _ body: String, _ method: String = "POST") async throws -> [String: Any] {
      let answer = try await client.send(path, method, body)
      #expect(answer.status == 200 && answer.headers["ledger-seq"] != nil, "\(path): \(answer.body)")
      return try answer.json
    }
    let reason = #"{"reason": "x"}"#
    #expect(try await change("/v1/customers/bob/links/t1", reason, "PUT")["purchase_count"] as? Int == 1)
    #expect(try await has("bob"))
    #expect(try await change("/v1/customers/bob/links/t1", reason, "PUT")["recorded"] as? Bool == false)
    _ = try await change("/v1/customers/bob/links/t1/unlink", reason)
    #expect(try await !has("bob"))
    _ = try await change(
      "/v1/transfers", #"{"identifier": "t1", "from_customer": "ann", "to_customer": "eve", "reason": "x"}"#)
    #expect(try await has("eve"))
    #expect(try await !has("ann"))
    _ = try await change(
      "/v1/customers/ann/grants", #"{"entitlement": "pro", "until": "forever", "reason": "x", "author": "anna"}"#)
    #expect(try await has("ann"))
    #expect(try await change("/v1/customers/ann/grants/pro/revoke", reason)["revoked_count"] as? Int == 1)
    #expect(try await !has("ann"))
    _ = try await change("/v1/customers/ann/notes", #"{"text": "called"}"#)
    let card = try await client.send("/v1/customers/ann").body
    // Whatever author a caller names, the token is named too.
    let token = try #require(bench.reader.tokens().first?.id)
    for author in [
      "\"text\": \"called\", \"author\": \"test (token \(token))\"", "\"author\": \"anna (token \(token))\"",
    ] {
      #expect(card.contains(author), "\(card)")
    }
    // A transfer is about both.
    #expect(try log(bench).filter { $0.hasPrefix("transferLink") } == ["transferLink ann - 1", "transferLink eve - 1"])
    let again = try await client.send("/v1/customers/bob/links/t1/unlink", "POST", reason)
    #expect(try again.status == 409 && again.json["code"] as? String == "refused_entry")
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `a back end gives seats and takes them, and is refused more than there are`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let recorder = try LedgerRecorder(path: bench.reader.path)
    let team = SeatFixture("team", day(0), day(30), seats: 2, product: "monthly", tiers: [(10, 2)]).with {
      ($0.originalID, $0.management) = ("team", "DEVELOPER")
    }
    let signed = try TestAuthority.sharedChain.get().sign(
      team.fixture.signed(day(0), environment: "Production"))
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), now: day(1))
    let outcomes = await decoder.decode(Array(signed.utf8)).outcomes
    try recorder.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "t") })
    recorder.close()
    let client = try bench.client([.ingest, .ask])
    func claim(_ customer: String, _ body: String = #"{"reason": "joined"}"#) async throws -> Answer {
      try await client.send("/v1/customers/\(customer)/seats/team", "PUT", body)
    }
    let first = try await claim("bob", #"{"reason": "joined", "seat_claim_id": "c1"}"#)
    #expect(try first.status == 200 && first.json["open_claim_count"] as? Int == 1 && first.json["seats"] as? Int == 2)
    #expect(try await claim("bob", #"{"reason": "joined", "seat_claim_id": "c1"}"#).json["recorded"] as? Bool == false)
    #expect(try await claim("eve").status == 200)
    let refused = try await claim("mallory")
    #expect(try refused.status == 409 && refused.json["code"] as? String == "refused_entry")
    func basis(_ customer: String) async throws -> String? {
      try await client.send("/v1/customers/\(customer)/entitlements/pro").json["basis"] as? String
    }
    #expect(try await basis("bob") == "seat_claim")
    #expect(try await basis("mallory") == nil)
    let unclaimed = try await client.send("/v1/customers/bob/seats/team/unclaim", "POST", #"{"reason": "left"}"#)
    #expect(try unclaimed.status == 200 && unclaimed.json["recorded"] as? Bool == true)
    #expect(try await basis("bob") == nil)
    #expect(try await claim("mallory").status == 200)
    #expect(
      try log(bench).filter { $0.hasPrefix("claimSeat") } == [
        "claimSeat bob - 1", "claimSeat bob - 1", "claimSeat eve - 1", "claimSeat mallory - 1",
      ])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `a repeated change with the same key is made once`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let client = try bench.client([.support])
    let body = #"{"entitlement": "pro", "until": "forever", "reason": "x"}"#
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await client.send("/v1/customers/ann/grants", "POST", body, headers: ["Idempotency-Key": "k"])
        }
      }
      return try await group.reduce(into: [Answer]()) { $0.append($1) }
    }
    #expect(Set(answers.map(\.status)) == [200] && Set(answers.map(\.body)).count == 1)
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["1"])
    let other = body.replacing("forever", with: "2030-01-01")
    let conflict = try await client.send("/v1/customers/ann/grants", "POST", other, headers: ["Idempotency-Key": "k"])
    #expect(conflict.status == 422)
    try await bench.stop()
  }

  @Test func `a key is remembered for a day by the time that passes, however the clock jumps`() async throws {
    let wall = WallClock(day(10))
    let bench = try await ServerBench(now: { wall.now })
    let client = try bench.client([.support])
    func grant() async throws {
      let body = #"{"entitlement": "pro", "until": "forever", "reason": "x"}"#
      let answer = try await client.send("/v1/customers/ann/grants", "POST", body, headers: ["Idempotency-Key": "k"])
      #expect(answer.status == 200)
    }
    for jump in [10, 40, 2, 10] {
      wall.set(day(Double(jump)))
      try await grant()
    }
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["1"])
    bench.clock.advance(by: .seconds(86_401))
    try await grant()
    #expect(try bench.column("SELECT COUNT(*) FROM access_grant") == ["2"])
    try await bench.stop()
  }

  @Test func `what a back end passes on is recorded before its answer, once`() async throws {
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]))
    let bench = try await ServerBench(decoder: decoder) { day(2) }
    let client = try bench.client([.ingest])
    let transaction = try AccessAPITests.signed("t1")
    let forged = transaction.dropLast(6) + "AAAAAA"
    func post(_ path: String, _ body: String) async throws -> [String] {
      let answer = try await client.send(path, "POST", body)
      #expect(answer.status == 200, "\(answer.body)")
      return (try answer.json["results"] as? [[String: Any]] ?? []).map {
        "\($0["outcome"] ?? "") \($0["reason"] as? String ?? "")"
      }
    }
    let list = #"{"signed_transactions": ["\#(transaction)", "\#(forged)"], "customer": "ann"}"#
    #expect(try await post("/v1/transactions", list) == ["recorded ", "quarantined signature/invalid_signature"])
    #expect(try await post("/v1/transactions", list) == ["duplicate ", "quarantined signature/invalid_signature"])
    let receipt = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("t2", originalID: "t2", day(0), day(30))])
    #expect(try await post("/v1/receipts?customer=ann", receipt) == ["recorded "])
    let event =
      #"{"event": "updated", "transaction_state": "purchasing", "product_id": "p", "customer": "ann", "at": "\#(day(1))"}"#
    #expect(try await post("/v1/client-events", #"{"customer": "ann", "events": [\#(event)]}"#) == ["recorded "])
    // Nothing else is taken for evidence at these doors.
    #expect(try await post("/v1/client-events", #"{"events": [\#(receipt)]}"#) == ["quarantined unsigned"])
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["3"])
    try await bench.stop()
  }

  @Test func `who may only record learns nothing about access, and the access log names whom it recorded for`()
    async throws
  {
    let bench = try await AccessAPITests.bench(10)
    let receipt = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("t2", originalID: "t2", day(0), day(30))])
    let list = #"{"signed_transactions": ["a.b.c"], "customer": "ann"}"#
    for (scopes, isReported) in [([.ingest], false), ([.ingest, .support], false), ([.ingest, .ask], true)]
      as [(Set<APIToken.Scope>, Bool)]
    {
      let client = try bench.client(scopes)
      for (path, body) in [("/v1/receipts?customer=ann", receipt), ("/v1/transactions", list)] {
        let answer = try await client.send(path, "POST", body)
        #expect(try answer.status == 200 && (answer.json["entitlements"] != nil) == isReported, "\(path) \(scopes)")
      }
    }
    #expect(try await bench.client([.ingest]).send("/v1/receipts", "POST", receipt).status == 200)
    #expect(
      try log(bench)
        == Array(repeating: ["postReceipt ann - 1", "postTransactions ann - 1"], count: 3).flatMap(\.self)
        + ["postReceipt - - 1"])
    try await bench.stop()
  }

  @Test func `an event that names somebody else stops nobody from a purchase`() async throws {
    let bench = try await AccessAPITests.bench(10)
    let client = try bench.client([.ingest, .ask])
    let token = CustomerFixture.token
    func mayPurchase(_ customer: String) async throws -> Bool? {
      try await client.send("/v1/customers/\(customer)/may-purchase/p").json["may_purchase"] as? Bool
    }
    func post(_ names: String, of customer: String?) async throws -> String? {
      let event =
        #"{"event": "updated", "transaction_state": "purchasing", "product_id": "p", "at": "\#(day(9.999))", \#(names)}"#
      let sender = customer.map { #""customer": "\#($0)", "# } ?? ""
      let answer = try await client.send("/v1/client-events", "POST", "{\(sender)\"events\": [\(event)]}")
      #expect(answer.status == 200, "\(answer.body)")
      return (try answer.json["results"] as? [[String: Any]])?.first?["outcome"] as? String
    }
    let names = #""customer": "bob", "app_account_token": "\#(token)", "named_by_device": {"customer": "bob"}"#
    #expect(try await post(names, of: "eve") == "recorded")
    #expect(try await post(names + #", "device": "phone""#, of: nil) == "recorded")
    #expect(try await post(names, of: nil) == "quarantined")
    #expect(try await mayPurchase("bob") == true)
    #expect(try await mayPurchase(token) == true)
    #expect(try await mayPurchase("eve") == false)
    #expect(
      try bench.column(
        "SELECT COALESCE(customer, '-') || ' ' || COALESCE(app_account_token, '-') FROM client_event ORDER BY payload_id"
      )
        == ["eve -", "- -"])
    try await bench.stop()
  }

  @Test func `the change feed has what arrives, also for a request that waits`() async throws {
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), now: day(1))
    let bench = try await ServerBench(decoder: decoder) { day(2) }
    let client = try bench.client([.ask])
    var first = try await client.send("/v1/changes")
    while first.status == 503 { first = try await client.send("/v1/changes") }
    let begin = try #require(try first.json["next"] as? String)
    #expect(begin.hasSuffix("-0"))
    async let waiting = client.send("/v1/changes?wait=60")
    try await Eventually.isTrue { bench.server.waitingForChangesCount == 1 }
    let text = try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30)),
      chain: TestAuthority.sharedChain.get())
    #expect(try await bench.client.post("/apple/v2", text) == 200)
    let reported = try await waiting.json
    let changes = reported["changes"] as? [[String: Any]] ?? []
    #expect(changes.map { $0["kind"] as? String } == ["subscription"], "\(reported)")
    #expect(reported["next"] as? String == begin.replacing("-0", with: "-1"))
    let restarted = try await client.send("/v1/changes?after=\(begin.replacing("-0", with: "-2"))")
    #expect(try restarted.status == 410 && restarted.json["code"] as? String == "changes_restarted")
    #expect((changes.first?["after"] as? [String: Any])?["state"] as? String == "active")
    try await bench.stop()
  }

  @Test func `a token has few waiting requests, and they end when it is revoked`() async throws {
    let bench = try await ServerBench(decoder: PayloadDecoder()) { day(2) }
    let (client, other) = (try bench.client([.ask]), try bench.client([.ask]))
    try await Eventually.isTrue { try await client.send("/v1/changes").status == 200 }
    let tokens = try bench.reader.tokens()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<FeedWorker.limit.ofToken { group.addTask { try await client.send("/v1/changes?wait=60").status } }
      try await Eventually.isTrue { bench.server.waitingForChangesCount == FeedWorker.limit.ofToken }
      #expect(try await client.send("/v1/changes?wait=60").status == 429)
      group.addTask { try await other.send("/v1/changes?wait=60").status }
      try await Eventually.isTrue { bench.server.waitingForChangesCount == FeedWorker.limit.ofToken + 1 }
      let recorder = try LedgerRecorder(path: bench.reader.path)
      for token in tokens { try recorder.revokeToken(token.id, CustomerFixture.staffAction(1)) }
      recorder.close()
      for try await status in group { #expect(status == 401) }
    }
    #expect(bench.server.waitingForChangesCount == 0)
    try await bench.stop()
  }
}

import AppStore
import Foundation
import Ledger
import LedgerServer
import LedgerService
import TestSupport
import Testing

/// The answers that programs with a token get.
@Suite(.takesTurns) struct AccessAPITests {
  /// A server whose ledger has one subscription of the customer ann, with the entitlement pro, from day 0 to day 30.
  static func bench(_ now: Double) async throws -> ServerBench { try await bench { day(now) } }

  static func bench(at now: @escaping @Sendable () -> Instant) async throws -> ServerBench {
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), now: day(1))
    let bench = try await ServerBench(decoder: decoder, now: now)
    try await bench.record(signed: signed("t1"), at: day(1))
    let recorder = try LedgerRecorder(path: bench.reader.path)
    defer { recorder.close() }
    _ = try recorder.entitle("pro", products: ["monthly"], of: "b", now: day(1))
    try recorder.link("ann", to: "t1", CustomerFixture.staffAction(1))
    return bench
  }

  /// A signed transaction of a month from day 0 on.
  static func signed(_ id: String) throws -> String {
    let transaction = TransactionFixture(id, originalID: id, day(0), day(30))
    return try TestAuthority.sharedChain.get().sign(transaction.signed(day(0), environment: "Production"))
  }

  @Test func `a check answers for now, for any past instant, and as known at any past instant`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask])
    let cases: [(query: String, hasAccess: Bool, rule: String)] = [
      ("", true, "covered"), ("?as_of=\(day(31).milliseconds)", false, "unconfirmed"),
      ("?as_of=\(day(5))&known_at=\(day(0.5))", false, "unknown_entitlement"),
      ("?evidence=signed", true, "covered"), ("?environment=Sandbox", false, "nothing"),
    ]
    for item in cases {
      let answer = try await client.send("/v1/customers/ann/entitlements/pro\(item.query)").json
      #expect(answer["has_access"] as? Bool == item.hasAccess, "\(item.query): \(answer)")
      #expect(answer["rule"] as? String == item.rule, "\(item.query)")
    }
    let now = try await client.send("/v1/customers/ann/entitlements/pro").json
    #expect(now["max_age_seconds"] as? Int == 20 * 86_400)
    #expect(now["as_of"] as? String == day(10).description && now["known_at"] as? String == day(10).description)
    let unknown = try await client.send("/v1/customers/nobody/entitlements/pro")
    #expect(try unknown.status == 200 && unknown.json["rule"] as? String == "unknown_customer")
    try await bench.stop()
  }

  @Test func `a batch has the answers of single checks`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask])
    let body = #"{"checks": [{"customer": "ann", "entitlement": "pro"}, {"customer": "x", "entitlement": "pro"}]}"#
    let batch = try await client.send("/v1/checks", "POST", body).json["checks"] as? [[String: Any]] ?? []
    #expect(batch.map { $0["rule"] as? String } == ["covered", "unknown_customer"])
    #expect(try await client.send("/v1/customers/ann/entitlements").json["entitlements"] as? [Any] != nil)
    let clearance = try await client.send("/v1/customers/ann/may-purchase/monthly").json
    #expect(clearance["may_purchase"] as? Bool == false && clearance["reason"] as? String == "already_entitled")
    try await bench.stop()
  }

  @Test func `an answer that has not changed is a 304`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask, .support])
    let path = "/v1/customers/ann/entitlements/pro"
    let tag = try #require(try await client.send(path).headers["etag"])
    #expect(try await client.send(path, headers: ["If-None-Match": tag]).status == 304)
    let body = #"{"entitlement": "pro", "until": "forever", "reason": "outage"}"#
    #expect(try await client.send("/v1/customers/ann/grants", "POST", body).status == 200)
    #expect(try await client.send(path, headers: ["If-None-Match": tag]).status == 200)
    try await bench.stop()
  }

  @Test func `wherever access is listed, an environment can be stated`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask, .support])
    for (query, environments) in [
      ("", ["Production"]), ("?environment=Production", ["Production"]),
      ("?environment=Sandbox", []),
    ] {
      let listed = try await client.send("/v1/customers/ann/entitlements\(query)").json
      let access = try #require(listed["entitlements"] as? [[String: Any]])
      #expect(access.compactMap { $0["environment"] as? String } == environments, "\(query)")
      #expect(listed["customer"] as? String == "ann")
      let shown = try await client.send("/v1/customers/ann\(query)").json
      let card = try #require(shown["customer"] as? [String: Any])
      #expect((card["accesses"] as? [Any])?.count == environments.count, "\(query): \(card)")
    }
    try await bench.stop()
  }

  @Test func `ids with any characters reach the ledger as they are`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask, .support])
    for (written, id) in [("a%2Fb", "a/b"), ("%F0%9F%90%B1", "🐱"), ("a+b", "a+b"), ("%25", "%"), ("a%20b", "a b")] {
      let answer = try await client.send("/v1/customers/\(written)/entitlements/pro").json
      #expect(answer["customer"] as? String == id, "\(written)")
    }
    let wrong = ["%00", "%ff", "a%0Ab", "%7F", String(repeating: "a", count: 257)]
    for written in wrong {
      let answer = try await client.send("/v1/customers/\(written)/entitlements/pro")
      #expect(try answer.status == 400 && answer.json["code"] as? String == "refused_text", "\(written)")
    }
    try await bench.stop()
  }

  @Test func `a wrong request is refused with the place of its fault`() async throws {
    let bench = try await Self.bench(10)
    let client = try bench.client([.ask, .support, .ingest])
    let grants = "/v1/customers/ann/grants"
    let cases: [(path: String, body: String?, code: String, pointer: String?)] = [
      ("/v1/changes?limit=0", nil, "wrong_number", "limit"), ("/v1/changes?after=-1", nil, "wrong_change_id", "after"),
      ("/v1/changes?since=1", nil, "unknown_parameter", "since"),
      ("/v1/changes?after=1&after=2", nil, "repeated_parameter", "after"),
      ("/v1/customers/a/entitlements?as_of=1700000000", nil, "wrong_instant", "as_of"),
      ("/v1/customers/a/entitlements?evidence=none", nil, "wrong_value", "evidence"),
      ("/v1/customers/a/entitlements/b?environment=Prodution", nil, "wrong_value", "environment"),
      (grants, "{", "wrong_json", "$"), (grants, "[]", "wrong_json", "$"),
      (grants, #"{"entitlement": "pro", "reason": "x"}"#, "missing_member", "$.until"),
      (grants, #"{"entitlement": "pro", "until": "soon", "reason": "x"}"#, "wrong_instant", "$.until"),
      (grants, #"{"entitlement": 1, "until": "forever", "reason": "x"}"#, "wrong_type", "$.entitlement"),
      (grants, #"{"entitlement": "pro", "until": "forever", "reason": " "}"#, "refused_text", "$.reason"),
      (grants, #"{"entitlement": "pro", "untill": "forever"}"#, "unknown_member", "$.untill"),
      ("/v1/checks", #"{"checks": []}"#, "wrong_type", "$.checks"),
      ("/v1/checks", #"{"checks": [{"customer": "a"}]}"#, "missing_member", "$.checks[0].entitlement"),
      ("/v1/transactions", #"{"signed_transactions": ["{}"]}"#, "wrong_type", "$.signed_transactions[0]"),
      ("/v1/receipts", "hello", "wrong_json", "$"),
    ]
    for item in cases {
      let answer = try await client.send(item.path, item.body == nil ? "GET" : "POST", item.body)
      let problem = try answer.json
      #expect(answer.status == 400 && problem["code"] as? String == item.code, "\(item): \(answer.body)")
      #expect(problem["path"] as? String == item.pointer, "\(item): \(answer.body)")
    }
    // A contradiction with the ledger is a conflict.
    let ended = #"{"entitlement": "pro", "until": "2010-01-01", "reason": "x"}"#
    #expect(try await client.send(grants, "POST", ended).status == 409)
    try await bench.stop()
  }
}

import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import LedgerServer

/// What becomes of each body that somebody posts.
@Suite(.takesTurns) struct ReceivingTests {
  private static func notification(_ place: Int = 0) throws -> String {
    let transaction = TransactionFixture("t\(place)", line: "t\(place)", day(0), day(30))
    return try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), transaction: transaction, chain: TestAuthority.sharedChain.get())
  }

  private static func decoder() throws -> PayloadDecoder {
    PayloadDecoder(
      trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), sharedSecrets: [SharedSecret("s3cret")])
  }

  private static let v1 = PayloadFixture.v1(
    "DID_RENEW", latest: [TransactionFixture("t9", line: "t9", day(0), day(30))])

  @Test func `what can be evidence is stored before its 200, and what cannot be is refused`() async throws {
    let signed = try Self.notification()
    // body, path, status, then how many payloads and quarantined texts the ledger has
    let cases: [(path: String, body: String, status: Int, payloads: Int, quarantined: Int)] = [
      ("/apple/v2", signed, 200, 1, 0),
      ("/apple/v2", signed, 200, 1, 0),
      ("/apple/v2", signed.dropLast(9) + "AAAAAAA\"}", 200, 1, 1),
      ("/apple/v2", "{\"signedPayload\":", 200, 1, 2),
      ("/apple/v2", "{\"signedPayload\":7}", 200, 1, 3),
      ("/apple/v2", "", 400, 1, 3), ("/apple/v2", "hello", 400, 1, 3), ("/apple/v2", "[\(signed)]", 400, 1, 3),
      ("/apple/v2", Self.v1, 400, 1, 3),
      ("/apple/v1", Self.v1, 200, 2, 3),
      ("/apple/v1", Self.v1.replacing("s3cret", with: "wrong"), 200, 2, 4),
      ("/apple/v1", signed, 400, 2, 4),
      ("/apps/other/apple/v2", try Self.notification(1), 200, 2, 5),
      ("/apps/b/apple/v2", try Self.notification(2), 200, 3, 5),
    ]
    let bench = try await ServerBench(decoder: Self.decoder())
    for (place, item) in cases.enumerated() {
      #expect(try await bench.client.post(item.path, item.body) == item.status, "\(place): \(item.path)")
      #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["\(item.payloads)"], "\(place)")
      #expect(try bench.reader.quarantined().count == item.quarantined, "\(place)")
    }
    // V1's secret is neither in the file nor in its log.
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      #expect(data.range(of: Data("s3cret".utf8)) == nil, "\(name)")
    }
    try await bench.stop()
  }

  @Test func `the received instant is the server's, whatever a sender says`() async throws {
    let bench = try await ServerBench(decoder: Self.decoder()) { day(3) }
    let wrapped = "{\"receivedAt\":\"2024-01-01T00:00:00Z\",\"payload\":\(try Self.notification())}"
    #expect(try await bench.client.post("/apple/v2", wrapped) == 200)
    #expect(try bench.column("SELECT received_at FROM delivery") == ["\(day(3).milliseconds)"])
    try await bench.stop()
  }

  @Test func `a body that is too long, of another type, or to another path is answered as a problem`() async throws {
    let bench = try await ServerBench()
    let long = "{\"signedPayload\":\"" + String(repeating: "a", count: Receiving.longestV2) + "\"}"
    let cases: [(answer: Answer, status: Int, code: String)] = [
      (try await bench.client.send("/apple/v2", "POST", long), 413, "too_long"),
      (try await bench.client.send("/apple/v2", "POST", "a=b", type: "text/plain"), 415, "wrong_content_type"),
      (try await bench.client.send("/apple/v2"), 405, "wrong_method"),
      (try await bench.client.send("/apple/v3", "POST", "{}"), 404, "not_found"),
      (try await bench.client.send("/"), 404, "not_found"),
    ]
    for item in cases {
      #expect(item.answer.status == item.status, "\(item)")
      #expect(item.answer.headers["content-type"] == "application/problem+json")
      let body = try JSONSerialization.jsonObject(with: Data(item.answer.body.utf8)) as? [String: Any]
      #expect(body?["code"] as? String == item.code && body?["status"] as? Int == item.status)
      #expect(body?["request_id"] as? String == item.answer.headers["x-request-id"])
    }
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["0"])
    try await bench.stop()
  }

  @Test func `a request's id is its sender's where it is plain, and else new`() async throws {
    let bench = try await ServerBench()
    func id(_ given: String) async throws -> String? {
      try await bench.client.send("/healthz", headers: ["X-Request-Id": given]).headers["x-request-id"]
    }
    #expect(try await id("a-1_b.c") == "a-1_b.c")
    for given in ["a b", "a\"b", String(repeating: "a", count: 65), ""] {
      let made = try #require(try await id(given))
      #expect(made != given && !made.isEmpty, "\(given)")
    }
    #expect(try await bench.client.send("/healthz").status == 200)
    #expect(try await bench.client.send("/readyz").status == 200)
    try await bench.stop()
  }

  @Test func `a ledger that cannot be written is a 503 with a time, and works again without a restart`() async throws {
    let bench = try await ServerBench(decoder: Self.decoder(), busyTimeout: .milliseconds(100))
    let body = try Self.notification()
    // Another program holds the file for longer than a notification waits.
    let holder = try LockHolder(bench.folder.file("l.sqlite"))
    let refused = try await bench.client.send("/apple/v2", "POST", body)
    #expect(
      refused.status == 503 && refused.headers["retry-after"] == "1" && refused.body.contains("\"retryable\": true"))
    #expect(try await bench.client.send("/readyz").status == 503)
    try holder.release()
    #expect(try await bench.client.post("/apple/v2", body) == 200)
    #expect(try await bench.client.send("/readyz").status == 200)
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["1"])
    try await bench.stop()
  }

  @Test func `a second server on the same file is refused, and has its turn after the first`() async throws {
    let bench = try await ServerBench()
    let ledger = try LedgerRecorder(path: bench.folder.file("l.sqlite"))
    defer { ledger.close() }
    #expect { try ServerLock(ledger.path) } throws: { ($0 as? LedgerError)?.code == .busy }
    try await bench.stop()
    try ServerLock(ledger.path).release()
  }
}

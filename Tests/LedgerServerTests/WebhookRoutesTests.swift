import AppStore
import Foundation
import Ledger
import LedgerService
import Synchronization
import TestSupport
import Testing

@testable import LedgerServer

/// What becomes of each body that somebody posts.
@Suite(.takesTurns) struct WebhookRoutesTests {
  private static func notification(_ number: Int = 0) throws -> String {
    let transaction = TransactionFixture("t\(number)", originalID: "t\(number)", day(0), day(30))
    return try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), transaction: transaction, chain: TestAuthority.sharedChain.get())
  }

  private static func decoder() throws -> PayloadDecoder {
    PayloadDecoder(
      trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]),
      sharedSecrets: [SharedSecret("s3cret", of: "b"), SharedSecret("0ther", of: "c")], bundleIDs: ["b", "c"])
  }

  private static let v1 = PayloadFixture.v1(
    "DID_RENEW", latest: [TransactionFixture("t9", originalID: "t9", day(0), day(30))])

  @Test func `what can be evidence is stored before its 200, and what cannot be is refused`() async throws {
    let signed = try Self.notification()
    // body, path, status, then how many payloads and quarantined texts the ledger has
    let cases: [(path: String, body: String, status: Int, payloads: Int, quarantined: Int)] = [
      ("/apple/v2", signed, 200, 1, 0),
      ("/apple/v2", signed, 200, 1, 0),
      ("/apple/v2", signed.dropLast(9) + "AAAAAAA\"}", 200, 1, 1),
      ("/apple/v2", "{\"signedPayload\":", 400, 1, 1), ("/apple/v2", "{\"signedPayload\":7}", 400, 1, 1),
      ("/apple/v2", "{\"signedPayload\":\"eyJ\"}", 400, 1, 1), ("/apple/v2", "{\"signedPayload\":\"\"}", 400, 1, 1),
      ("/apple/v2", "", 400, 1, 1), ("/apple/v2", "hello", 400, 1, 1), ("/apple/v2", "[\(signed)]", 400, 1, 1),
      ("/apple/v2", Self.v1, 400, 1, 1),
      ("/apple/v1", Self.v1, 200, 2, 1), ("/apple/v1", Self.v1, 200, 2, 1),
      ("/apple/v1", Self.v1.replacing("s3cret", with: "wrong"), 200, 2, 2),
      ("/apple/v1", signed, 400, 2, 2),
      // The secret of one app proves nothing about another, nor a notification that names no app. No secret is stored, so
      // two of these are one text.
      ("/apple/v1", Self.v1.replacing("s3cret", with: "0ther"), 200, 2, 2),
      ("/apple/v1", Self.v1.replacing("\"bid\":\"b\",", with: ""), 200, 2, 3),
      ("/apps/c/apple/v1", Self.v1, 200, 2, 4),
      // Only configured apps have an address of their own.
      ("/apps/other/apple/v2", try Self.notification(1), 404, 2, 4),
      ("/apps/c/apple/v2", try Self.notification(1), 200, 2, 5),
      ("/apps/b/apple/v2", try Self.notification(2), 200, 3, 5),
    ]
    let bench = try await ServerBench(decoder: Self.decoder())
    for (index, item) in cases.enumerated() {
      #expect(try await bench.client.post(item.path, item.body) == item.status, "\(index): \(item.path)")
      #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["\(item.payloads)"], "\(index)")
      let count = try bench.reader.quarantined().count
      #expect(count == item.quarantined, "\(index): \(count)")
    }
    // V1's secret is neither in the file nor in its log.
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      #expect(data.range(of: Data("s3cret".utf8)) == nil, "\(name)")
    }
    try await bench.stop()
  }

  @Test func `exactly one notification is accepted: no page, no wrapper, no answer of the Server API, no other text`()
    async throws
  {
    let signed = try Self.notification()
    let text = signed.dropFirst("{\"signedPayload\":".count).dropLast()
    let transaction = try TestAuthority.sharedChain.get().sign(
      TransactionFixture("t1", originalID: "t1", day(0), day(30)).signed(day(0), environment: "Production"))
    let forgeries = Array(repeating: "{\"signedPayload\":\"eyJ.a.b\"}", count: 1_000).joined(separator: ",")
    let cases = [
      ("v2", "{\"notificationHistory\":[\(signed)]}"), ("v2", "{\"notificationHistory\":[\(forgeries)]}"),
      ("v2", "{\"notificationHistory\":[\(signed)],\"signedPayload\":\(text)}"),
      ("v2", "{\"receivedAt\":\"2024-01-01T00:00:00Z\",\"payload\":\(signed)}"),
      ("v2", "{\"receivedAt\":\"2024-01-01T00:00:00Z\",\"payload\":\(signed),\"signedPayload\":\(text)}"),
      ("v2", "{\"signedPayload\":\(text),\"sendAttempts\":[]}"), ("v2", "\(text)"),
      ("v2", "{\"signedPayload\":\"\(transaction)\"}"), ("v2", "{\"signedTransactions\":[\"\(transaction)\"]}"),
      ("v2", "{\"signedTransactionInfo\":\"\(transaction)\"}"),
      ("v1", "{\"payload\":\(Self.v1)}"), ("v1", "{\"notification_type\":\"X\",\"payload\":\(Self.v1)}"),
      ("v1", PayloadFixture.receipt(at: day(1), latest: [TransactionFixture("t9", originalID: "t9", day(0), day(30))])),
    ]
    let bench = try await ServerBench(decoder: Self.decoder())
    for (index, (version, body)) in cases.enumerated() {
      #expect(try await bench.client.post("/apple/\(version)", body) == 400, "\(index)")
    }
    #expect(try bench.column("SELECT (SELECT COUNT(*) FROM payload) + (SELECT COUNT(*) FROM quarantine)") == ["0"])
    // Where no secret is configured, nothing can prove a V1 notification.
    try await bench.stop()
    let open = try await ServerBench(decoder: PayloadDecoder(unsigned: .accepted(from: "a test"), bundleIDs: ["b"]))
    for path in ["/apple/v1", "/apps/b/apple/v1"] {
      let answer = try await open.client.send(path, "POST", Self.v1)
      #expect(try answer.status == 400 && answer.json["code"] as? String == "no_shared_secret")
    }
    try await open.stop()
  }

  @Test func `a repetition changes nothing: no row, no seal, no byte`() async throws {
    let bench = try await ServerBench(decoder: Self.decoder())
    let bodies = [("/apple/v2", try Self.notification()), ("/apple/v1", Self.v1), ("/apps/b/apple/v1", Self.v1)]
    for (path, body) in bodies { #expect(try await bench.client.post(path, body) == 200) }
    func size() throws -> [Int] {
      try ["l.sqlite", "l.sqlite-wal"].map {
        try FileManager.default.attributesOfItem(atPath: bench.folder.file($0))[.size] as? Int ?? 0
      }
    }
    // The change feed writes too, soon after.
    try await Eventually.isTrue {
      try bench.column(
        """
        SELECT (SELECT transaction_version_id FROM change_feed_position)
          = (SELECT MAX(version_id) FROM transaction_version)
        """) == ["1"]
    }
    let rows = "SELECT (SELECT COUNT(*) FROM delivery) || ' ' || (SELECT COUNT(*) FROM seal)"
    let (before, seals) = (try size(), try bench.column(rows))
    for _ in 0..<SampleSize.pick(100, full: 2_000) {
      for (path, body) in bodies { #expect(try await bench.client.post(path, body) == 200) }
    }
    #expect(try size() == before)
    #expect(try bench.column(rows) == seals)
    try await bench.stop()
  }

  @Test func `what anonymous senders put into quarantine ends at a quota by day, and at a disk that is nearly full`()
    async throws
  {
    let clock = WallClock(day(3))
    let bench = try await ServerBench(
      decoder: Self.decoder(), now: { clock.now }, changing: { $0.anonymousQuarantine = (payloads: 5, bytes: 2_000) })
    func forgery(_ number: Int, _ length: Int = 1) -> String {
      "{\"signedPayload\":\"eyJ\(number).\(String(repeating: "a", count: length)).b\"}"
    }
    func days() throws -> [String] {
      try bench.column(
        "SELECT payload_count || ' ' || byte_count || ' ' || left_out_count FROM anonymous_quarantine_day")
    }
    // Five payloads a day, also when they are repeated.
    for number in 0..<5 { #expect(try await bench.client.post("/apple/v2", forgery(number)) == 200) }
    #expect(try await bench.client.post("/apple/v2", forgery(0)) == 503)
    let refused = try await bench.client.send("/apple/v2", "POST", forgery(6))
    #expect(try refused.status == 503 && refused.json["code"] as? String == "quarantine_full")
    #expect(try bench.reader.quarantined().count == 5)
    try await Eventually.isTrue { try days() == ["5 40 2"] }
    // What Apple signed is not under the quota.
    #expect(try await bench.client.post("/apple/v2", Self.notification()) == 200)
    // The next day has two thousand bytes.
    clock.set(day(4))
    #expect(try await bench.client.post("/apple/v2", forgery(10, 1_500)) == 200)
    #expect(try await bench.client.post("/apple/v2", forgery(11, 1_500)) == 503)
    #expect(try await bench.client.post("/apple/v2", forgery(12, 200)) == 200)
    try await Eventually.isTrue { try days().last == "2 1716 1" }
    try await bench.stop()
  }

  @Test func `nothing goes into quarantine while the disk is nearly full`() throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let isFree = Atomic(true)
    let disk = DiskSpace(around: ledger.path) { _ in isFree.load(ordering: .relaxed) }
    let quarantine = try AnonymousQuarantine(ledger.reader, quota: .init(payloads: 9, bytes: 9_000), disk: disk)
    #expect(quarantine.reserve([1], at: day(3)))
    isFree.store(false, ordering: .relaxed)
    disk.check()
    #expect(!quarantine.reserve([2, 3], at: day(3)))
    isFree.store(true, ordering: .relaxed)
    disk.check()
    #expect(quarantine.reserve([2, 3], at: day(3)))
    quarantine.note(in: ledger)
    let days = try ledger.reader.quarantineDays()
    #expect(days.map(\.leftOutCount) == [1] && days.map(\.leftOutByteCount) == [2])
    #expect(days[0].lastLeftOut == ContentDigest(sha256: [2, 3]))
    ledger.close()
  }

  @Test func `a body that is too long, of another type, or to another path is answered as a problem`() async throws {
    let bench = try await ServerBench()
    let long = "{\"signedPayload\":\"" + String(repeating: "a", count: WebhookRoutes.longestV2) + "\"}"
    let cases: [(answer: Answer, status: Int, code: String)] = [
      (try await bench.client.send("/apple/v2", "POST", long), 413, "too_long"),
      (try await bench.client.send("/apple/v2", "POST", "a=b", type: "text/plain"), 415, "wrong_content_type"),
      (try await bench.client.send("/apple/v2"), 405, "wrong_method"),
      (try await bench.client.send("/apple/v3", "POST", "{}"), 404, "not_found"),
      (try await bench.client.send("/index.html"), 404, "not_found"),
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

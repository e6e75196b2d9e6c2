import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// What could not be read can be found; and what was read is given back whole.
@Suite struct MentionTests {
  static func ledger() throws -> (LedgerRecorder, TemporaryFolder) {
    let folder = try TemporaryFolder()
    return (try LedgerRecorder(path: folder.file("l.sqlite")), folder)
  }

  @discardableResult
  static func record(
    _ text: String, in ledger: LedgerRecorder, at received: Instant = day(5), _ decoder: PayloadDecoder = .permissive()
  ) async throws -> ImportSummary {
    let outcomes = await decoder.decode(Array(text.utf8)).outcomes
    return try ledger.record(
      outcomes.map { Arrival(outcome: $0, receivedAt: received, isExplicit: true, origin: "archive", line: 7) })
  }

  static let unkeyed = #"{"latest_receipt_info":[{"original_transaction_id":"990001","product_id":"p"}]}"#

  @Test func `an id that a recorded payload names is found, with why nothing could be read`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let summary = try await Self.record(Self.unkeyed, in: ledger)
    #expect(summary.recorded == 1 && summary.quarantined == 0 && summary.withoutUsableTransaction == 1)
    for text in ["990001", "9900"] { #expect(try ledger.reader.search(text).matches == [.unread("990001")]) }
    let found = try #require(try ledger.reader.unreadMentions(of: "990001", knownAt: day(5)).first)
    #expect(found.kinds == [.originalTransactionID] && found.payloadKind == .verifyReceipt)
    #expect(found.origin == "archive" && found.sourceLine == 7 && found.receivedAt == day(5))
    #expect(found.reasons.map(\.code) == ["missing_transaction_id"])
    #expect(found.reasons.first?.path == "$.latest_receipt_info[0]")
    #expect(try ledger.reader.unreadMentions(of: "990001", knownAt: day(4)).isEmpty, "not known then")
    #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(9), knownAt: day(9))).isEmpty)
  }

  @Test func `a signed transaction that cannot be keyed is given back with its signature`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let authority = try TestAuthority()
    let trust = try TrustStore(trusting: [authority.rootDER])
    let date = day(0).milliseconds
    let text = try authority.chain().sign(
      #"{"transactionId":"990004","originalTransactionId":"990004","signedDate":\#(date)}"#)
    let summary = try await Self.record(text, in: ledger, PayloadDecoder.permissive(trust: trust))
    #expect(summary.recorded == 1 && summary.withoutUsableTransaction == 1)
    #expect(try ledger.reader.arrival(ContentDigest(sha256: Array(text.utf8))) == Array(text.utf8))
    #expect(try await ledger.reader.audit(trust: trust) == [])
    #expect(
      try await ledger.reader.audit([.signatures]).map(\.code) == [.signature], "it is verified again, not believed")
  }

  @Test func `an id in quarantine is found until a retry could record it`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let signed = TransactionFixture("990002", originalID: "990001", day(0), day(30)).signed(day(0))
    for text in [signed, #"{"status":0,"latest_receipt_info":[{"transaction_id":"990003","#] {
      #expect(try await Self.record(text, in: ledger).quarantined == 1)
      #expect(try await Self.record(text, in: ledger).stillQuarantined == 1)
    }
    #expect(try ledger.reader.search("990002").matches == [.unread("990002")])
    let found =
      try ledger.reader.unreadMentions(of: "990001", knownAt: day(9))
      + ledger.reader.unreadMentions(of: "990003", knownAt: day(9))
    #expect(found.compactMap(\.quarantineID).count == 2)
    #expect(found.flatMap(\.reasons).map(\.code) == ["unverified", "truncated"])
    let retried = try await ledger.retryQuarantine(PayloadDecoder.permissive(acceptsUnverified: true), now: day(6))
    #expect(retried.recorded == 1)
    #expect(try ledger.reader.unreadMentions(of: "990001", knownAt: day(9)).isEmpty)
    #expect(try ledger.reader.search("990003").matches == [.unread("990003")])
    // What a retry has recorded is known, and no longer in quarantine.
    let again = try await Self.record(signed, in: ledger)
    #expect(again.duplicates == 1 && again.stillQuarantined == 0)
  }

  @Test func `an id with purchases is found as before, and its torn payloads beside it`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let row = TransactionFixture("990002", originalID: "990001", day(0), day(30))
    try await Self.record(PayloadFixture.receipt(at: day(1), latest: [row]), in: ledger)
    try await Self.record(String(PayloadFixture.receipt(at: day(2), latest: [row]).dropLast(30)), in: ledger)
    guard case .purchase(let purchase)? = try ledger.reader.search("990001").matches.first else {
      Issue.record("no line")
      return
    }
    #expect(purchase.originalTransactionID == "990001")
    #expect(try ledger.reader.unreadMentions(of: "990001", knownAt: day(9)).map(\.quarantineID) == [1])
  }

  @Test func `an app's account token is never a mention`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"
    try await Self.record("{\"transactionId\":\"1\",\"appAccountToken\":\"\(token)\"", in: ledger)
    #expect(try ledger.reader.search(token).matches.isEmpty)
  }

  @Test func `payload_text is the whole text of every payload, in plain SQL`() async throws {
    let (ledger, folder) = try Self.ledger()
    defer { withExtendedLifetime(folder) {} }
    let authority = try TestAuthority()
    let chain = try authority.chain()
    let decoder = PayloadDecoder.permissive(trust: try TrustStore(trusting: [authority.rootDER]))
    let row = TransactionFixture("t2", originalID: "t1", day(0), day(30), extra: [("name", "\"Zoë 日本 🎈\"")])
    func notification(_ type: String) throws -> String {
      try PayloadFixture.signedV2(
        type, at: day(1), transaction: row, renewal: RenewalFixture(status: true), chain: chain)
    }
    let texts = [
      PayloadFixture.receipt(
        at: day(1), latest: [row, TransactionFixture("t3", originalID: "t1", day(30), day(60))], inApp: [row],
        renewals: [RenewalFixture(status: true)]),
      row.row, PayloadFixture.v1("DID_RENEW", latest: [row]), try notification("SUBSCRIBED"),
      "{\"notificationHistory\":[\(try notification("EXPIRED")),\(try notification("REFUND"))],\"hasMore\":false}",
      "{\"signedTransactions\":[\"\(try chain.sign(row.signed(day(2))))\"],\"hasMore\":false,\"revision\":\"1\",\"bundleId\":\"b\"}",
      "{\"status\":21002}", try chain.sign(row.signed(day(3), environment: "Production")),
    ]
    for text in texts { #expect(try await Self.record(text, in: ledger, decoder).quarantined == 0) }
    let rows = try DatabaseQueue(path: ledger.path).read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT t.payload_id, t.digest, t.source, s.source AS compact
          FROM payload_text t LEFT JOIN signed_payload_text s USING (payload_id)
          """)
    }
    // Three of them are notifications in a page or by themselves.
    #expect(rows.count == texts.count + 2)
    for row in rows {
      let whole: String = row["compact"] ?? row["source"]
      #expect(ContentDigest(sha256: Array(whole.utf8)).hexadecimal == row["digest"], "\(row["payload_id"] as Int)")
    }
    #expect(rows.contains { ($0["source"] as String) == texts[0] })
    #expect(rows.contains { ($0["source"] as String) == texts[4] })
  }
}

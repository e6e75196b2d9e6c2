import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// What is written, and what never is.
@Suite struct RecordingTests {
  static let now = QueryParameters(asOf: day(10), knownAt: day(1e5))

  /// Returns whether the files of a ledger contain a text. It compares bytes: in a `String`, the random byte after a text
  /// could join its last character.
  func files(of ledger: LedgerRecorder, contain text: String) -> Bool {
    ["", "-wal"].contains { ending in
      (FileManager.default.contents(atPath: ledger.path + ending) ?? Data()).range(of: Data(text.utf8)) != nil
    }
  }

  func record(
    _ text: String, in ledger: LedgerRecorder, _ decoder: PayloadDecoder = .permissive(acceptsUnverified: true)
  )
    async throws -> ImportSummary
  {
    let item = await decoder.decode(Array(text.utf8))
    return try ledger.record(
      item.outcomes.map {
        Arrival(outcome: $0, receivedAt: item.receivedAt ?? day(50), isExplicit: item.receivedAt != nil, origin: "test")
      })
  }

  @Test func `a signed notification is given back byte for byte and verified again from the file`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let authority = try TestAuthority()
    let chain = try authority.chain()
    let trust = try TrustStore(trusting: [authority.rootDER])
    let transaction = TransactionFixture(day(0), day(30))
    let body = try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), status: 1, transaction: transaction, renewal: RenewalFixture(status: true), chain: chain
    )
    let summary = try await record(body, in: ledger, PayloadDecoder.permissive(trust: trust))
    #expect(summary.recorded == 1)
    let compact = body.dropFirst("{\"signedPayload\":\"".count).dropLast(2)
    let stored = try #require(try ledger.reader.arrival(ContentDigest(sha256: Array(compact.utf8))))
    #expect(String(decoding: stored, as: UTF8.self) == compact)
    #expect(try await ledger.reader.audit([.file, .signatures], trust: trust) == [])
    #expect(try await ledger.reader.audit([.signatures]).map(\.code) == [.signature])
    let answer = try #require(try ledger.reader.entitlement(of: "t1", Self.now))
    #expect(answer.trust == .verified && answer.hasAccess && answer.environment == "Production")
    // Three signatures, one chain.
    let headers = try await DatabaseQueue(path: ledger.path).read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM jws_header")
    }
    #expect(headers == 1)
  }

  @Test func `what Apple states of seats stands beside its object, and once though two payloads state it`() async throws
  {
    let bench = try LedgerBench([])
    let tiers = #"[{"price":10000,"quantity":5},{"price":8000,"quantity":3}]"#
    let transaction = TransactionFixture(
      day(0), day(30),
      extra: [
        ("quantity", "8"), ("additionalTransactionReason", "\"SEAT_ADDITION\""),
        ("multiSeatInfo", #"{"invitationManagement":"DEVELOPER","revokedSeatQuantity":2,"priceTiers":\#(tiers)}"#),
      ])
    let renewal = RenewalFixture(status: true).signed(day(1)).dropLast() + #","renewalQuantity":6}"#
    let notification = PayloadFixture.v2("DID_CHANGE_RENEWAL_PREF", at: day(1), transaction: transaction)
    for text in [transaction.signed(day(1)), String(renewal), notification] {
      #expect(try await record(text, in: bench.ledger).problems == 0)
    }
    let unclaim = """
      {"notificationType":"UNCLAIM_SEATS","notificationUUID":"u","version":"2.0","signedDate":\(day(2).milliseconds),\
      "unclaimInfo":{"unclaimSeatIds":["c1","c2"]}}
      """
    #expect(try await record(unclaim, in: bench.ledger).recorded == 1)
    let rows = try await DatabaseQueue(path: bench.ledger.path).read { database in
      try [
        "SELECT additional_transaction_reason, invitation_management, revoked_seat_quantity FROM transaction_seat_info",
        "SELECT ordinal, price_milliunits, quantity FROM transaction_price_tier ORDER BY ordinal",
        "SELECT renewal_quantity FROM renewal_seat_info", "SELECT seat_claim_id FROM seat_release ORDER BY 1",
      ].map { try Row.fetchAll(database, sql: $0).map { $0.databaseValues.map(\.description).joined(separator: " ") } }
    }
    #expect(
      rows == [[#""SEAT_ADDITION" "DEVELOPER" 2"#], ["0 10000 5", "1 8000 3"], ["6"], [#""c1""#, #""c2""#]])
    #expect(try await bench.ledger.reader.audit([.file]) == [])
  }

  @Test func `a receipt is returned exactly, and its rows are stored once though every poll repeats them`() async throws
  {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let rows = (0..<5).map {
      TransactionFixture("t\($0)", originalID: "t0", day(Double($0) * 30), day(Double($0) * 30 + 30))
    }
    for poll in 0..<4 {
      let text = PayloadFixture.receipt(
        at: day(200 + Double(poll)), latest: rows, inApp: rows,
        renewals: [RenewalFixture(originalID: "t0", status: true)])
      #expect(try await record(text, in: ledger).recorded == 1)
      #expect(try ledger.reader.arrival(ContentDigest(sha256: Array(text.utf8))) == Array(text.utf8))
    }
    let count = try await DatabaseQueue(path: ledger.path).read {
      try Int.fetchOne($0, sql: "SELECT (SELECT COUNT(*) FROM transaction_info) + (SELECT COUNT(*) FROM renewal_info)")
    }
    #expect(count == 6)
  }

  @Test(arguments: [false, true])
  func `V1's password never reaches the disk, recorded or quarantined`(isTorn: Bool) async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    var text = PayloadFixture.v1("DID_RENEW", latest: [TransactionFixture(day(0), day(30))])
    #expect(text.contains("s3cret"))
    if isTorn { text.removeLast(5) }
    let summary = try await record(text, in: ledger)
    #expect(summary.quarantined == (isTorn ? 1 : 0))
    #expect(!files(of: ledger, contain: "s3cret"))
    #expect(files(of: ledger, contain: "******"))
  }

  @Test func `latest_receipt is left out, or stored once where the option says so`() async throws {
    let receipt = String(repeating: "MIIabc", count: 100)
    let text = "{\"status\":0,\"receipt\":{\"in_app\":[]},\"latest_receipt\":\"\(receipt)\"}"
    let item = await PayloadDecoder.permissive().decode(Array(text.utf8))
    for keeps in [false, true] {
      let folder = try TemporaryFolder()
      let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
      try ledger.record(
        item.outcomes.map { Arrival(outcome: $0, receivedAt: day(0), isExplicit: true, origin: "t") },
        storingReceiptData: keeps)
      #expect(files(of: ledger, contain: receipt) == keeps)
      #expect(try await ledger.reader.audit() == [])
    }
  }

  @Test func `a page of notification history holds payloads of their own, counted with the page`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let authority = try TestAuthority()
    let chain = try authority.chain()
    let decoder = PayloadDecoder.permissive(trust: try TrustStore(trusting: [authority.rootDER]))
    let bodies = try (0..<3).map { number in
      try PayloadFixture.signedV2(
        "DID_RENEW", at: day(Double(number)),
        transaction: TransactionFixture("t\(number)", originalID: "t0", day(Double(number)), day(30)), chain: chain)
    }
    let entries = bodies.map { "{\"sendAttempts\":[]," + $0.dropFirst() }
    let page = "{\"notificationHistory\":[\(entries.joined(separator: ","))],\"hasMore\":false}"
    let summary = try await record(page, in: ledger, decoder)
    #expect(summary.payloads == 4 && summary.recorded == 4)
    #expect(try await record(bodies[1], in: ledger, decoder).duplicates == 1)
    #expect(try ledger.reader.arrival(ContentDigest(sha256: Array(page.utf8))) == Array(page.utf8))
    #expect(try await ledger.reader.audit([.file, .signatures], trust: decoder.trust) == [])
  }

  @Test func `quarantine retried with new trust is recorded, at the instant it was received`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let authority = try TestAuthority()
    let body = try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), transaction: TransactionFixture(day(0), day(30)), chain: authority.chain())
    let wrapped = "{\"receivedAt\":\"\(day(3))\",\"payload\":\(body)}"
    #expect(try await record(wrapped, in: ledger, .init()).quarantined == 1)
    #expect(try await ledger.retryQuarantine(.init(), now: day(60)).quarantined == 1)
    let trust = try TrustStore(trusting: [authority.rootDER])
    #expect(try await ledger.retryQuarantine(.init(trust: trust), now: day(60)).recorded == 1)
    #expect(try ledger.reader.quarantined().isEmpty)
    #expect(try ledger.reader.quarantined(includesReleased: true).count == 1)
    #expect(try ledger.reader.entitlement(of: "t1", QueryParameters(asOf: day(10), knownAt: day(2))) == nil)
    #expect(try ledger.reader.entitlement(of: "t1", QueryParameters(asOf: day(10), knownAt: day(3))) != nil)
  }

  @Test func `decoded Production data is separate from what was verified`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    _ = try await record(TransactionFixture(day(0), day(30)).signed(day(0), environment: "Production"), in: ledger)
    #expect(try ledger.reader.entitlements(Self.now, where: .init(environment: "Production")).isEmpty)
    #expect(try ledger.reader.entitlements(Self.now).map(\.environment) == ["Unverified"])
  }

  @Test func `what comes after as_of is in no view`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let words = [
      TransactionFixture(day(0), day(30), revoked: day(12)),
      TransactionFixture("t2", originalID: "t1", day(20), day(50)),
    ]
    for one in words { _ = try await record(one.signed(day(25)), in: ledger) }
    func counts(_ asOf: Double) throws -> [Value] {
      var found: [Value] = []
      let sql = """
        SELECT (SELECT COUNT(*) FROM transaction_current), (SELECT COUNT(revoked_at) FROM transaction_current),
          (SELECT COUNT(*) FROM history_event)
        """
      try ledger.reader.query(sql, QueryParameters(asOf: day(asOf), knownAt: day(1e5))) { _ in
      } row: {
        found = $0
      }
      return found
    }
    #expect(try counts(-1) == [.integer(0), .integer(0), .integer(0)])
    #expect(try counts(5) == [.integer(1), .integer(0), .integer(1)])
    #expect(try counts(15) == [.integer(1), .integer(1), .integer(2)])
    #expect(try counts(25) == [.integer(2), .integer(1), .integer(3)])
  }

  @Test func `a payload of another app is quarantined where apps are named`() async throws {
    let text = PayloadFixture.receipt(at: day(0), latest: [TransactionFixture(day(0), day(30))])
    for (wanted, isRefused) in [(["b"], false), (["x"], true), (["x", "b"], false), ([], false)] {
      let item = await PayloadDecoder.permissive(bundleIDs: Set(wanted)).decode(Array(text.utf8))
      guard case .refused(let refusal, _)? = item.outcomes.first else {
        #expect(!isRefused)
        continue
      }
      #expect(isRefused && refusal.code == PayloadError.Code.foreignBundle)
    }
  }

  @Test func `a head whose last version is no subscription any more leaves no head behind`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    _ = try await record(TransactionFixture(day(0), day(30)).signed(day(1)), in: ledger)
    _ = try await record(TransactionFixture(day(0), nil).signed(day(2)), in: ledger)
    #expect(try ledger.reader.entitlements(Self.now).isEmpty)
    #expect(try await ledger.reader.audit() == [])
  }

  @Test func `files that are no ledger are refused in words`() throws {
    let folder = try TemporaryFolder()
    let text = try folder.write("no database, but a text that is long enough to be looked at", to: "text")
    #expect { try LedgerReader(path: text) } throws: { ($0 as? LedgerError)?.code == .notADatabase }
    let other = folder.file("other.sqlite")
    try DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a)") }
    #expect { try LedgerRecorder(path: other) } throws: { ($0 as? LedgerError)?.code == .notALedger }
    #expect { try LedgerReader(path: folder.file("none")) } throws: {
      ($0 as? LedgerError)?.code == .noSuchFile
    }
    #expect { try LedgerRecorder(path: folder.file("no/where")) } throws: {
      ($0 as? LedgerError)?.code == .cannotCreate
    }
    let begun = folder.file("begun.sqlite")
    try DatabaseQueue(path: begun).write { try $0.execute(sql: "PRAGMA application_id = \(0x7375_626C)") }
    #expect { try LedgerReader(path: begun) } throws: { ($0 as? LedgerError)?.code == .olderSchema }
    _ = try LedgerRecorder(path: begun)
    _ = try LedgerReader(path: begun)
    let obsolete = folder.file("obsolete.sqlite")
    try DatabaseQueue(path: obsolete).write {
      try $0.execute(
        sql:
          "PRAGMA application_id = \(0x7375_626C); CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
    #expect { try LedgerReader(path: obsolete) } throws: { ($0 as? LedgerError)?.code == .obsoleteFormat }
    #expect { try LedgerRecorder(path: obsolete) } throws: { ($0 as? LedgerError)?.code == .obsoleteFormat }
    let newer = folder.file("newer.sqlite")
    _ = try LedgerRecorder(path: newer)
    try DatabaseQueue(path: newer).write {
      try $0.execute(sql: "INSERT INTO schema_migration VALUES ('9999_from_the_future')")
    }
    #expect { try LedgerReader(path: newer) } throws: { ($0 as? LedgerError)?.code == .newerSchema }
    #expect { try LedgerRecorder(path: newer) } throws: { ($0 as? LedgerError)?.code == .newerSchema }
  }

  @Test func `a query of a user's own reads and nothing else`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    for sql in [
      "DELETE FROM payload", "DROP VIEW entitlement", "PRAGMA user_version = 3", "SELECT 1; SELECT 2", "SELECT ?", "",
      "nonsense",
    ] {
      #expect(throws: LedgerError.self, "\(sql)") {
        try ledger.reader.query(sql, Self.now) { _ in
        } row: { _ in
        }
      }
    }
    var count = 0
    try ledger.reader.query("SELECT 1, 'a', 1.5, x'01', NULL", Self.now) { _ in
    } row: { row in
      count += 1
      #expect(row == [.integer(1), .text("a"), .real(1.5), .blob([1]), .null])
    }
    #expect(count == 1)
  }
}

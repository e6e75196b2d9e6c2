import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// The one exception to laws 4 and 6: a person is forgotten, everywhere, and all else stays.
@Suite struct ErasureTests {
  static let token = CustomerFixture.token
  static let staffAction = StaffAction(author: "anna", reason: "asked by user-42, by mail", enteredAt: day(100))
  static let parameters = QueryParameters(asOf: day(10), knownAt: day(1e5))

  /// Every place where a person can stand: signed and unsigned evidence, columns, client events, links, notes, grants,
  /// quarantine whole and torn, a file's name, a problem's value.
  static func recordedLedger() async throws -> (LedgerRecorder, TemporaryFolder, TrustStore, [Arrival]) {
    let (made, trust, arrivals) = try await recorded.value
    let folder = try TemporaryFolder(copying: made)
    return (try LedgerRecorder(path: folder.file("l.sqlite")), folder, trust, arrivals)
  }

  /// The folder that every test has a copy of.
  private static let recorded = Task { try await recording() }

  static func recording() async throws -> (TemporaryFolder, TrustStore, [Arrival]) {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let authority = try TestAuthority.shared.get()
    let chain = try TestAuthority.sharedChain.get()
    let trust = try TrustStore(trusting: [authority.rootDER])
    let mine = [("appAccountToken", "\"\(token)\"")]
    let row = [("app_account_token", "\"\(token.uppercased())\"")]
    let stranger = try TestAuthority.stranger.get().chain()
    let texts = [
      try PayloadFixture.signedV2(
        "SUBSCRIBED", at: day(0), status: 1,
        transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30), extra: mine),
        renewal: RenewalFixture(originalID: "t1", status: true), chain: chain),
      try PayloadFixture.signedV2(
        "SUBSCRIBED", at: day(0), status: 1,
        transaction: TransactionFixture(
          "o1", originalID: "o1", day(0), day(30), extra: [("appAccountToken", "\"\(CustomerFixture.otherToken)\"")]),
        chain: chain),
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture("t2", originalID: "t2", day(0), day(30), extra: row)],
        inApp: [TransactionFixture("", originalID: "", day(0), day(30), extra: row)], environment: "Production"),
      PayloadFixture.event("purchasing", at: day(1), customer: "user-42", device: nil),
      PayloadFixture.event("purchasing", at: day(1), customer: token, device: "phone"),
      try PayloadFixture.signedV2(
        "SUBSCRIBED", at: day(0), transaction: TransactionFixture("t3", day(0), day(30), extra: mine), chain: stranger),
      try stranger.sign(
        TransactionFixture("t4", day(0), day(30), extra: mine).signed(day(0), environment: "Production")),
      "{\"torn\":{\"appAccountToken\":\"\(token)\"",
    ]
    let decoder = PayloadDecoder.permissive(trust: trust)
    var arrivals: [Arrival] = []
    for text in texts {
      for outcome in await decoder.decode(Array(text.utf8)).outcomes {
        arrivals.append(
          Arrival(outcome: outcome, receivedAt: day(1), isExplicit: true, origin: "archive/user-42/mail.json"))
      }
    }
    try ledger.record(arrivals)
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(1))
    try ledger.link("user-42", to: token, CustomerFixture.staffAction(1))
    try ledger.link("ben", to: "t2", StaffAction(author: "anna", reason: "shares with user-42", enteredAt: day(2)))
    try ledger.note("user-42 lives in Ulmenweg 17", about: "user-42", by: "anna", now: day(2))
    try ledger.grant("vip", to: "user-42", from: day(3), until: nil, CustomerFixture.staffAction(3))
    ledger.close()
    return (folder, trust, arrivals)
  }

  /// What would tell of the person: ids in any writing, also inside a signed text.
  static let traces: [String] = {
    let encoded = (0..<3).map { shift in
      String((String(repeating: " ", count: shift) + token).base64URL.dropFirst(4).dropLast(4))
    }
    return [token, token.uppercased(), "user-42", "Ulmenweg 17"] + encoded
  }()

  @Test func `nothing in the files names the person any more, and the purchases stay as they were`() async throws {
    let (ledger, folder, trust, arrivals) = try await Self.recordedLedger()
    // An entitlement of every line, but for the token.
    func facts(_ ledger: LedgerRecorder) throws -> [String] {
      try ledger.reader.entitlements(Self.parameters).map { entitlement in
        var entitlement = entitlement
        if entitlement.appAccountToken != CustomerFixture.otherToken { entitlement.appAccountToken = nil }
        return "\(entitlement.values)"
      }
    }
    let before = try facts(ledger)
    let payloadCount = try ledger.reader.origins().count
    let done = try ledger.erase("user-42", as: "forgotten-abcdefghijklmnopqrstuvwxyz", Self.staffAction)
    #expect(done.textCount > 5)
    ledger.close()
    let file = try FolderBytes(folder)
    for word in Self.traces {
      let isThere = file.contains(word)
      #expect(!isThere, "\(word)")
    }
    let othersStay = file.contains(CustomerFixture.otherToken)
    #expect(othersStay)
    let again = try LedgerRecorder(path: folder.file("l.sqlite"))
    #expect(try facts(again) == before)
    #expect(try again.reader.origins().count == payloadCount)
    // The same payloads again are known, and bring the person back nowhere.
    let summary = try again.record(arrivals)
    #expect(summary.recorded == 0 && summary.quarantined == 0)
    let findings = try await again.reader.audit([.file, .signatures], trust: trust)
    #expect(findings == [])
    let erasures = try again.reader.erasures()
    #expect(erasures.map(\.reason) == ["asked by forgotten-abcdefghijklmnopqrstuvwxyz, by mail"])
    #expect(erasures.first?.textCount == done.textCount)
    withExtendedLifetime(folder) {}
  }

  @Test func `the pseudonym is a customer like any other, with purchases, grants and attempts`() async throws {
    let (ledger, folder, _, _) = try await Self.recordedLedger()
    func shape(_ customer: String) throws -> [String] {
      let record = try ledger.reader.record(of: customer, Self.parameters)
      let attempts = try ledger.reader.attempts(of: customer, Self.parameters)
      return record.accesses.map { "\($0.entitlement) \($0.state) \($0.originalTransactionID ?? "-")" }
        + record.claims.map { "\($0.originalTransactionID) \($0.basis) \($0.claimantCount)" }
        + record.grants.map(\.entitlement)
        + attempts.map { "\($0.state) \($0.device ?? "-")" }
    }
    let before = try shape("user-42")
    #expect(before.count == 7, "\(before)")
    _ = try ledger.erase("user-42", as: "forgotten-1", Self.staffAction)
    #expect(try shape("forgotten-1") == before)
    #expect(try ledger.reader.record(of: "forgotten-1", Self.parameters).notes.map(\.text) == ["(forgotten)"])
    #expect(try ledger.reader.search("user-42").matches.isEmpty && ledger.reader.search(Self.token).matches.isEmpty)
    withExtendedLifetime(folder) {}
  }

  @Test func `an erased version says so, and counted as the seal says`() async throws {
    let (ledger, folder, _, _) = try await Self.recordedLedger()
    _ = try ledger.erase("user-42", as: "forgotten-1", Self.staffAction)
    let entitlement = try #require(try ledger.reader.entitlement(of: "t1", Self.parameters))
    let cited = try #require(try ledger.reader.evidence(for: entitlement).first)
    #expect(cited.isErased && cited.trust == .verified && cited.source.contains("\"appAccountToken\":\"forgotten-1\""))
    let other = try #require(try ledger.reader.entitlement(of: "o1", Self.parameters))
    #expect(try ledger.reader.evidence(for: other).allSatisfy { !$0.isErased })
    withExtendedLifetime(folder) {}
  }

  @Test func `what still refuses changes afterwards is all that refused them before`() async throws {
    let (ledger, folder, _, _) = try await Self.recordedLedger()
    let file = try DatabaseQueue(path: ledger.path)
    func triggers() async throws -> [String] {
      try await file.read {
        try String.fetchAll($0, sql: "SELECT name || sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
      }
    }
    let before = try await triggers()
    _ = try ledger.erase("user-42", as: "forgotten-1", Self.staffAction)
    #expect(try await triggers() == before)
    #expect(before.count == 199)
    #expect(throws: DatabaseError.self) {
      try file.write { try $0.execute(sql: "UPDATE transaction_info SET source = ''") }
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `nobody and someone else's token cannot be forgotten, and nothing is half done`() async throws {
    let (ledger, folder, _, _) = try await Self.recordedLedger()
    for id in ["stranger", Self.token, ""] {
      #expect(throws: LedgerError.self) { try ledger.erase(id, as: "forgotten-1", Self.staffAction) }
    }
    #expect(try ledger.reader.erasures() == [])
    #expect(try await ledger.reader.audit() == [])
    #expect(try ledger.reader.record(of: "user-42", Self.parameters).claims.count == 2)
    #expect(try ledger.erase("user-42", as: "forgotten-1", Self.staffAction).textCount > 5)
    #expect(try await ledger.reader.audit() == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `a person whose id is short is forgotten without touching numbers that look like it`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(PayloadFixture.event("purchasing", at: day(1), customer: "1", device: nil)),
      .init(
        PayloadFixture.receipt(
          at: day(1),
          latest: [
            TransactionFixture(
              "1", originalID: "1", day(0), day(30), extra: [("app_account_token", "\"1\""), ("quantity", "\"1\"")])
          ],
          environment: "Production")),
    ])
    _ = try ledger.erase("1", as: "forgotten-with-a-longer-name", Self.staffAction)
    let entitlement = try #require(try ledger.reader.entitlement(of: "1", Self.parameters))
    #expect(entitlement.appAccountToken == "forgotten-with-a-longer-name")
    let source = try #require(try ledger.reader.evidence(for: entitlement).first?.source)
    #expect(source.contains("\"quantity\":\"1\"") && source.contains("\"transaction_id\":\"1\""))
    #expect(try await ledger.reader.audit() == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `an address is found in words of the app's and of the staff's, and a number of Apple's stays`()
    async throws
  {
    let report = """
      {"event":"updated","transaction_state":"failed","product_id":"p","customer":"mary@example.org","device":"mary's",\
      "at":"2026-01-02T00:00:00Z","note":"by mary\\u0040example.org, MARY@example.org","error":{"domain":"D","code":1,"message":"mary@example.org is out"}}
      """
    let originalID = "2000000000000001"
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(report), .init("{\"foo\":\"mary@example.org\"}".replacing("foo", with: "status\":0,\"foo")),
      CustomerFixture.bought(originalID, originalID: originalID),
    ])
    try ledger.link(originalID, to: originalID, CustomerFixture.staffAction(1))
    try ledger.link(
      "bob", to: originalID, StaffAction(author: "mary@example.org", reason: "is bob", enteredAt: day(1)))
    _ = try ledger.erase("mary@example.org", as: "forgotten-1", Self.staffAction)
    _ = try ledger.erase(originalID, as: "forgotten-2", Self.staffAction)
    ledger.close()
    let isThere = try FolderBytes(folder).containsInAnyCase("example.org")
    #expect(!isThere)
    let again = try LedgerReader(path: folder.file("l.sqlite"))
    // An id that is also a line's own is Apple's there.
    #expect(try again.entitlement(of: originalID, Self.parameters)?.transactionID == originalID)
    #expect(try again.record(of: "forgotten-2", Self.parameters).claims.map(\.originalTransactionID) == [originalID])
    #expect(try await again.audit() == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `a token that stands for someone else too stays theirs`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([CustomerFixture.bought("t1", token: Self.token)])
    try ledger.link("old", to: Self.token, CustomerFixture.staffAction(1))
    try ledger.transfer(Self.token, from: "old", to: "new", at: day(5), CustomerFixture.staffAction(5))
    _ = try ledger.erase("old", as: "forgotten-1", Self.staffAction)
    #expect(try CustomerFixture.claims(ledger, asOf: 10) == ["new t1 link"])
    #expect(try ledger.reader.search(Self.token).matches == [.customer("new")])
    // Linked by mistake, and unlinked again: it is its own customer's.
    try ledger.link("wrong", to: Self.token, since: day(0), CustomerFixture.staffAction(6))
    try ledger.unlink("wrong", from: Self.token, at: day(0), CustomerFixture.staffAction(7))
    _ = try ledger.erase("wrong", as: "forgotten-2", Self.staffAction)
    #expect(try CustomerFixture.claims(ledger, asOf: 10) == ["new t1 link"])
    withExtendedLifetime(folder) {}
  }

  @Test func `canary: the search through the files finds a person who is there`() async throws {
    let (ledger, folder, _, _) = try await Self.recordedLedger()
    ledger.close()
    let file = try FolderBytes(folder)
    let found = Self.traces.filter { file.contains($0) }
    // Of the three ways in which Base 64 may hold the token, a text has one.
    #expect(found.count == Self.traces.count - 2, "\(found)")
  }

  @Test(arguments: RandomChoice.seeds.prefix(12))
  func `forgetting changes no answer over random histories`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 5)
    let history = await RandomHistory(seed: seed, count: 30)
    let bench = try LedgerBench([history.arrivals])
    let tokens = [Self.token, "u", "2"]
    let extra = (0..<8).map { number -> String in
      let token = tokens[number % 3]
      return TransactionFixture(
        "L\(number % 3)-\(number)", originalID: "L\(number % 3)", day(Double(number) * 5), day(Double(number) * 5 + 20),
        extra: [("appAccountToken", "\"\(token)\"")]
      ).signed(day(Double(number) * 5 + 1))
    }
    for text in extra {
      let outcomes = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes
      try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "x") })
    }
    let questions = RandomChoice.questions(history, &random, 10)
    let before = try questions.map { try bench.answers($0) }
    for (index, token) in tokens.enumerated() {
      _ = try bench.ledger.erase(token, as: "gone-\(index)", Self.staffAction)
    }
    #expect(try questions.map { try bench.answers($0) } == before, "seed \(seed)")
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [], "seed \(seed)")
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// Who is believed (Importing.md, "The full table"): what unsigned evidence decides is told, and every question can be
/// asked of signed evidence alone.
@Suite struct TrustTests {
  static let production = AppStore.Environment.production

  static func decoder() throws -> PayloadDecoder {
    .permissive(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), acceptsUnverified: true)
  }

  static func record(
    _ texts: [String], in ledger: LedgerRecorder, at received: Instant = day(60), isExplicit: Bool = true,
    _ decoder: PayloadDecoder? = nil
  ) async throws {
    let decoder = try decoder ?? Self.decoder()
    for text in texts {
      let outcomes = await decoder.decode(Array(text.utf8)).outcomes
      try ledger.record(
        outcomes.map { Arrival(outcome: $0, receivedAt: received, isExplicit: isExplicit, origin: "test") })
    }
  }

  static func ledger() throws -> (LedgerRecorder, TemporaryFolder) {
    let folder = try TemporaryFolder()
    return (try EmptyLedger.make(in: folder), folder)
  }

  static func signed(
    _ type: String, at signedAt: Instant, _ transaction: TransactionFixture, _ renewal: RenewalFixture? = nil
  ) throws -> String {
    try PayloadFixture.signedV2(
      type, at: signedAt, transaction: transaction, renewal: renewal, chain: TestAuthority.sharedChain.get())
  }

  static func now(_ number: Double = 20, _ minimumTrust: MinimumTrust = .any) -> QueryParameters {
    QueryParameters(asOf: day(number), knownAt: day(1e4), minimumTrust: minimumTrust)
  }

  static func match(_ ledger: LedgerRecorder, _ id: String = "t1") throws -> OriginalTransactionMatch {
    let purchases = try ledger.reader.search(id).matches.compactMap {
      if case .purchase(let purchase) = $0 { purchase } else { nil }
    }
    return try #require(purchases.first)
  }

  // MARK: - Unsigned evidence against signed

  static let month = TransactionFixture(day(0), day(30))

  /// What signed evidence says, and what a receipt of a later date makes of it.
  static let attacks: [(name: String, signed: [String], receipt: [TransactionFixture], all: String, alone: String)] = {
    func v2(_ type: String, _ at: Double, _ words: TransactionFixture, _ renewal: RenewalFixture? = nil) -> String {
      (try? signed(type, at: day(at), words, renewal)) ?? ""
    }
    let refunded = TransactionFixture(day(0), day(30), revoked: day(5))
    return [
      ("a refund undone", [v2("REFUND", 5, refunded)], [month], "active", "revoked"),
      (
        "a period prolonged", [v2("DID_RENEW", 1, month)], [TransactionFixture(day(0), day(9000))], "active", "active"
      ),
      (
        "an end undone",
        [v2("EXPIRED", 31, month, RenewalFixture(status: false, intent: 1))],
        [month, TransactionFixture("t2", originalID: "t1", day(30), day(9000))], "active", "expired"
      ),
    ]
  }()

  @Test(arguments: attacks.indices)
  func `unsigned evidence that decides against signed evidence is marked so`(index: Int) async throws {
    let attack = Self.attacks[index]
    let (ledger, folder) = try Self.ledger()
    let receipt = PayloadFixture.receipt(at: day(35), latest: attack.receipt, environment: "Production")
    try await Self.record(attack.signed + [receipt], in: ledger)
    let parameters = Self.now(index == 0 ? 20 : 40)
    let found = try #require(try ledger.reader.entitlement(of: "t1", parameters))
    #expect(found.state.rawValue == (index == 1 ? "active" : attack.all) && found.hasAccess)
    #expect(found.trust == .unsigned && found.addedRoot == nil)
    let other = try ledger.reader.signedAnswer(against: found, of: Self.match(ledger))
    if index == 1 {
      // At day 40 the signed period has ended, and signed evidence does not say what came after: no contradiction.
      #expect(other == nil)
      let within = try #require(try ledger.reader.entitlement(of: "t1", Self.now(20)))
      #expect(try ledger.reader.signedAnswer(against: within, of: Self.match(ledger))?.accessEndsAt == day(30))
    } else {
      #expect(other?.state.rawValue == attack.alone && other?.hasAccess == false)
    }
    // The same is asked of signed evidence alone, by every way there is.
    let strict = QueryParameters(asOf: parameters.asOf, knownAt: parameters.knownAt, minimumTrust: .signed)
    let one = try #require(try ledger.reader.entitlement(of: "t1", strict))
    #expect(one.trust == .verified && one.addedRoot == "Test Root")
    #expect(try ledger.reader.entitlements(strict) == [one])
    #expect(try ledger.reader.entitlement(of: Self.match(ledger), strict) == one)
    let unsigned = Set(
      try ledger.reader.evidence(for: found).filter { $0.kind == .verifyReceipt }.map(\.payload))
    #expect(!unsigned.isEmpty)
    let match = try Self.match(ledger)
    // A refunded period that a receipt states once more is one event, by either payload.
    if index != 0 {
      #expect(try ledger.reader.history(of: match, parameters).contains { unsigned.contains($0.payload) })
    }
    #expect(try !ledger.reader.history(of: match, strict).contains { unsigned.contains($0.payload) })
    let apple = QueryParameters(asOf: parameters.asOf, knownAt: parameters.knownAt, minimumTrust: .apple)
    #expect(try ledger.reader.entitlements(apple) == [])
    // And an answer of one question is no answer of the next.
    #expect(try ledger.reader.entitlement(of: "t1", parameters) == found)
    withExtendedLifetime(folder) {}
  }

  @Test func `an audit can list what unsigned evidence decides against signed evidence`() async throws {
    let (ledger, folder) = try Self.ledger()
    let refunded = TransactionFixture("r1", originalID: "r1", day(0), day(30), revoked: day(5))
    let stored = TransactionFixture("r1", originalID: "r1", day(0), day(30))
    let other = TransactionFixture("k1", originalID: "k1", day(0), day(30))
    try await Self.record(
      [
        try Self.signed("REFUND", at: day(5), refunded), try Self.signed("SUBSCRIBED", at: day(1), other),
        PayloadFixture.receipt(at: day(9), latest: [stored, other], environment: "Production"),
        PayloadFixture.receipt(
          at: day(9), latest: [TransactionFixture("u1", originalID: "u1", day(0), day(30))], environment: "Production"),
      ], in: ledger)
    var found: [String] = []
    try ledger.reader.forEachUnsignedDecision(Self.now()) {
      found.append("\($0.originalTransactionID) \($0.state.rawValue) \($0.signedState.rawValue)")
    }
    #expect(found == ["r1 active revoked"])
    #expect(try ledger.reader.productionPayloadsByAddedRoots().map { "\($0.root.name) \($0.count)" } == ["Test Root 2"])
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime(folder) {}
  }

  /// Law: what is asked of signed evidence alone is what a ledger says that never heard anything else.
  @Test(arguments: (0..<SampleSize.pick(3, full: 6)).map(UInt64.init))
  func `a question for signed evidence is answered as if nothing else had come`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 77)
    print("seed \(seed)")
    let (mixed, folder) = try Self.ledger()
    let (pure, other) = try Self.ledger()
    let arrivals = try await RandomHistory(seed: seed, count: 60).mixedWithSigned(40, &random)
    for arrival in arrivals {
      try mixed.record([arrival])
      if case .evidence(let evidence) = arrival.outcome, evidence.root == nil { continue }
      try pure.record([arrival])
    }
    for _ in 0..<12 {
      let (asOf, knownAt) = (day(Double(Int.random(in: 0...120, using: &random))), day(random.once(in: 2) ? 1e4 : 50))
      let all = QueryParameters(asOf: asOf, knownAt: knownAt)
      let signed = QueryParameters(asOf: asOf, knownAt: knownAt, minimumTrust: .signed)
      let expected = try pure.reader.entitlements(all)
      let found = try mixed.reader.entitlements(signed)
      #expect(found == expected, "seed \(seed), as of \(asOf), known at \(knownAt)")
      for one in expected {
        let single = try mixed.reader.entitlement(
          of: one.originalTransactionID, in: AppStore.Environment(apple: one.environment), signed)
        #expect(single == one, "seed \(seed)")
      }
    }
    #expect(try await mixed.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime((folder, other)) {}
  }

  @Test func `9: a one-time purchase is marked as decided against signed evidence too`() async throws {
    let (ledger, folder) = try Self.ledger()
    let once = TransactionFixture("n1", originalID: "n1", day(0), nil, extra: [("type", "\"Non-Consumable\"")])
    let refunded = TransactionFixture(
      "n1", originalID: "n1", day(0), nil, revoked: day(5), extra: [("type", "\"Non-Consumable\"")])
    try await Self.record(
      [
        try Self.signed("ONE_TIME_CHARGE", at: day(1), once), try Self.signed("REFUND", at: day(5), refunded),
        PayloadFixture.receipt(at: day(9), inApp: [once], environment: "Production"),
      ], in: ledger)
    let purchase = try Self.match(ledger, "n1")
    let found = try ledger.reader.transactions(of: purchase, Self.now())
    #expect(found.map(\.oneTimeState) == [.active] && found.map(\.trust) == [.unsigned])
    let signed = try ledger.reader.signedAnswers(against: found, of: purchase, Self.now())
    #expect(signed.mapValues(\.oneTimeState) == ["n1": .revoked])
    var reported: [String] = []
    try ledger.reader.forEachUnsignedDecision(Self.now()) {
      reported.append("\($0.originalTransactionID) \($0.signedState)")
    }
    #expect(reported == ["n1 revoked"])
    withExtendedLifetime(folder) {}
  }

  @Test func `what an answer states beside its signed texts does not count as signed`() async throws {
    let (ledger, folder) = try Self.ledger()
    let chain = try TestAuthority.sharedChain.get()
    let mine = try chain.sign(Self.month.signed(day(1), environment: "Production"))
    // Somebody else's page, under an order id of one's own.
    try await Self.record(["{\"status\":0,\"orderId\":\"MALLORY1\",\"signedTransactions\":[\"\(mine)\"]}"], in: ledger)
    _ = try ledger.link("mallory", to: "MALLORY1", StaffAction(author: "a", reason: "r", enteredAt: day(1)))
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    func answer(_ trust: MinimumTrust) throws -> AccessAnswer {
      try ledger.reader.access(of: "mallory", to: "pro", Self.now(20, trust))
    }
    guard case .decided(let access) = try answer(.any), access.hasAccess else { throw NoAnswer() }
    #expect(try answer(.signed) == .unknownCustomer || answer(.signed) == .nothing)
    // A signed text without an environment, in an answer that claims to be of Production.
    let nowhere = try chain.sign(
      TransactionFixture("t7", originalID: "t7", day(0), day(30)).signed(day(1), environment: "Production")
        .replacing("\"environment\":\"Production\",", with: ""))
    try await Self.record(
      [
        "{\"environment\":\"Production\",\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"b\","
          + "\"signedTransactions\":[\"\(nowhere)\"]}"
      ], in: ledger)
    #expect(try ledger.reader.entitlement(of: "t7", Self.now())?.trust == .unsigned)
    #expect(try ledger.reader.entitlement(of: "t7", Self.now(20, .signed)) == nil)
    withExtendedLifetime(folder) {}
  }

  private struct NoAnswer: Error {}

  @Test func `a text with a NUL is no id: it would be another's where texts end there`() async throws {
    let (ledger, folder) = try Self.ledger()
    let signed = try TestAuthority.sharedChain.get().sign(Self.month.signed(day(1), environment: "Production"))
    try await Self.record(
      [
        "{\"status\":0,\"orderId\":\"ORD\\u0000evil\",\"signedTransactions\":[\"\(signed)\"]}",
        PayloadFixture.receipt(at: day(2), latest: [TransactionFixture("t9", originalID: "t9", day(0), day(30))])
          .replacing("\"bundle_id\":\"b\"", with: "\"bundle_id\":\"b\\u0000\""),
      ], in: ledger)
    #expect(try ledger.reader.search("ORD").matches.isEmpty)
    #expect(try ledger.reader.entitlements(Self.now()).map(\.bundleID) == ["b", nil])
    let problems = try await DatabaseQueue(path: ledger.path).read {
      try String.fetchAll($0, sql: "SELECT code FROM problem ORDER BY path")
    }
    #expect(problems == ["unreadable_text", "unreadable_text"])
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime(folder) {}
  }

  // MARK: - Inferred instants

  @Test func `a row of the year 2099 does not date a payload, and is a problem`() async throws {
    let (ledger, folder) = try Self.ledger()
    let future = TransactionFixture("f1", originalID: "f1", Instant("2099-01-01") ?? day(0), Instant("2099-02-01"))
    // Undated: without its request date, as an attacker sends it.
    let forged = PayloadFixture.receipt(at: nil, latest: [Self.month, future], environment: "Production")
    try await Self.record([forged], in: ledger, at: day(2), isExplicit: false)
    // What Apple says later counts, whatever the forged row claims.
    let refunded = TransactionFixture(day(0), day(30), revoked: day(5))
    try await Self.record([try Self.signed("REFUND", at: day(5), refunded)], in: ledger, at: day(5))
    let found = try #require(try ledger.reader.entitlement(of: "t1", Self.now()))
    #expect(found.state == .revoked && found.trust == .verified)
    let problems = try await DatabaseQueue(path: ledger.path).read { database in
      try String.fetchAll(database, sql: "SELECT code || ' ' || path || ' ' || value FROM problem")
    }
    #expect(
      problems == [
        "date_after_receipt $.latest_receipt_info[1] 2099-01-01T00:00:00.000Z"
      ])
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `a date of unsigned data counts at most to the instant when it was received`() async throws {
    let (ledger, folder) = try Self.ledger()
    // A request date that is 21 hours ahead, as a back end sends it that was deceived.
    let forged = PayloadFixture.receipt(at: day(2.9), latest: [Self.month], environment: "Production")
    try await Self.record([forged], in: ledger, at: day(2))
    // Within these hours Apple says otherwise.
    let refunded = TransactionFixture(day(0), day(30), revoked: day(2.4))
    try await Self.record([try Self.signed("REFUND", at: day(2.5), refunded)], in: ledger, at: day(2.5))
    let found = try #require(try ledger.reader.entitlement(of: "t1", Self.now()))
    #expect(found.state == .revoked && found.trust == .verified)
    // The same text, received earlier, moves back.
    try await Self.record([forged], in: ledger, at: day(1))
    let instants = try await DatabaseQueue(path: ledger.path).read { database in
      try Int64.fetchAll(database, sql: "SELECT evidence_at FROM stg_payload ORDER BY evidence_at")
    }
    #expect(instants == [day(1), day(2.5)].map(\.milliseconds))
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `everything was received by now, or an import is refused`() async throws {
    let (ledger, folder) = try Self.ledger()
    var importer = Importer(ledger: ledger, decoder: try Self.decoder(), now: day(10))
    importer.receivedAt = day(11.1)
    do {
      _ = try await importer.run([ImportSource(name: "x") { nil }])
      Issue.record("what is received tomorrow was taken")
    } catch let error as LedgerError {
      #expect(error.code == .refusedText)
    }
    withExtendedLifetime(folder) {}
  }

  // MARK: - One payload, two signatures

  @Test func `the other form of a signature is the same payload`() async throws {
    let (ledger, folder) = try Self.ledger()
    let text = try Self.signed("DID_RENEW", at: day(1), Self.month)
    let jws = String(text.dropFirst("{\"signedPayload\":\"".count).dropLast(2))
    let other = try jws.withOtherFormOfSignature()
    try await Self.record([jws], in: ledger, at: day(3))
    let decoder = try Self.decoder()
    let outcomes = await decoder.decode(Array(other.utf8)).outcomes
    let summary = try ledger.record(
      outcomes.map { Arrival(outcome: $0, receivedAt: day(2), isExplicit: true, origin: "again") })
    #expect(summary.duplicates == 1 && summary.recorded == 0)
    let arrived = try ledger.reader.arrival(ContentDigest(sha256: Array(jws.utf8)))
    #expect(arrived.map { String(decoding: $0, as: UTF8.self) } == jws)
    // A page of notification history is given back with the very signature that stands in it.
    let page = "{\"hasMore\":false,\"notificationHistory\":[{\"signedPayload\":\"\(other)\"}]}"
    try await Self.record([page], in: ledger)
    #expect(
      try ledger.reader.arrival(ContentDigest(sha256: Array(page.utf8))).map { String(decoding: $0, as: UTF8.self) }
        == page)
    #expect(try await ledger.reader.audit(.file).filter { $0.code != .disagreement } == [])
    withExtendedLifetime(folder) {}
  }

  // MARK: - Quarantine

  @Test func `a retry does not take what an open target refused, unless its user says so`() async throws {
    let (ledger, folder) = try Self.ledger()
    let forged = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture(day(0), day(25_000))], environment: "Production")
    try await Self.record([forged], in: ledger, PayloadDecoder())
    let wrong = PayloadFixture.v1(
      "DID_RENEW", latest: [TransactionFixture(day(0), day(25_000))], environment: "Production")
    try await Self.record([wrong], in: ledger, PayloadDecoder(sharedSecrets: [SharedSecret("other", of: "b")]))
    #expect(try ledger.reader.quarantined().map(\.reason.rawValue) == ["unsigned", "wrong_shared_secret"])
    let open = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]))
    let retried = try await ledger.retryQuarantine(open, now: day(9))
    #expect(retried.quarantined == 2 && retried.recorded == 0)
    #expect(try ledger.reader.entitlements(Self.now()) == [])
    let accepted = try await ledger.retryQuarantine(Self.decoder(), now: day(9))
    #expect(accepted.recorded == 2)
    withExtendedLifetime(folder) {}
  }

  // MARK: - Apps

  @Test func `9: what another app sold under the same product id grants nothing`() async throws {
    let (ledger, folder) = try Self.ledger()
    let token = "11111111-2222-3333-4444-555555555555"
    let bought = TransactionFixture(day(0), day(30), extra: [("appAccountToken", "\"\(token)\"")])
    let mine = try Self.signed("SUBSCRIBED", at: day(1), bought)
    let chain = try TestAuthority.sharedChain.get()
    func foreign(_ app: String, _ id: String, type: String? = nil) throws -> String {
      let kind = type.map { ",\"type\":\"\($0)\"" } ?? ",\"expiresDate\":\(day(30).milliseconds)"
      return try chain.sign(
        "{\"transactionId\":\"\(id)\",\"originalTransactionId\":\"\(id)\",\"productId\":\"monthly\",\"bundleId\":\"\(app)\","
          + "\"environment\":\"Production\",\"purchaseDate\":\(day(0).milliseconds),\"signedDate\":\(day(1).milliseconds),"
          + "\"appAccountToken\":\"66666666-2222-3333-4444-555555555555\"\(kind)}")
    }
    try await Self.record(
      [mine, try foreign("evil", "e1"), try foreign("evil", "e2", type: "Non-Consumable")], in: ledger)
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    let thief = "66666666-2222-3333-4444-555555555555"
    func answer(_ customer: String) throws -> String {
      switch try ledger.reader.access(of: customer, to: "pro", Self.now()) {
      case .decided(let access): "\(access.hasAccess) \(access.trust?.rawValue ?? "-") \(access.addedRoot ?? "-")"
      case let other: "\(other)"
      }
    }
    #expect(try answer(token) == "true verified Test Root")
    #expect(try answer(thief) == "nothing")
    // Its own catalogue says what it grants, and says nothing about ours.
    _ = try ledger.entitle("evil", products: ["monthly"], of: "evil", now: day(0))
    #expect(try answer(thief) == "nothing")
    #expect(try ledger.reader.catalogueApps(Self.now()) == ["b", "evil"])
    withExtendedLifetime(folder) {}
  }

  @Test func `9: a purchase that names no app is looked up in the only catalogue, and in none of two`() async throws {
    let (ledger, folder) = try Self.ledger()
    try await Self.record(
      ["{\"status\":0,\"environment\":\"Production\",\"latest_receipt_info\":[\(Self.month.row)]}"], in: ledger)
    _ = try ledger.link("ada", to: "t1", StaffAction(author: "a", reason: "r", enteredAt: day(1)))
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    func hasAccess() throws -> Bool {
      if case .decided(let access) = try ledger.reader.access(of: "ada", to: "pro", Self.now()) {
        access.hasAccess
      } else {
        false
      }
    }
    #expect(try hasAccess())
    _ = try ledger.entitle("pro", products: ["monthly"], of: "c", now: day(0))
    #expect(try !hasAccess())
    withExtendedLifetime(folder) {}
  }

  // MARK: - The file

  /// Objects that an attacker, or a tool, puts into the file.
  static let objects: [(sql: String, location: String, isRefused: Bool)] = [
    (
      """
      CREATE TRIGGER sqliteXevil AFTER INSERT ON payload BEGIN
      INSERT INTO access_grant SELECT NULL, customer_key, 'pro', 0, NULL, 'r', 'a', 0 FROM customer; END
      """, "trigger sqliteXevil", true
    ),
    ("CREATE TRIGGER evil AFTER INSERT ON delivery BEGIN SELECT 1; END", "trigger evil", true),
    ("DROP TRIGGER payload_refuses_update", "trigger payload_refuses_update", true),
    ("DROP VIEW entitlement; CREATE VIEW entitlement AS SELECT 1 AS has_access", "view entitlement", true),
    ("DROP INDEX transaction_version_of_original", "index transaction_version_of_original", true),
    ("CREATE TABLE sqliteXtable (x)", "table sqliteXtable", false),
    ("CREATE VIEW SQLITEview AS SELECT 1", "view SQLITEview", false),
    ("CREATE INDEX sqliteXindex ON payload (kind)", "index sqliteXindex", false),
    // SQLite reads the word in any case.
    (
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('Trigger', 'evil', 'payload', 0, "
        + "'CREATE TRIGGER evil AFTER INSERT ON payload BEGIN SELECT 1; END')", "Trigger evil", true
    ),
    // KELVIN SIGN is K to Unicode, and to Swift, and not to SQLite.
    (
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema "
        + "SET sql = replace(sql, 'SKErrorDomain', 'S' || char(8490) || 'ErrorDomain') WHERE name = 'int_client_report'",
      "view int_client_report", true
    ),
    (
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_evil', 'payload', 0, "
        + "'CREATE TRIGGER sqlite_evil AFTER INSERT ON payload BEGIN SELECT 1; END')", "trigger sqlite_evil", true
    ),
  ]

  @Test(arguments: objects.indices)
  func `every object that is not ours is found, and what could write is not opened for recording`(index: Int)
    async throws
  {
    let object = Self.objects[index]
    let (made, folder) = try Self.ledger()
    try await Self.record([try Self.signed("SUBSCRIBED", at: day(1), Self.month)], in: made)
    let path = made.path
    made.close()
    let file = try DatabaseQueue(path: path)
    try await file.writeWithoutTransaction { try $0.execute(sql: object.sql) }
    try file.close()
    let asking = try LedgerReader(path: path)
    #expect(try await asking.audit().contains { $0.code == .schema && $0.location == object.location })
    asking.close()
    do {
      let recording = try LedgerRecorder(path: path)
      recording.close()
      #expect(!object.isRefused)
    } catch let error as LedgerError {
      #expect(object.isRefused && error.code == .alteredSchema, "\(error)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a trigger that comes while the file is open is met before anything is recorded`() async throws {
    let (ledger, folder) = try Self.ledger()
    try await Self.record([try Self.signed("SUBSCRIBED", at: day(1), Self.month)], in: ledger)
    let file = try DatabaseQueue(path: ledger.path)
    try await file.write {
      try $0.execute(
        sql: "CREATE TRIGGER evil AFTER INSERT ON payload BEGIN DELETE FROM projection_original_transaction; END")
    }
    await #expect {
      try await Self.record([try Self.signed("DID_RENEW", at: day(2), Self.month)], in: ledger)
    } throws: { ($0 as? LedgerError)?.code == .alteredSchema }
    // Without it everything goes on.
    try await file.write { try $0.execute(sql: "DROP TRIGGER evil") }
    try await Self.record([try Self.signed("DID_RENEW", at: day(2), Self.month)], in: ledger)
    withExtendedLifetime(folder) {}
  }

  @Test func `a payload that claims to be Apple's must have Apple's signature`() async throws {
    let (ledger, folder) = try Self.ledger()
    try await Self.record([try Self.signed("SUBSCRIBED", at: day(1), Self.month)], in: ledger)
    let path = ledger.path
    ledger.close()
    let file = try DatabaseQueue(path: path)
    try await file.writeWithoutTransaction { database in
      let triggers = try String.fetchAll(
        database, sql: "SELECT sql FROM sqlite_schema WHERE name LIKE 'root_certificate_refuses%'")
      for name in ["update", "delete", "replacement"] {
        try database.execute(sql: "DROP TRIGGER root_certificate_refuses_\(name)")
      }
      try database.execute(sql: "UPDATE root_certificate SET is_apple = 1")
      for text in triggers { try database.execute(sql: text) }
    }
    let asking = try LedgerReader(path: path)
    #expect(try asking.entitlements(Self.now(20, .apple)).count == 1)
    let trust = try TrustStore(trusting: [TestAuthority.shared.get().rootDER])
    let findings = try await asking.audit([.file, .signatures], trust: trust)
    #expect(findings.contains { $0.code == .changedRow && $0.location.hasPrefix("root_certificate") })
    #expect(findings.contains { $0.code == .changedRow && $0.location.hasPrefix("payload") })
    withExtendedLifetime(folder) {}
  }
}

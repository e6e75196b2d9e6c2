import AppStore
import Foundation
import GRDB
import Ledger
import LedgerService
import TestSupport
import Testing

@testable import LedgerMaintenance
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// Evidence is sealed: no row is changed, removed or inserted unseen, and an anchor proves that nothing was.
@Suite struct SealTests {
  /// A ledger with rows in every sealed table, after an erasure.
  static func recordedLedger() async throws -> (LedgerRecorder, TemporaryFolder) {
    let folder = try TemporaryFolder(copying: await recorded.value)
    return (try LedgerRecorder(path: folder.file("l.sqlite")), folder)
  }

  /// The folder that every test has a copy of.
  private static let recorded = Task { try await recording() }

  /// Objects that state seats.
  private static let seats = (
    transaction: TransactionFixture(
      "t7", originalID: "t7", day(0), day(30),
      extra: [
        ("quantity", "2"), ("additionalTransactionReason", "\"SEAT_ADDITION\""),
        (
          "multiSeatInfo",
          #"{"invitationManagement":"DEVELOPER","revokedSeatQuantity":1,"priceTiers":[{"price":9990,"quantity":2}]}"#
        ),
      ]),
    renewal: RenewalFixture(originalID: "t7"),
    renewalTiers: #""multiSeatInfo":{"renewalPriceTiers":[{"price":9990,"quantity":2}]}"#
  )

  private static func recording() async throws -> TemporaryFolder {
    let (ledger, folder, _, _) = try await ErasureTests.recordedLedger()
    let authority = try TestAuthority.shared.get()
    let chain = try TestAuthority.sharedChain.get()
    let trusting = PayloadDecoder.permissive(
      trust: try TrustStore(trusting: [authority.rootDER]), acceptsUnverified: true)
    func signed(_ type: String) throws -> String {
      try PayloadFixture.signedV2(
        type, at: day(3), transaction: TransactionFixture("t9", originalID: "t9", day(0), day(30)), chain: chain)
    }
    let texts = [
      "{\"notificationHistory\":[{\"sendAttempts\":[{\"attemptDate\":1767225600000,\"sendAttemptResult\":\"SUCCESS\"}],"
        + (try signed("TEST").dropFirst()) + "],\"hasMore\":false}",
      "{\"originalApplicationVersion\":\"1\",\"environment\":\"Sandbox\",\"receiptCreationDate\":1767225600000}",
      PayloadFixture.receipt(at: day(4), latest: [TransactionFixture("t8", originalID: "t8", day(0), day(30))])
        .dropLast()
        + ",\"latest_receipt\":\"\(Data(repeating: 7, count: 300).base64EncodedString())\"}",
      seats.transaction.signed(day(3)),
      seats.renewal.signed(day(3)).dropLast() + ",\"renewalQuantity\":2,\(seats.renewalTiers)}",
      """
      {"notificationType":"UNCLAIM_SEATS","notificationUUID":"u9","version":"2.0","signedDate":\(day(3).milliseconds),\
      "unclaimInfo":{"unclaimSeatIds":["c1"]}}
      """,
    ]
    for text in texts {
      let item = await trusting.decode(Array(text.utf8))
      let arrivals = item.outcomes.map {
        Arrival(outcome: $0, receivedAt: day(5), isExplicit: true, origin: "x", orderID: "MQ1")
      }
      try ledger.record(arrivals, storingReceiptData: true)
    }
    _ = try ledger.record(ProductCatalogue(Array(CatalogueText.whole.utf8)), bundleID: "b", origin: "p", now: day(6))
    let rates = try ExchangeRate.table(Array("date,currency,into,rate\n2026-01-01,EUR,USD,1.08".utf8))
    _ = try ledger.record(rates, origin: "r", now: day(6))
    let terms = try ProceedsTerm.table(Array("term,from,value\ntax,2026-01-01,19".utf8))
    _ = try ledger.record(terms, isWhole: false, origin: "r", now: day(6))
    // Not believed at first, and released later.
    for outcome in await PayloadDecoder.permissive().decode(Array(try signed("SUBSCRIBED").utf8)).outcomes {
      try ledger.record([Arrival(outcome: outcome, receivedAt: day(6), isExplicit: true, origin: "x")])
    }
    _ = try await ledger.retryQuarantine(trusting, now: day(7))
    // Named, and nothing about it to be read.
    let unread = #"{"latest_receipt_info":[{"transaction_id":"77"}]}"#
    for outcome in await PayloadDecoder.permissive().decode(Array(unread.utf8)).outcomes {
      try ledger.record([Arrival(outcome: outcome, receivedAt: day(6), isExplicit: true, origin: "x")])
    }
    try ledger.grant("vip", to: "ben", from: day(3), until: nil, ErasureTests.staffAction)
    _ = try ledger.revokeGrants(of: "vip", from: "ben", at: day(9), ErasureTests.staffAction)
    try ledger.claimSeat(of: "t7", for: "ben", seatClaimID: "c2", at: day(3), ErasureTests.staffAction)
    try ledger.unclaimSeat(of: "t7", from: "ben", at: day(9), ErasureTests.staffAction)
    let token = try ledger.createToken("web", scopes: [.ask], ErasureTests.staffAction)
    _ = try ledger.rotateToken(token.id, formerUntil: day(9), ErasureTests.staffAction)
    try ledger.revokeToken(token.id, ErasureTests.staffAction)
    var entry = AccessLogEntry(.token(token.id), requestID: "r", operation: "showCustomer", enteredAt: day(3))
    (entry.customer, entry.originalTransactionID, entry.reason) = ("user-42", "t9", "ticket")
    entry.parameters = QueryParameters(asOf: day(3), knownAt: day(3))
    var second = entry
    (second.requester, second.requestID) = (.user("mia"), "s")
    try ledger.createStaffUser(
      "ann", role: .viewer, password: Password(new: "three long words"), ErasureTests.staffAction)
    try ledger.setRole(.lead, ofStaffUser: "ann", ErasureTests.staffAction)
    var third = entry
    (third.requester, third.requestID) = (.staffUser("ann"), "u")
    try ledger.log([entry, second, third])
    try ledger.record {
      try $0.log(
        AppleRequest(
          occasion: .command, endpoint: "subscription_statuses", environment: .production, bundleID: "b", subject: "t9",
          askedAt: day(3), duration: 12, status: 404, code: 4_040_010, verdict: .unknownTransaction))
    }
    var reports = AppleReportImporter(ledger: ledger, now: day(3))
    let report = Array("Date\tSubscription Apple ID\tTerritory\tRedemptions\n2026-01-02\t7\tDE\t3\n".utf8)
    _ = try await reports.run([{ AppleReportImporter.File(name: "r", bytes: report) }])
    let feed = ChangeFeed(ledger)
    for now in [day(1), day(100)] { try feed.advance(to: now) }
    _ = try ledger.erase("user-42", as: "forgotten-1", ErasureTests.staffAction)
    ledger.close()
    return folder
  }

  private static func findings(_ database: Database) throws -> [AuditFinding] {
    var audit = try SealAudit(database)
    var result = SealAudit.Result()
    for slice in try SealAudit.slices(database, after: nil) { result.append(try audit.check(slice)) }
    result.findings.append(audit.rewritingFindings)
    result.findings.append(try audit.insertedRows(besides: result.rowCounts))
    return result.findings.all
  }

  /// Runs something in a transaction that is undone, on a connection where nothing refuses changes.
  private static func tampering(_ path: String, _ body: (Database, SealedTable) throws -> Void) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let file = try DatabaseQueue(path: path, configuration: configuration)
    try file.writeWithoutTransaction { database in
      LedgerFile.stopTracking(database)
      // For good, in this test's own copy: after a schema that is rolled back, SQLite reads it again.
      try database.inTransaction {
        for name in try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
          try database.execute(sql: "DROP TRIGGER \(name)")
        }
        return .commit
      }
      for table in try SealedTable.all(database) {
        try database.inTransaction {
          try body(database, table)
          return .rollback
        }
      }
    }
  }

  @Test func `every sealed table has rows here, and nothing is found`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    let file = try DatabaseQueue(path: ledger.path)
    try await file.read { database in
      for table in try SealedTable.all(database) {
        #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table.quoted)") ?? 0 > 0, "\(table.name)")
      }
    }
    #expect(try await ledger.reader.audit().filter(\.isTampering) == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `every table but derived and constant ones is sealed`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    let names = try await DatabaseQueue(path: ledger.path).read { database in
      try String.fetchSet(
        database,
        sql: """
          SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
          AND name NOT LIKE 'projection_%' AND name NOT IN (SELECT name FROM sealed_table)
          """)
    }
    #expect(
      names == [
        "schema_migration", "generated_schema", "calendar_month", "original_transaction_identifier",
        "customer_link_target", "sealed_table",
        "seal", "erasable_column", "api_token_use", "staff_session", "staff_user_password", "idempotent_answer",
        "change_feed_position", "change_feed_state", "change_feed_product_type",
        "state_change", "anonymous_quarantine_day", "notification_history_walk", "open_question",
        "erasable_table", "entitlement_period", "entitlement_period_gap", "apple_figure_dimensions", "apple_figure",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test func `a change to any column of any table is found, and the row is named`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    var changes = 0
    try Self.tampering(ledger.path) { database, table in
      let key = table.key[0].name
      for column in table.columns where !table.key.contains(where: { $0.index == column.index }) {
        let value =
          column.kind == .integer ? "COALESCE(\(column.name), 0) + 1" : "CAST('tampered' AS \(column.kind.rawValue))"
        try database.inSavepoint {
          do {
            try database.execute(
              sql: """
                UPDATE \(table.name) SET \(column.name) = \(value)
                WHERE \(key) = (SELECT MAX(\(key)) FROM \(table.name))
                """)
          } catch {
            // A check or a key stands in the way: it cannot be changed so.
            return .rollback
          }
          let found = try Self.findings(database)
          #expect(!found.isEmpty, "\(table.name).\(column.name)")
          // A changed record of an erasure makes the rows that it speaks of look wrong.
          if table.name != "rewritten_row" {
            let named = found.filter { $0.code == .changedRow && $0.location.hasPrefix("\(table.name) \(key) = ") }
            // Another pseudonym of an erasure makes what it rewrote look wrong, too.
            let isNamed = column.name == "pseudonym" ? !named.isEmpty : named.count == found.count
            #expect(isNamed, "\(table.name).\(column.name): \(found)")
          }
          changes += 1
          return .rollback
        }
      }
    }
    #expect(changes > 150, "\(changes)")
    withExtendedLifetime(folder) {}
  }

  @Test func `a row removed from any table is found and named, and so is one inserted`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    try Self.tampering(ledger.path) { database, table in
      let key = table.key[0].name
      try database.inSavepoint {
        try database.execute(
          sql: "DELETE FROM \(table.name) WHERE \(key) = (SELECT MAX(\(key)) FROM \(table.name))")
        let found = try Self.findings(database)
        #expect(
          found.contains { $0.code == .removedRow && $0.location.hasPrefix("\(table.name) \(key) = ") }
            || table.name == "rewritten_row" && !found.isEmpty, "\(table.name): \(found)")
        return .rollback
      }
      try database.inSavepoint {
        // The same row once more, but for its key and what must be unique.
        let columns = table.columns.map { column -> String in
          guard table.key.contains(where: { $0.index == column.index }) || column.name == "digest" else {
            return ["customer", "name", "transaction_id", "original_transaction_id", "token_id"].contains(column.name)
              ? "'inserted'" : column.name
          }
          switch column.kind {
          case .integer: return column.name == "is_explicit" ? column.name : "\(column.name) + 1000000"
          case .blob: return "randomblob(32)"
          case .text: return column.name == "kind" ? column.name : "'inserted'"
          }
        }
        try database.execute(
          sql: "INSERT INTO \(table.name) SELECT \(columns.joined(separator: ", ")) FROM \(table.name) LIMIT 1")
        let found = try Self.findings(database).map(\.code)
        #expect(Set(found).contains(.insertedRow), "\(table.name)")
        return .rollback
      }
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a seal that is changed, removed or inserted breaks the chain`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    let changes = [
      "UPDATE seal SET digest = randomblob(32) WHERE seal_id = 2", "DELETE FROM seal WHERE seal_id = 2",
      "UPDATE seal SET rows = x'' WHERE seal_id = 2", "UPDATE seal SET rows = x'04FF' WHERE seal_id = 2",
      "UPDATE seal SET rows = randomblob(100) WHERE seal_id = 1",
      "INSERT INTO seal SELECT seal_id + 1, randomblob(32), 0, x'' FROM seal ORDER BY seal_id DESC LIMIT 1",
      "DELETE FROM seal", "UPDATE seal SET seal_id = 9223372036854775807 WHERE seal_id = 2",
      "UPDATE seal SET seal_id = -5 WHERE seal_id = 2",
    ]
    try Self.tampering(ledger.path) { database, table in
      guard table.number == 1 else { return }
      for change in changes {
        try database.inSavepoint {
          try database.execute(sql: change)
          #expect(try !Self.findings(database).isEmpty, "\(change)")
          return .rollback
        }
      }
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `triggers and views that are not this program's are found`() async throws {
    let (ledger, folder) = try await Self.recordedLedger()
    for (change, location) in [
      ("DROP TRIGGER seal_refuses_delete", "trigger seal_refuses_delete"),
      ("CREATE TRIGGER t AFTER INSERT ON payload BEGIN SELECT 1; END", "trigger t"),
      ("DROP VIEW entitlement; CREATE VIEW entitlement AS SELECT 1", "view entitlement"),
      ("UPDATE calendar_month SET ends_at = ends_at + 1 WHERE month_number = 5", "table calendar_month"),
    ] {
      try Self.tampering(ledger.path) { database, table in
        guard table.number == 1 else { return }
        try database.execute(sql: change.hasPrefix("DROP TRIGGER") ? "SELECT 1" : change)
        #expect(try SchemaAudit(database).differences().contains { $0.object == location }, "\(change)")
      }
    }
    withExtendedLifetime(folder) {}
  }

  /// Whoever can write the file can write an erasure that nobody made, with a seal that fits: it changes texts and ids then,
  /// on record, and nothing else.
  @Test func `an erasure that nobody made cannot rewrite what no erasure may, nor remove it`() async throws {
    let (ledger, folder, _, _) = try await ErasureTests.recordedLedger()
    try Self.forge(in: ledger.path)
    withExtendedLifetime(folder) {}
  }

  private static func forge(in path: String) throws {
    let forgeries: [(change: String, table: String)] = [
      ("UPDATE transaction_info SET purchase_at = purchase_at + 1", "transaction_info"),
      ("UPDATE delivery SET source_line = 99", "delivery"), ("DELETE FROM payload WHERE payload_id = 1", "payload"),
      ("UPDATE payload SET trust = 'unverified', source = 'x' WHERE payload_id = 1", "payload"),
      ("DELETE FROM transaction_version WHERE version_id = 1", "transaction_version"),
      // Ids may only become pseudonyms: else purchases and access would move.
      ("UPDATE transaction_info SET app_account_token = 'mallory'", "transaction_info"),
      ("UPDATE customer SET customer = 'mallory' WHERE customer = 'ben'", "customer"),
      ("UPDATE customer_link_entry SET identifier = 'mallory'", "customer_link_entry"),
      ("UPDATE client_event SET customer = 'forgotten-9', queue = 'customer mallory'", "client_event"),
      ("UPDATE customer_link_entry SET reason = 'x', identifier = 'forgotten-91'", "customer_link_entry"),
    ]
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let file = try DatabaseQueue(path: path, configuration: configuration)
    try file.writeWithoutTransaction { database in
      for name in try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
        try database.execute(sql: "DROP TRIGGER \(name)")
      }
      let sealer = try Sealer(database)
      for forgery in forgeries {
        try database.inTransaction {
          sealer.begin()
          try database.execute(sql: "INSERT INTO erasure VALUES (9, 'forgotten-9', 'asked', 'anna', 1)")
          try sealer.beginErasure(database, erasure: 9)
          try database.execute(sql: forgery.change)
          try sealer.seal(database)
          let found = try Self.findings(database)
          #expect(!found.isEmpty, "\(forgery.change)")
          #expect(found.allSatisfy { $0.location.hasPrefix(forgery.table + " ") }, "\(forgery.change): \(found)")
          return .rollback
        }
      }
    }
  }

  /// Changes a file as somebody would who can write it, and makes seals that fit.
  /// - Returns: the digest of the first transaction info.
  private static func changeAndSealAnew(_ path: String, _ change: String) async throws -> ContentDigest {
    let file = try DatabaseQueue(path: path)
    return try await file.writeWithoutTransaction { database in
      for name in try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
        try database.execute(sql: "DROP TRIGGER \(name)")
      }
      let digest = try Data.fetchOne(database, sql: "SELECT digest FROM transaction_info WHERE transaction_info_id = 1")
      try database.execute(sql: change)
      try database.execute(sql: "DELETE FROM seal; PRAGMA foreign_keys = OFF")
      let sealer = try Sealer(database)
      try database.inTransaction {
        sealer.begin()
        // What inserts a row through this connection seals it.
        for table in try SealedTable.all(database) {
          try database.execute(
            sql: """
              CREATE TEMP TABLE copied AS SELECT * FROM main.\(table.name); DELETE FROM main.\(table.name);
              INSERT INTO main.\(table.name) SELECT * FROM temp.copied; DROP TABLE temp.copied
              """)
        }
        try sealer.seal(database)
        return .commit
      }
      return ContentDigest(bytes: [UInt8](digest ?? Data()))
    }
  }

  private static let untruths: [(change: String, location: String)] = [
    (
      "UPDATE transaction_info SET product_id = 'other' WHERE transaction_info_id = 1",
      "transaction_info transaction_info_id = 1"
    ),
    (
      "UPDATE transaction_info SET transaction_key = transaction_key + 1 WHERE transaction_info_id = 1",
      "transaction_info transaction_info_id = 1"
    ),
    (
      """
      INSERT INTO transaction_seat_info
      SELECT transaction_info_id, original_transaction_key, 'SEAT_ADDITION', NULL, NULL
      FROM transaction_info WHERE transaction_info_id = 1
      """, "transaction_info transaction_info_id = 1"
    ),
    ("INSERT INTO transaction_price_tier VALUES (1, 0, 9990, 1)", "transaction_info transaction_info_id = 1"),
    ("INSERT INTO renewal_seat_info VALUES (1, 500)", "renewal_info renewal_info_id = 1"),
  ]

  @Test(arguments: untruths.map(\.change))
  func `columns that say something else than their signed text are found, though all seals were rebuilt`(
    change: String
  ) async throws {
    let (ledger, folder, trust, _) = try await ErasureTests.recordedLedger()
    _ = try await Self.changeAndSealAnew(ledger.path, change)
    let location = try #require(Self.untruths.first { $0.change == change }).location
    #expect(try await !ledger.reader.audit().contains { $0.location == location })
    let found = try await ledger.reader.audit([.signatures], trust: trust)
    #expect(found.map(\.location) == [location] && found.map(\.code) == [.changedRow], "\(found)")
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["expires_at = expires_at + 1", "transaction_id = '9'"])
  func `a column that a text has its value from changes the text, and its digest shows it`(change: String) async throws
  {
    let (ledger, folder, trust, _) = try await ErasureTests.recordedLedger()
    let digest = try await Self.changeAndSealAnew(
      ledger.path, "UPDATE transaction_info SET \(change) WHERE transaction_info_id = 1")
    let found = try await ledger.reader.audit()
    #expect(
      found.contains { $0.code == .digest && $0.location == "transaction_info \(digest.hexadecimal)" }, "\(found)")
    #expect(try await ledger.reader.audit([.signatures], trust: trust).contains { $0.code == .signature })
    withExtendedLifetime(folder) {}
  }

  @Test func `an erasure leaves no salt and no digest by which a guess of an erased value could be confirmed`()
    async throws
  {
    let (ledger, folder, _, _) = try await ErasureTests.recordedLedger()
    let copy = folder.file("before.sqlite")
    _ = try ledger.reader.backUp(to: copy)
    _ = try ledger.erase("user-42", as: "forgotten-1", ErasureTests.staffAction)
    try Self.requireNothingToConfirm(copy, ledger.path)
    withExtendedLifetime(folder) {}
  }

  private static func requireNothingToConfirm(_ copy: String, _ path: String) throws {
    let (before, after) = (try DatabaseQueue(path: copy), try DatabaseQueue(path: path))
    let rows = try after.read { try Row.fetchAll($0, sql: "SELECT * FROM rewritten_row") }
    #expect(rows.count > 10)
    for row in rows {
      let (number, bytes) = (row["table_number"] as Int, [UInt8](row["row_key"] as Data))
      let former = [UInt8](row["former"] as Data)
      try before.read { database in
        let digester = try RowDigester(database)
        let table = try #require(digester[number])
        let key = try SealList.key(bytes, of: table).values
        var finder = try RowFinder(digester, database)
        let sealed = try #require(try finder.digest(table, key))
        let text = digester.text
        #expect(text.isSalted, "\(table.rowDescription(key))")
        guard let groups = FormerGroup.groups(former, count: table.groupCount) else {
          #expect(former == sealed && table.groupCount > 0)
          return
        }
        // What is left proves the seal.
        #expect(Array(text.digest(groups)) == sealed)
        for (group, left) in groups.enumerated() {
          // The digest is not that of the values alone.
          #expect(
            left == .salt(text.groupSalt(group))
              || left == .digest(text.groupDigest(group, salt: text.groupSalt(group))))
          #expect(left != .digest(text.groupDigest(group, salt: [])))
        }
      }
      try after.read { database in
        let table = try #require(try RowDigester(database)[number])
        let salts = try Row.fetchAll(
          database, sql: "SELECT t.salt FROM \(table.quoted) t WHERE \(table.condition)",
          arguments: StatementArguments(SealList.key(bytes, of: table).values.map(\.databaseValue)))
        #expect(salts.allSatisfy { ($0[0] as DatabaseValue).isNull }, "\(table.name)")
      }
    }
  }

  @Test func `a person may be forgotten twice under two names, and the chain stays whole`() async throws {
    let (ledger, folder, _, _) = try await ErasureTests.recordedLedger()
    let anchor = try #require(try ledger.reader.anchor())
    _ = try ledger.erase("user-42", as: "forgotten-1", ErasureTests.staffAction)
    _ = try ledger.erase("forgotten-1", as: "forgotten-2", ErasureTests.staffAction)
    _ = try ledger.erase("ben", as: "forgotten-3", ErasureTests.staffAction)
    let names: Set = ["forgotten-1", "forgotten-2", "forgotten-3"]
    #expect(try await ledger.reader.audit(against: anchor.digest, acknowledging: names) == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `a file that lacks a table is audited as far as that goes`() async throws {
    for table in ["delivery", "seal", "projection_original_transaction", "transaction_version"] {
      let (ledger, folder) = try await Self.recordedLedger()
      try await DatabaseQueue(path: ledger.path).writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        try database.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE tbl_name = '\(table)'")
      }
      let findings = try await LedgerReader(path: ledger.path).audit()
      #expect(findings.contains { $0.code == .schema && $0.location == "table \(table)" }, "\(table)")
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `an anchor proves what came before it, also after more was recorded and somebody was forgotten`()
    async throws
  {
    let (ledger, folder, _, _) = try await ErasureTests.recordedLedger()
    let anchor = try #require(try ledger.reader.anchor())
    _ = try ledger.erase("user-42", as: "forgotten-1", ErasureTests.staffAction)
    let later = try #require(try ledger.reader.anchor())
    #expect(later.seal == anchor.seal + 1 && later.digest != anchor.digest)
    #expect(try ledger.reader.anchor(with: anchor.digest) == anchor)
    // Somebody has to know of an erasure.
    let unknown = try await ledger.reader.audit(against: anchor.digest)
    #expect(unknown.map(\.code) == [.erasure] && unknown.map(\.location) == ["forgotten-1"])
    #expect(try await ledger.reader.audit(against: anchor.digest, acknowledging: ["forgotten-2"]) == unknown)
    #expect(try await ledger.reader.audit(against: anchor.digest, acknowledging: ["forgotten-1"]) == [])
    #expect(try await ledger.reader.audit(against: later.digest) == [])
    #expect(try ledger.reader.rowsRewritten(since: anchor) > 10 && ledger.reader.rowsRewritten(since: later) == 0)
    // Whoever writes all of history anew has another chain.
    let (otherFolder, _, _) = try await ErasureTests.recording()
    let other = try LedgerReader(path: otherFolder.file("l.sqlite"))
    let findings = try await other.audit(against: anchor.digest)
    #expect(findings.map(\.code) == [.seal])
    withExtendedLifetime((folder, otherFolder)) {}
  }

  @Test func `what changes nothing is not sealed, and the same history in two files has two chains`() async throws {
    let history = await RandomHistory(seed: 9, count: 40)
    let (one, two) = (try LedgerBench([history.arrivals]), try LedgerBench([history.arrivals]))
    let anchor = try #require(try one.ledger.reader.anchor())
    // The salts differ.
    let other = try #require(try two.ledger.reader.anchor())
    #expect(other.seal == anchor.seal && other.digest != anchor.digest)
    try one.ledger.record(history.arrivals)
    #expect(try one.ledger.reader.anchor() == anchor)
  }

  @Test func `a list of rows is read as it was written`() throws {
    let (_, folder) = (0, try TemporaryFolder())
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let tables = try DatabaseQueue(path: ledger.path).read(SealedTable.all)
    var random = SplitMix(seed: 3)
    for table in tables {
      var list = SealList.Writer()
      let keys: [[SealedKey.Value]] = (0..<50).map { _ in
        table.key.map { column in
          let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8.random(in: 65...90, using: &random) }
          return switch column.kind {
          case .integer: .integer(Int64.random(in: .min ... .max, using: &random))
          case .text: .text(bytes)
          case .blob: .blob(bytes)
          }
        }
      }
      for key in keys {
        list.append(key)
        list.append(short: [1, 2, 3, 4])
      }
      var bytes: [UInt8] = []
      bytes.append(leb128: UInt64(table.number))
      bytes.append(leb128: 50)
      let sections = try SealList.sections(bytes + list.bytes) { number in tables.first { $0.number == number } }
      #expect(sections.map { $0.entries.map(\.key) } == [keys], "\(table.name)")
      #expect(try SealList.key(SealedKey(table: table.number, values: keys[0]).encoded, of: table).values == keys[0])
      for cut in 0..<20 {
        // Cut anywhere it is none, and never a trap.
        #expect(throws: SealList.Unreadable.self) {
          try SealList.sections(Array((bytes + list.bytes).dropLast(cut + 1))) { number in
            tables.first { $0.number == number }
          }
        }
      }
    }
  }
}

/// A catalogue with everything that a catalogue can say.
enum CatalogueText {
  static let whole = """
    [{"product_id":"monthly","type":"Auto-Renewable Subscription","period":"P1M","entitlements":["pro"],\
    "names":{"en":"Monthly"},\
    "prices":[{"price":4.99,"currency":"EUR"}],\
    "offers":[{"type":"introductory","payment_mode":"FREE_TRIAL","period":"P1W","period_count":1}]}]
    """
}

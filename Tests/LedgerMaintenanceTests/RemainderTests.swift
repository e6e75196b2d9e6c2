import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerMaintenance
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// A person hides where nobody thinks of looking: in names of keys, in words about errors, in other spellings.
@Suite struct RemainderTests {
  static let id = "user-4711-of-the-north"
  static let pseudonym = "forgotten-abcdefghijklmnopqrstuvwxyz"
  static let staffAction = StaffAction(author: "anna", reason: "asked by USER-4711-OF-THE-NORTH", enteredAt: day(100))

  /// Every spelling that no file may hold afterwards.
  static let spellings: [String] = {
    let encoded = (0..<3).map { shift in
      String((String(repeating: " ", count: shift) + id).base64URL.dropFirst(4).dropLast(4))
    }
    let capitals = String(id.uppercased().base64URL.dropLast(4))
    return [id, id.uppercased(), id.replacing("-", with: "%2d"), capitals] + encoded
  }()

  /// A ledger whose texts of every kind name a person.
  static func ledger(_ texts: [String], customer: String = id) async throws -> (LedgerRecorder, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    for text in texts + [PayloadFixture.event("purchasing", at: day(1), customer: customer, device: nil)] {
      let outcomes = await decoder.decode(Array(text.utf8)).outcomes
      try ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "archive") })
    }
    return (ledger, folder)
  }

  private static func indices(_ erasure: Erasure) -> [String] {
    erasure.remainders.map { "\($0.table).\($0.column) \($0.count)" }.sorted()
  }

  /// Where each hides, and where it is left.
  static let attacks: [(name: String, text: String, left: [String])] = [
    ("a key that is there twice", "{\"\(id)\":{\"a\":1,\"a\":2}}", []),
    ("a key, torn", "{\"x\":{\"\(id)\":[tru", []),
    (
      "an error's domain",
      PayloadFixture.event(
        "failed", at: day(2), customer: nil, device: "phone", error: ("com.app.\(id.uppercased())", 7)), []
    ),
    ("another case", "{\"status\":0,\"foo\":\"\(id.uppercased())\"}", []),
    ("Base 64", "{\"status\":0,\"foo\":\"\(("x" + id + "y").base64URL)\"}", []),
    ("Base 64, torn", "{\"foo\":\"\(("xy" + id).base64URL)", []),
    ("Base 64 of capitals", "{\"foo\":\"\(id.uppercased().base64URL)\"}", []),
    ("percent signs", "{\"status\":0,\"foo\":\"\(id.replacing("-", with: "%2d"))\"}", []),
    (
      "a row that cannot be used",
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture("t9", originalID: "t9", day(0), day(30), extra: [(id, "\"x\"")])],
        environment: "Production"
      ).replacing("\"transaction_id\":\"t9\"", with: "\"transaction_id\":[\"\(id.uppercased())\"]"), []
    ),
    (
      "an id of Apple's",
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture(id, originalID: id, product: id, day(0), day(30))]),
      [
        "entitlement_period.product_id 2", "original_transaction.original_transaction_id 1",
        "transaction_info.product_id 1", "transaction_info.transaction_id 1",
      ]
    ),
    (
      "a notification's type",
      PayloadFixture.v2(id, at: day(1), transaction: TransactionFixture(day(0), day(30))),
      ["notification.notification_type 1"]
    ),
  ]

  @Test(arguments: attacks.map(\.name))
  func `an id is erased where that may be, and else its location is named`(name: String) async throws {
    let attack = try #require(Self.attacks.first { $0.name == name })
    let (ledger, folder) = try await Self.ledger([attack.text])
    let done = try ledger.erase(Self.id, as: Self.pseudonym, Self.staffAction)
    #expect(Self.indices(done) == attack.left.sorted())
    #expect(done.remainders.allSatisfy { $0.rows.count == $0.count })
    #expect(try ledger.reader.erasures().map(\.reason) == ["asked by \(Self.pseudonym)"])
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    #expect(try await ledger.reader.audit(.signatures) == [])
    ledger.close()
    guard attack.left.isEmpty else { return }
    let file = try FolderBytes(folder)
    for spelling in Self.spellings {
      let isThere = file.contains(spelling)
      #expect(!isThere, "\(spelling)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `canary: the attacks put the person into the file`() async throws {
    for attack in Self.attacks {
      let (ledger, folder) = try await Self.ledger([attack.text], customer: "somebody-else-altogether")
      ledger.close()
      let file = try FolderBytes(folder)
      let isThere = Self.spellings.contains(where: file.contains)
      #expect(isThere, "\(attack.name)")
    }
  }

  @Test func `an id across two parts of a text in quarantine is found`() async throws {
    let filler = String(repeating: "x", count: (1 << 20) - 12)
    let (ledger, folder) = try await Self.ledger(["{\"\(filler)\(Self.id.uppercased())\":tru"])
    #expect(try ledger.reader.quarantined().count == 1)
    #expect(try ledger.erase(Self.id, as: Self.pseudonym, Self.staffAction).remainders == [])
    let id = try #require(try ledger.reader.quarantined().first?.id)
    let text = String(decoding: try ledger.reader.quarantinedBytes(id) ?? [], as: UTF8.self)
    #expect(
      !text.uppercased().contains(Self.id.uppercased()) && text.contains("forgotten-a") && text.count > filler.count)
    #expect(try await ledger.reader.audit() == [])
    withExtendedLifetime(folder) {}
  }

  @Test func `an erasure says that a reader still holds the earlier texts beside the file`() async throws {
    let (first, folder) = try await Self.ledger([])
    first.close()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"), busyTimeout: .milliseconds(20))
    func eraseWhileSomebodyReads() throws -> Erasure {
      try DatabaseQueue(path: folder.file("l.sqlite")).writeWithoutTransaction { database in
        try database.execute(sql: "BEGIN; SELECT COUNT(*) FROM payload")
        defer { try? database.execute(sql: "COMMIT") }
        let done = try ledger.erase(Self.id, as: Self.pseudonym, Self.staffAction)
        let isThere = try FolderBytes(folder).contains(Self.id)
        #expect(isThere)
        return done
      }
    }
    #expect(try !eraseWhileSomebodyReads().isLogEmpty)
    let isThere = ledger.truncateWriteAheadLog() ? try FolderBytes(folder).contains(Self.id) : true
    #expect(!isThere)
  }

  @Test func `words are erased twice, for two people, and the seals hold`() async throws {
    let (ledger, folder) = try await Self.ledger([
      PayloadFixture.event(
        "failed", at: day(2), customer: "second-person-of-all", device: nil,
        error: ("a.\(Self.id).second-person-of-all", 7)),
      "{\"\(Self.id)\":{\"second-person-of-all\":{\"a\":1,\"a\":1}}}",
    ])
    let anchor = try #require(try ledger.reader.anchor())
    for (index, id) in [Self.id, "second-person-of-all"].enumerated() {
      #expect(try ledger.erase(id, as: "gone-\(index)", Self.staffAction).remainders == [])
      #expect(try await ledger.reader.audit(against: anchor.digest, acknowledging: ["gone-0", "gone-1"]) == [])
    }
    let path = try #require(try ledger.reader.quarantined().first?.path)
    #expect(path == "$.gone-0.gone-1" || path.contains("gone-0") && path.contains("gone-1"), "\(path)")
    // What no erasure did is seen still.
    ledger.close()
    let file = try DatabaseQueue(path: folder.file("l.sqlite"))
    try await file.write { database in
      try database.disablingAppendOnlyTriggers { try database.execute(sql: "UPDATE quarantine SET detail = 'x'") }
    }
    let again = try LedgerReader(path: folder.file("l.sqlite"))
    #expect(try await again.audit().map(\.code) == [.changedRow])
    withExtendedLifetime(folder) {}
  }

  @Test func `ids that mean other things are named and not touched`() async throws {
    let originalID = "2000000000000001"
    let (ledger, folder) = try await Self.ledger(
      [
        PayloadFixture.receipt(
          at: day(1), latest: [TransactionFixture(originalID, originalID: originalID, day(0), day(30))])
      ],
      customer: originalID)
    let done = try ledger.erase(originalID, as: Self.pseudonym, Self.staffAction)
    let indices = Self.indices(done)
    #expect(
      indices.contains("original_transaction.original_transaction_id 1")
        && indices.contains("transaction_info.transaction_id 1"), "\(indices)")
    #expect(try ledger.reader.search(originalID).matches.map { "\($0)".contains(originalID) } == [true])
    let (short, other) = try await Self.ledger(
      [PayloadFixture.receipt(at: day(1), latest: [TransactionFixture("7", originalID: "70", day(0), day(30))])],
      customer: "7")
    #expect(
      Self.indices(try short.erase("7", as: Self.pseudonym, Self.staffAction)) == ["transaction_info.transaction_id 1"])
    // A word of the catalogue is a person's name too, and stays where Apple says it.
    let (named, third) = try await Self.ledger(
      [PayloadFixture.receipt(at: day(1), latest: [TransactionFixture(day(0), day(30))])], customer: "monthly")
    let left = Self.indices(try named.erase("monthly", as: Self.pseudonym, Self.staffAction))
    #expect(
      left.contains("transaction_info.product_id 1") && left.contains("client_event.product_id 1"), "\(left)")
    #expect(try await named.reader.audit().filter { $0.code != .disagreement } == [])
    withExtendedLifetime((folder, other, third)) {}
  }

  @Test func `every table and column of the schema is searched`() async throws {
    let (ledger, folder) = try await Self.ledger([])
    ledger.close()
    let file = try DatabaseQueue(path: folder.file("l.sqlite"))
    let count = try await file.write { database in
      LedgerFile.stopTracking(database)
      try database.execute(sql: "CREATE TABLE later (words TEXT, more BLOB, number INTEGER) STRICT")
      try database.execute(
        sql: "INSERT INTO later VALUES (?, ?, 1)", arguments: ["of \(Self.id)", Data(Self.id.utf8)])
      // A column of any type holds a text, where the table is not strict.
      try database.execute(sql: "CREATE TABLE loose (number INTEGER)")
      try database.execute(sql: "INSERT INTO loose VALUES (?)", arguments: [Self.id])
      let staffAction = Self.staffAction
      let eraser = try DatabaseEraser(
        ErasureTransaction(database, try Sealer(database), try WriteAuthorizer(database)), customer: Self.id,
        pseudonym: "gone", staffAction)
      return try eraser.run().remainders
    }
    let found = Set(count.map { "\($0.table).\($0.column) \($0.rows)" })
    #expect(
      found.isSuperset(of: [
        "later.words [\"1\"]", "later.more [\"1\"]", "loose.number [\"1\"]",
      ]), "\(found)")
    withExtendedLifetime(folder) {}
  }
}

import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import LedgerQueries
@testable import LedgerSchema
@testable import LedgerStore

/// The limits of statements and of payloads, as the library has them.
@Suite struct LimitTests {
  static let parameters = QueryParameters(asOf: day(10), knownAt: day(1e5))
  static let endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"

  private static func code(_ body: () throws -> Void) -> LedgerError.Code? {
    do { try body() } catch { return (error as? LedgerError)?.code }
    return nil
  }

  @Test func `a statement that is stopped leaves the connection as it was`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(PayloadFixture.receipt(at: day(1), latest: [TransactionFixture.month]))
    ])
    // Each look at this clock takes a second.
    let clock = TestClock(step: .seconds(1))
    var limits = QueryLimits(timeout: .seconds(20))
    limits.now = { clock.now }
    func ask(_ sql: String, _ limits: QueryLimits, row: () throws -> Void = {}) throws {
      try ledger.reader.query(sql, Self.parameters, limits: limits) { _ in
      } row: { _ in
        try row()
      }
    }
    #expect(Self.code { try ask(Self.endless, limits) } == .statementTooSlow)
    #expect(Self.code { try ask("SELECT randomblob(100000000)", limits) } == .statementTooLarge)
    // What a reader of the rows takes is not the statement's.
    #expect(Self.code { try ask("SELECT 1", limits) { clock.advance(by: .seconds(60)) } } == nil)
    var short = limits
    short.longestValue = 1000
    #expect(Self.code { try ask("SELECT hex(zeroblob(2000))", short) } == .statementTooLarge)
    #expect(Self.code { try ask("SELECT hex(zeroblob(2000))", limits) } == nil)
    // Longer than the limit in all, and nobody stops it.
    let long = Self.endless.replacing("FROM c) S", with: "FROM c LIMIT 3000000) S")
    #expect(Self.code { try ask(long, QueryLimits(timeout: nil)) } == nil)
    #expect(try ledger.reader.entitlements(Self.parameters).count == 1)
    withExtendedLifetime(folder) {}
  }

  @Test func `a payload without an end is refused, and what came before it is recorded`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    var importer = Importer(ledger: ledger, decoder: .permissive(), now: day(2))
    #expect(importer.longestPayload == 1 << 30)
    importer.longestPayload = 36 << 20
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    var given = 0
    let endless = ImportSource(name: "pipe") {
      given += 1
      return given == 1
        ? Array((PayloadFixture.receipt(at: day(1), latest: [TransactionFixture.month]) + "\n").utf8) : piece
    }
    await #expect {
      try await importer.run([endless])
    } throws: { error in
      let error = error as? LedgerError
      return error?.code == .payloadTooLong && error?.description.hasPrefix("pipe:2: a payload is longer than") == true
    }
    #expect(given < 80)
    #expect(try ledger.reader.entitlements(Self.parameters).count == 1)
    #expect(try ledger.reader.quarantined().isEmpty)
    withExtendedLifetime(folder) {}
  }

  @Test func `where a source fails and then the ledger, neither error is lost`() async throws {
    struct Unreadable: Error, CustomStringConvertible { let description = "pipe: the source broke off." }
    let folder = try TemporaryFolder()
    let path = try EmptyLedger.make(in: folder).path
    let ledger = try LedgerRecorder(path: path, busyTimeout: .milliseconds(1))
    var isGiven = false
    let source = ImportSource(name: "pipe") {
      if isGiven { throw Unreadable() }
      isGiven = true
      return Array((PayloadFixture.receipt(at: day(1), latest: [TransactionFixture.month]) + "\n").utf8)
    }
    let other = try LockHolder(path)
    var importer = Importer(ledger: ledger, decoder: .permissive(), now: day(2))
    let error = await #expect(throws: LedgerError.self) { try await importer.run([source]) }
    #expect(error?.code == .busy)
    let text = error?.description ?? ""
    #expect(text.hasPrefix("pipe: the source broke off. After that: "), "\(text)")
    try other.release()
  }
}

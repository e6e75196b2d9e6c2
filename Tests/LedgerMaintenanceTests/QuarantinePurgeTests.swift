import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// A purge removes texts from the quarantine for good, and the ledger says who did it and why.
@Suite struct QuarantinePurgeTests {
  private static let staffAction = StaffAction(author: "anna", reason: "forgeries of March", enteredAt: day(50))

  /// A ledger with three forgeries, received on the days 1, 2 and 3.
  private static func bench() async throws -> LedgerBench {
    let bench = try LedgerBench([])
    for number in 1...3 {
      let forgery = "{\"signedPayload\": \"eyJforged\(number).a.b\", \"transactionId\": \"70000\(number)\"}"
      let outcomes = await PayloadDecoder().decode(Array(forgery.utf8)).outcomes
      try bench.ledger.record(
        outcomes.map { Arrival(outcome: $0, receivedAt: day(Double(number)), isExplicit: true, origin: "t") })
    }
    return bench
  }

  @Test func `purged payloads are gone from the list, the search and the file, and the audit still passes`()
    async throws
  {
    let bench = try await Self.bench()
    let ids = try bench.ledger.reader.quarantined().map(\.id)
    #expect(ids.count == 3)
    let first = try bench.ledger.purgeQuarantine(.ids([ids[1]]), Self.staffAction)
    #expect(first.payloadCount == 1 && first.byteCount > 10 && first.name.hasPrefix("purge-"))
    #expect(try bench.ledger.reader.quarantined().map(\.id) == [ids[0], ids[2]])
    let rest = try bench.ledger.purgeQuarantine(.receivedBefore(day(3)), Self.staffAction)
    #expect(rest.payloadCount == 1)
    #expect(try bench.ledger.reader.quarantined().map(\.id) == [ids[2]])
    #expect(try bench.ledger.reader.quarantinedBytes(ids[0]) == nil)
    #expect(try bench.ledger.reader.erasures().map(\.reason) == ["forgeries of March", "forgeries of March"])
    #expect(try await bench.ledger.reader.audit() == [])
    bench.ledger.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      for number in 1...2 { #expect(data.range(of: Data("eyJforged\(number)".utf8)) == nil, "\(name)") }
      #expect(data.range(of: Data("eyJforged3".utf8)) != nil || !name.hasSuffix(".sqlite"), "canary")
    }
  }

  @Test func `what is not in quarantine is refused, and then nothing is removed`() async throws {
    let bench = try await Self.bench()
    let ids = Set(try bench.ledger.reader.quarantined().map(\.id))
    for selection in [QuarantinePurge.Selection.ids(ids.union([99])), .receivedBefore(day(0.5))] {
      #expect {
        try bench.ledger.purgeQuarantine(selection, Self.staffAction)
      } throws: {
        ($0 as? LedgerError)?.code == .refusedEntry
      }
    }
    #expect(try bench.ledger.reader.quarantined().count == 3 && bench.ledger.reader.erasures() == [])
    _ = try bench.ledger.purgeQuarantine(.ids(ids), Self.staffAction)
    #expect(throws: LedgerError.self) { try bench.ledger.purgeQuarantine(.ids(ids), Self.staffAction) }
  }

  @Test func `a purged text that arrives again is not stored again`() async throws {
    let bench = try await Self.bench()
    _ = try bench.ledger.purgeQuarantine(.receivedBefore(day(9)), Self.staffAction)
    let forgery = "{\"signedPayload\": \"eyJforged1.a.b\", \"transactionId\": \"700001\"}"
    let outcomes = await PayloadDecoder().decode(Array(forgery.utf8)).outcomes
    try bench.ledger.record(
      outcomes.map { Arrival(outcome: $0, receivedAt: day(60), isExplicit: true, origin: "t") })
    #expect(try bench.ledger.reader.quarantined().isEmpty)
    #expect(try await bench.ledger.reader.audit() == [])
  }

  @Test func `an audit against an older seal asks to acknowledge the purge by its name`() async throws {
    let bench = try await Self.bench()
    let anchor = try #require(try bench.ledger.reader.anchor())
    let purge = try bench.ledger.purgeQuarantine(.receivedBefore(day(9)), Self.staffAction)
    var options = AuditOptions()
    options.anchor = anchor.digest
    let findings = try await bench.ledger.reader.audit(options).findings
    #expect(
      findings.map(\.location) == [purge.name] && findings[0].detail.contains("removed payloads from the quarantine"))
    options.acknowledged = [purge.name]
    #expect(try await bench.ledger.reader.audit(options).findings == [])
  }
}

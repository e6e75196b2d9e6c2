import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// The examples of the library in the README and in the guide, run.
@Suite struct GuideExample {
  @Test func `a back end takes what Apple signed and what it fetched itself, and no receipt from anyone`() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("subledger.sqlite")
    func receipt(_ id: String, until end: Instant) -> [UInt8] {
      Array(
        PayloadFixture.receipt(
          at: day(1), latest: [TransactionFixture(id, originalID: id, day(0), end)], environment: "Production"
        ).utf8)
    }
    // What an attacker posts to the webhook: access for seventy years.
    let body = receipt("6666666666666666", until: day(25_000))
    let answerOfApple = receipt("2000000000000001", until: day(30))
    let now = day(5)

    let ledger = try LedgerRecorder(path: path)

    // A webhook that anyone can reach: the decoder accepts only what Apple signed. Apple does not sign V1 notifications.
    // With sharedSecrets: [SharedSecret(secret, of: app)] it accepts those that contain the secret of this app.
    let decoder = PayloadDecoder(bundleIDs: ["com.example.meditation"], now: now)
    let item = await decoder.decode(body)
    // The rows are on disk when record returns. Answer 200 after it.
    try ledger.record(item.outcomes.map { Arrival(outcome: $0, receivedAt: now, isExplicit: true, origin: "webhook") })

    // A verifyReceipt response, which Apple does not sign. It comes from Apple, because your server fetched it.
    let fetching = PayloadDecoder(unsigned: .accepted(from: "our requests to verifyReceipt"), now: now)
    let answered = await fetching.decode(answerOfApple)
    try ledger.record(
      answered.outcomes.map { Arrival(outcome: $0, receivedAt: now, isExplicit: true, origin: "fetched") })

    // A process that only asks. It cannot write.
    let reader = try LedgerReader(path: path)

    // Does this subscription give access?
    let parameters = QueryParameters(asOf: now, knownAt: now)
    let entitlement = try reader.entitlement(of: "2000000000000001", parameters)
    let mayEnter = entitlement?.hasAccess ?? false

    // And by signed evidence only?
    let strict = QueryParameters(asOf: now, knownAt: now, minimumTrust: .signed)
    let signed = try reader.entitlement(of: "2000000000000001", strict)

    // Does this customer have pro?
    let access = try reader.access(of: "ada", to: "pro", parameters)
    if case .decided(let access) = access { print(access.hasAccess, access.rule) }

    #expect(mayEnter)
    #expect(entitlement?.trust == .unsigned && signed == nil)
    #expect(access == .unknownEntitlement)
    #expect(try ledger.reader.entitlement(of: "6666666666666666", parameters) == nil)
    #expect(try reader.quarantined().map(\.reason.rawValue) == ["unsigned"])
  }

  @Test func `a webhook in ten lines`() async throws {
    let folder = try TemporaryFolder()
    let (path, body, now) = (folder.file("subledger.sqlite"), Array("{}".utf8), day(5))
    // path: a file path; body: the bytes of the request; now: this machine's clock, as an Instant.
    let ledger = try LedgerRecorder(path: path)

    // A webhook that anyone can reach: the decoder accepts only what Apple signed.
    let decoder = PayloadDecoder(bundleIDs: ["com.example.meditation"], now: now)
    let item = await decoder.decode(body)
    // The rows are on disk when record returns. Answer 200 after it.
    try ledger.record(item.outcomes.map { Arrival(outcome: $0, receivedAt: now, isExplicit: true, origin: "webhook") })

    let parameters = QueryParameters(asOf: now, knownAt: now)
    let entitlement = try ledger.reader.entitlement(of: "2000000000000001", parameters)
    let mayEnter = entitlement?.hasAccess ?? false
    #expect(!mayEnter)
  }
}

import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// The README's example of the library, run.
@Suite struct ReadmeExample {
  @Test func `a back end takes what Apple signed and what it fetched itself, and no receipt from anyone`() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("subledger.sqlite")
    func receipt(_ id: String, until end: Instant) -> [UInt8] {
      Array(
        Words.receipt(
          at: day(1), latest: [TransactionWords(id, line: id, day(0), end)], environment: "Production"
        ).utf8)
    }
    // What an attacker posts to the webhook: access for seventy years.
    let body = receipt("6666666666666666", until: day(25_000))
    let answerOfApple = receipt("2000000000000001", until: day(30))
    let now = day(5)

    let ledger = try LedgerRecorder(path: path)

    // A webhook that anyone can reach: only what Apple signed is believed. (V1 notifications are not signed; with
    // sharedSecrets: [SharedSecret(secret)] those are believed that hold your app's secret.)
    let decoder = PayloadDecoder(bundleIDs: ["com.example.meditation"], now: now)
    let item = await decoder.decode(body)
    // Durable when record returns, so answer 200 after it.
    try ledger.record(item.outcomes.map { Arrival(outcome: $0, receivedAt: now, isTold: true, origin: "webhook") })

    // An answer of verifyReceipt, which is not signed either: it comes from Apple, because you asked Apple.
    let fetching = PayloadDecoder(unsigned: .accepted(from: "our requests to verifyReceipt"), now: now)
    let answered = await fetching.decode(answerOfApple)
    try ledger.record(answered.outcomes.map { Arrival(outcome: $0, receivedAt: now, isTold: true, origin: "fetched") })

    // May this user in?
    let question = Question(asOf: now, knownAt: now)
    let entitlement = try ledger.reader.entitlement(of: "2000000000000001", question)
    let mayEnter = entitlement?.hasAccess ?? false

    // The same, by signed evidence alone.
    let strict = Question(asOf: now, knownAt: now, leastTrust: .signed)
    let signed = try ledger.reader.entitlement(of: "2000000000000001", strict)

    // May this customer use pro?
    let access = try ledger.reader.access(of: "ada", to: "pro", question)
    if case .decided(let access) = access { print(access.hasAccess, access.rule) }

    #expect(mayEnter)
    #expect(entitlement?.trust == "unsigned" && signed == nil)
    #expect(access == .unknownEntitlement)
    #expect(try ledger.reader.entitlement(of: "6666666666666666", question) == nil)
    #expect(try ledger.reader.quarantined().map(\.reason) == ["unsigned"])
  }
}

import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// The README's example of the library, run.
@Suite struct ReadmeExample {
  @Test func `a back end records a body and asks whether a user may come in`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("subledger.sqlite")
    let body = Array(
      Words.receipt(
        at: day(1), latest: [TransactionWords("2000000000000001", line: "2000000000000001", day(0), day(30))],
        environment: "Production"
      ).utf8)
    let now = day(5)

    let ledger = try Ledger(path: path, for: .recording)
    let decoder = PayloadDecoder()

    // A webhook's body: durable when record returns, so answer 200 after it.
    let item = await decoder.decode(body)
    try ledger.record(item.outcomes.map { Arrival(outcome: $0, receivedAt: now, isTold: true, origin: "webhook") })

    // May this user in?
    let question = Question(asOf: now, knownAt: now)
    let entitlement = try ledger.entitlement(of: "2000000000000001", question)
    let mayEnter = entitlement?.hasAccess ?? false

    // May this customer use pro?
    let answer = try ledger.access(of: "ada", to: "pro", question)
    if case .decided(let access) = answer { print(access.hasAccess, access.rule) }

    #expect(mayEnter)
    #expect(answer == .unknownEntitlement)
  }
}

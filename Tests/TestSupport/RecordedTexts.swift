import AppStore
import Ledger
import Testing

/// A text of Apple's, and when it was received.
package struct ReceivedText {
  package var text: String
  var received: Instant?
  var clock: Instant?

  /// - Parameters:
  ///   - received: the received instant of an archive; `nil` when only the importer's clock is known.
  ///   - clock: the importer's clock; `nil` for day 0, or the instant that the text states for itself.
  package init(_ text: String, received: Instant? = nil, clock: Instant? = nil) {
    (self.text, self.received, self.clock) = (text, received, clock)
  }

  /// Returns a new ledger that has recorded these texts, and its folder.
  package static func ledger(_ texts: [ReceivedText]) async throws -> (LedgerRecorder, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    try await record(texts, in: ledger)
    return (ledger, folder)
  }

  /// Records these texts in a ledger.
  package static func record(_ texts: [ReceivedText], in ledger: LedgerRecorder) async throws {
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    for one in texts {
      let outcomes = await decoder.decode(Array(one.text.utf8)).outcomes
      for case .refused(let refusal, _) in outcomes { Issue.record("refused: \(refusal)") }
      let stated = outcomes.compactMap { if case .evidence(let evidence) = $0 { evidence.statedAt } else { nil } }
      let receivedAt = one.received ?? one.clock ?? max(day(0), stated.max() ?? day(0))
      try ledger.record(
        outcomes.map {
          Arrival(outcome: $0, receivedAt: receivedAt, isExplicit: one.received != nil, origin: "test")
        })
    }
  }
}

extension TransactionFixture {
  /// A month from day 0 to day 30.
  package static let month = TransactionFixture(day(0), day(30))
}

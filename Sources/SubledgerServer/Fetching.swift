import AppStore
import AppStoreClient
import Foundation
import Ledger
import LedgerPresentation
import LedgerSync
import ProgramSupport

/// One query to Apple, from the first page to the last, into a ledger, with the words about it.
final class Fetching {
  private let client: AppStoreClient
  private let settings: ServerSettings
  private let describesChanges: Bool
  /// The ledger, once something is to be recorded.
  private var opened: (ledger: LedgerRecorder, recorder: AnswerRecorder)?

  init(_ client: AppStoreClient, _ settings: ServerSettings, describesChanges: Bool = true) {
    (self.client, self.settings, self.describesChanges) = (client, settings, describesChanges)
  }

  deinit { opened?.ledger.close() }

  /// Asks, records every page, and prints what came.
  func run(_ request: AppStoreRequest, _ environment: Environment?) async throws {
    var (walk, last, pages) = (Pagination(request), AppStoreAnswer?.none, 0)
    var (summary, changes) = (ImportSummary(), [AnswerRecorder.Change]())
    var refusals: [PayloadError] = []
    while let next = walk.next {
      let answer = try await recordingFailures {
        let answer = try await client.find(next, in: last?.environment ?? environment)
        // A page that cannot be followed is not recorded: it may be another server's.
        try walk.advance(over: answer)
        return answer
      }
      let recorded = try await recorder().record(answer, .command, describingChanges: describesChanges)
      (last, pages) = (answer, pages + 1)
      summary = summary + recorded.summary
      refusals += recorded.refusals
      changes += recorded.changes
    }
    print("\(last?.requestSummary ?? "") (\(Messages.count(pages, "page"))).")
    print(Messages.counts(of: summary))
    for refusal in refusals.prefix(3) {
      print("In quarantine (\(refusal.reason.rawValue)): \(Printable.text(refusal.detail)).")
    }
    for text in Self.text(changes) { print(text) }
  }

  /// Asks Apple to do something, or what became of it. The answer is not evidence; only the requests are recorded.
  func act(_ request: AppStoreRequest, in environment: Environment?) async throws -> AppStoreAnswer {
    let answer = try await recordingFailures { try await client.ask(request, in: environment ?? .production) }
    if hasLedger { try await recorder().recordRequests(of: answer, .command) }
    return answer
  }

  private var hasLedger: Bool { FileManager.default.fileExists(atPath: settings.database) }

  /// Runs something, and records the requests of its failure. A failure makes no ledger.
  private func recordingFailures<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let failure as AppStoreFailure {
      if hasLedger {
        let recorder: AnswerRecorder
        do { recorder = try self.recorder() } catch let error as LedgerError {
          throw error.preceded(by: failure.description)
        }
        try await recorder.record(failure, .command)
      }
      throw failure
    }
  }

  /// Returns the recorder of the ledger. At its first call, it opens the ledger.
  private func recorder() throws -> AnswerRecorder {
    if let opened { return opened.recorder }
    let decoder = PayloadDecoder(
      trust: try TrustFiles.store(settings[.trust]), bundleIDs: Set(settings[.bundleID]))
    let ledger = try LedgerRecorder(path: settings.database)
    let recorder = AnswerRecorder(ledger, decoder: decoder, bundleID: client.bundleID)
    opened = (ledger, recorder)
    return recorder
  }

  /// Returns a line for each subscription that the pages are about.
  private static func text(_ changes: [AnswerRecorder.Change]) -> [String] {
    Dictionary(grouping: changes, by: \.originalTransactionID).sorted { $0.key < $1.key }.map { id, steps in
      let (before, after) = (steps.first?.before, steps.last?.after)
      let product = after?.productID.map { " (\(Printable.text($0)))" } ?? ""
      let change = AnswerRecorder.Change(originalTransactionID: id, before: before, after: after)
      guard let after else { return "\(id): not a subscription, or not begun." }
      let verdict = Messages.verdict(after)
      guard change.isChanged else { return "\(id)\(product): unchanged. \(verdict)" }
      let former = before.map { Messages.state($0.state) } ?? "unknown to the ledger"
      return "\(id)\(product): was \(former), is \(Messages.state(after.state)). \(verdict)"
    }
  }
}

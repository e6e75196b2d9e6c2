import AppStore
import AppStoreClient
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import LedgerSync
import ProgramSupport

/// The options of every question to Apple, and the way from the question to the ledger.
struct FetchOptions: ParsableArguments {
  @OptionGroup var apple: AppleOptions

  @Option(help: "Ask only here: production or sandbox.") var environment: String?

  @Flag(help: "Print the first request, and send nothing.") var dryRun = false

  /// The environment that the person named; `nil` where both may be asked.
  var chosenEnvironment: Environment? {
    get throws {
      guard let environment else { return nil }
      guard let named = Environment.named(environment), [.production, .sandbox].contains(named) else {
        throw ValidationError("'\(environment)' is not an environment that can be asked. Write production or sandbox.")
      }
      return named
    }
  }

  /// Asks Apple, records every page, and prints what came.
  /// - Parameters:
  ///   - only: the environment that alone can answer; `nil` for the one that the person named, or both.
  ///   - describesChanges: whether to print which subscriptions have another state now.
  ///   - make: makes the request of the settings.
  func fetch(
    in only: Environment? = nil, describingChanges describesChanges: Bool = true,
    _ make: (ServerSettings) throws -> AppStoreRequest
  ) async throws {
    let settings = try await apple.settings()
    let chosen = try chosenEnvironment
    let request: AppStoreRequest
    do { request = try make(settings) } catch let error as AppStoreRequest.WrongArgument {
      throw ValidationError("\(error)")
    }
    let asked = try settings.client()
    if dryRun {
      print("\(request.method) \(asked.addresses.address(of: request, in: only ?? chosen ?? .production) ?? "")")
      if let body = request.printableBody { print(body) }
      return
    }
    let decoder = PayloadDecoder(
      trust: try TrustFiles.store(settings[.trust]), bundleIDs: Set(settings[.bundleID]))
    do {
      let ledger = try LedgerRecorder(path: settings.database)
      defer { ledger.close() }
      let fetching = Fetching(AnswerRecorder(ledger, decoder: decoder), describesChanges: describesChanges)
      try await fetching.run(request, only ?? chosen, asked)
    } catch let error as LedgerError { throw InputError("\(error)") }
  }
}

/// One question to Apple, from the first page to the last, with the words about it.
struct Fetching {
  private let recorder: AnswerRecorder
  private let describesChanges: Bool

  init(_ recorder: AnswerRecorder, describesChanges: Bool) {
    (self.recorder, self.describesChanges) = (recorder, describesChanges)
  }

  func run(_ request: AppStoreRequest, _ environment: Environment?, _ settings: AppStoreClient.Settings) async throws {
    var surroundings = AppStoreClient.Surroundings { .now }
    surroundings.onAttempt = { Self.note($0) }
    let client = AppStoreClient(settings, surroundings)
    let result: Result<Void, any Error>
    do { result = .success(try await walk(request, environment, client)) } catch { result = .failure(error) }
    await client.close()
    do { try result.get() } catch let failure as AppStoreFailure {
      FileHandle.standardError.write(Data("Error: \(Printable.lines("\(failure)"))\n".utf8))
      throw ExitCode(failure.verdict.isTemporary ? 75 : 1)
    }
  }

  /// Says what did not succeed at once, so that a person knows why it takes long.
  private static func note(_ attempt: AppStoreAttempt) {
    guard attempt.verdict != .answered else { return }
    let code = attempt.code.map { " (\($0))" } ?? attempt.status.map { " (status \($0))" } ?? ""
    let words = attempt.verdict.rawValue.replacing("_", with: " ")
    FileHandle.standardError.write(Data("\(attempt.environment.name.lowercased()): \(words)\(code)\n".utf8))
  }

  private func walk(
    _ request: AppStoreRequest, _ environment: Environment?, _ client: AppStoreClient
  ) async throws {
    var (walk, place, pages) = (PageWalk(request), environment, 0)
    var (summary, changes) = (ImportSummary(), [AnswerRecorder.Change]())
    var refusals: [PayloadError] = []
    while let next = walk.next {
      let answer = try await client.find(next, in: place)
      // A page that cannot be followed is not recorded: it may be another server's.
      try walk.advance(over: answer)
      let recorded = try await recorder.record(answer, describingChanges: describesChanges)
      (place, pages) = (answer.environment, pages + 1)
      summary = summary + recorded.summary
      refusals += recorded.refusals
      changes += recorded.changes
    }
    print(
      "Asked Apple's \(place?.name.lowercased() ?? "") server: \(request.method) \(request.path) "
        + "(\(Messages.count(pages, "page"))).")
    print(Messages.counts(of: summary))
    for refusal in refusals.prefix(3) { print("In quarantine (\(refusal.name)): \(Printable.text(refusal.detail)).") }
    for text in Self.words(changes) { print(text) }
  }

  /// Returns a line for each subscription that the pages are about.
  private static func words(_ changes: [AnswerRecorder.Change]) -> [String] {
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

extension RequestVerdict {
  /// Whether the same request may succeed later.
  fileprivate var isTemporary: Bool {
    [.tryAgain, .tooManyRequests, .notYetKnown, .unreachable].contains(self)
  }
}

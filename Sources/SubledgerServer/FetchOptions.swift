import AppStore
import AppStoreClient
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import LedgerSync
import ProgramSupport

/// The options of every request to Apple.
struct FetchOptions: ParsableArguments {
  @OptionGroup var apple: AppleOptions

  @Option(help: "Ask only here: production or sandbox.") var environment: String?

  @Flag(help: "Print the first request, and send nothing.") var dryRun = false

  /// The environment that the person named; `nil` where none was named.
  var chosenEnvironment: Environment? {
    get throws {
      guard let environment else { return nil }
      guard let named = Environment.named(environment), [.production, .sandbox].contains(named) else {
        throw ValidationError("'\(environment)' is not an environment that can be asked. Write production or sandbox.")
      }
      return named
    }
  }

  /// Makes a request, and passes it on with a client. A dry run prints the request in place of that.
  /// - Parameters:
  ///   - only: the environment that alone can answer; `nil` for the one that the person named, or that the ledger knows.
  ///   - make: makes the request of the settings.
  ///   - body: sends the request. It gets the environment of the request; `nil` where nobody knows it.
  func ask(
    in only: Environment? = nil, _ make: (ServerSettings) throws -> AppStoreRequest,
    _ body: (AppStoreRequest, Environment?, AppStoreClient, ServerSettings) async throws -> Void
  ) async throws {
    let settings = try await apple.settings()
    let chosen = try chosenEnvironment
    let request: AppStoreRequest
    do { request = try make(settings) } catch let error as AppStoreRequest.WrongArgument {
      throw ValidationError("\(error)")
    }
    let asked = try settings.client()
    do {
      let environment = try only ?? chosen ?? Self.knownEnvironment(of: request, in: settings.database)
      if dryRun {
        print("\(request.method) \(asked.addresses.address(of: request, in: environment ?? .production) ?? "")")
        if let body = request.printableBody { print(body) }
        return
      }
      var dependencies = AppStoreClient.Dependencies { .now }
      dependencies.onAttempt = { Self.note($0) }
      let client = AppStoreClient(asked, dependencies)
      let result: Result<Void, any Error>
      do { result = .success(try await body(request, environment, client, settings)) } catch {
        result = .failure(error)
      }
      await client.close()
      try result.get()
    } catch let failure as AppStoreFailure {
      StandardError.note("Error: \(Printable.lines("\(failure)"))")
      throw ExitCode(failure.verdict.isTemporary ? 75 : 1)
    } catch let error as LedgerError { throw InputError("\(error)") }
  }

  /// Asks Apple, records every page, and prints what came.
  func fetch(
    in only: Environment? = nil, describingChanges describesChanges: Bool = true,
    _ make: (ServerSettings) throws -> AppStoreRequest
  ) async throws {
    try await ask(in: only, make) { request, environment, client, settings in
      try await Fetching(client, settings, describesChanges: describesChanges).run(request, environment)
    }
  }

  /// Returns the environment in which the ledger has the id of a request; `nil` where it has it in none, or in both.
  private static func knownEnvironment(of request: AppStoreRequest, in path: String) throws -> Environment? {
    guard let id = request.subject, FileManager.default.fileExists(atPath: path) else { return nil }
    let ledger = try LedgerReader(path: path)
    defer { ledger.close() }
    let (matches, isExact) = try ledger.search(id)
    guard isExact else { return nil }
    let names = Set(matches.compactMap { if case .purchase(let purchase) = $0 { purchase.environment } else { nil } })
    return [Environment.production, .sandbox].first { names == [$0.name] }
  }

  /// Says what did not succeed at once, so that a person knows why it takes long.
  private static func note(_ attempt: AppStoreAttempt) {
    guard attempt.verdict != .answered else { return }
    let code = attempt.code.map { " (\($0))" } ?? attempt.status.map { " (status \($0))" } ?? ""
    let words = attempt.verdict.rawValue.replacing("_", with: " ")
    StandardError.note("\(attempt.environment.name.lowercased()): \(words)\(code)")
  }
}

extension AppStoreAnswer {
  /// What was asked, and where, without a point at its end.
  var requestSummary: String { "Asked \(environment.appleServer): \(request.method) \(request.path)" }
}

import AppStore
import ArgumentParser
import Foundation
import Ledger
import ProgramSupport

extension String {
  /// Returns an id or a name without the space around it. A shell variable often has some, and no id does.
  static func argument(_ text: String) -> String { text.trimmingSpace }
}

/// The options `--database` and `--busy-timeout`, which name the ledger file.
struct DatabaseOption: ParsableArguments {
  @Option(
    name: .customLong("database"),
    help: ArgumentHelp(
      "The ledger file (default: SUBLEDGER_DATABASE, else subledger.sqlite in this folder).", valueName: "path"))
  var given: String?

  @Option(
    name: .customLong("busy-timeout"),
    help: ArgumentHelp(
      "How long to wait while another program holds the file (default: 30s).", valueName: "duration"),
    transform: DurationText.duration)
  var givenBusyTimeout: Duration?

  /// The path of the ledger file.
  var path: String { Defaults.path(given) }

  /// How long to wait while another program holds the file.
  var busyTimeout: Duration { givenBusyTimeout ?? LedgerRecorder.defaultBusyTimeout }

  /// What a person must know after an erasure, when another program read the ledger meanwhile.
  var logHasErasedTexts: String {
    "Another program is reading, so \(path)-wal may still contain what was erased. The next command that records without "
      + "a reader removes it."
  }

  /// Opens the ledger for reading; throws an exit code after a message when that fails.
  func reader() throws -> LedgerReader { try reporting { try LedgerReader(path: path) } }

  /// Opens the ledger for recording; throws an exit code after a message when that fails.
  func recorder() throws -> LedgerRecorder {
    try reporting {
      try ProgressLine.during { line in
        try LedgerRecorder(path: path, busyTimeout: busyTimeout, progress: line.show)
      }
    }
  }

  /// Opens the ledger for recording, runs a short write, and closes the file.
  func recording<Value>(_ body: (LedgerRecorder) throws -> Value) throws -> Value {
    let ledger = try recorder()
    defer { ledger.close() }
    return try reporting { try body(ledger) }
  }
}

/// The options `--signed-only` and `--apple-only`, which limit the evidence that counts in an answer.
struct EvidenceOptions: ParsableArguments {
  @Flag(help: "Count only signed evidence in the answer.") var signedOnly = false

  @Flag(help: "Count only evidence that Apple signed, and none of a root that --trust added.") var appleOnly = false

  /// The least trust that evidence needs to count.
  var minimumTrust: MinimumTrust { appleOnly ? .apple : signedOnly ? .signed : .any }
}

/// The option `--known-at` of what has no `--as-of`.
struct KnownAtOption: ParsableArguments {
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Use only what was recorded by this instant.", valueName: "instant"),
    transform: Instant.argument)
  var knownAt: Instant?

  /// The query that the option states, as of now.
  var parameters: QueryParameters { QueryParameters(asOf: .commandStart, knownAt: knownAt ?? .commandStart) }
}

/// The options `--as-of` and `--known-at`, and the options for the evidence that counts.
struct InstantOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Answer for this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var asOf: Instant?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Count only evidence recorded by this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var knownAt: Instant?

  @OptionGroup var evidence: EvidenceOptions

  /// The query that the options state. Only this property reads the clock, so that one command has one "now".
  var parameters: QueryParameters {
    let now = Instant.commandStart
    return QueryParameters(asOf: asOf ?? now, knownAt: knownAt ?? now, minimumTrust: evidence.minimumTrust)
  }

  /// The query of a report. What was known at an instant is a report as of that instant, unless the options name
  /// another: nothing is known of what happened later.
  var reportParameters: QueryParameters {
    var parameters = parameters
    if asOf == nil { parameters.asOf = parameters.knownAt }
    return parameters
  }

  /// Whether the options differ from the default query: now, with all evidence.
  var isParticular: Bool { asOf != nil || knownAt != nil || evidence.minimumTrust != .any }
}

extension Currency {
  /// Returns the currency that an argument names.
  /// - Throws: `ValidationError` if the text is not three capital letters.
  static func argument(_ text: String) throws -> String {
    let code = text.trimmingSpace
    guard code.count == 3, code == code.uppercased() else {
      throw ValidationError("'\(code)' is not a currency. Write three capital letters, such as EUR.")
    }
    return code
  }
}

/// The option `--author`, or the variable that replaces it.
struct AuthorOption: ParsableArguments {
  /// The name of the environment variable with the author of all entries.
  static let variable = "SUBLEDGER_AUTHOR"

  @Option(
    name: .customLong("author"),
    help: ArgumentHelp("Who makes this entry (default: SUBLEDGER_AUTHOR).", valueName: "author"))
  var given: String?

  /// Who makes the entry.
  var name: String { given ?? ProcessInfo.processInfo.environment[Self.variable] ?? "" }

  func validate() throws {
    guard given == nil, name.isEmpty else { return }
    throw ValidationError("Who makes this entry? Name yourself with --author, or set \(Self.variable).")
  }
}

/// The options `--author` and `--reason` of every staff action.
struct StaffActionOptions: ParsableArguments {
  @OptionGroup var author: AuthorOption

  @Option(help: "Why, for people who read the entry later.")
  var reason: String

  /// Returns the staff action of these options, recorded at the given instant.
  func staffAction(_ now: Instant) -> StaffAction { StaffAction(author: author.name, reason: reason, enteredAt: now) }
}

/// The option `--environment` of commands that answer for exactly one environment.
struct EnvironmentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count purchases of this environment: Production (default), Sandbox, Xcode, LocalTesting, Unverified or Unknown.",
      valueName: "name"),
    transform: Environment.argument)
  var environment = Environment.production
}

extension Environment {
  /// Returns the environment of this name, in any case.
  ///
  /// A misspelt name is refused, because "nothing found" would look like an answer.
  static func argument(_ text: String) throws -> Environment {
    guard let found = Environment.named(text) else {
      throw ValidationError("'\(text)' is not an environment. Choose from \(all.map(\.name).joined(separator: ", ")).")
    }
    return found
  }
}

extension DurationText {
  /// Returns the length of time that an option's text states, with a unit and below a million of it.
  static func duration(_ text: String) throws -> Duration {
    guard let duration = DurationText(text)?.duration else {
      throw ValidationError("'\(text)' is not a length of time. Write a number and s, m, h or d, such as 5m.")
    }
    return duration
  }
}

/// The formats of a list of rows.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv
}

/// The formats of a single result.
enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// Runs a body that uses the ledger; prints a ledger error on stderr and throws its exit code.
func reporting<Value>(_ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let error as LedgerError { throw exit(with: error) }
}

/// Runs an asynchronous body that uses the ledger; prints a ledger error on stderr and throws its exit code.
func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as LedgerError { throw exit(with: error) }
}

private func exit(with error: LedgerError) -> ExitCode {
  Terminal.complain(error.remedy.map { "\(error.message) \($0.text)" } ?? error.message)
  switch error.code {
  case .noSuchFile: return ExitCode(66)
  case .cannotCreate: return ExitCode(73)
  case .refusedStatement, .refusedText: return ExitCode(64)
  case .payloadTooLong: return ExitCode(65)
  case .refusedEntry, .statementTooSlow, .statementTooLarge: return ExitCode(1)
  default: return ExitCode(74)
  }
}

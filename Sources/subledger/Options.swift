import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `--database`, everywhere.
struct DatabaseOption: ParsableArguments {
  @Option(
    name: .customLong("database"),
    help: ArgumentHelp(
      "The ledger's file; else SUBLEDGER_DATABASE, else subledger.sqlite here.", valueName: "path"))
  var given: String?

  @Option(
    name: .customLong("busy-timeout"),
    help: ArgumentHelp(
      "How long to wait for another program that holds the file (default: 30s).", valueName: "duration"),
    transform: DurationText.duration)
  var givenBusyTimeout: Duration?

  /// Where the ledger is.
  var path: String {
    if let given { return given }
    let named = ProcessInfo.processInfo.environment["SUBLEDGER_DATABASE"] ?? ""
    return named.isEmpty ? "subledger.sqlite" : named
  }

  /// How long to wait for another program.
  var busyTimeout: Duration { givenBusyTimeout ?? LedgerRecorder.defaultBusyTimeout }

  /// Opens the ledger for reading; ends the program with a message when that fails.
  func reader() throws -> LedgerReader { try reporting { try LedgerReader(path: path) } }

  /// Opens the ledger for recording; ends the program with a message when that fails.
  func recorder() throws -> LedgerRecorder {
    try reporting {
      try ProgressLine.during { line in
        try LedgerRecorder(path: path, busyTimeout: busyTimeout, progress: line.show)
      }
    }
  }

  /// Runs something that writes a little, and closes the file after it.
  func recording<Value>(_ body: (LedgerRecorder) throws -> Value) throws -> Value {
    let ledger = try recorder()
    defer { ledger.close() }
    return try reporting { try body(ledger) }
  }
}

/// `--signed-only` and `--apple-only`: which evidence counts.
struct EvidenceOptions: ParsableArguments {
  @Flag(help: "Answer by signed evidence alone.") var signedOnly = false

  @Flag(help: "Answer by what Apple signed alone: by no root that --trust added.") var appleOnly = false

  /// The least that evidence must be trusted.
  var leastTrust: LeastTrust { appleOnly ? .apple : signedOnly ? .signed : .any }
}

/// `--as-of` and `--known-at`, and which evidence counts.
struct QuestionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("What was true at this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var asOf: Instant?

  @Option(
    help: ArgumentHelp("As far as was known at this instant (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var knownAt: Instant?

  @OptionGroup var evidence: EvidenceOptions

  /// The question; the clock is read here and nowhere below.
  var question: Question {
    let now = Instant.now
    return Question(asOf: asOf ?? now, knownAt: knownAt ?? now, leastTrust: evidence.leastTrust)
  }

  /// Whether another question is asked than what is true now.
  var isParticular: Bool { asOf != nil || knownAt != nil || evidence.leastTrust != .any }
}

extension Instant {
  /// ISO 8601 or milliseconds, and not before there was an App Store.
  static func argument(_ text: String) throws -> Instant {
    guard let instant = Instant(text) else {
      throw ValidationError(
        "'\(text)' is no instant: write ISO 8601 (2026-03-01, 2026-03-01T10:00:00Z) or milliseconds since 1970.")
    }
    guard instant >= .appStoreOpening else {
      throw ValidationError("'\(text)' is \(instant), before the App Store: are these seconds? Write milliseconds.")
    }
    return instant
  }

  /// The machine's clock.
  static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// `--author` and `--reason`, on every act that staff answer for.
struct StaffActionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Who does it.", valueName: "author"))
  var author: String

  @Option(help: "Why, for whoever reads it later.")
  var reason: String

  /// The act, now.
  func act(_ now: Instant) -> StaffAction { StaffAction(author: author, reason: reason, recordedAt: now) }
}

/// `--environment`, where exactly one counts.
struct EnvironmentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Whose purchases count: Production (default), Sandbox, Xcode, LocalTesting, Unverified or Unknown.",
      valueName: "name"),
    transform: Environment.argument)
  var environment = Environment.production
}

extension Environment {
  /// One of the environments that there are: a slip would find nothing and say so as if it were an answer.
  static func argument(_ text: String) throws -> Environment {
    let all: [Environment] = [.production, .sandbox, .xcode, .localTesting, .unverified, .unknown]
    guard let found = all.first(where: { $0 == Environment(apple: text) || $0.name.lowercased() == text.lowercased() })
    else {
      throw ValidationError("'\(text)' is no environment: \(all.map(\.name).joined(separator: ", ")).")
    }
    return found
  }
}

/// A length of time as it is typed: a whole number and s, m, h or d.
struct DurationText {
  /// How many of the unit.
  let count: Int64
  /// The unit's milliseconds; `nil` where none was named.
  let unit: Int64?

  /// `nil` for anything else.
  init?(_ text: String) {
    let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    unit = text.last.flatMap { units[$0] }
    guard let count = Int64(unit == nil ? text[...] : text.dropLast()) else { return nil }
    self.count = count
  }

  /// Returns the length of time that an option's text says.
  static func duration(_ text: String) throws -> Duration {
    guard let length = DurationText(text), let unit = length.unit, length.count >= 0, length.count < 1_000_000 else {
      throw ValidationError("'\(text)' is no length of time: write a number and s, m, h or d, such as 5m.")
    }
    return .milliseconds(length.count * unit)
  }
}

/// How answers are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv
}

/// How a summary is written.
enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// Runs something of the ledger's, and turns its errors into words on stderr and an exit code.
func reporting<Value>(_ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let error as LedgerError { throw exit(with: error) }
}

/// The same for what takes its time.
func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as LedgerError { throw exit(with: error) }
}

private func exit(with error: LedgerError) -> ExitCode {
  Terminal.complain(error.remedy.map { "\(error.message) \($0.words)" } ?? error.message)
  switch error.code {
  case .noSuchFile: return ExitCode(66)
  case .cannotCreate: return ExitCode(73)
  case .refusedStatement, .refusedText: return ExitCode(64)
  case .payloadTooLong: return ExitCode(65)
  case .refusedEntry, .statementTooSlow, .statementTooLarge: return ExitCode(1)
  default: return ExitCode(74)
  }
}

import ArgumentParser
import Foundation

/// The option that names the ledger.
struct LedgerFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The ledger file (default: SUBLEDGER_DATABASE, else subledger.sqlite in this folder).", valueName: "path"))
  var database: String?
}

/// The files that every command with settings reads.
struct FileOptions: ParsableArguments {
  @OptionGroup var ledger: LedgerFileOption

  @Option(help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Option(
    help: ArgumentHelp("Read settings from this file, in JSON (default: SUBLEDGER_CONFIG).", valueName: "file"))
  var config: String?
}

extension ServerSettings {
  /// Reads every setting from the options, the environment of the process and the configuration file.
  /// - Parameters:
  ///   - options: what the command line states, with `nil` for what it leaves out.
  ///   - config: the path of the file that an option names; `nil` for the one that the environment names.
  init(options: [Key: [String?]], config: String?) async throws {
    let environment = ProcessInfo.processInfo.environment
    let named = environment["SUBLEDGER_CONFIG"] ?? ""
    try await self.init(
      options: options.mapValues { $0.compactMap(\.self) }, file: config ?? (named.isEmpty ? nil : named),
      environment: environment)
  }
}

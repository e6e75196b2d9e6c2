import ArgumentParser
import Foundation

/// The options of commands that ask Apple. Each can also be an environment variable, or stand in the configuration file.
struct AppleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The ledger file (default: SUBLEDGER_DATABASE, else subledger.sqlite in this folder).", valueName: "path"))
  var database: String?

  @Option(help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Option(help: ArgumentHelp("The app about which to ask.", valueName: "id")) var bundleID: String?

  @Option(help: ArgumentHelp("The key for requests: AuthKey_….p8 from App Store Connect.", valueName: "file"))
  var appleKeyFile: String?

  @Option(help: ArgumentHelp("The id of the key.", valueName: "id")) var appleKeyID: String?

  @Option(help: ArgumentHelp("The issuer id of App Store Connect.", valueName: "uuid")) var appleIssuerID: String?

  @Option(help: ArgumentHelp("The file with the app's shared secret, for receipts.", valueName: "file"))
  var sharedSecretFile: String?

  @Option(
    name: .customLong("apple-api-url"),
    help: ArgumentHelp("Ask here in place of Apple's production.", valueName: "url"))
  var appleAPIURL: String?

  @Option(
    name: .customLong("apple-sandbox-api-url"),
    help: ArgumentHelp("Ask here in place of Apple's sandbox.", valueName: "url"))
  var appleSandboxAPIURL: String?

  @Option(help: ArgumentHelp("Verify receipts here in place of Apple's production.", valueName: "url"))
  var verifyReceiptURL: String?

  @Option(help: ArgumentHelp("Verify receipts here in place of Apple's sandbox.", valueName: "url"))
  var sandboxVerifyReceiptURL: String?

  @Flag(help: "Allow addresses of other machines without TLS. Everybody on the way can read the secrets.")
  var allowPlainHTTP = false

  @Option(
    help: ArgumentHelp("Read settings from this file, in JSON (default: SUBLEDGER_CONFIG).", valueName: "file"))
  var config: String?

  /// Returns the settings of the options, the environment and the configuration file.
  func settings() async throws -> ServerSettings {
    func list(_ value: String?) -> [String] { [value].compactMap(\.self) }
    return try await ServerSettings(
      options: [
        .database: list(database), .trust: trust, .bundleID: list(bundleID), .appleKeyFile: list(appleKeyFile),
        .appleKeyID: list(appleKeyID), .appleIssuerID: list(appleIssuerID), .sharedSecretFile: list(sharedSecretFile),
        .appleAPIURL: list(appleAPIURL), .appleSandboxAPIURL: list(appleSandboxAPIURL),
        .verifyReceiptURL: list(verifyReceiptURL), .sandboxVerifyReceiptURL: list(sandboxVerifyReceiptURL),
        .allowPlainHTTP: allowPlainHTTP ? ["true"] : [],
      ], config: config)
  }
}

extension ServerSettings {
  /// Reads every setting from the options, the environment of the process and the configuration file.
  /// - Parameter config: the path of the file that an option names; `nil` for the one that the environment names.
  init(options: [Key: [String]], config: String?) async throws {
    let environment = ProcessInfo.processInfo.environment
    let named = environment["SUBLEDGER_CONFIG"] ?? ""
    try await self.init(options: options, file: config ?? (named.isEmpty ? nil : named), environment: environment)
  }
}

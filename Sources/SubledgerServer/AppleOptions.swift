import ArgumentParser

/// The options of commands that ask Apple. Each can also be an environment variable, or stand in the configuration file.
struct AppleOptions: ParsableArguments {
  @OptionGroup var files: FileOptions

  @Option(help: ArgumentHelp("The app about which to ask.", valueName: "id")) var bundleID: String?

  @Option(help: ArgumentHelp("The app's shared secret, for receipts.", valueName: "bundle-id=file"))
  var sharedSecret: [String] = []

  @OptionGroup var server: AppleServerOptions

  /// Returns the settings of the options, the environment and the configuration file.
  func settings() async throws -> ServerSettings {
    try await ServerSettings(
      options: server.values.merging([
        .database: [files.ledger.database], .trust: files.trust, .bundleID: [bundleID], .sharedSecret: sharedSecret,
      ]) { $1 }, config: files.config)
  }
}

/// The options that name Apple's servers, and the key for them.
struct AppleServerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The key for requests: AuthKey_….p8 from App Store Connect.", valueName: "file"))
  var appleKeyFile: String?

  @Option(help: ArgumentHelp("The id of the key.", valueName: "id")) var appleKeyID: String?

  @Option(help: ArgumentHelp("The issuer id of App Store Connect.", valueName: "uuid")) var appleIssuerID: String?

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
    help: ArgumentHelp(
      "Stay below Apple's limits: on or off (default: on). Off is for a local App Store.", valueName: "on|off"))
  var appleRateLimit: String?

  /// What the command line states of them.
  var values: [ServerSettings.Key: [String?]] {
    [
      .appleKeyFile: [appleKeyFile], .appleKeyID: [appleKeyID], .appleIssuerID: [appleIssuerID],
      .appleAPIURL: [appleAPIURL], .appleSandboxAPIURL: [appleSandboxAPIURL],
      .verifyReceiptURL: [verifyReceiptURL], .sandboxVerifyReceiptURL: [sandboxVerifyReceiptURL],
      .allowPlainHTTP: allowPlainHTTP ? ["true"] : [], .appleRateLimit: [appleRateLimit],
    ]
  }
}

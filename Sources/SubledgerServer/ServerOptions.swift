import ArgumentParser
import ProgramSupport

/// The options of `run` and `config check`. Each can also be an environment variable, or stand in the configuration
/// file.
struct ServerOptions: ParsableArguments {
  @OptionGroup var files: FileOptions

  @Option(
    help: ArgumentHelp(
      "Listen on this address; with port 0 on any free port (default: 127.0.0.1:8080).", valueName: "host:port"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "The app's shared secret, for V1 notifications and for receipts (repeatable). Without it, V1 is refused.",
      valueName: "bundle-id=file"))
  var sharedSecret: [String] = []

  @Option(
    help: ArgumentHelp(
      "Accept only payloads of this app, and quarantine the others (repeatable).", valueName: "id"))
  var bundleID: [String] = []

  @Option(help: ArgumentHelp("Serve TLS with this certificate chain, in PEM.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The key of the certificate, in PEM.", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("The greatest number of connections (default: 1024).", valueName: "count"))
  var connections: String?

  @Option(help: ArgumentHelp("The greatest number of connections of one address (default: 256).", valueName: "count"))
  var connectionsPerAddress: String?

  @Option(
    help: ArgumentHelp(
      "Believe X-Forwarded-For of the proxy with this IP address (repeatable).", valueName: "address"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp("How many wrong tokens an address may send in a minute (default: 10).", valueName: "count"))
  var wrongTokens: String?

  @Option(
    help: ArgumentHelp(
      "How many notifications that cannot be used are stored on one day (default: 10000).", valueName: "count"))
  var quarantinePayloads: String?

  @Option(
    help: ArgumentHelp("How many bytes of them are stored on one day (default: 32MiB).", valueName: "bytes"))
  var quarantineBytes: String?

  @Option(
    help: ArgumentHelp("The memory for all bodies that arrive at the same time (default: 64MiB).", valueName: "bytes"))
  var bodyBytes: String?

  @Option(
    help: ArgumentHelp(
      "How long to accept connections after SIGTERM, so that a proxy notices (default: 5s).", valueName: "duration"))
  var drain: String?

  @OptionGroup(title: "Asking Apple") var apple: AppleServerOptions

  @Option(
    help: ArgumentHelp(
      "Walk Apple's history of notifications for those that did not arrive: on or off (default: on).",
      valueName: "on|off"))
  var notificationHistory: String?

  @Option(
    help: ArgumentHelp(
      "Ask Apple where the ledger is in doubt: on or off (default: on).", valueName: "on|off"))
  var reconciler: String?

  /// Returns the settings of the options, the environment and the configuration file.
  func settings() async throws -> ServerSettings {
    let options: [ServerSettings.Key: [String?]] = [
      .database: [files.ledger.database], .listen: [listen], .trust: files.trust,
      .sharedSecret: sharedSecret, .bundleID: bundleID, .tlsCertificate: [tlsCertificate],
      .tlsKey: [tlsKey], .connections: [connections],
      .connectionsPerAddress: [connectionsPerAddress], .trustedProxy: trustedProxy,
      .wrongTokens: [wrongTokens],
      .quarantinePayloads: [quarantinePayloads],
      .quarantineBytes: [quarantineBytes], .bodyBytes: [bodyBytes],
      .drain: [drain], .notificationHistory: [notificationHistory], .reconciler: [reconciler],
    ]
    return try await ServerSettings(options: options.merging(apple.values) { $1 }, config: files.config)
  }
}

import AppStore
import ArgumentParser
import ProgramSupport

/// The options that decide which payloads `import` and `quarantine retry` accept.
struct TrustOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Flag(
    help: """
      Accept only signed payloads. verifyReceipt responses go to quarantine, and so do V1 notifications without \
      --shared-secret.
      """)
  var signedOnly = false

  @Option(
    help: ArgumentHelp(
      "Accept a V1 notification of this app only if its password is the shared secret in the file (repeatable).",
      valueName: "bundle-id=file"))
  var sharedSecret: [String] = []

  @Flag(
    help:
      "Accept decoded JSON, Xcode and LocalTesting data, and old receipts with a weak signature, marked as unverified.")
  var acceptUnverified = false

  @Option(
    help: ArgumentHelp("Accept only payloads of this app, and quarantine the others (repeatable).", valueName: "id"))
  var bundleID: [String] = []

  /// Returns a decoder with the settings of these options.
  /// - Parameter origin: why unsigned payloads count as Apple's, as the second half of a sentence.
  /// - Throws: exit code 66 after a message, if a certificate or a secret cannot be read.
  func decoder(origin: String) throws -> PayloadDecoder {
    PayloadDecoder(
      unsigned: signedOnly ? .refused : .accepted(from: origin), trust: try store(), sharedSecrets: try secrets(),
      acceptsClientEvents: true, acceptsUnverified: acceptUnverified, bundleIDs: Set(bundleID), now: .now)
  }

  /// Returns Apple's root, with the roots of `--trust`.
  /// - Throws: exit code 66 after a message, if a certificate cannot be read.
  func store() throws -> TrustStore {
    try TrustFiles.store(trust)
  }

  private func secrets() throws -> [SharedSecret] { try TrustFiles.secrets(sharedSecret) }
}

import AppStore
import ArgumentParser
import Foundation

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
      "Accept a V1 notification only if its password is the shared secret in this file (repeatable).",
      valueName: "file"))
  var sharedSecret: [String] = []

  @Flag(help: "Accept decoded JSON, and Xcode or LocalTesting data, and mark it as unverified.")
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
    guard !trust.isEmpty else { return .apple }
    var files: [[UInt8]] = []
    for path in trust {
      guard let data = FileManager.default.contents(atPath: path) else {
        Terminal.complain("Cannot read the certificate file \(path). Check the path and its permissions.")
        throw ExitCode(66)
      }
      do { _ = try TrustStore(trusting: [[UInt8](data)]) } catch {
        Terminal.complain("This is not a certificate in DER or PEM: \(path). Name another file with --trust.")
        throw ExitCode(66)
      }
      files.append([UInt8](data))
    }
    do { return try TrustStore(trusting: files) } catch { throw ExitCode(66) }
  }

  /// Returns the secrets in the files of `--shared-secret`.
  ///
  /// Secrets come from files, because every user can read the arguments in the list of processes.
  private func secrets() throws -> [SharedSecret] {
    try sharedSecret.map { path in
      guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
        Terminal.complain("Cannot read a shared secret from \(path). Check the path, and that the file is not empty.")
        throw ExitCode(66)
      }
      return SharedSecret(String(decoding: data, as: UTF8.self))
    }
  }
}

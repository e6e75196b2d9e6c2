import AppStore
import ArgumentParser
import Foundation

/// Who is believed when payloads are read.
struct TrustOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Also trust this root certificate, DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Flag(help: "Believe signed payloads only: verifyReceipt answers and V1 notifications go to quarantine.")
  var signedOnly = false

  @Option(
    help: ArgumentHelp(
      "Believe V1 notifications only where their password is the shared secret in this file (repeatable).",
      valueName: "file"))
  var sharedSecret: [String] = []

  @Flag(help: "Take in decoded JSON and Xcode or LocalTesting data, marked unverified.")
  var acceptUnverified = false

  @Option(help: ArgumentHelp("Quarantine payloads of other apps than this (repeatable).", valueName: "id"))
  var bundleID: [String] = []

  /// The decoder that these options ask for.
  /// - Parameter origin: by which way unsigned payloads come from Apple.
  func decoder(origin: String) throws -> PayloadDecoder {
    PayloadDecoder(
      unsigned: signedOnly ? .refused : .accepted(from: origin), trust: try store(), sharedSecrets: try secrets(),
      acceptsClientEvents: true, acceptsUnverified: acceptUnverified, bundleIDs: Set(bundleID), now: .now)
  }

  /// Apple's root and those that were named.
  func store() throws -> TrustStore {
    guard !trust.isEmpty else { return .apple }
    var files: [[UInt8]] = []
    for path in trust {
      guard let data = FileManager.default.contents(atPath: path) else {
        Terminal.complain("\(path): no such certificate file, or it cannot be read.")
        throw ExitCode(66)
      }
      do { _ = try TrustStore(trusting: [[UInt8](data)]) } catch {
        Terminal.complain("\(path): not a certificate in DER or PEM.")
        throw ExitCode(66)
      }
      files.append([UInt8](data))
    }
    do { return try TrustStore(trusting: files) } catch { throw ExitCode(66) }
  }

  /// Secrets come from files: what is typed can be read in the list of processes.
  private func secrets() throws -> [SharedSecret] {
    try sharedSecret.map { path in
      guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
        Terminal.complain("\(path): no such file, or there is no secret in it.")
        throw ExitCode(66)
      }
      return SharedSecret(String(decoding: data, as: UTF8.self))
    }
  }
}

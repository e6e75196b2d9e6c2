import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerServer
import Logging

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Receive notifications until the process gets SIGTERM.",
    discussion: """
      Send Apple's notifications to POST /apple/v2 or POST /apple/v1. Each is on disk before its sender gets a 200. \
      What cannot be used goes into quarantine. After a 503 nothing is stored, and Apple sends the notification again.

      GET /healthz answers while the process lives, and GET /readyz states whether it can store. Logs go to standard \
      error, one JSON object in each line, without ids of people.

      The server itself has no TLS: put it behind a proxy that has.
      """)

  @Option(
    help: ArgumentHelp(
      "The ledger file (default: SUBLEDGER_DATABASE, else subledger.sqlite in this folder).", valueName: "path"))
  var database: String?

  @Option(
    help: ArgumentHelp("Listen on this address; with port 0 on any free port.", valueName: "host:port"),
    transform: Address.init)
  var listen = Address(host: "127.0.0.1", port: 8080)

  @Option(help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Option(
    help: ArgumentHelp(
      "Accept a V1 notification only if its password is the shared secret in this file (repeatable).",
      valueName: "file"))
  var sharedSecret: [String] = []

  @Option(
    help: ArgumentHelp(
      "Accept only notifications of this app, and quarantine the others (repeatable).", valueName: "id"))
  var bundleID: [String] = []

  /// A host and a port.
  struct Address: Sendable, CustomStringConvertible {
    var host: String
    var port: Int

    var description: String { "\(host):\(port)" }

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    init(_ text: String) throws {
      // An IPv6 address has colons of its own, and stands in brackets.
      guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
        colon > text.startIndex
      else { throw ValidationError("'\(text)' is not an address. Write for example 127.0.0.1:8080.") }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      self.init(host: host, port: Int(port))
    }
  }

  func run() async throws {
    let named = ProcessInfo.processInfo.environment["SUBLEDGER_DATABASE"] ?? ""
    let path = database ?? (named.isEmpty ? "subledger.sqlite" : named)
    let log = Logger(label: "subledger-server") { _ in JSONLogHandler() }
    do {
      let decoder = PayloadDecoder(
        trust: try TrustStore(trusting: try contents(trust)),
        sharedSecrets: try contents(sharedSecret).map { SharedSecret(String(decoding: $0, as: UTF8.self)) },
        bundleIDs: Set(bundleID))
      let ledger = try LedgerRecorder(path: path, busyTimeout: .seconds(1))
      let settings = LedgerServer.Settings(host: listen.host, port: listen.port, decoder: decoder)
      let server = try LedgerServer(ledger, settings, log: log) {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
      }
      try await server.run { port in
        log.info("listening", metadata: ["host": "\(listen.host)", "port": "\(port)"])
        if isatty(STDOUT_FILENO) == 1 { print("listening on http://\(listen.host):\(port)") }
      }
      log.info("stopped")
    } catch let error as LedgerError {
      throw Failure("\(error)")
    } catch let error as SignatureError {
      throw Failure("A file of --trust is not a certificate in DER or PEM: \(error)")
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure("The server cannot listen on \(listen): \(error)")
    }
  }

  /// Reads files; a missing one ends the program with its name.
  private func contents(_ paths: [String]) throws -> [[UInt8]] {
    try paths.map { path in
      guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
        throw Failure("Cannot read \(path). Check the path, its permissions, and that the file is not empty.")
      }
      return [UInt8](data)
    }
  }
}

/// The reason why the server did not start.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

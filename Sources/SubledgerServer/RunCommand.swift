import AppStore
import ArgumentParser
import BuildVersion
import Foundation
import Ledger
import LedgerServer
import Logging
import ProgramSupport

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Receive notifications and answer programs until the process gets SIGTERM.",
    discussion: """
      Send Apple's notifications to POST /apple/v2 or POST /apple/v1. Each is on disk before its sender gets a 200. \
      What cannot be used goes into quarantine. After a 503 nothing is stored, and Apple sends the notification again.

      Programs with a token ask under /v1. GET /openapi.json describes every operation. Make a token with \
      subledger-server tokens create.

      GET /healthz answers while the process lives, and GET /readyz states whether it can store. Logs go to standard \
      error, one JSON object in each line, without ids of people.

      After SIGTERM the server is not ready, accepts connections for --drain, and finishes what has begun. A second \
      signal ends it at once: nothing that was answered is lost.
      """)

  @OptionGroup var options: ServerOptions

  func run() async throws {
    // Without this, a limit on the file size would end the server by a signal. Now the write fails with an error.
    signal(SIGXFSZ, SIG_IGN)
    // The same holds for a log whose reader is gone.
    signal(SIGPIPE, SIG_IGN)
    Self.raiseFileLimit()
    let lines = LogQueue(STDERR_FILENO)
    defer { lines.flush() }
    let log = Logger(label: "subledger-server") { _ in JSONLogHandler(queue: lines) }
    let settings = try await options.settings()
    let server = try settings.server(version: BuildVersion.text, lines)
    do {
      let ledger = try LedgerRecorder(path: settings.database, busyTimeout: .seconds(1))
      try await LedgerServer(ledger, server, log: log) { .now }.run { port in
        log.info("listening", metadata: ["host": "\(server.host)", "port": "\(port)"])
        ServiceManager.notify("READY=1")
        let scheme = server.tls == nil ? "http" : "https"
        if isatty(STDOUT_FILENO) == 1 { print("listening on \(scheme)://\(server.host):\(port)") }
      } onStopping: {
        log.info("stopping")
        ServiceManager.notify("STOPPING=1")
        // A second signal ends the process.
        for name in [SIGTERM, SIGINT] { signal(name, SIG_DFL) }
      }
      log.info("stopped")
    } catch let error as LedgerError {
      throw InputError("\(error)")
    } catch let error as LedgerServer.TLSError {
      throw InputError("\(error)")
    } catch {
      throw InputError(
        "The server cannot listen on \(server.host):\(server.port): \(ListeningAddress.text(error))")
    }
  }

  /// Allows as many open files as the system does: each connection is one, and the usual limit is a thousand.
  private static func raiseFileLimit() {
    var limit = rlimit()
    let files = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }
}

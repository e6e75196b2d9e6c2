import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerServer
import ProgramSupport

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play a year of a local App Store beside a server that listens and asks, in about a minute.",
    discussion: """
      It starts a local App Store of invented customers, and a server of their app. Of the notifications, Apple sends \
      some late, some twice, and loses some. In April the server is away for ten days. Each month is a line.

      Then it compares the ledger of the server with a ledger of everything that Apple signed. Where they differ, the \
      exit code is 1.

      Both go on until Ctrl-C, and the clock stands. The last lines are addresses and commands to try.
      """)

  @Option(help: ArgumentHelp("A new folder for everything (default: subledger-demo).", valueName: "folder"))
  var out = "subledger-demo"

  @Option(help: ArgumentHelp("How many customers there are (default: 100).", valueName: "count"))
  var customers = 100

  @Option(help: ArgumentHelp("Which invented year it is (default: 1).", valueName: "number")) var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Where the server listens; the local App Store has the next two ports (default: 127.0.0.1:8080).",
      valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("How long the year takes at least (default: 60).", valueName: "seconds"))
  var seconds = 60.0

  @Flag(help: "End after the comparison.") var exit = false

  func validate() throws {
    guard (1...10_000).contains(customers) else { throw ValidationError("--customers is not from 1 to 10000.") }
    guard (0...86_400).contains(seconds) else { throw ValidationError("--seconds is not from 0 to 86400.") }
    _ = try address()
  }

  /// Returns the address of `--listen`, after which two more ports are free for the local App Store.
  private func address() throws -> ListeningAddress {
    guard let address = ListeningAddress(listen), (1...65_533).contains(address.port) else {
      throw ValidationError(
        "'\(listen)' is not an address with a port from 1 to 65533. Write for example 127.0.0.1:8080.")
    }
    return address
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: out)) ?? []
    guard inside.isEmpty else {
      throw InputError(
        "The folder \(out) has files. Nothing was written. Remove it, or name a new one with --out.")
    }
    do {
      let year = DemoYear(
        simulation: try DemoSimulation(
          out, at: try address(), customers: customers, seed: seed, until: DemoYear.end + DemoYear.afterwards),
        folder: out, seconds: seconds, staysOpen: !exit)
      guard try await year.run() else { throw ExitCode(1) }
    } catch let error as LedgerError {
      throw InputError("\(error)")
    } catch let error where LedgerServer.systemError(error) != nil {
      // So that the same command works once the ports are free.
      try? FileManager.default.removeItem(atPath: out)
      throw InputError("The demo cannot listen on \(listen) and the next two ports: \(ListeningAddress.text(error))")
    }
  }
}

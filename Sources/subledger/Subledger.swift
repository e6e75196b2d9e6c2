import ArgumentParser
import BuildVersion
import Foundation
import Ledger
import ProgramSupport

/// The command line. It reads arguments, and prints text and exit codes; the libraries do all other work.
@main
struct Subledger: AsyncParsableCommand {
  static func main() async {
    // Without this, a limit on the file size would end the program by a signal. Now the write fails with an error.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot(try arguments(Array(CommandLine.arguments.dropFirst())))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as InputError {
      Terminal.complain(error.description)
      Foundation.exit(error.exitCode)
    } catch {
      // The message quotes arguments, which may contain control characters. Both ways of printing escape them.
      let (code, message) = (exitCode(for: error), fullMessage(for: error))
      if !message.isEmpty {
        if code.isSuccess { Terminal.print(message) } else { Terminal.note(message) }
      }
      Foundation.exit(code.rawValue)
    }
  }

  /// Returns the arguments with a leading `--database` after the command, where it is defined.
  /// - Throws: exit code 64 after a message, if no command has this name.
  private static func arguments(_ given: [String]) throws -> [String] {
    var (rest, moved) = (given[...], [String]())
    while let first = rest.first, first == "--database" || first.hasPrefix("--database=") {
      let count = first == "--database" ? 2 : 1
      moved += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    // ArgumentParser explains the whole program for a command that does not exist.
    let explained = rest.first == "help" ? rest.dropFirst() : rest
    guard let command = explained.first, !command.hasPrefix("-") else { return given }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard names.contains(command) else {
      let near = DataDictionary.nearest(to: command, among: names, limit: 3)
      Terminal.complain(
        "'\(command)' is not a command."
          + (near.isEmpty ? " See subledger --help." : " Nearest: \(near.joined(separator: ", "))."))
      throw ExitCode(64)
    }
    if rest.first == "help" { return given }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + moved + rest[end...]
  }

  static let configuration = CommandConfiguration(
    commandName: "subledger",
    abstract: "A ledger of App Store purchases: who has access, since when, until when, and why.",
    discussion: """
      Import the data that the App Store sends: verifyReceipt JSON, Server Notifications V1 and V2, Server API \
      responses, and the receipts of devices. Then ask who has access now, or who had access at a past instant. You can \
      also limit an answer to \
      what was known at a past instant. Everything is in one SQLite file.

      INSTANT is ISO 8601 (2026-03-01, 2026-03-01T10:00:00Z), now, today, yesterday, a time ago such as -7d \
      (units: s, min, h, d, w, mo, y), or \
      milliseconds since 1970.
      Exit codes: 0: success, or yes. \
      1: no, not found, refused, a query over its limits, an audit with a finding, or reports with a difference that \
      nothing explains. \
      2: check does not know the customer or the entitlement. \
      64: wrong arguments. \
      65: a payload was quarantined or is too long to read, or a catalogue or a report was refused. \
      66: an input does not exist or cannot be read. \
      73: a file cannot be created, or its name is taken and --replace is missing. \
      74: the database cannot be read or written. \
      130: stopped with Ctrl-C.
      """,
    version: "subledger \(BuildVersion.text)",
    subcommands: [
      ImportCommand.self, EntitlementsCommand.self, CheckCommand.self, ShowCommand.self, HistoryCommand.self,
      WhyCommand.self, ProductsCommand.self, CustomersCommand.self, AccessLogCommand.self, SeatsCommand.self,
      GrantCommand.self, RevokeCommand.self, ReceiptCommand.self, AttemptsCommand.self, MayPurchaseCommand.self,
      QuarantineCommand.self, AuditCommand.self, BackupCommand.self,
      RestoreCommand.self, QueryCommand.self, ScopeCommand.self, ReportCommand.self, ReportsCommand.self,
      ReconcileCommand.self, RatesCommand.self, TermsCommand.self, ExportCommand.self,
      SchemaCommand.self,
      SimulateCommand.self, DemoCommand.self,
    ])
}

import ArgumentParser
import BuildVersion
import Foundation

/// The command line: arguments in, words and exit codes out; all else is the libraries'.
@main
struct Subledger: AsyncParsableCommand {
  static func main() async {
    // A limit on the size of files is told as an error, as a full disk is, and ends nothing by itself.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      // What was typed or pasted is told back in messages: harmless, also where it was meant to do harm.
      let (code, message) = (exitCode(for: error), fullMessage(for: error))
      if !message.isEmpty {
        if code.isSuccess { Terminal.print(message) } else { Terminal.note(message) }
      }
      Foundation.exit(code.rawValue)
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "subledger",
    abstract: "A ledger of App Store purchases: who has access, since when, until when, and why.",
    discussion: """
      Feed it whatever the App Store says (verifyReceipt JSON, Server Notifications V1 and V2, Server API answers) and \
      ask: now, at any past instant, and as it was known at any past instant. Everything is in one SQLite file.

      INSTANT is ISO 8601 (2026-03-01, 2026-03-01T10:00:00Z) or milliseconds since 1970.
      Exit codes: 0; 1 no, not found, refused, a query over its limits, or the audit found something; \
      2 (check) an unknown customer or entitlement; 64 usage; 65 something was quarantined, a catalogue refused, or a \
      payload too long to read; 66 no such input; 73, 74 the database cannot be created, read or written; 130 stopped \
      with Ctrl-C.
      """,
    version: "subledger \(BuildVersion.text)",
    subcommands: [
      ImportCommand.self, EntitlementsCommand.self, CheckCommand.self, ShowCommand.self, HistoryCommand.self,
      WhyCommand.self, ProductsCommand.self, CustomersCommand.self, GrantCommand.self, RevokeCommand.self,
      AttemptsCommand.self, MayPurchaseCommand.self, QuarantineCommand.self, AuditCommand.self, BackupCommand.self,
      RestoreCommand.self, QueryCommand.self, ScopeCommand.self, ReportCommand.self, RatesCommand.self,
      ExportCommand.self,
      SchemaCommand.self,
      SimulateCommand.self, DemoCommand.self,
    ])
}

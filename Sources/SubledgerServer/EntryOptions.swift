import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerService
import ProgramSupport

/// The options of every command that enters something about tokens or users.
struct EntryOptions: ParsableArguments {
  @OptionGroup var ledger: LedgerFileOption

  @Option(help: ArgumentHelp("Who makes this entry (default: your login name).", valueName: "author"))
  var author: String?

  @Option(help: "Why, for people who read the entry later.") var reason = "made by the command line"

  /// The path of the ledger file.
  var path: String { Defaults.path(ledger.database) }

  /// Runs a change of the ledger.
  func recording<Value>(_ body: (LedgerRecorder, StaffAction) throws -> Value) throws -> Value {
    do {
      let ledger = try LedgerRecorder(path: path)
      defer { ledger.close() }
      let name = author ?? NSUserName()
      return try body(
        ledger, StaffAction(author: name.isEmpty ? "unknown" : name, reason: reason, enteredAt: .now))
    } catch let error as LedgerError { throw InputError("\(error)") }
  }
}

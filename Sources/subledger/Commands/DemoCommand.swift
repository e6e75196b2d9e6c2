import AppStore
import ArgumentParser
import Foundation
import Ledger
import ProgramSupport

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Import an example story into a new file, and show what to type next.")

  @Option(
    name: .customLong("database"),
    help: ArgumentHelp("The file to create (default: demo.sqlite in this folder).", valueName: "path"))
  var given: String?

  @Flag(help: "Only print the story's payloads, one per line, as an archive of webhooks contains them.")
  var story = false

  func run() async throws {
    if story { return Terminal.print(DemoStory.lines) }
    let path = given ?? "demo.sqlite"
    let exists = FileManager.default.fileExists(atPath: path)
    if exists, try !isDemo(path) {
      Terminal.complain("Nothing was imported. \(path) has other data than the story. Name a new file with --database.")
      throw ExitCode(73)
    }
    let ledger = try reporting { try LedgerRecorder(path: path) }
    let decoder = PayloadDecoder(unsigned: .accepted(from: "this is the story of the demo"), now: .now)
    var importer = Importer(ledger: ledger, decoder: decoder, now: .now)
    var lines: [UInt8]? = Array(DemoStory.lines.utf8)
    let source = ImportSource(name: DemoStory.origin) {
      defer { lines = nil }
      return lines
    }
    let summary = try await reporting { try await importer.run([source]) }
    ledger.close()
    SummaryPrinter.print(summary, .text)
    let option = "--database \(path)"
    Terminal.print(
      """

      Five customers of a meditation app, January to March 2026, are now in \(path). Try these commands. In a checkout,
      type swift run subledger instead of subledger:

        subledger entitlements \(option) --as-of 2026-03-15
        subledger show 2000000000000002 \(option) --as-of 2026-03-03
        subledger history 2000000000000003 \(option)
        subledger why 2000000000000003 \(option) --as-of 2026-02-20 --known-at 2026-02-21
        subledger query \(option) 'SELECT state, COUNT(*) AS subscriptions FROM entitlement GROUP BY state' --as-of 2026-03-15
        subledger audit \(option)

      Then import your own data: subledger import FILE…
      """)
  }

  /// Returns whether a file contains only this story, so that a user can run the demo twice.
  private func isDemo(_ path: String) throws -> Bool {
    try reporting { try LedgerReader(path: path).origins().allSatisfy { $0 == DemoStory.origin } }
  }
}

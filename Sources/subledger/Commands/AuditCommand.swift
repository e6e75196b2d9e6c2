import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `subledger audit`
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "The file's soundness, and the rules against Apple's own status.",
    discussion: """
      Checks SQLite's structure and references, that everything derived and kept equals what the evidence gives now, \
      that every stored text gives its digest, and lists where the derived state differs from Apple's status.
      """)

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Also verify every stored signature again.")
  var signatures = false

  @Flag(help: "First derive again, from the evidence alone, all that is kept for speed.")
  var rebuild = false

  @Option(help: ArgumentHelp("Also trust this root certificate, DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table

  func run() async throws {
    let ledger = try database.open(.asking)
    if rebuild {
      let writer = try database.open(.recording)
      try reporting { try writer.rebuildProjections() }
      writer.close()
    }
    var roots = TrustOptions()
    roots.trust = trust
    let store = try roots.store()
    let scope: Ledger.AuditScope = signatures ? [.file, .signatures] : .file
    let findings = try await reporting { try await ledger.audit(scope, trust: store) }
    let erasures = try reporting { try ledger.erasures() }
    for erasure in erasures {
      let words =
        "Forgotten on \(Words.instant(erasure.recordedAt)) by \(Terminal.printable(erasure.author)) "
        + "(\(Terminal.printable(erasure.reason))): \(erasure.pseudonym); "
        + "\(Words.count(erasure.textCount, "stored text")) cannot be verified again."
      if format == .table { Terminal.print(words) } else { Terminal.note(words) }
    }
    if findings.isEmpty, format == .table { return Terminal.print("Sound: nothing is wrong.") }
    var printer = RowPrinter(format: format)
    printer.begin(["finding", "place", "detail"])
    for finding in findings {
      printer.row([.text(finding.code.rawValue), .text(finding.place), .text(finding.detail)])
    }
    printer.end()
    if !findings.isEmpty { throw ExitCode(1) }
  }
}

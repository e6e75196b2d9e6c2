import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport
import SQLiteSettings

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Check the file for changes and damage, and compare the rules with Apple's status.",
    discussion: """
      The audit makes these checks:

        SQLite's structure and references are intact.
        Nobody changed, removed or inserted a row of evidence since it was recorded.
        Every stored text has its recorded digest.
        The stored results (projections) equal a fresh derivation from the evidence.
        The derived states agree with Apple's status.

      It also prints two facts that are not findings: the subscriptions for which unsigned evidence decides against \
      signed evidence, and how many payloads of Production are trusted by a root of --trust.

      Anyone who can write the file can also rebuild its seals. Store the output of --anchor where they cannot write. \
      Then --against proves that everything recorded before the anchor is unchanged. It lists every erasure since the \
      anchor until you acknowledge it.
      """)

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Also verify every stored signature again, and compare the columns with the signed text.")
  var signatures = false

  @Flag(help: "First derive the stored answers again from the evidence.")
  var repair = false

  @Option(help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Flag(help: "Only print the digest of the last seal. Store it outside of the file.")
  var anchor = false

  @Option(
    help: ArgumentHelp(
      "Also prove that nothing up to this seal was changed: its digest, or a file that --anchor wrote.",
      valueName: "seal"),
    transform: ContentDigest.anchor)
  var against: ContentDigest?

  @Option(
    help: ArgumentHelp(
      "Accept the erasure with this pseudonym, made since the seal of --against (repeatable).", valueName: "pseudonym"))
  var acknowledge: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only check what was recorded after this seal: its digest, or a file that --anchor wrote.", valueName: "seal"),
    transform: ContentDigest.anchor)
  var since: ContentDigest?

  @Option(
    help: ArgumentHelp("Only check a random share of the rows.", valueName: "1%"),
    transform: AuditCommand.share)
  var sample: Double?

  @Flag(help: "Print one JSON object: each check, what it covered and how long it took, and the findings.")
  var json = false

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func validate() throws {
    if anchor, signatures || repair || against != nil || since != nil || sample != nil || json {
      throw ValidationError("--anchor checks nothing. Run the checks without it.")
    }
    if json, format != .table {
      throw ValidationError("--json is a format. Use it without --format.")
    }
    if !acknowledge.isEmpty, against == nil {
      throw ValidationError("--acknowledge needs an anchor. Name it with --against.")
    }
  }

  func run() async throws {
    // SQLite counts memory under one lock, and the cores would wait for each other.
    sqlite_settings_count_no_memory()
    let ledger = try database.reader()
    if anchor { return try printAnchor(ledger) }
    if repair {
      let maintainer = ProjectionMaintainer(path: database.path, busyTimeout: database.busyTimeout)
      Interruption.watch("Nothing was repaired, and the ledger is unchanged.")
      try reporting { try ProgressLine.during { try maintainer.rebuild(progress: $0.show) } }
    }
    Interruption.watch("The audit is not complete. It changed nothing.")
    let progress = ProgressLine()
    let options = try options()
    let report = try await reporting {
      try await ledger.audit(options) { progress.show(AuditText.work($0.check), share: $0.share) }
    }
    progress.clear()
    try printFinding(report, ledger)
    if report.findings.contains(where: { $0.code == .projection }) {
      Terminal.note("Derive the stored answers again from the evidence with: subledger audit --repair")
    }
    if report.findings.contains(where: { $0.code == .erasure }) {
      Terminal.note(
        "Check whether somebody requested these erasures. Repeat the audit with --acknowledge for each requested one.")
    }
    if !report.findings.isEmpty { throw ExitCode(1) }
  }

  private func options() throws -> AuditOptions {
    var roots = TrustOptions()
    roots.trust = trust
    var options = AuditOptions()
    options.scope = signatures ? [.file, .signatures] : .file
    options.trust = try roots.store()
    (options.anchor, options.acknowledged, options.since) = (against, Set(acknowledge), since)
    options.sample = sample ?? 1
    return options
  }

  /// Prints the findings: as a table with a summary for people, or as rows or one object for programs.
  private func printFinding(_ report: AuditReport, _ ledger: LedgerReader) throws {
    let isTable = format == .table && !json
    let isBroken = report.findings.contains { $0.code == .integrity }
    for erasure in isBroken ? [] : try reporting({ try ledger.erasures() }) {
      let words =
        "\(erasure.isPurge ? "Removed from the quarantine" : "Erased") on \(Messages.instant(erasure.enteredAt)) by \(Printable.text(erasure.author)) "
        + "(\(Printable.text(erasure.reason))): \(erasure.pseudonym); "
        + "\(Messages.count(erasure.textCount, "stored text")) cannot be verified again."
      if isTable { Terminal.print(words) } else { Terminal.note(words) }
    }
    if let against, !report.findings.contains(where: \.isTampering) { try reportProof(ledger, against, isTable) }
    if isTable, !isBroken { try reportBeliefs(ledger) { Terminal.print("\($1): \($2)") } }
    if isTable {
      // The summary has times, so it goes to stderr. stdout is then equal on every machine.
      if Terminal.hasProgress { Terminal.note(AuditText.summary(report)) }
      for gap in AuditText.gaps(report) { Terminal.print("Checked in part: \(gap).") }
      if report.findings.isEmpty { return Terminal.print("OK: no problems found.") }
    }
    var rows: [(String, String, String)] = []
    if !isTable, !isBroken { try reportBeliefs(ledger) { rows.append(($0, $1, $2)) } }
    rows += report.findings.map { ($0.code.rawValue, $0.location, $0.detail) }
    if json { return Terminal.print(AuditText.json(report, rows, isSound: report.findings.isEmpty)) }
    var printer = format.printer(csv)
    printer.begin(["finding", "location", "detail"])
    for row in rows { printer.row([.text(row.0), .text(row.1), .text(row.2)]) }
    printer.end()
  }

  /// Passes on the evidence that counts for a reason that a person should know. It is not a finding.
  private func reportBeliefs(
    _ ledger: LedgerReader, _ printFinding: (_ finding: String, _ location: String, _ detail: String) -> Void
  )
    throws
  {
    let now = Instant.now
    try reporting {
      try ledger.forEachUnsignedDecision(QueryParameters(asOf: now, knownAt: now)) { one in
        let end = one.signedAccessEndsAt.map { ", access until \(Messages.instant($0))" } ?? ""
        printFinding(
          "unsigned_decision",
          "\(Printable.text(one.environment)) \(Printable.text(one.originalTransactionID))",
          "\(one.state.rawValue) by \(one.rule.rawValue). \(Messages.againstSigned) \(one.signedState.rawValue)\(end)")
      }
      for (root, count) in try ledger.productionPayloadsByAddedRoots() {
        printFinding(
          "added_root", root.digest.hexadecimal,
          "\(Messages.count(count, "payload")) of Production \(count == 1 ? "is" : "are") trusted by this root, "
            + "\(Printable.text(root.name)), which is not Apple's")
      }
    }
  }

  private func reportProof(_ ledger: LedgerReader, _ digest: ContentDigest, _ isTable: Bool) throws {
    guard let anchor = try reporting({ try ledger.anchor(with: digest) }) else { return }
    let count = try reporting { try ledger.rowsRewritten(since: anchor) }
    let but = count == 0 ? "" : ", except \(Messages.count(count, "row")) that erasures rewrote since"
    let words = "All that was recorded up to seal \(anchor.seal) is unchanged\(but)."
    if isTable { Terminal.print(words) } else { Terminal.note(words) }
  }

  private func printAnchor(_ ledger: LedgerReader) throws {
    guard let anchor = try reporting({ try ledger.anchor() }) else {
      Terminal.complain("The ledger has no seal yet, because nothing was recorded. Import something first.")
      throw ExitCode(1)
    }
    switch format {
    case .table: Terminal.print(anchor.digest.hexadecimal)
    default:
      var printer = format.printer(csv)
      printer.begin(["seal", "digest"])
      printer.row([.integer(anchor.seal), .text(anchor.digest.hexadecimal)])
      printer.end()
    }
  }
}

extension AuditCommand {
  /// Returns a share of the rows, from 0 to 1, that a text such as `1%` or `0.01` states.
  /// - Throws: `ValidationError` if the text is not a share above 0 and up to 1.
  static func share(_ text: String) throws -> Double {
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? text.dropLast() : text[...]), number > 0, number <= (isPercent ? 100 : 1)
    else {
      throw ValidationError("'\(text)' is not a share of the rows. Write 1% or 0.01.")
    }
    return isPercent ? number / 100 : number
  }
}

extension ContentDigest {
  /// Returns the digest that a text states: 64 hexadecimal digits, or the path of a file with them on its first line.
  /// - Throws: `ValidationError` if the text is neither.
  static func anchor(_ text: String) throws -> ContentDigest {
    if let digest = ContentDigest(hexadecimal: text) { return digest }
    // An anchor is short. The limit protects against a long or endless file.
    let bytes = FileHandle(forReadingAtPath: text).flatMap { try? $0.read(upToCount: 1_000) }
    let line = bytes.map { String(decoding: $0, as: UTF8.self) }?.split(whereSeparator: \.isNewline).first
    if let line, let digest = ContentDigest(hexadecimal: line.trimmingCharacters(in: .whitespaces)) { return digest }
    throw ValidationError(
      "'\(text)' is not a seal. Write the 64 hexadecimal digits that --anchor prints, or name a file with them.")
  }
}

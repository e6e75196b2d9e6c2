import AppStore
import ArgumentParser
import Foundation
import Ledger
import SQLiteSettings

/// `subledger audit`
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "The file's soundness, and the rules against Apple's own status.",
    discussion: """
      Checks SQLite's structure and references, that no row of the evidence was changed, removed or inserted since it was \
      recorded, that everything derived and kept equals what the evidence gives now, that every stored text gives its \
      digest, and lists where the derived state differs from Apple's status. It also tells, as no fault, which \
      subscriptions unsigned evidence decides against signed evidence, and how many payloads of Production are believed by \
      roots that --trust added.

      Anyone who can write the file can also rebuild its seals. Store what --anchor prints where they cannot write: --against \
      then proves that everything recorded until then is as it was. It lists every erasure since then, until you acknowledge \
      it.
      """)

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Also verify every stored signature again, and that the columns say what was signed.")
  var signatures = false

  @Flag(help: "First derive again, from the evidence alone, all that is kept for speed.")
  var rebuild = false

  @Option(help: ArgumentHelp("Also trust this root certificate, DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Flag(help: "Only print the digest of the last seal, to be kept elsewhere.")
  var anchor = false

  @Option(
    help: ArgumentHelp(
      "Also prove that history up to this seal is what it was: its digest, or a file that --anchor wrote.",
      valueName: "seal"),
    transform: ContentDigest.anchor)
  var against: ContentDigest?

  @Option(
    help: ArgumentHelp(
      "Accept the erasure with this pseudonym, made since --against (repeatable).", valueName: "pseudonym"))
  var acknowledge: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only prove what was recorded after this seal: its digest, or a file that --anchor wrote.", valueName: "seal"),
    transform: ContentDigest.anchor)
  var since: ContentDigest?

  @Option(
    help: ArgumentHelp("Only look at this share of the rows, by chance.", valueName: "1%"),
    transform: AuditCommand.share)
  var sample: Double?

  @Flag(help: "One JSON object: the checks, what each looked at and how long it took, and the findings.")
  var json = false

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func validate() throws {
    if anchor, signatures || rebuild || against != nil || since != nil || sample != nil || json {
      throw ValidationError("--anchor checks nothing: ask for the checks in a run of their own.")
    }
    if json, format != .table {
      throw ValidationError("--json is a format of its own: leave --format out.")
    }
    if !acknowledge.isEmpty, against == nil {
      throw ValidationError("--acknowledge is about the erasures since an anchor: name the anchor with --against.")
    }
  }

  func run() async throws {
    // The cores must not wait for each other.
    sqlite_settings_count_no_memory()
    let ledger = try database.reader()
    if anchor { return try printAnchor(ledger) }
    if rebuild {
      let maintainer = ProjectionMaintainer(path: database.path, busyTimeout: database.busyTimeout)
      Interruption.watch("Nothing was rebuilt: the ledger is as it was.")
      try reporting { try ProgressLine.during { try maintainer.rebuild(progress: $0.show) } }
    }
    Interruption.watch("The audit is not complete. It changed nothing.")
    let progress = ProgressLine()
    let options = try options()
    let report = try await reporting {
      try await ledger.audit(options) { progress.show(AuditText.work($0.check), share: $0.share) }
    }
    progress.clear()
    try tell(report, ledger)
    if report.findings.contains(where: { $0.code == .projection }) {
      Terminal.note("What is derived can be derived anew from the evidence: subledger audit --rebuild")
    }
    if report.findings.contains(where: { $0.code == .erasure }) {
      Terminal.note(
        "Ask whether these erasures were asked for, and repeat the audit with --acknowledge for each that was.")
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

  /// Prints what was found: for people with what was checked, for programs as rows or one object.
  private func tell(_ report: AuditReport, _ ledger: LedgerReader) throws {
    let isTable = format == .table && !json
    let isBroken = report.findings.contains { $0.code == .integrity }
    for erasure in isBroken ? [] : try reporting({ try ledger.erasures() }) {
      let words =
        "Forgotten on \(Messages.instant(erasure.recordedAt)) by \(Terminal.printable(erasure.author)) "
        + "(\(Terminal.printable(erasure.reason))): \(erasure.pseudonym); "
        + "\(Messages.count(erasure.textCount, "stored text")) cannot be verified again."
      if isTable { Terminal.print(words) } else { Terminal.note(words) }
    }
    if let against, !report.findings.contains(where: \.isTampering) { try tellProof(ledger, against, isTable) }
    if isTable, !isBroken { try tellBeliefs(ledger) { Terminal.print("\($1): \($2)") } }
    if isTable {
      // Beside the answer, so that what is checked says the same on every machine.
      if Terminal.hasProgress { Terminal.note(AuditText.summary(report)) }
      for gap in AuditText.gaps(report) { Terminal.print("Checked in part: \(gap).") }
      if report.findings.isEmpty { return Terminal.print("OK: no problems found.") }
    }
    var rows: [(String, String, String)] = []
    if !isTable, !isBroken { try tellBeliefs(ledger) { rows.append(($0, $1, $2)) } }
    rows += report.findings.map { ($0.code.rawValue, $0.place, $0.detail) }
    if json { return Terminal.print(AuditText.json(report, rows, isSound: report.findings.isEmpty)) }
    var printer = format.printer(csv)
    printer.begin(["finding", "place", "detail"])
    for row in rows { printer.row([.text(row.0), .text(row.1), .text(row.2)]) }
    printer.end()
  }

  /// What is believed for a reason that somebody should know of, though it may be right.
  private func tellBeliefs(_ ledger: LedgerReader, _ tell: (_ finding: String, _ place: String, _ detail: String) -> Void)
    throws
  {
    let now = Instant.now
    try reporting {
      try ledger.forEachUnsignedDecision(Question(asOf: now, knownAt: now)) { one in
        let end = one.signedAccessEndsAt.map { ", access until \(Messages.instant($0))" } ?? ""
        tell(
          "unsigned_decision",
          "\(Terminal.printable(one.environment)) \(Terminal.printable(one.originalTransactionID))",
          "\(one.state) by \(one.rule). \(Messages.againstSigned) \(one.signedState)\(end)")
      }
      for (root, count) in try ledger.productionPayloadsByAddedRoots() {
        tell(
          "added_root", root.digest.hexadecimal,
          "\(Messages.count(count, "payload")) of Production \(count == 1 ? "is" : "are") believed by this root, "
            + "\(Terminal.printable(root.name)), which is not Apple's")
      }
    }
  }

  private func tellProof(_ ledger: LedgerReader, _ digest: ContentDigest, _ isTable: Bool) throws {
    guard let anchor = try reporting({ try ledger.anchor(with: digest) }) else { return }
    let count = try reporting { try ledger.rowsRewritten(since: anchor) }
    let but = count == 0 ? "" : ", but for \(Messages.count(count, "row")) that erasures rewrote since"
    let words = "All that was recorded up to seal \(anchor.seal) is as it was\(but)."
    if isTable { Terminal.print(words) } else { Terminal.note(words) }
  }

  private func printAnchor(_ ledger: LedgerReader) throws {
    guard let anchor = try reporting({ try ledger.anchor() }) else {
      Terminal.complain("Nothing was recorded yet: there is no seal.")
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
  /// A share of the rows: `1%`, or `0.01`.
  static func share(_ text: String) throws -> Double {
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? text.dropLast() : text[...]), number > 0, number <= (isPercent ? 100 : 1)
    else {
      throw ValidationError("'\(text)' is no share of the rows: write 1%, or 0.01.")
    }
    return isPercent ? number / 100 : number
  }
}

extension ContentDigest {
  /// 64 hexadecimal digits, or a file with them on its first line.
  static func anchor(_ text: String) throws -> ContentDigest {
    if let digest = ContentDigest(hexadecimal: text) { return digest }
    // An anchor is short: whatever else the file is, no more of it is read.
    let bytes = FileHandle(forReadingAtPath: text).flatMap { try? $0.read(upToCount: 1_000) }
    let line = bytes.map { String(decoding: $0, as: UTF8.self) }?.split(whereSeparator: \.isNewline).first
    if let line, let digest = ContentDigest(hexadecimal: line.trimmingCharacters(in: .whitespaces)) { return digest }
    throw ValidationError(
      "'\(text)' is no seal: give the 64 hexadecimal digits that --anchor prints, or a file with them.")
  }
}

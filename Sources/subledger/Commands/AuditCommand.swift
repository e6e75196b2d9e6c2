import AppStore
import ArgumentParser
import Foundation
import Ledger

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
    help: ArgumentHelp("Also prove that history up to this seal is what it was.", valueName: "digest"),
    transform: Digest.argument)
  var against: Digest?

  @Option(
    help: ArgumentHelp(
      "Accept the erasure with this pseudonym, made since --against (repeatable).", valueName: "pseudonym"))
  var acknowledge: [String] = []

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func validate() throws {
    if anchor, signatures || rebuild || against != nil {
      throw ValidationError("--anchor checks nothing: ask for the checks in a run of their own.")
    }
    if !acknowledge.isEmpty, against == nil {
      throw ValidationError("--acknowledge is about the erasures since an anchor: name the anchor with --against.")
    }
  }

  func run() async throws {
    let ledger = try database.open(.asking)
    if anchor { return try printAnchor(ledger) }
    if rebuild {
      let writer = try database.open(.recording)
      try reporting { try writer.rebuildProjections() }
      writer.close()
    }
    var roots = TrustOptions()
    roots.trust = trust
    let store = try roots.store()
    let scope: Ledger.AuditScope = signatures ? [.file, .signatures] : .file
    let findings = try await reporting {
      try await ledger.audit(scope, trust: store, against: against, acknowledging: Set(acknowledge))
    }
    let isBroken = findings.contains { $0.code == .integrity }
    let erasures = isBroken ? [] : try reporting { try ledger.erasures() }
    for erasure in erasures {
      let words =
        "Forgotten on \(Words.instant(erasure.recordedAt)) by \(Terminal.printable(erasure.author)) "
        + "(\(Terminal.printable(erasure.reason))): \(erasure.pseudonym); "
        + "\(Words.count(erasure.textCount, "stored text")) cannot be verified again."
      if format == .table { Terminal.print(words) } else { Terminal.note(words) }
    }
    if let against, !findings.contains(where: \.isTampering) { try tellProof(ledger, against, format) }
    if format == .table, !isBroken { try tellBeliefs(ledger) { Terminal.print("\($1): \($2)") } }
    if findings.isEmpty, format == .table { return Terminal.print("Sound: nothing is wrong.") }
    var printer = format.printer(csv)
    printer.begin(["finding", "place", "detail"])
    if format != .table, !isBroken {
      try tellBeliefs(ledger) { printer.row([.text($0), .text($1), .text($2)]) }
    }
    for finding in findings {
      printer.row([.text(finding.code.rawValue), .text(finding.place), .text(finding.detail)])
    }
    printer.end()
    if findings.contains(where: { $0.code == .projection }) {
      Terminal.note("What is derived can be derived anew from the evidence: subledger audit --rebuild")
    }
    if findings.contains(where: { $0.code == .erasure }) {
      Terminal.note(
        "Ask whether these erasures were asked for, and repeat the audit with --acknowledge for each that was.")
    }
    if !findings.isEmpty { throw ExitCode(1) }
  }

  /// What is believed for a reason that somebody should know of, though it may be right.
  private func tellBeliefs(_ ledger: Ledger, _ tell: (_ finding: String, _ place: String, _ detail: String) -> Void)
    throws
  {
    let now = Instant.now
    try reporting {
      try ledger.forEachUnsignedDecision(Question(asOf: now, knownAt: now)) { one in
        let end = one.signedAccessEndsAt.map { ", access until \(Words.instant($0))" } ?? ""
        tell(
          "unsigned_decision",
          "\(Terminal.printable(one.environment)) \(Terminal.printable(one.originalTransactionID))",
          "\(one.state) by \(one.rule). \(Words.againstSigned) \(one.signedState)\(end)")
      }
      for (root, count) in try ledger.productionPayloadsByAddedRoots() {
        tell(
          "added_root", root.digest.hexadecimal,
          "\(Words.count(count, "payload")) of Production \(count == 1 ? "is" : "are") believed by this root, "
            + "\(Terminal.printable(root.name)), which is not Apple's")
      }
    }
  }

  private func tellProof(_ ledger: Ledger, _ digest: Digest, _ format: OutputFormat) throws {
    guard let anchor = try reporting({ try ledger.anchor(with: digest) }) else { return }
    let count = try reporting { try ledger.rowsRewritten(since: anchor) }
    let but = count == 0 ? "" : ", but for \(Words.count(count, "row")) that erasures rewrote since"
    let words = "All that was recorded up to seal \(anchor.seal) is as it was\(but)."
    if format == .table { Terminal.print(words) } else { Terminal.note(words) }
  }

  private func printAnchor(_ ledger: Ledger) throws {
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

extension Digest {
  /// 64 hexadecimal digits.
  static func argument(_ text: String) throws -> Digest {
    guard let digest = Digest(hexadecimal: text) else {
      throw ValidationError("'\(text)' is no digest: 64 hexadecimal digits, as --anchor prints them.")
    }
    return digest
  }
}

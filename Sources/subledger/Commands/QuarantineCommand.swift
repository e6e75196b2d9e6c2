import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct QuarantineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine", abstract: "List, show, retry and remove the payloads that could not be used.",
    subcommands: [List.self, Show.self, Retry.self, Purge.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the payloads in quarantine.")

    @OptionGroup var database: DatabaseOption

    @Flag(help: "List the payloads that a retry has recorded since, too.")
    var all = false

    @Option(help: "table, json, ndjson or csv.")
    var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions

    func run() throws {
      let ledger = try database.reader()
      let items = try reporting { try ledger.quarantined(includesReleased: all) }
      var printer = format.printer(csv)
      printer.begin(["id", "reason", "origin", "source_line", "path", "bytes", "received_at", "detail"])
      for item in items {
        printer.row([
          .integer(item.id), .text(item.reason.rawValue), .text(item.origin), Value(item.line),
          .text(item.path), .integer(Int64(item.byteCount)), .instant(item.receivedAt), .text(item.detail),
        ])
      }
      printer.end()
      if items.isEmpty, format == .table { Terminal.note("Nothing is in quarantine.") }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show one quarantined payload, and what to do about it.")

    @Argument(help: "The number of the payload in the list.") var id: Int64
    @OptionGroup var database: DatabaseOption

    @Flag(help: "Print only the bytes as they arrived, without secrets.") var raw = false

    private static let previewBytes = 2000

    func run() throws {
      let ledger = try database.reader()
      try reporting {
        guard let item = try ledger.quarantined(includesReleased: true).first(where: { $0.id == id }) else {
          Terminal.complain("Quarantine has no payload with number \(id). See subledger quarantine list --all.")
          throw ExitCode(1)
        }
        if raw {
          Terminal.write(try ledger.quarantinedBytes(id) ?? [])
          return
        }
        let location = item.origin + (item.line.map { ":\($0)" } ?? "")
        Terminal.print("\(item.id)  \(item.reason.rawValue), from \(Printable.text(location)), at \(item.path)")
        Terminal.print("What      \(Printable.text(item.detail))")
        if let offset = item.byteOffset { Terminal.print("Where     byte \(offset) of \(item.byteCount)") }
        Terminal.print("Next      \(PayloadAdvice.text(item.reason, detail: item.detail, general: item.advice))")
        if let released = item.releasedAt { Terminal.print("Recorded  by a retry at \(Messages.instant(released))") }
        let bytes = try ledger.quarantinedBytes(id, limit: Self.previewBytes) ?? []
        Terminal.print(Printable.lines(String(decoding: bytes, as: UTF8.self)))
        if item.byteCount > bytes.count { Terminal.note("… \(item.byteCount - bytes.count) more bytes; see --raw") }
      }
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read quarantined payloads again, with added roots or with a newer version.",
      discussion: """
        The command accepts only signed payloads, because anybody may have sent the others. If you know that a payload \
        came from Apple or from your app, add --accept-unsigned.
        """)

    @Argument(help: "The numbers of payloads in the list (default: all).") var ids: [Int64] = []
    @OptionGroup var database: DatabaseOption
    @OptionGroup var trust: TrustOptions

    @Flag(help: "Accept payloads that are not signed, because you know their source.")
    var acceptUnsigned = false

    @Option(help: "text or json.") var format = SummaryFormat.text

    func run() async throws {
      var decoder = try trust.decoder(origin: "you retry them with --accept-unsigned")
      if !acceptUnsigned { (decoder.unsigned, decoder.acceptsClientEvents) = (.refused, false) }
      _ = try database.reader()
      let ledger = try database.recorder()
      let wanted = ids.isEmpty ? nil : Set(ids)
      let summary = try await reporting {
        try await ledger.retryQuarantine(decoder, ids: wanted, now: .now)
      }
      ledger.close()
      if summary.payloads < ids.count {
        Terminal.complain("Some of these numbers are not in quarantine. See subledger quarantine list.")
      }
      SummaryPrinter.print(summary, format, unsignedFrom: decoder.unsigned.origin)
      if summary.payloads < ids.count { throw ExitCode(1) }
      if summary.quarantined > 0 { throw ExitCode(65) }
    }
  }

  struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove payloads from the quarantine for good, for example forgeries.",
      discussion: """
        The ledger keeps the digest of each removed payload, its reason, and who removed it and why. The same text is \
        not stored again. subledger audit --against an older seal asks for --acknowledge with the name of the purge.
        """)

    @Argument(help: "The numbers of payloads in the list.") var ids: [Int64] = []

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Remove all that were received before this instant.", valueName: "instant"),
      transform: Instant.argument)
    var receivedBefore: Instant?

    @OptionGroup var options: StaffActionOptions
    @OptionGroup var database: DatabaseOption

    func validate() throws {
      guard ids.isEmpty != (receivedBefore == nil) else {
        throw ValidationError("Name either numbers of the list or --received-before.")
      }
    }

    func run() throws {
      _ = try database.reader()
      let selection = receivedBefore.map { QuarantinePurge.Selection.receivedBefore($0) } ?? .ids(Set(ids))
      let purge = try database.recording { try $0.purgeQuarantine(selection, options.staffAction(.now)) }
      Terminal.print(
        "Removed \(Messages.count(purge.payloadCount, "payload")), \(Messages.count(purge.byteCount, "byte")). "
          + "The ledger records this as \(purge.name).")
      guard purge.isLogEmpty else {
        Terminal.note(database.logHasErasedTexts)
        throw ExitCode(1)
      }
    }
  }
}

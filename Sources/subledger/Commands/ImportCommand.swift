import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `subledger import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Record what the App Store said, and what your app reports.",
    discussion: """
      A file holds one JSON payload, a JSON array of payloads, one payload a line, or compact JWS lines. A line or \
      element may be wrapped as {"receivedAt": INSTANT, "payload": …}, as webhook archives are; beside an answer of Look Up \
      Order ID, "orderId" tells which order it was. Client events of your app, one JSON object each, are \
      kept apart from evidence: event (updated or removed), transaction_state (purchasing, purchased, failed, deferred, \
      restored), product_id, at, one of customer, app_account_token and device, and transaction_id, \
      original_transaction_id, error {domain, code, message} where there are such. Importing \
      again, in any order, changes nothing: what is known is counted as a duplicate. What cannot be used is kept in quarantine.
      """)

  @Argument(
    help: ArgumentHelp("Files, folders (with all that is in them), or - for standard input.", valueName: "path"))
  var paths: [String]

  @OptionGroup var database: DatabaseOption
  @OptionGroup var trust: TrustOptions

  @Option(
    help: ArgumentHelp("When everything was received, where it is not in a wrapper.", valueName: "instant"),
    transform: Instant.argument)
  var receivedAt: Instant?

  @Flag(help: "Keep the texts of latest_receipt too, each once (they are left out otherwise).")
  var keepLatestReceipt = false

  @Option(help: "text or json.")
  var format = SummaryFormat.text

  private static let noticeLimit = 20

  func run() async throws {
    let files = try InputFiles(paths)
    let decoder = try trust.decoder(origin: "you named the files")
    let ledger = try database.recorder()
    var importer = Importer(ledger: ledger, decoder: decoder, now: .now)
    importer.receivedAt = receivedAt
    importer.keepsReceiptData = keepLatestReceipt
    importer.concurrency = ProcessInfo.processInfo.activeProcessorCount
    let notices = NoticeBoard(limit: Self.noticeLimit)
    Interruption.watch(isPatient: true, "Nothing was recorded.")
    let bar = ProgressLine()
    let total = files.byteCount
    importer.onRefusal = { refusal, origin, line in
      bar.clear()
      notices.post(refusal, origin: origin, line: line)
    }
    importer.onProgress = { bytes, summary in
      Interruption.say(
        "\(Messages.count(summary.payloads, "payload")) of the input: \(summary.recorded) recorded. The rest was not read. "
          + "Run the same command again: it counts these as known.")
      bar.show(
        "Importing", share: total > 0 ? min(1, Double(bytes) / Double(total)) : nil, count: summary.payloads, "payload")
    }
    let summary: ImportSummary
    do {
      summary = try await reporting { try await importer.run(files.lazy.map(Self.interruptible)) }
    } catch let error as InputFiles.Unreadable {
      bar.clear()
      Terminal.complain("\(error.path): \(error.reason). What was read before it is recorded.")
      throw ExitCode(66)
    } catch is Interrupted {
      bar.clear()
      Interruption.end()
    }
    bar.clear()
    notices.close()
    let unknownApps = trust.bundleID.isEmpty ? try appsWithoutCatalogue(ledger.reader, summary) : []
    ledger.close()
    SummaryPrinter.print(summary, format, unsignedFrom: decoder.unsigned.origin)
    for app in unknownApps {
      Terminal.note(
        "The catalogue has no products of \(Terminal.printable(app)): its purchases grant nothing. Is it yours? "
          + "Refuse other apps with --bundle-id, or import its products.")
    }
    if summary.quarantined + summary.stillQuarantined > 0 { throw ExitCode(65) }
  }

  /// The import was asked to end.
  private struct Interrupted: Error {}

  /// A source that ends when the work is to end: what was read of it before is recorded then.
  private static func interruptible(_ source: ImportSource) -> ImportSource {
    ImportSource(name: source.name, refusesEmptiness: source.refusesEmptiness) {
      let piece = try source.next()
      if Interruption.isRequested { throw Interrupted() }
      return piece
    }
  }

  /// The apps that were met, where the ledger has a catalogue, and it is not theirs.
  private func appsWithoutCatalogue(_ ledger: LedgerReader, _ summary: ImportSummary) throws -> [String] {
    guard !summary.apps.isEmpty else { return [] }
    let now = Instant.now
    let known = try reporting { try ledger.catalogueApps(Question(asOf: now, knownAt: now)) }
    return known.isEmpty ? [] : summary.apps.subtracting(known).sorted()
  }
}

/// Prints the counts of an import.
enum SummaryPrinter {
  /// - Parameter origin: why unsigned payloads were believed, where that is to be told.
  static func print(_ summary: ImportSummary, _ format: SummaryFormat, unsignedFrom origin: String? = nil) {
    switch format {
    case .json:
      Terminal.print(
        JSONText.object(
          [
            "payloads", "recorded", "duplicates", "quarantined", "problems", "still_quarantined",
            "without_usable_transaction", "unsigned",
          ],
          [
            summary.payloads, summary.recorded, summary.duplicates, summary.quarantined, summary.problems,
            summary.stillQuarantined, summary.withoutUsableTransaction, summary.unsigned,
          ].map { .integer(Int64($0)) }))
    case .text:
      let unusable = summary.withoutUsableTransaction
      Terminal.print(
        "\(Messages.count(summary.payloads, "payload")): \(summary.recorded) recorded, \(duplicates(summary)), "
          + "\(summary.quarantined) in quarantine; \(Messages.count(summary.problems, "problem"))"
          + (unusable > 0 ? "; \(unusable) with no usable transaction." : "."))
      guard let origin, summary.unsigned > 0 else { return }
      Terminal.print(
        "\(summary.unsigned) of the recorded payloads \(summary.unsigned == 1 ? "is" : "are") not signed. They count as "
          + "evidence because \(origin). --signed-only refuses such payloads.")
    }
  }

  /// What was known: and what of it an earlier import put into quarantine.
  private static func duplicates(_ summary: ImportSummary) -> String {
    let known = Messages.count(summary.duplicates, "duplicate")
    switch summary.stillQuarantined {
    case 0: return known
    case summary.duplicates: return known + ", still in quarantine"
    default: return known + " (\(summary.stillQuarantined) of them still in quarantine)"
    }
  }
}

/// Tells of quarantined payloads as they turn up, but not of a million of them.
final class NoticeBoard {
  private let limit: Int
  private var count = 0

  init(limit: Int) { self.limit = limit }

  func post(_ refusal: PayloadError, origin: String, line: Int?) {
    count += 1
    guard count <= limit else { return }
    let place = Terminal.printable(origin) + (line.map { ":\($0)" } ?? "")
    let byte = refusal.offset.map { ", byte \($0)" } ?? ""
    Terminal.note(
      "\(place): quarantined (\(refusal.name)): \(Terminal.printable(refusal.detail)), at \(refusal.path)\(byte). "
        + PayloadAdvice.words(refusal.name, detail: refusal.detail, general: refusal.advice))
  }

  func close() {
    if count > limit { Terminal.note("… and \(count - limit) more; see: subledger quarantine") }
  }
}

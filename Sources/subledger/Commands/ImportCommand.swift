import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import payloads of the App Store, and client events of your app.",
    discussion: """
      A file contains one JSON payload, a JSON array of payloads, one payload per line, or one compact JWS per line. It \
      can also be the receipt of a device, or have receipts in Base 64, one per line. A \
      line or element may have a wrapper, as in an archive of webhooks: {"receivedAt": INSTANT, "payload": …}. Add \
      "orderId" to the wrapper of a Look Up Order ID response.

      A client event of your app is one JSON object. It is stored apart from evidence. Its fields are:

        event: updated or removed
        transaction_state: purchasing, purchased, failed, deferred or restored
        product_id and at (an instant)
        one of customer, app_account_token and device
        if known: transaction_id, original_transaction_id, error {domain, code, message}

      Importing a payload again changes nothing, in any order. The summary counts it as a duplicate. Quarantine stores \
      the payloads that cannot be used, and the exit code is then 65.
      """)

  @Argument(
    help: ArgumentHelp("Files, folders with the files in them, or - for standard input.", valueName: "path"))
  var paths: [String]

  @OptionGroup var database: DatabaseOption
  @OptionGroup var trust: TrustOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When the payloads without a wrapper were received.", valueName: "instant"),
    transform: Instant.argument)
  var receivedAt: Instant?

  @Flag(help: "Store the texts of latest_receipt too, each once (otherwise they are left out).")
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
    importer.storesReceiptData = keepLatestReceipt
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
      Interruption.setMessage(
        "\(Messages.count(summary.payloads, "payload")) of the input: \(summary.recorded) recorded. The rest was not read. "
          + "Run the same command again. It counts these as duplicates.")
      bar.show(
        "Importing", share: total > 0 ? min(1, Double(bytes) / Double(total)) : nil, count: summary.payloads, "payload")
    }
    let summary: ImportSummary
    do {
      summary = try await reporting { try await importer.run(files.lazy.map(Self.interruptible)) }
    } catch let error as InputFiles.Unreadable {
      bar.clear()
      Terminal.complain(
        "\(error.path) \(error.reason). Everything before it is recorded. Check the file, and run the command again.")
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
        "The catalogue has no products of \(Printable.text(app)), so its purchases grant nothing. "
          + "If the app is yours, import its products. Otherwise refuse other apps with --bundle-id.")
    }
    if summary.quarantined + summary.stillQuarantined > 0 { throw ExitCode(65) }
  }

  /// The error that ends an import after a request to stop.
  private struct Interrupted: Error {}

  /// Returns a source that throws ``Interrupted`` after a request to stop. The importer records what was read before.
  private static func interruptible(_ source: ImportSource) -> ImportSource {
    ImportSource(name: source.name, refusesEmptiness: source.refusesEmptiness) {
      let piece = try source.next()
      if Interruption.isRequested { throw Interrupted() }
      return piece
    }
  }

  /// Returns the imported apps without a catalogue; nothing, if the ledger has no catalogue at all.
  private func appsWithoutCatalogue(_ ledger: LedgerReader, _ summary: ImportSummary) throws -> [String] {
    guard !summary.apps.isEmpty else { return [] }
    let now = Instant.now
    let known = try reporting { try ledger.catalogueApps(QueryParameters(asOf: now, knownAt: now)) }
    return known.isEmpty ? [] : summary.apps.subtracting(known).sorted()
  }
}

/// Prints the counts of an import.
enum SummaryPrinter {
  /// Prints the counts as JSON or as text.
  /// - Parameter origin: why unsigned payloads count as evidence; `nil` leaves that sentence out.
  static func print(_ summary: ImportSummary, _ format: SummaryFormat, unsignedFrom origin: String? = nil) {
    switch format {
    case .json:
      Terminal.print(
        JSONText.object([
          "payloads": Value(summary.payloads), "recorded": Value(summary.recorded),
          "duplicates": Value(summary.duplicates), "quarantined": Value(summary.quarantined),
          "problems": Value(summary.problems), "still_quarantined": Value(summary.stillQuarantined),
          "without_usable_transaction": Value(summary.withoutUsableTransaction), "unsigned": Value(summary.unsigned),
        ]))
    case .text:
      Terminal.print(Messages.counts(of: summary))
      if summary.problems > 0 { Terminal.print(problems(summary.problemCodes)) }
      guard let origin, summary.unsigned > 0 else { return }
      Terminal.print(
        "\(summary.unsigned) of the recorded payloads \(summary.unsigned == 1 ? "is" : "are") not signed. They count as "
          + "evidence because \(origin). --signed-only refuses such payloads.")
    }
  }

  /// How many codes of problems are named.
  private static let mostCodes = 3

  /// Returns the most frequent codes of problems, and what shows them.
  private static func problems(_ codes: [String: Int]) -> String {
    let all = codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let named = all.prefix(mostCodes).map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    let others = all.dropFirst(mostCodes).reduce(0) { $0 + $1.value }
    return
      "Not used, or doubtful: \(named)\(others > 0 ? " and \(others) more" : ""). The rest of these payloads counts. "
      + "See them with: subledger query \"SELECT code, path, value FROM problem\""
  }
}

/// Prints a note for each quarantined payload during an import, up to a limit.
final class NoticeBoard {
  private let limit: Int
  private var count = 0

  init(limit: Int) { self.limit = limit }

  func post(_ refusal: PayloadError, origin: String, line: Int?) {
    count += 1
    guard count <= limit else { return }
    let location = Printable.text(origin) + (line.map { ":\($0)" } ?? "")
    let byte = refusal.offset.map { ", byte \($0)" } ?? ""
    Terminal.note(
      "\(location): quarantined (\(refusal.reason.rawValue)): \(Printable.text(refusal.detail)), at \(refusal.path)\(byte). "
        + PayloadAdvice.text(refusal.reason, detail: refusal.detail, general: refusal.advice))
  }

  func close() {
    if count > limit { Terminal.note("… and \(count - limit) more. List them with: subledger quarantine") }
  }
}

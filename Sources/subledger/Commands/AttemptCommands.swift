import AppStore
import ArgumentParser
import Ledger

/// `subledger attempts`
struct AttemptsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attempts", abstract: "Purchases that the app began, by its own reports, and what became of them.",
    discussion: """
      Lists what has no end yet, the oldest first, and what support should look at: paid on the device and never \
      verified here, failed by another error than the customer's cancel, bugs of the app. These are a device's claims: \
      nothing here gives or takes access.
      """)

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions
  @Option(help: "Only this customer's, by your own id or an account token.") var customer: String?
  @Flag(help: "Also those that ended well.") var all = false
  @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func run() async throws {
    let ledger = try database.reader()
    var printer = format.printer(csv)
    printer.begin(
      format == .table
        ? ["began_at", "customer", "product_id", "state", "transaction_id", "redelivered", "look_at"]
        : PurchaseAttempt.columns)
    try reporting {
      try ledger.forEachAttempt(of: customer, includesSettled: all, instants.question) { attempt in
        guard format == .table else { return printer.row(attempt.values) }
        let count = attempt.redeliveryCount
        printer.row([
          .instant(attempt.beganAt), .optional(attempt.customer ?? attempt.device.map { "device \($0)" }),
          .text(attempt.productID), .text(Messages.state(of: attempt)), .optional(attempt.transactionID),
          count == 0 ? .null : .text(Messages.count(count, "time")), .optional(Messages.finding(of: attempt)),
        ])
      }
    }
    printer.end()
    if printer.count == 0, format == .table { Terminal.note("Nothing to look at.") }
  }
}

/// `subledger may-purchase`
struct MayPurchaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "may-purchase", abstract: "May this customer start a purchase of this product now? Exit 0 yes, 1 no.",
    discussion: """
      No while an attempt is in flight, or paid and not in the evidence yet, and younger than --attempt-timeout; while one waits for a \
      parent's approval (24 hours); and while the product is theirs already. An attempt whose payment has shown up in \
      evidence is over, whatever the device says.
      """)

  @Argument(help: "The customer: your own id, or an app account token.") var customer: String
  @Argument(help: "The product.") var product: String
  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @Option(
    help: ArgumentHelp(
      "How long an attempt without an end counts: 90s, 10m, 1h, 1d (default: 10m).", valueName: "duration"),
    transform: Self.milliseconds)
  var attemptTimeout: Int64 = 600_000

  @OptionGroup var place: EnvironmentOption

  @Option(help: "text or json.") var format = SummaryFormat.text

  func run() async throws {
    let ledger = try database.reader()
    let clearance = try reporting {
      try ledger.clearance(
        of: customer, toPurchase: product, in: place.environment, attemptTimeout: attemptTimeout, instants.question)
    }
    try reporting { try warnOfUnknownProduct(ledger) }
    let first = clearance.obstacles.first
    switch format {
    case .json:
      Terminal.print(
        JSONText.nested([
          ("may_purchase", clearance.mayPurchase ? "true" : "false"),
          ("reason", JSONText.value(.optional(first?.reason))), ("until", JSONText.value(.optional(first?.until))),
          (
            "obstacles",
            JSONText.array(
              clearance.obstacles.map {
                JSONText.object(
                  ["reason", "since", "until", "transaction_id", "will_renew"],
                  [
                    .text($0.reason), .optional($0.since), .optional($0.until), .optional($0.transactionID),
                    $0.willRenew.map(Value.flag) ?? .null,
                  ])
              })
          ),
        ]))
    case .text:
      Terminal.print(first.map(Self.words) ?? "yes")
    }
    if !clearance.mayPurchase { throw ExitCode(1) }
  }

  /// A slip in a product's id would clear every purchase.
  private func warnOfUnknownProduct(_ ledger: LedgerReader) throws {
    let catalogue = try ledger.productIDs(instants.question)
    guard !catalogue.isEmpty, !catalogue.contains(product) else { return }
    Terminal.note("No catalogue names the product \(Terminal.printable(product)): is the id right?")
  }

  private static func words(_ obstacle: PurchaseClearance.Obstacle) -> String {
    let since = obstacle.since.map { " since \(Messages.instant($0))" } ?? ""
    let reason =
      switch obstacle.reason {
      case "in_flight": "a purchase is in flight\(since)"
      case "paid_unfinished", "paid_not_verified": "a purchase is paid on the device\(since), and not verified here yet"
      case "waiting_for_approval": "a purchase waits for a parent's approval\(since)"
      case "paid_not_theirs":
        "the app reported it paid\(since), by a purchase that is not linked to them ("
          + "\(Messages.text(obstacle.transactionID)))"
      default: "it is theirs already\(since)"
      }
    let unless = obstacle.willRenew == true ? ", unless it renews" : ""
    return "no: \(reason); " + (obstacle.until.map { "yes from \(Messages.instant($0)) on\(unless)" } ?? "without end")
  }

  private static func milliseconds(_ text: String) throws -> Int64 {
    guard let length = DurationText(text), (0...1_000_000).contains(length.count) else {
      throw ValidationError("'\(text)' is no duration: write 90s, 10m, 1h or 1d.")
    }
    return length.count * (length.unit ?? 1000)
  }
}

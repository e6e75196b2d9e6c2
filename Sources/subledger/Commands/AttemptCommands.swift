import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

struct AttemptsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attempts", abstract: "List the purchases that your app began, and how they ended.",
    discussion: """
      The list has the open attempts and those that support should look at, the oldest first. Support should look at a \
      payment that is in no evidence, an error other than the customer's cancel, and a bug of the app. The app reports \
      these attempts. They never change access.
      """)

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions
  @Option(help: "List only this customer's: your own id, or an app account token.", transform: String.argument)
  var customer: String?
  @Flag(help: "List the attempts that ended well too.") var all = false
  @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  func run() throws {
    let ledger = try database.reader()
    var printer = format.printer(csv)
    printer.begin(
      format == .table
        ? ["began_at", "customer", "product_id", "state", "transaction_id", "redelivered", "look_at"]
        : PurchaseAttempt.columns)
    try reporting {
      try ledger.forEachAttempt(of: customer, includesSettled: all, instants.parameters) { attempt in
        guard format == .table else { return printer.row(attempt.values) }
        let count = attempt.redeliveryCount
        printer.row([
          .instant(attempt.beganAt), Value(attempt.customer ?? attempt.device.map { "device \($0)" }),
          .text(attempt.productID), .text(Messages.state(of: attempt)), Value(attempt.transactionID),
          count == 0 ? .null : .text(Messages.count(count, "time")), Value(Messages.finding(of: attempt)),
        ])
      }
    }
    printer.end()
    if printer.count == 0, format == .table { Terminal.note("No attempt needs a look.") }
  }
}

struct MayPurchaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "may-purchase", abstract: "Show whether a customer may start to buy a product. Exit 0 yes, 1 no.",
    discussion: """
      A customer may not in three cases. An attempt younger than --attempt-timeout is in flight, or is paid and not in \
      the evidence yet. An attempt has waited for a parent's approval for less than 24 hours. The customer already has \
      the product.

      When evidence contains an attempt's payment, the attempt is over, even if the device reports otherwise.
      """)

  @Argument(help: "The customer: your own id, or an app account token.", transform: String.argument)
  var customer: String
  @Argument(help: "The product.", transform: String.argument) var product: String
  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  @Option(
    help: ArgumentHelp(
      "How long an open attempt counts: 90s, 10m, 1h, 1d (default: 10m).", valueName: "duration"),
    transform: Self.milliseconds)
  var attemptTimeout: Int64 = 600_000

  @OptionGroup var environmentOption: EnvironmentOption

  @Option(help: "text or json.") var format = SummaryFormat.text

  func run() throws {
    let ledger = try database.reader()
    let clearance = try reporting {
      try ledger.clearance(
        of: customer, toPurchase: product, in: environmentOption.environment, attemptTimeout: attemptTimeout,
        instants.parameters)
    }
    try reporting { try warnOfUnknownProduct(ledger) }
    let first = clearance.obstacles.first
    switch format {
    case .json:
      Terminal.print(JSONText.nested(AnswerJSON.clearance(clearance)))
    case .text:
      Terminal.print(first.map(Self.text) ?? "yes")
    }
    if !clearance.mayPurchase { throw ExitCode(1) }
  }

  /// Prints a note if no catalogue names the product, because a misspelt id would allow every purchase.
  private func warnOfUnknownProduct(_ ledger: LedgerReader) throws {
    let catalogue = try ledger.productIDs(instants.parameters)
    guard !catalogue.isEmpty, !catalogue.contains(product) else { return }
    Terminal.note("No catalogue names the product \(Printable.text(product)). Check the id.")
  }

  private static func text(_ obstacle: PurchaseClearance.Obstacle) -> String {
    let since = obstacle.since.map { " since \(Messages.instant($0))" } ?? ""
    let reason =
      switch obstacle.reason {
      case .inFlight: "a purchase is in flight\(since)"
      case .paidUnfinished, .paidNotVerified: "a purchase is paid on the device\(since), but not in evidence yet"
      case .waitingForApproval: "a purchase waits for a parent's approval\(since)"
      case .paidNotTheirs:
        "the app reported a payment\(since), for a purchase that is not linked to this customer ("
          + "\(Messages.text(obstacle.transactionID)))"
      case .alreadyEntitled: "the customer has the product\(since)"
      }
    let unless = obstacle.willRenew == true ? ", unless it renews" : ""
    return "no: \(reason); " + (obstacle.until.map { "yes from \(Messages.instant($0))\(unless)" } ?? "without end")
  }

  private static func milliseconds(_ text: String) throws -> Int64 {
    guard let length = DurationText(text), (0...1_000_000).contains(length.count) else {
      throw ValidationError("'\(text)' is not a duration. Write a number and s, m, h or d, such as 10m.")
    }
    return length.count * (length.unit ?? 1000)
  }
}

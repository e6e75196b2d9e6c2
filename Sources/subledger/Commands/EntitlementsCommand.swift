import AppStore
import ArgumentParser
import Ledger

/// `subledger entitlements`
struct EntitlementsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entitlements", abstract: "Who has access: one row a subscription line.")

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @Option(help: "Production, Sandbox, Xcode, LocalTesting, Unverified, Unknown, or all.")
  var environment = "Production"

  @Option(
    help: ArgumentHelp(
      "Only lines in this state: active, grace_period, billing_retry, expired, revoked (repeatable).",
      valueName: "state"))
  var state: [Entitlement.State] = []

  @Option(help: "Only lines whose product now is this.")
  var product: String?

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  /// What a table has room for; the other formats have every column.
  private static let tableColumns = [
    "original_transaction_id", "product_id", "state", "has_access", "access_ends_at", "confirmed", "will_renew", "rule",
  ]

  func run() async throws {
    let ledger = try database.reader()
    let environment = environment.lowercased() == "all" ? nil : try Environment.argument(environment).name
    let filter = EntitlementFilter(environment: environment, states: Set(state), productID: product)
    let shown = format == .table ? (environment == nil ? ["environment"] : []) + Self.tableColumns : Entitlement.columns
    let places = shown.compactMap { Entitlement.columns.firstIndex(of: $0) }
    var printer = format.printer(csv)
    printer.begin(shown)
    try reporting {
      try ledger.forEachEntitlement(instants.question, where: filter) { entitlement in
        let values = entitlement.values
        printer.row(places.map { values[$0] })
      }
    }
    printer.end()
    try hint(ledger, environment: environment, count: printer.count)
  }

  private func hint(_ ledger: LedgerReader, environment: String?, count: Int) throws {
    let counts = try reporting { try ledger.originalTransactionCounts() }
    let hidden = counts.filter { $0.key != environment && environment != nil }
    if count == 0, format == .table {
      Terminal.note(counts.isEmpty ? "The ledger holds no lines yet: import something." : "No line matches.")
    }
    guard !hidden.isEmpty else { return }
    let words = hidden.sorted { $0.key < $1.key }.map { "\($0.value) in \(Terminal.printable($0.key))" }
    Terminal.note("Not shown: \(words.joined(separator: ", ")). Ask with --environment all.")
  }
}

extension Entitlement.State: ExpressibleByArgument {}

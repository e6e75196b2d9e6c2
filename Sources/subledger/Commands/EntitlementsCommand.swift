import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

struct EntitlementsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entitlements", abstract: "List who has access, one row per subscription.")

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  @Option(help: "List this environment: Production, Sandbox, Xcode, LocalTesting, Unverified, Unknown, or all.")
  var environment = "Production"

  @Option(
    help: ArgumentHelp(
      "List only this state: active, grace_period, billing_retry, expired or revoked (repeatable).",
      valueName: "state"))
  var state: [Entitlement.State] = []

  @Option(help: "List only subscriptions with this current product.", transform: String.argument)
  var product: String?

  @Option(help: ArgumentHelp("How many rows to list (default: all).", valueName: "count")) var limit: Int?

  @Option(help: "table, json, ndjson or csv.")
  var format = OutputFormat.table
  @OptionGroup var csv: CSVOptions

  /// The columns of a table, which must fit a screen; the other formats have every column.
  private static let tableColumns = [
    "original_transaction_id", "product_id", "state", "has_access", "access_ends_at", "confirmed", "will_renew", "rule",
  ]

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1 on.") }
  }

  func run() throws {
    let ledger = try database.reader()
    let environment = environment.lowercased() == "all" ? nil : try Environment.argument(environment).name
    let filter = EntitlementFilter(environment: environment, states: Set(state), productID: product)
    let shown = format == .table ? (environment == nil ? ["environment"] : []) + Self.tableColumns : Entitlement.columns
    let indices = shown.compactMap { Entitlement.columns.firstIndex(of: $0) }
    var printer = format.printer(csv)
    printer.begin(shown)
    var counts: [Entitlement.State: Int] = [:]
    try reporting {
      try ledger.forEachEntitlement(instants.parameters, where: filter) { entitlement in
        counts[entitlement.state, default: 0] += 1
        if let limit, printer.count >= limit { return }
        let values = entitlement.values
        printer.row(indices.map { values[$0] })
      }
    }
    printer.end()
    let count = counts.values.reduce(0, +)
    if format == .table, count > 0 { Terminal.note(Self.total(counts)) }
    if count > printer.count {
      Terminal.note("\(printer.count) of \(count) are listed. Write a greater --limit for more.")
    }
    try hint(ledger, environment: environment, count: count)
  }

  /// Returns how many subscriptions there are, and how many in each state.
  private static func total(_ counts: [Entitlement.State: Int]) -> String {
    let states = Entitlement.State.allCases.compactMap { state in counts[state].map { "\($0) \(state.rawValue)" } }
    return Messages.count(counts.values.reduce(0, +), "subscription") + ": \(states.joined(separator: ", "))."
  }

  private func hint(_ ledger: LedgerReader, environment: String?, count: Int) throws {
    let counts = try reporting { try ledger.originalTransactionCounts() }
    let hidden = counts.filter { $0.key != environment && environment != nil }
    if count == 0, format == .table {
      Terminal.note(counts.isEmpty ? "The ledger has no purchases yet. Import something." : "No subscription matches.")
    }
    guard !hidden.isEmpty else { return }
    let words = hidden.sorted { $0.key < $1.key }.map { "\($0.value) in \(Printable.text($0.key))" }
    Terminal.note("Not shown: \(words.joined(separator: ", ")). Ask with --environment all.")
  }
}

extension Entitlement.State: ExpressibleByArgument {}

import AppStore
import ArgumentParser
import Ledger

/// `subledger check`
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "May this user use this? One JSON object; exit 0 yes, 1 no, 2 unknown.",
    discussion: """
      The best of the customer's purchases that grant the entitlement decides (rule, original_transaction_id); a grant \
      of your own counts too (basis: grant). Purchases of other environments never count. Exit 2: no evidence, link or \
      grant names the customer, or nothing has an entitlement of this name.
      """)

  @Argument(help: "The customer: your own id, or an app account token.") var customer: String
  @Argument(help: "The entitlement, such as pro.") var entitlement: String
  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @OptionGroup var place: EnvironmentOption

  func run() async throws {
    let ledger = try database.reader()
    let question = instants.question
    let answer = try reporting {
      try ledger.access(of: customer, to: entitlement, in: place.environment, question)
    }
    var access: CustomerAccess?
    if case .decided(let decided) = answer { access = decided }
    Terminal.print(
      JSONText.object(
        [
          "has_access", "state", "access_ends_at", "product_id", "original_transaction_id", "rule", "evidence_at",
          "basis", "confirmed", "is_contradictory", "trust", "added_root",
          "claimants", "customer", "entitlement", "environment",
        ],
        [
          .flag(access?.hasAccess ?? false), .optional(access?.state), .optional(access?.accessEndsAt),
          .optional(access?.productID), .optional(access?.originalTransactionID), .text(Self.rule(answer)),
          .optional(access?.evidenceAt), .optional(access?.basis), access.map { .flag($0.isConfirmed) } ?? .null,
          access.map { .flag($0.isContradictory) } ?? .null, .optional(access?.trust), .optional(access?.addedRoot),
          access.map { .integer(Int64($0.claimantCount)) } ?? .null,
          .text(access?.customer ?? AccountToken.normalized(customer)), .text(entitlement),
          .text(place.environment.name),
        ]))
    switch answer {
    case .decided(let access) where access.hasAccess: return
    case .decided, .nothing:
      try reporting { try hintAtOtherEnvironments(ledger, question) }
      throw ExitCode(1)
    case .unknownCustomer: throw ExitCode(2)
    case .unknownEntitlement:
      Terminal.note("Nothing has an entitlement of this name: see subledger products list.")
      throw ExitCode(2)
    }
  }

  /// Testers' purchases never count here, which they are the last to know.
  private func hintAtOtherEnvironments(_ ledger: LedgerReader, _ question: Question) throws {
    let others = try ledger.accesses(of: customer, question).filter {
      $0.entitlement == entitlement && $0.hasAccess && $0.environment != place.environment.name
    }
    for other in others {
      let name = Terminal.printable(other.environment)
      Terminal.note("In \(name) they have it: ask with --environment \(name).")
    }
  }

  private static func rule(_ answer: AccessAnswer) -> String {
    switch answer {
    case .decided(let access): access.rule
    case .nothing: "nothing"
    case .unknownCustomer: "unknown_customer"
    case .unknownEntitlement: "unknown_entitlement"
    }
  }
}

/// `subledger grant`
struct GrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Give a customer access by your own will.",
    discussion: "A grant is shown as what it is: never as App Store evidence, and in none of the App Store's figures.")

  @Argument(help: "The customer.") var customer: String
  @Argument(help: "The entitlement, such as pro.") var entitlement: String

  @Option(help: ArgumentHelp("Until when: an instant, or forever.", valueName: "instant"))
  var until: String

  @Option(help: ArgumentHelp("From when on (default: now).", valueName: "instant"), transform: Instant.argument)
  var from: Instant?

  @OptionGroup var options: StaffActionOptions
  @OptionGroup var database: DatabaseOption

  func run() async throws {
    let end = until == "forever" ? nil : try Instant.argument(until)
    let now = Instant.now
    let isNamed = try database.recording { ledger in
      try ledger.grant(entitlement, to: customer, from: from ?? now, until: end, options.act(now))
      return try ledger.reader.entitlementNames(Question(asOf: now, knownAt: now)).contains(entitlement)
    }
    let since = from.map { "from \(Messages.instant($0)) " } ?? ""
    let words = since + (end.map { "until \(Messages.instant($0))" } ?? "without end")
    Terminal.print("\(Terminal.printable(customer)) has \(Terminal.printable(entitlement)) \(words), by our own grant.")
    if !isNamed { Terminal.note("No product grants \(Terminal.printable(entitlement)): is the name right?") }
  }
}

/// `subledger revoke`
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take back your own grants of an entitlement; purchases stay as they are.")

  @Argument(help: "The customer.") var customer: String
  @Argument(help: "The entitlement, such as pro.") var entitlement: String
  @OptionGroup var options: StaffActionOptions

  @Option(help: ArgumentHelp("From when on (default: now).", valueName: "instant"), transform: Instant.argument)
  var at: Instant?

  @OptionGroup var database: DatabaseOption

  func run() async throws {
    let now = Instant.now
    let count = try database.recording {
      try $0.revokeGrants(of: entitlement, from: customer, at: at ?? now, options.act(now))
    }
    guard count > 0 else {
      Terminal.complain("\(Terminal.printable(customer)) has no such grant then. Nothing was written.")
      throw ExitCode(1)
    }
    Terminal.print("\(Messages.count(count, "grant")) taken back from \(Terminal.printable(customer)).")
  }
}

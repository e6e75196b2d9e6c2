import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Show whether a customer has an entitlement. Exit 0 yes, 1 no, 2 unknown.",
    discussion: """
      The best of the customer's purchases that grant the entitlement decides: see rule and original_transaction_id. A \
      grant of your own counts too (basis: grant). Purchases of other environments never count.

      Exit code 2 has two causes. No evidence, link or grant names the customer; or no product and no grant has an \
      entitlement of this name.
      """)

  @Argument(help: "The customer: your own id, or an app account token.", transform: String.argument)
  var customer: String
  @Argument(help: "The entitlement, such as pro.", transform: String.argument) var entitlement: String
  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  @OptionGroup var environmentOption: EnvironmentOption
  @Option(help: "json (default), or text for people.") var format = SummaryFormat.json

  func run() throws {
    let ledger = try database.reader()
    let parameters = instants.parameters
    let answer = try reporting {
      try ledger.access(of: customer, to: entitlement, in: environmentOption.environment, parameters)
    }
    Terminal.print(
      format == .text
        ? Messages.check(answer, customer, entitlement)
        : JSONText.nested(AnswerJSON.check(answer, customer, entitlement, in: environmentOption.environment)))
    switch answer {
    case .decided(let access) where access.hasAccess: return
    case .decided, .nothing:
      try reporting { try hintAtOtherEnvironments(ledger, parameters) }
      throw ExitCode(1)
    case .unknownCustomer: throw ExitCode(2)
    case .unknownEntitlement:
      let cause = format == .json ? "No product and no grant has an entitlement of this name. " : ""
      Terminal.note(cause + "See subledger products list.")
      throw ExitCode(2)
    }
  }

  /// Prints a note if the customer has the entitlement in another environment. Testers often miss that.
  private func hintAtOtherEnvironments(_ ledger: LedgerReader, _ parameters: QueryParameters) throws {
    let others = try ledger.accesses(of: customer, parameters).filter {
      $0.entitlement == entitlement && $0.hasAccess && $0.environment != environmentOption.environment.name
    }
    for other in others {
      let name = Printable.text(other.environment)
      Terminal.note("The customer has this entitlement in \(name). Ask with --environment \(name).")
    }
  }
}

struct GrantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Grant a customer an entitlement without a purchase.",
    discussion: "A grant is always shown as a grant. It is never App Store evidence, and no report counts it.")

  @Argument(help: "The customer.", transform: String.argument) var customer: String
  @Argument(help: "The entitlement, such as pro.", transform: String.argument) var entitlement: String

  @Option(help: ArgumentHelp("The end of the grant: an instant, or forever.", valueName: "instant"))
  var until: String?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("How long the grant lasts, such as 30d.", valueName: "duration"),
    transform: DurationText.duration)
  var duration: Duration?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("When it takes effect (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var from: Instant?

  @OptionGroup var options: StaffActionOptions
  @OptionGroup var database: DatabaseOption

  func validate() throws {
    guard (until == nil) != (duration == nil) else {
      throw ValidationError("When does the grant end? Write --for 30d, --until with an instant, or --until forever.")
    }
  }

  func run() throws {
    let now = Instant.commandStart
    let end =
      try duration.map { Instant(milliseconds: (from ?? now).milliseconds + Int64($0 / .milliseconds(1))) }
      ?? until.flatMap { $0 == "forever" ? nil : try Instant.argument($0) }
    let isNamed = try database.recording { ledger in
      try ledger.grant(entitlement, to: customer, from: from ?? now, until: end, options.staffAction(now))
      return try ledger.reader.entitlementNames(QueryParameters(asOf: now, knownAt: now)).contains(entitlement)
    }
    let since = from.map { "from \(Messages.instant($0)) " } ?? ""
    let words = since + (end.map { "until \(Messages.instant($0))" } ?? "without end")
    Terminal.print("\(Printable.text(customer)) has \(Printable.text(entitlement)) \(words), by our own grant.")
    if !isNamed { Terminal.note("No product grants \(Printable.text(entitlement)). Check the name.") }
  }
}

struct RevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke your own grants of an entitlement; purchases do not change.")

  @Argument(help: "The customer.", transform: String.argument) var customer: String
  @Argument(help: "The entitlement, such as pro.", transform: String.argument) var entitlement: String
  @OptionGroup var options: StaffActionOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("When it takes effect (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var at: Instant?

  @OptionGroup var database: DatabaseOption

  func run() throws {
    let now = Instant.now
    let count = try database.recording {
      try $0.revokeGrants(of: entitlement, from: customer, at: at ?? now, options.staffAction(now))
    }
    guard count > 0 else {
      Terminal.complain(
        "No such grant exists at that instant for \(Printable.text(customer)). Nothing was written. "
          + "Look at the grants with subledger show.")
      throw ExitCode(1)
    }
    Terminal.print("\(Messages.count(count, "grant")) of \(Printable.text(customer)) revoked.")
  }
}

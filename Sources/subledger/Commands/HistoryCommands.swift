import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

/// The id that `history` and `why` look up, and the purchases that it names.
struct PurchaseArguments: ParsableArguments {
  @Argument(
    help: "Any id, or its beginning: of a customer, a transaction, a web order line item, an order …",
    transform: String.argument)
  var id: String

  @OptionGroup var database: DatabaseOption
  @OptionGroup var accessLog: AccessLogOptions

  @Option(help: "Show only purchases of this environment (default: every environment with the id, Production first).")
  var environment: String?

  /// The purchases that the id names.
  var purchases: LoggedPurchases {
    LoggedPurchases(id: id, environment: environment, database: database, accessLog: accessLog)
  }
}

extension LedgerReader {
  /// Returns the purchases that a search found, and those of the customers that it found.
  func purchases(of matches: [Match], _ parameters: QueryParameters) throws -> [OriginalTransactionMatch] {
    try matches.flatMap { match in
      switch match {
      case .purchase(let purchase): [purchase]
      case .customer(let customer): try purchases(of: customer, parameters)
      default: [OriginalTransactionMatch]()
      }
    }
  }
}

/// The messages for an id that names no purchase.
enum NotFound {
  /// Says that an id names no purchase, and what is near.
  /// - Returns: the number of texts about people that it printed.
  @discardableResult
  static func complain(_ ledger: LedgerReader, _ id: String, environment: String?, hasOthers: Bool) throws -> Int {
    let inEnvironment = environment.map { " in \(Printable.text($0))" } ?? ""
    if hasOthers {
      let advice = environment == nil ? "Look it up with subledger show." : "Use subledger show without --environment."
      Terminal.complain("\(Printable.text(id)) names no purchase\(inEnvironment). \(advice)")
      return 0
    }
    let mentions = try ledger.customers(mentioning: id, knownAt: .commandStart, limit: 5)
    guard mentions.isEmpty else {
      complain(id, mentions)
      return mentions.count
    }
    Terminal.complain(
      "Nothing\(inEnvironment) has the id \(Printable.text(id)): no customer, purchase, transaction, web order line item, "
        + "token, notification or order. Check the id, or import the data that names it.")
    if isLikeOrder(id) {
      Terminal.note(
        "It looks like an order id from a mail of Apple. Import Apple's answer of Look Up Order ID, with the orderId in its "
          + "wrapper: see subledger import --help.")
    }
    let near = try ledger.nearest(to: id)
    if !near.isEmpty {
      Terminal.note("Nearest ids: " + near.map { Printable.text($0.identifier) }.joined(separator: ", "))
    }
    return 0
  }

  /// Names the customers about whom staff wrote a text.
  private static func complain(_ text: String, _ mentions: [CustomerMention]) {
    Terminal.complain("Nothing has the id \(Printable.text(text)), but staff wrote it:")
    for mention in mentions {
      Terminal.note(
        "  about \(Printable.text(mention.customer)) (\(mention.kind.rawValue)): " + Printable.text(mention.text))
    }
    Terminal.note("See who it is with subledger show \(Printable.text(mentions[0].customer)).")
  }

  /// Whether an id has the form of the order ids in Apple's mails to customers.
  private static func isLikeOrder(_ id: String) -> Bool { id.wholeMatch(of: /[mM][A-Za-z0-9]{8,12}/) != nil }
}

/// The first lines of text that `show`, `history` and `why` share.
enum PurchaseHeading {
  static func print(_ purchase: OriginalTransactionMatch) {
    let id = Printable.text(purchase.identifier)
    let found =
      switch purchase.kind {
      case .originalTransactionID: ""
      case .transactionID: ", which transaction \(id) belongs to"
      default: ", found by \(purchase.kind.rawValue.replacing("_", with: " ")) \(id)"
      }
    Terminal.print(
      Terminal.styled("Purchase \(Printable.text(purchase.originalTransactionID))", .bold)
        + " in \(Printable.text(purchase.environment))\(found)")
    if purchase.environment != Environment.production.name {
      Terminal.print(Terminal.styled("  *** \(Messages.environment(purchase.environment)) ***", .yellow))
    }
  }

  static func printDoubt(_ entitlement: Entitlement) {
    if let doubt = Messages.doubt(entitlement) { Terminal.print("             \(doubt)") }
  }

  static func print(_ instants: InstantOptions) {
    let asOf = instants.asOf.map { Messages.instant($0) } ?? "now"
    let knownAt = instants.knownAt.map { "at " + Messages.instant($0) } ?? "now"
    let evidence =
      switch instants.evidence.minimumTrust {
      case .any: ""
      case .signed: ", by signed evidence alone"
      case .apple: ", by Apple-signed evidence alone"
      }
    Terminal.print("  as of \(asOf), as known \(knownAt)\(evidence)")
  }
}

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show what happened to a purchase, with Apple's instant and ours.")

  @OptionGroup var purchase: PurchaseArguments
  @OptionGroup var instants: InstantOptions

  @Option(help: "text or json (one object per line).")
  var format = SummaryFormat.text

  func run() throws {
    let parameters = instants.parameters
    try purchase.purchases.forEach(("listCustomerHistory", "listPurchaseHistory"), parameters) { ledger, match in
      let events = try ledger.history(of: match, parameters)
      if format == .json {
        for event in events {
          Terminal.print(AnswerJSON.event(event))
        }
        return
      }
      PurchaseHeading.print(match)
      if instants.isParticular { PurchaseHeading.print(instants) }
      PurchaseCard.printTimelineHeading()
      for event in events {
        PurchaseCard.print(event)
      }
      let prefix = "  \(Messages.instant(parameters.asOf))  \(instants.asOf == nil ? "(now)" : "(as of)")".padding(
        to: 46)
      if let entitlement = try ledger.entitlement(of: match, parameters) {
        Terminal.print(prefix + Messages.verdict(entitlement))
      } else {
        for words in try ledger.transactions(of: match, parameters).compactMap(Messages.oneTime) {
          Terminal.print(prefix + "Access: " + words)
        }
      }
    }
  }
}

extension String {
  func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Explain an answer: the rule that decided, and the evidence behind it.")

  @OptionGroup var purchase: PurchaseArguments
  @OptionGroup var instants: InstantOptions

  @Flag(help: "Print the exact text from Apple too.")
  var source = false

  @Option(help: "text or json.")
  var format = SummaryFormat.text

  func run() throws {
    let parameters = instants.parameters
    try purchase.purchases.forEach(("explainCustomer", "explainPurchase"), parameters) { ledger, match in
      guard let entitlement = try ledger.entitlement(of: match, parameters) else {
        if format == .json { return Terminal.print("null") }
        PurchaseHeading.print(match)
        PurchaseHeading.print(instants)
        let others = try ledger.transactions(of: match, parameters)
        let signed = try ledger.signedAnswers(against: others, of: match, parameters)
        for other in others {
          Terminal.print("  Access     \(Messages.oneTime(other) ?? "–")")
          if let words = signed[other.transactionID].flatMap(Messages.oneTime) {
            Terminal.print("  Trust      " + Terminal.styled("\(Messages.againstSigned) \(words)", .yellow))
          }
          Terminal.print(
            "  Rule       bought once on \(Messages.instant(other.purchaseAt)), a \(Messages.text(other.type)) [\(other.transactionID)], \(other.trust.rawValue)"
          )
        }
        if others.isEmpty { Terminal.print("  No transaction had begun at this instant, in the evidence that counts.") }
        return
      }
      let evidence = try ledger.evidence(for: entitlement)
      let signed = try ledger.signedAnswer(against: entitlement, of: match)
      if format == .json { return Terminal.print(AnswerJSON.explanation(entitlement, evidence, signed)) }
      PurchaseHeading.print(match)
      PurchaseHeading.print(instants)
      Terminal.print("  State      \(Terminal.state(entitlement.state)). \(Messages.verdict(entitlement))")
      PurchaseHeading.printDoubt(entitlement)
      Terminal.print("  Rule       \(Terminal.styled(entitlement.rule.rawValue, .bold)). \(Messages.rule(entitlement))")
      let seats = try Messages.seats(
        entitlement, ledger.transactions(of: match, parameters), ledger.history(of: match, parameters))
      if let seats { Terminal.print("  Seats      \(seats)") }
      if let signed { Terminal.print("  Trust      " + Terminal.styled(Messages.againstSigned(signed), .yellow)) }
      Terminal.print("  Evidence   (* decided)")
      for version in evidence { print(version) }
    }
  }

  private func print(_ version: CitedVersion) {
    let mark = version.isDecisive ? "*" : " "
    Terminal.print("  \(mark) \(version.role.rawValue.padding(to: 11))  \(Messages.cited(version))")
    if version.isErased {
      Terminal.print("    \(Messages.erased)")
    }
    if version.isContradictory { Terminal.print("    " + Terminal.styled(Messages.contradiction, .yellow)) }
    Terminal.print(Terminal.styled("    payload \(version.payload.hexadecimal)", .dim))
    if source { Terminal.print("    " + Printable.lines(version.source)) }
  }
}

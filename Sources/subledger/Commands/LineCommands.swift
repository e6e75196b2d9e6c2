import AppStore
import ArgumentParser
import Ledger

/// The id that `show`, `history` and `why` are asked about, and the lines that it means.
struct LineArguments: ParsableArguments {
  @Argument(help: "An original transaction id, or any transaction's id.")
  var id: String

  @OptionGroup var database: DatabaseOption

  @Option(help: "Only lines of this environment (default: all that the id is found in, Production first).")
  var environment: String?

  /// Calls back for each line, with what to print before it where there are several.
  func forEachLine(_ body: (Ledger, LineMatch) throws -> Void) throws {
    let ledger = try database.open(.asking)
    try reporting {
      let wanted = environment.map { Environment(apple: $0).name }
      let lines = try ledger.find(id).filter { wanted == nil || $0.environment == wanted }
      guard !lines.isEmpty else {
        let place = wanted.map { " in \(Terminal.printable($0))" } ?? ""
        Terminal.complain(
          "No line or transaction has the id \(Terminal.printable(id))\(place). Transaction ids and original transaction "
            + "ids are looked up, letter by letter; what was not imported is not here.")
        throw ExitCode(1)
      }
      for (place, line) in lines.enumerated() {
        if place > 0 { Terminal.print() }
        try body(ledger, line)
      }
    }
  }
}

/// The first lines that `show`, `history` and `why` have in common.
enum LineHeading {
  static func print(_ line: LineMatch) {
    let transaction = line.transactionID.map { ", which transaction \(Terminal.printable($0)) belongs to" } ?? ""
    Terminal.print(
      Terminal.styled("Line \(Terminal.printable(line.originalTransactionID))", .bold)
        + " in \(Terminal.printable(line.environment))\(transaction)")
  }

  static func printDoubt(_ entitlement: Entitlement) {
    guard !entitlement.isConfirmed else { return }
    Terminal.print("             Not confirmed: a renewal may have gone unheard; ask Apple before turning anyone away.")
  }

  static func print(_ instants: QuestionOptions) {
    let asOf = instants.asOf.map { Words.instant($0) } ?? "now"
    let knownAt = instants.knownAt.map { "at " + Words.instant($0) } ?? "now"
    Terminal.print("  as of \(asOf), as known \(knownAt)")
  }
}

/// `subledger show`
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One line or transaction: its state, periods, renewal and evidence.")

  @OptionGroup var line: LineArguments
  @OptionGroup var instants: QuestionOptions

  @Option(help: "text or json.")
  var format = SummaryFormat.text

  func run() async throws {
    let question = instants.question
    try line.forEachLine { ledger, match in
      let entitlement = try ledger.entitlement(of: match, question)
      let transactions = try ledger.transactions(of: match, question)
      if format == .json {
        Terminal.print(Self.json(match, entitlement, transactions))
      } else {
        LineHeading.print(match)
        if instants.isPast { LineHeading.print(instants) }
        if let entitlement {
          Self.printState(entitlement)
        } else if !transactions.contains(where: { $0.expiresAt == nil }) {
          Terminal.print("  No subscription of this line had begun.")
        }
        Self.printTransactions(transactions)
      }
    }
  }

  private static func printState(_ entitlement: Entitlement) {
    Terminal.print("  State      \(Words.state(entitlement.state)). \(Words.verdict(entitlement))")
    LineHeading.printDoubt(entitlement)
    let app = entitlement.bundleID.map { " of \(Terminal.printable($0))" } ?? ""
    Terminal.print("  Product    \(Words.text(entitlement.productID))\(app)")
    if entitlement.inAppOwnershipType == "FAMILY_SHARED" { Terminal.print("             shared by a family member") }
    switch entitlement.willRenew {
    case true?: Terminal.print("  Renewal    on, to \(Words.text(entitlement.nextProductID ?? entitlement.productID))")
    case false?: Terminal.print("  Renewal    off")
    case nil: Terminal.print("  Renewal    not stated")
    }
    Terminal.print(
      "  Evidence   latest of \(Words.instant(entitlement.evidenceAt)), \(entitlement.trust ?? "unknown trust")")
  }

  private static func printTransactions(_ transactions: [TransactionSummary]) {
    guard !transactions.isEmpty else { return }
    Terminal.print("  Periods    (latest first)")
    for transaction in transactions {
      var words = [Words.instant(transaction.purchaseAt)]
      if let end = transaction.expiresAt { words.append("to \(Words.instant(end))") }
      words.append(Words.text(transaction.productID))
      if transaction.isTrialPeriod { words.append("free trial") }
      if transaction.inAppOwnershipType == "FAMILY_SHARED" { words.append("family") }
      if let price = transaction.priceMilliunits { words.append(Words.amount(price, transaction.currency)) }
      if transaction.isUpgraded {
        words.append("upgraded")
      } else if let revoked = transaction.revokedAt {
        words.append(Terminal.styled("revoked \(Words.instant(revoked))", .red))
      }
      if let state = transaction.oneTimeState { words.append("one-time purchase: \(state)") }
      Terminal.print("    " + words.joined(separator: "  ") + "  [\(Terminal.printable(transaction.transactionID))]")
    }
  }

  private static func json(
    _ match: LineMatch, _ entitlement: Entitlement?, _ transactions: [TransactionSummary]
  ) -> String {
    let periods = transactions.map { transaction in
      JSONText.object(
        [
          "transaction_id", "product_id", "type", "purchase_at", "expires_at", "revoked_at", "is_upgraded",
          "is_trial_period", "in_app_ownership_type", "price_milliunits", "currency", "one_time_state",
        ],
        [
          .text(transaction.transactionID), .optional(transaction.productID), .optional(transaction.type),
          .instant(transaction.purchaseAt), .optional(transaction.expiresAt), .optional(transaction.revokedAt),
          .flag(transaction.isUpgraded), .flag(transaction.isTrialPeriod), .optional(transaction.inAppOwnershipType),
          transaction.priceMilliunits.map(Value.integer) ?? .null, .optional(transaction.currency),
          .optional(transaction.oneTimeState),
        ])
    }
    let state = entitlement.map { JSONText.object(Entitlement.columns, $0.values) } ?? "null"
    return "{\"environment\": \(JSONText.string(match.environment)), "
      + "\"original_transaction_id\": \(JSONText.string(match.originalTransactionID)), "
      + "\"entitlement\": \(state), \"transactions\": [\(periods.joined(separator: ", "))]}"
  }
}

extension Value {
  static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
  static func optional(_ instant: Instant?) -> Value { instant.map(Value.instant) ?? .null }
}

/// `subledger history`
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "A line's life in plain words, with Apple's instant and ours.")

  @OptionGroup var line: LineArguments
  @OptionGroup var instants: QuestionOptions

  @Option(help: "text or json (one object a line).")
  var format = SummaryFormat.text

  func run() async throws {
    let question = instants.question
    try line.forEachLine { ledger, match in
      let events = try ledger.history(of: match, question)
      if format == .json {
        for event in events {
          Terminal.print(
            JSONText.object(
              [
                "happened_at", "recorded_at", "event", "transaction_id", "product_id", "detail", "more", "instant",
                "payload", "words",
              ],
              [
                .instant(event.happenedAt), .instant(event.recordedAt), .text(event.event),
                .optional(event.transactionID), .optional(event.productID), .optional(event.detail),
                .optional(event.more), .optional(event.instant), .text(event.payload.hexadecimal),
                .text(Words.event(event)),
              ]))
        }
        return
      }
      LineHeading.print(match)
      if instants.isPast { LineHeading.print(instants) }
      Terminal.print(Terminal.styled("  Apple's instant       recorded              what happened", .dim))
      for event in events {
        Terminal.print(
          "  \(Words.instant(event.happenedAt))  \(Words.instant(event.recordedAt))  \(Words.event(event))")
      }
      if let entitlement = try ledger.entitlement(of: match, question) {
        let place = "  \(Words.instant(question.asOf))  \(instants.asOf == nil ? "(now)" : "(as asked)")"
        Terminal.print(place.padding(to: 46) + Words.verdict(entitlement))
      }
    }
  }
}

extension String {
  func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// `subledger why`
struct WhyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "The rule that decided, and the versions and payloads behind it.")

  @OptionGroup var line: LineArguments
  @OptionGroup var instants: QuestionOptions

  @Flag(help: "Show Apple's words too, exactly.")
  var source = false

  @Option(help: "text or json.")
  var format = SummaryFormat.text

  func run() async throws {
    let question = instants.question
    try line.forEachLine { ledger, match in
      guard let entitlement = try ledger.entitlement(of: match, question) else {
        if format == .json { return Terminal.print("null") }
        LineHeading.print(match)
        LineHeading.print(instants)
        let others = try ledger.transactions(of: match, question).count
        return Terminal.print(
          others > 0
            ? "  This is no subscription: \(others == 1 ? "a one-time purchase" : "one-time purchases"). Ask show."
            : "  No subscription of this line had begun, as far as was known.")
      }
      let evidence = try ledger.evidence(for: entitlement)
      if format == .json { return Terminal.print(Self.json(entitlement, evidence)) }
      LineHeading.print(match)
      LineHeading.print(instants)
      Terminal.print("  State      \(Words.state(entitlement.state)). \(Words.verdict(entitlement))")
      LineHeading.printDoubt(entitlement)
      Terminal.print("  Rule       \(Terminal.styled(entitlement.rule, .bold)). \(Words.rule(entitlement))")
      Terminal.print("  Evidence   (* decided)")
      for version in evidence { print(version) }
    }
  }

  private func print(_ version: CitedVersion) {
    let mark = version.isDecisive ? "*" : " "
    let place = Terminal.printable(version.origin) + (version.originLine.map { ":\($0)" } ?? "")
    Terminal.print(
      "  \(mark) \(version.role.padding(to: 11))  said \(Words.instant(version.evidenceAt)), recorded "
        + "\(Words.instant(version.recordedAt)), \(version.trust), \(version.kind) from \(place)")
    Terminal.print(Terminal.styled("    payload \(version.payload.hexadecimal)", .dim))
    if source { Terminal.print("    " + Terminal.printable(version.source)) }
  }

  private static func json(_ entitlement: Entitlement, _ evidence: [CitedVersion]) -> String {
    let versions = evidence.map { version in
      JSONText.object(
        [
          "role", "is_decisive", "evidence_at", "recorded_at", "trust", "kind", "origin", "origin_line", "payload",
          "source",
        ],
        [
          .text(version.role), .flag(version.isDecisive), .instant(version.evidenceAt), .instant(version.recordedAt),
          .text(version.trust), .text(version.kind), .text(version.origin),
          version.originLine.map { .integer(Int64($0)) } ?? .null, .text(version.payload.hexadecimal),
          .text(version.source),
        ])
    }
    return "{\"entitlement\": \(JSONText.object(Entitlement.columns, entitlement.values)), "
      + "\"explanation\": \(JSONText.string(Words.rule(entitlement))), "
      + "\"evidence\": [\(versions.joined(separator: ", "))]}"
  }
}

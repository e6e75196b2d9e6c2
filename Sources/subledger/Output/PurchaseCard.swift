import AppStore
import Ledger

/// The card of one purchase, with everything that support needs.
struct PurchaseCard {
  let match: OriginalTransactionMatch
  let question: Question
  let entitlement: Entitlement?
  let transactions: [TransactionSummary]
  let events: [HistoryEvent]
  let requests: [RefundRequest]
  let claims: [CustomerClaim]
  let reporters: [String]
  let contradictions: [(payload: ContentDigest, UnreadMention.Reason)]
  let unread: UnreadList
  /// The answer of signed evidence alone, if unsigned evidence decided against it.
  let signed: Entitlement?
  /// The answers of signed evidence alone for one-time purchases, by transaction id.
  let signedTransactions: [String: TransactionSummary]
  /// Whether the latest evidence has no date from Apple.
  let isNewestInferred: Bool
  let names: [String: String]

  /// The number of periods and events on a card; `history` shows all.
  private static let limit = 10

  init(_ match: OriginalTransactionMatch, _ ledger: LedgerReader, _ question: Question, names: [String: String]) throws
  {
    (self.match, self.question, self.names) = (match, question, names)
    let entitlement = try ledger.entitlement(of: match, question)
    self.entitlement = entitlement
    signed = try entitlement.flatMap { try ledger.signedAnswer(against: $0, of: match) }
    transactions = try ledger.transactions(of: match, question)
    signedTransactions = try ledger.signedAnswers(against: transactions, of: match, question)
    events = try ledger.history(of: match, question)
    requests = try ledger.refundRequests(of: match, question)
    claims = try ledger.claims(on: match, question)
    reporters = try ledger.reporters(of: match, question)
    contradictions = try ledger.contradictions(of: match, knownAt: question.knownAt)
    unread = UnreadList(try ledger.unreadMentions(of: match.originalTransactionID, knownAt: question.knownAt))
    // Signed evidence always has a date, so only unsigned evidence is read.
    let cited = try entitlement.map { $0.trust == "unsigned" ? try ledger.evidence(for: $0) : [] } ?? []
    let newest = cited.filter { $0.evidenceAt == entitlement?.evidenceAt }
    isNewestInferred = !newest.isEmpty && newest.allSatisfy(\.isInferred)
  }

  /// Prints the whole card.
  func print() {
    printSummary()
    printClaims()
    printTransactions()
    printTimeline()
    unread.printSection()
  }

  /// Prints the part that a customer's card shows for each of several purchases.
  func printSummary() {
    if let entitlement {
      printState(entitlement)
    } else if transactions.contains(where: { $0.expiresAt == nil }) {
      printOneTime()
    } else {
      Terminal.print("  Access     no. No transaction had begun.")
    }
    for (place, contradiction) in contradictions.enumerated() {
      if place == 0 || contradictions[place - 1].payload != contradiction.payload {
        Terminal.print(
          "  Doubt      " + Terminal.styled(Messages.contradiction, .yellow)
            + " [\(contradiction.payload.hexadecimal.prefix(12))]")
      }
      Terminal.print("             \(Terminal.printable(contradiction.1.path)): \(Messages.problem(contradiction.1))")
    }
    for (place, refund) in transactions.compactMap(Messages.refund).enumerated() {
      Terminal.print((place == 0 ? "  Refunds    " : "             ") + refund)
    }
    for (place, request) in requests.enumerated() {
      Terminal.print((place == 0 ? "  Requests   " : "             ") + Messages.request(request, asOf: question.asOf))
    }
  }

  private func product(_ id: String?) -> String {
    guard let id, let name = names[id] else { return Messages.text(id) }
    return "\(Terminal.printable(name)) (\(Terminal.printable(id)))"
  }

  private func printState(_ entitlement: Entitlement) {
    let answer = entitlement.hasAccess ? "yes" : "NO"
    Terminal.print("  Access     \(answer), \(Messages.state(entitlement.state)). \(Messages.verdict(entitlement))")
    PurchaseHeading.printDoubt(entitlement)
    Terminal.print("  Rule       \(entitlement.rule). \(Messages.rule(entitlement))")
    let app = entitlement.bundleID.map { " of \(Terminal.printable($0))" } ?? ""
    Terminal.print("  Product    \(product(entitlement.productID))\(app)")
    switch entitlement.inAppOwnershipType {
    case "FAMILY_SHARED": Terminal.print("             shared by a family member, who paid")
    case "ASSIGNED": Terminal.print("             a seat assigned by an organisation, which paid")
    default: break
    }
    Terminal.print("  Next       \(Messages.next(entitlement))")
    let age = entitlement.evidenceAt.map { at in
      at > question.asOf ? "after the as-of instant" : "\(Messages.age(at, question.asOf)) before"
    }
    let newest =
      isNewestInferred
      ? Messages.undated(entitlement.evidenceAt)
      : "\(Messages.instant(entitlement.evidenceAt)), \(age ?? "of unknown age")"
    Terminal.print(
      "  Evidence   latest evidence \(newest); " + Messages.trust(entitlement.trust, entitlement.addedRoot))
    if let signed { Terminal.print("             " + Terminal.styled(Messages.againstSigned(signed), .yellow)) }
  }

  private func printOneTime() {
    for transaction in transactions {
      guard let words = Messages.oneTime(transaction) else { continue }
      Terminal.print("  Access     \(words)")
      if let other = signedTransactions[transaction.transactionID], let words = Messages.oneTime(other) {
        Terminal.print("             " + Terminal.styled("\(Messages.againstSigned) \(words)", .yellow))
      }
      Terminal.print("  Product    \(product(transaction.productID))")
    }
  }

  private func printClaims() {
    for (place, claim) in claims.enumerated() {
      Terminal.print(
        (place == 0 ? "  Customer   " : "             ")
          + "\(Terminal.printable(claim.customer)), \(Messages.claim(claim))")
    }
    if claims.count > 1 {
      Terminal.print(
        Terminal.styled("             \(claims.count) customers claim this purchase. Decide whose it is.", .yellow))
    }
    if claims.isEmpty { Terminal.print("  Customer   none known. Link one with subledger customers link.") }
    for reporter in reporters where !claims.contains(where: { $0.customer == reporter || $0.identifier == reporter }) {
      Terminal.print("  App        reports \(Terminal.printable(reporter)) as the buyer, who is not linked to it")
    }
  }

  private func printTransactions() {
    guard !transactions.isEmpty else { return }
    Terminal.print("  Periods    (latest first)")
    for transaction in transactions.prefix(Self.limit) {
      var words = [Messages.instant(transaction.purchaseAt)]
      if let end = transaction.expiresAt { words.append("to \(Messages.instant(end))") }
      words.append(Messages.text(transaction.productID))
      if transaction.isTrialPeriod { words.append("free trial") }
      if transaction.inAppOwnershipType == "FAMILY_SHARED" { words.append("family") }
      if let price = transaction.priceMilliunits { words.append(Messages.amount(price, transaction.currency)) }
      if transaction.isUpgraded {
        words.append("upgraded")
      } else if let revoked = transaction.revokedAt {
        words.append(Terminal.styled("revoked \(Messages.instant(revoked))", .red))
      }
      if let state = transaction.oneTimeState { words.append("one-time purchase: \(state.rawValue)") }
      Terminal.print("    " + words.joined(separator: "  ") + "  [\(Terminal.printable(transaction.transactionID))]")
    }
    if transactions.count > Self.limit { Terminal.print("    … and \(transactions.count - Self.limit) before") }
  }

  private func printTimeline() {
    guard !events.isEmpty else { return }
    let shown = events.suffix(Self.limit)
    Terminal.print(
      "  Timeline   "
        + (shown.count < events.count
          ? "(the last \(shown.count) of \(events.count); all: subledger history \(Terminal.printable(match.originalTransactionID)))"
          : "(payloads in brackets: subledger show PAYLOAD)"))
    Self.printTimelineHeading()
    for event in shown { Self.print(event) }
  }

  static func printTimelineHeading() {
    Terminal.print(Terminal.styled("  Apple's instant       recorded              what happened [payload]", .dim))
  }

  /// Prints one event: Apple's instant, our recorded instant, what happened, and the payload that states it.
  static func print(_ event: HistoryEvent) {
    let happened = event.isInferred ? "undated".padding(to: 20) : Messages.instant(event.happenedAt)
    let bound = event.isInferred && event.happenedAt.milliseconds > 0 ? " (\(Messages.undated(event.happenedAt)))" : ""
    Terminal.print(
      "  \(happened)  \(Messages.instant(event.recordedAt))  \(Messages.event(event))\(bound) "
        + "[\(event.payload.hexadecimal.prefix(12))]")
  }

  // MARK: - JSON

  /// The card as a JSON object.
  var json: String {
    JSONText.nested([
      ("kind", "\"line\""), ("environment", JSONText.string(match.environment)),
      ("original_transaction_id", JSONText.string(match.originalTransactionID)),
      ("found_by", JSONText.object(["kind", "identifier"], [.text(match.kind), .text(match.identifier)])),
      ("entitlement", entitlement.map { JSONText.object(Entitlement.columns, $0.values) } ?? "null"),
      ("against_signed", signed.map { JSONText.object(Entitlement.columns, $0.values) } ?? "null"),
      ("explanation", entitlement.map { JSONText.string(Messages.verdict($0)) } ?? "null"),
      ("transactions", JSONText.array(transactions.map(Self.json))),
      (
        "refund_requests",
        JSONText.array(
          requests.map {
            JSONText.object(
              ["requested_at", "recorded_at", "reason", "transaction_id", "outcome", "answered_at"],
              [
                .instant($0.requestedAt), .instant($0.recordedAt), .optional($0.reason), .optional($0.transactionID),
                .optional($0.outcome), .optional($0.answeredAt),
              ])
          })
      ),
      ("customers", JSONText.array(claims.map(CustomerCard.json))),
      ("reported_by", JSONText.array(reporters.map(JSONText.string))),
      (
        "contradictions",
        JSONText.array(
          contradictions.map {
            JSONText.object(
              ["payload", "path", "values"],
              [.text($0.payload.hexadecimal), .text($0.1.path), .text($0.1.detail)])
          })
      ),
      ("unread", unread.json),
    ])
  }

  private static func json(_ transaction: TransactionSummary) -> String {
    JSONText.object(
      [
        "transaction_id", "web_order_line_item_id", "product_id", "type", "purchase_at", "expires_at", "revoked_at",
        "revocation_type", "revocation_reason", "is_upgraded", "is_trial_period", "in_app_ownership_type",
        "price_milliunits", "refunded_milliunits", "currency", "one_time_state", "one_time_end", "trust",
      ],
      [
        .text(transaction.transactionID), .optional(transaction.webOrderLineItemID), .optional(transaction.productID),
        .optional(transaction.type), .instant(transaction.purchaseAt), .optional(transaction.expiresAt),
        .optional(transaction.revokedAt), .optional(transaction.revocationType),
        .optional(transaction.revocationReason), .flag(transaction.isUpgraded), .flag(transaction.isTrialPeriod),
        .optional(transaction.inAppOwnershipType), .optional(transaction.priceMilliunits),
        .optional(transaction.refundedMilliunits), .optional(transaction.currency),
        .optional(transaction.oneTimeState?.rawValue), .optional(transaction.oneTimeEnd), .text(transaction.trust),
      ])
  }
}

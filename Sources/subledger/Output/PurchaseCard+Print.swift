import AppStore
import Ledger
import LedgerPresentation

extension PurchaseCard {
  /// The number of periods and events on a card; `history` shows all.
  private static let shownLimit = 10

  /// Prints the whole card; as a part of a customer's card, without who read it.
  func print(isPart: Bool = false) {
    printSummary()
    printClaims()
    if !isPart { Terminal.list("Read by", Messages.reads(reads, of: match.originalTransactionID)) }
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
    for (index, contradiction) in contradictions.enumerated() {
      if index == 0 || contradictions[index - 1].payload != contradiction.payload {
        Terminal.print(
          "  Doubt      " + Terminal.styled(Messages.contradiction, .yellow)
            + " [\(contradiction.payload.hexadecimal.prefix(12))]")
      }
      Terminal.print("             \(Printable.text(contradiction.1.path)): \(Messages.problem(contradiction.1))")
    }
    for (index, refund) in transactions.compactMap(Messages.refund).enumerated() {
      Terminal.print((index == 0 ? "  Refunds    " : "             ") + refund)
    }
    for (index, request) in requests.enumerated() {
      Terminal.print(
        (index == 0 ? "  Requests   " : "             ") + Messages.request(request, asOf: parameters.asOf))
    }
  }

  private func printState(_ entitlement: Entitlement) {
    let answer = entitlement.hasAccess ? "yes" : "NO"
    Terminal.print("  Access     \(answer), \(Terminal.state(entitlement.state)). \(Messages.verdict(entitlement))")
    PurchaseHeading.printDoubt(entitlement)
    Terminal.print("  Rule       \(entitlement.rule.rawValue). \(Messages.rule(entitlement))")
    let app = entitlement.bundleID.map { " of \(Printable.text($0))" } ?? ""
    Terminal.print("  Product    \(product(entitlement.productID))\(app)")
    switch entitlement.inAppOwnershipType {
    case "FAMILY_SHARED": Terminal.print("             shared by a family member, who paid")
    case "ASSIGNED": Terminal.print("             a seat assigned by an organisation, which paid")
    default: break
    }
    if let seats = Messages.seats(entitlement, transactions, events) { Terminal.print("  Seats      \(seats)") }
    Terminal.print("  Next       \(Messages.next(entitlement))")
    // The sentence is about the present.
    if parameters.asOf == .commandStart, let reply = Messages.reply(entitlement) {
      Terminal.print("  Reply      \(reply)")
    }
    let age = entitlement.evidenceAt.map { at in
      at > parameters.asOf ? "after the as-of instant" : "\(Messages.age(at, parameters.asOf)) before"
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
    for (index, claim) in claims.enumerated() {
      Terminal.print(
        (index == 0 ? "  Customer   " : "             ")
          + "\(Printable.text(claim.customer)), \(Messages.claim(claim))")
    }
    if claims.count > 1 {
      Terminal.print(
        Terminal.styled("             \(Messages.claimants(claims.count))", .yellow))
    }
    for (index, claim) in seatClaims.enumerated() {
      if index == 0 { Terminal.print("  Claims     \(Messages.claimedSeats(claim.openClaimCount, of: claim.seats))") }
      Terminal.print("             \(Messages.claim(claim))")
    }
    if claims.isEmpty { Terminal.print("  Customer   none known. Link one with subledger customers link.") }
    for reporter in unlinkedReporters {
      Terminal.print("  App        reports \(Printable.text(reporter)) as the buyer, who is not linked to it")
    }
  }

  private func printTransactions() {
    guard !transactions.isEmpty else { return }
    Terminal.print("  Periods    (latest first)")
    for transaction in transactions.prefix(Self.shownLimit) {
      var words = [Messages.instant(transaction.purchaseAt)]
      if let end = transaction.expiresAt { words.append("to \(Messages.instant(end))") }
      words.append(Messages.text(transaction.productID))
      if transaction.isTrialPeriod { words.append("free trial") }
      if transaction.inAppOwnershipType == "FAMILY_SHARED" { words.append("family") }
      if let seats = transaction.quantity, seats > 1, transaction.expiresAt != nil { words.append("\(seats) seats") }
      if let price = transaction.price { words.append(Messages.amount(price, transaction.currency)) }
      if transaction.isUpgraded {
        words.append("upgraded")
      } else if let revoked = transaction.revokedAt {
        words.append(Terminal.styled("revoked \(Messages.instant(revoked))", .red))
      }
      if let state = transaction.oneTimeState { words.append("one-time purchase: \(state.rawValue)") }
      Terminal.print("    " + words.joined(separator: "  ") + "  [\(Printable.text(transaction.transactionID))]")
    }
    if transactions.count > Self.shownLimit {
      Terminal.print("    … and \(transactions.count - Self.shownLimit) before")
    }
  }

  private func printTimeline() {
    guard !events.isEmpty else { return }
    let shown = events.suffix(Self.shownLimit)
    Terminal.print(
      "  Timeline   "
        + (shown.count < events.count
          ? "(the last \(shown.count) of \(events.count); all: subledger history \(Printable.text(match.originalTransactionID)))"
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
}

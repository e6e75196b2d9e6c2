import AppStore
import Ledger
import LedgerPresentation

extension CustomerCard {
  /// Prints the card of the customer as text.
  func print() {
    Terminal.print(Terminal.styled("Customer \(Printable.text(record.customer))", .bold))
    for access in record.accesses {
      let environmentWarning =
        access.environment == "Production" ? "" : "  *** \(Printable.text(access.environment.uppercased())) ***"
      Terminal.print("  Access     \(Messages.access(access))\(environmentWarning)")
    }
    let hasPurchases = purchases.contains { $0.entitlement != nil || !$0.transactions.isEmpty }
    if record.accesses.isEmpty, hasPurchases {
      Terminal.print("  Access     no named entitlement. See what grants one with subledger products list.")
    }
    list("Grants", record.grants.map(Messages.grant))
    list("Seats", seatClaims.map(Messages.seat))
    list("Notes", record.notes.map(Self.text))
    list("Links", record.entries.map { "\(Messages.instant($0.enteredAt))  \(Messages.entry($0))" })
    list("Attempts", attempts.map(Self.text))
    list("Read by", Messages.reads(reads, of: record.customer))
    if purchases.isEmpty { Terminal.print("  Purchases  none known.") }
    for purchase in purchases {
      Terminal.print()
      PurchaseHeading.print(purchase.match)
      if purchases.count == 1 { purchase.print(isPart: true) } else { purchase.printSummary() }
      if purchases.count > 1, purchase.claims.count > 1 {
        let others = purchase.claims.map(\.customer).filter { $0 != record.customer }.map(Printable.text)
        Terminal.print(Terminal.styled("  Customer   also claimed by \(others.joined(separator: ", "))", .yellow))
      }
    }
    if !others.isEmpty {
      Terminal.print("\n\(Messages.count(others.count, "more purchase")):")
      PurchaseSummary.print(others)
    }
    if purchases.count > 1 { Terminal.print("\nSee the periods and timeline of a purchase with: subledger show ID") }
  }

  private func list(_ title: String, _ rows: [String]) { Terminal.list(title, rows) }

  private static func text(_ note: CustomerNote) -> String {
    "\(Messages.instant(note.enteredAt))  \(Printable.text(note.author)): \(Printable.text(note.text))"
  }

  private static func text(_ attempt: PurchaseAttempt) -> String {
    let finding = Messages.finding(of: attempt).map { "; \($0)" } ?? ""
    return
      "\(Messages.instant(attempt.beganAt))  \(Printable.text(attempt.productID)): \(Messages.state(of: attempt))"
      + Printable.text(finding)
  }
}

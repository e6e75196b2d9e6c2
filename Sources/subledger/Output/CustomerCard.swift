import AppStore
import Ledger

/// The card of one customer, with everything that support needs.
struct CustomerCard {
  let record: CustomerRecord
  let lines: [PurchaseCard]
  /// The purchases after the first twenty, in short form.
  let others: [PurchaseSummary]
  let attempts: [PurchaseAttempt]
  let question: Question

  /// The number of purchases with a full card. A card needs several queries, and a test account can have thousands.
  private static let limit = 20

  init(_ customer: String, _ ledger: LedgerReader, _ question: Question, environment: String?) throws {
    self.question = question
    record = try ledger.record(of: customer, question)
    let names = try ledger.productNames()
    let matches = record.claims.map(\.line).filter { environment == nil || $0.environment == environment }
    lines = try matches.prefix(Self.limit).map { try PurchaseCard($0, ledger, question, names: names) }
    others = try matches.dropFirst(Self.limit).map { try PurchaseSummary($0, ledger, question) }
    attempts = try ledger.attempts(of: customer, question).filter {
      $0.isOpen || $0.finding != nil || !$0.isTheirs
    }
  }

  func print() {
    Terminal.print(Terminal.styled("Customer \(Terminal.printable(record.customer))", .bold))
    for access in record.accesses {
      let place =
        access.environment == "Production" ? "" : "  *** \(Terminal.printable(access.environment.uppercased())) ***"
      Terminal.print("  Access     \(Messages.access(access))\(place)")
    }
    let hasPurchases = lines.contains { $0.entitlement != nil || !$0.transactions.isEmpty }
    if record.accesses.isEmpty, hasPurchases {
      Terminal.print("  Access     no named entitlement. See what grants one with subledger products list.")
    }
    list("Grants", record.grants.map(Messages.grant))
    list("Notes", record.notes.map(Self.words))
    list("Links", record.entries.map(Messages.entry))
    list("Attempts", attempts.map(Self.words))
    if lines.isEmpty { Terminal.print("  Purchases  none known.") }
    for line in lines {
      Terminal.print()
      PurchaseHeading.print(line.match)
      if lines.count == 1 { line.print() } else { line.printSummary() }
      if lines.count > 1, line.claims.count > 1 {
        let others = line.claims.map(\.customer).filter { $0 != record.customer }.map(Terminal.printable)
        Terminal.print(Terminal.styled("  Customer   also claimed by \(others.joined(separator: ", "))", .yellow))
      }
    }
    if !others.isEmpty {
      Terminal.print("\n\(Messages.count(others.count, "more purchase")):")
      PurchaseSummary.print(others)
    }
    if lines.count > 1 { Terminal.print("\nSee the periods and timeline of a purchase with: subledger show ID") }
  }

  private func list(_ title: String, _ rows: [String]) {
    for (place, row) in rows.enumerated() {
      Terminal.print("  " + (place == 0 ? title : "").padding(to: 11) + row)
    }
  }

  private static func words(_ note: CustomerNote) -> String {
    "\(Messages.instant(note.recordedAt))  \(Terminal.printable(note.author)): \(Terminal.printable(note.text))"
  }

  private static func words(_ attempt: PurchaseAttempt) -> String {
    let finding = Messages.finding(of: attempt).map { "; \($0)" } ?? ""
    return
      "\(Messages.instant(attempt.beganAt))  \(Terminal.printable(attempt.productID)): \(Messages.state(of: attempt))"
      + Terminal.printable(finding)
  }

  // MARK: - JSON

  /// The card as a JSON object.
  var json: String {
    JSONText.nested([
      ("kind", "\"customer\""), ("customer", JSONText.string(record.customer)),
      ("accesses", JSONText.array(record.accesses.map(Self.json))),
      (
        "grants",
        JSONText.array(
          record.grants.map {
            JSONText.object(
              ["entitlement", "state", "begins_at", "access_ends_at", "reason", "author"],
              [
                .text($0.entitlement), .text($0.state.rawValue), .instant($0.beginsAt), .optional($0.accessEndsAt),
                .text($0.reason), .text($0.author),
              ])
          })
      ),
      (
        "notes",
        JSONText.array(
          record.notes.map {
            JSONText.object(
              ["text", "author", "recorded_at"], [.text($0.text), .text($0.author), .instant($0.recordedAt)])
          })
      ),
      (
        "links",
        JSONText.array(
          record.entries.map {
            JSONText.object(
              ["action", "identifier", "effective_at", "other_customer", "reason", "author", "recorded_at"],
              [
                .text($0.action), .text($0.identifier), .optional($0.effectiveAt), .optional($0.otherCustomer),
                .text($0.reason), .text($0.author), .instant($0.recordedAt),
              ])
          })
      ),
      ("attempts", JSONText.array(attempts.map { JSONText.object(PurchaseAttempt.columns, $0.values) })),
      ("lines", JSONText.array(lines.map(\.json))),
      ("more_lines", JSONText.array(others.map { JSONText.object(PurchaseSummary.columns, $0.values) })),
    ])
  }

  private static func json(_ access: CustomerAccess) -> String {
    JSONText.object(
      [
        "entitlement", "environment", "has_access", "state", "access_ends_at", "product_id",
        "original_transaction_id", "basis", "rule", "confirmed", "is_contradictory", "trust",
        "added_root", "claimants",
      ],
      [
        .text(access.entitlement), .text(access.environment), .flag(access.hasAccess), .text(access.state.rawValue),
        .optional(access.accessEndsAt), .optional(access.productID), .optional(access.originalTransactionID),
        .text(access.basis), .text(access.rule), .flag(access.isConfirmed), .flag(access.isContradictory),
        .optional(access.trust), .optional(access.addedRoot), .integer(Int64(access.claimantCount)),
      ])
  }

  /// Returns a customer's claim on a purchase as a JSON object.
  static func json(_ claim: CustomerClaim) -> String {
    JSONText.object(
      ["customer", "basis", "identifier", "reason", "author"],
      [
        .text(claim.customer), .text(claim.basis), .text(claim.identifier), .optional(claim.reason),
        .optional(claim.author),
      ])
  }
}

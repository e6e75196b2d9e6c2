import AppStore
import Ledger

/// The card of one customer, with everything that support needs.
package struct CustomerCard {
  package let record: CustomerRecord
  package let purchases: [PurchaseCard]
  /// The purchases after the first twenty, in short form.
  package let others: [PurchaseSummary]
  package let attempts: [PurchaseAttempt]
  /// The seats of others' subscriptions that the app gave to the customer, the oldest first.
  package let seatClaims: [CustomerSeatClaim]
  /// Who read about the customer before.
  package let reads: LatestReads
  package let parameters: QueryParameters
  /// What the customer has access to, of the environment that was stated.
  package let accesses: [CustomerAccess]

  /// The number of purchases with a full card. A card needs several queries, and a test account can have thousands.
  private static let limit = 20

  package init(_ customer: String, _ ledger: LedgerReader, _ parameters: QueryParameters, environment: String?) throws {
    self.parameters = parameters
    record = try ledger.record(of: customer, parameters)
    accesses = record.accesses.filter { environment == nil || $0.environment == environment }
    seatClaims = try ledger.seatClaims(of: record.customer, parameters)
    reads = try ledger.reads(about: .customer(record.customer))
    let names = try ledger.productNames()
    let matches = record.claims.map(\.purchase).filter { environment == nil || $0.environment == environment }
    purchases = try matches.prefix(Self.limit).map { try PurchaseCard($0, ledger, parameters, names: names) }
    others = try matches.dropFirst(Self.limit).map { try PurchaseSummary($0, ledger, parameters) }
    attempts = try ledger.attempts(of: customer, parameters).filter {
      $0.isOpen || $0.finding != nil || !$0.isTheirs
    }
  }

  /// Whether evidence, a link, a grant, a note or a report of a device names the customer.
  package var isKnown: Bool {
    !(record.claims.isEmpty && record.entries.isEmpty && record.grants.isEmpty && record.notes.isEmpty
      && attempts.isEmpty)
  }

  /// The customers whom the card names: the one whom it is about, and then the others in order.
  package var customers: [String] {
    var others = Set(accesses.map(\.customer))
    others.formUnion(record.entries.compactMap(\.otherCustomer))
    others.formUnion(attempts.compactMap(\.customer))
    for purchase in purchases { others.formUnion(purchase.customers) }
    return [record.customer] + others.subtracting([record.customer]).sorted()
  }

  /// Returns the card as a JSON object. It has sentences for the customer only where it is about the present, with all
  /// that is known: a sentence about the past must not be sent.
  package func json(at now: Instant) -> String {
    let isPresent = parameters.asOf == now && parameters.knownAt >= now
    return json(replies: isPresent ? Messages.replies(self) : [])
  }

  private func json(replies: [String]) -> String {
    JSONText.nested([
      ("kind", "\"customer\""), ("customer", JSONText.string(record.customer)),
      ("answers", JSONText.array(Messages.answer(self).map(JSONText.string))),
      ("warnings", JSONText.array(Messages.warnings(self).map(JSONText.string))),
      ("latest", JSONText.array(Messages.latest(self).map(JSONText.string))),
      ("replies", JSONText.array(replies.map(JSONText.string))),
      ("accesses", JSONText.array(accesses.map(AnswerJSON.access))),
      (
        "grants",
        JSONText.array(
          record.grants.map {
            JSONText.object([
              "entitlement": .text($0.entitlement),
              "state": Value($0.state),
              "begins_at": .instant($0.beginsAt),
              "access_ends_at": Value($0.accessEndsAt),
              "reason": .text($0.reason),
              "author": .text($0.author),
            ])
          })
      ),
      (
        "notes",
        JSONText.array(
          record.notes.map {
            JSONText.object([
              "text": .text($0.text),
              "author": .text($0.author),
              "entered_at": .instant($0.enteredAt),
            ])
          })
      ),
      (
        "links",
        JSONText.array(
          record.entries.map {
            JSONText.object([
              "action": Value($0.action),
              "identifier": .text($0.identifier),
              "effective_at": Value($0.effectiveAt),
              "other_customer": Value($0.otherCustomer),
              "reason": .text($0.reason),
              "author": .text($0.author),
              "entered_at": .instant($0.enteredAt),
            ])
          })
      ),
      ("seat_claims", JSONText.array(seatClaims.map(Self.json))),
      ("attempts", JSONText.array(attempts.map { JSONText.object($0) })),
      ("purchases", JSONText.array(purchases.map(\.json))),
      ("more_purchases", JSONText.array(others.map { JSONText.object($0) })),
      ("reads", reads.json),
    ])
  }

  /// Returns a seat of a customer as a JSON object.
  package static func json(_ claim: CustomerSeatClaim) -> String {
    JSONText.object([
      "customer": .text(claim.customer),
      "seat_claim_id": Value(claim.seatClaimID),
      "environment": .text(claim.environment),
      "original_transaction_id": .text(claim.originalTransactionID),
      "claimed_at": .instant(claim.claimedAt),
      "unclaimed_at": Value(claim.unclaimedAt),
      "is_released_by_apple": .flag(claim.isReleasedByApple),
      "seats": Value(claim.seats),
      "open_claim_count": .integer(Int64(claim.openClaimCount)),
      "reason": .text(claim.reason),
      "author": .text(claim.author),
    ])
  }

  /// Returns a customer's claim on a purchase as a JSON object.
  package static func json(_ claim: CustomerClaim) -> String {
    JSONText.object([
      "customer": .text(claim.customer),
      "basis": Value(claim.basis),
      "identifier": .text(claim.identifier),
      "reason": Value(claim.reason),
      "author": Value(claim.author),
    ])
  }
}

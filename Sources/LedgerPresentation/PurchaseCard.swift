import AppStore
import Ledger

/// The card of one purchase, with everything that support needs.
package struct PurchaseCard {
  package let match: OriginalTransactionMatch
  package let parameters: QueryParameters
  package let entitlement: Entitlement?
  package let transactions: [TransactionSummary]
  package let events: [HistoryEvent]
  package let requests: [RefundRequest]
  package let claims: [CustomerClaim]
  /// The seats that the app gave to customers, the oldest first.
  package let seatClaims: [CustomerSeatClaim]
  package let reporters: [String]
  package let contradictions: [(payload: ContentDigest, UnreadMention.Reason)]
  package let unread: UnreadList
  /// The answer of signed evidence alone, if unsigned evidence decided against it.
  package let signed: Entitlement?
  /// The answers of signed evidence alone for one-time purchases, by transaction id.
  package let signedTransactions: [String: TransactionSummary]
  /// Whether the latest evidence has no date from Apple.
  package let isNewestInferred: Bool
  package let names: [String: String]
  /// Who read about the purchase before.
  package let reads: LatestReads

  package init(
    _ match: OriginalTransactionMatch, _ ledger: LedgerReader, _ parameters: QueryParameters, names: [String: String]
  )
    throws
  {
    (self.match, self.parameters, self.names) = (match, parameters, names)
    let entitlement = try ledger.entitlement(of: match, parameters)
    self.entitlement = entitlement
    signed = try entitlement.flatMap { try ledger.signedAnswer(against: $0, of: match) }
    transactions = try ledger.transactions(of: match, parameters)
    signedTransactions = try ledger.signedAnswers(against: transactions, of: match, parameters)
    events = try ledger.history(of: match, parameters)
    requests = try ledger.refundRequests(of: match, parameters)
    claims = try ledger.claims(on: match, parameters)
    reads = try ledger.reads(about: .purchase(match.originalTransactionID))
    seatClaims = try ledger.seatClaims(on: match, parameters)
    reporters = try ledger.reporters(of: match, parameters)
    contradictions = try ledger.contradictions(of: match, knownAt: parameters.knownAt)
    unread = UnreadList(try ledger.unreadMentions(of: match.originalTransactionID, knownAt: parameters.knownAt))
    // Signed evidence always has a date, so only unsigned evidence is read.
    let cited = try entitlement.map { $0.trust == .unsigned ? try ledger.evidence(for: $0) : [] } ?? []
    let newest = cited.filter { $0.evidenceAt == entitlement?.evidenceAt }
    isNewestInferred = !newest.isEmpty && newest.allSatisfy(\.isInferred)
  }

  /// The customers whom the app reports as the buyer, and who are not linked to the purchase.
  package var unlinkedReporters: [String] {
    reporters.filter { reporter in
      !claims.contains { $0.customer == reporter || $0.identifier == reporter }
    }
  }

  /// Returns a product as text: its name with its id, where the catalogue has a name.
  package func product(_ id: String?) -> String {
    guard let id, let name = names[id] else { return Messages.text(id) }
    return "\(Printable.text(name)) (\(Printable.text(id)))"
  }

  /// The customers whom the card names, in order.
  package var customers: [String] { Set(claims.map(\.customer) + seatClaims.map(\.customer) + reporters).sorted() }

  /// The card as a JSON object.
  package var json: String {
    JSONText.nested([
      ("kind", "\"purchase\""), ("environment", JSONText.string(match.environment)),
      ("original_transaction_id", JSONText.string(match.originalTransactionID)),
      (
        "found_by",
        JSONText.object([
          "kind": Value(match.kind),
          "identifier": .text(match.identifier),
        ])
      ),
      ("entitlement", entitlement.map { JSONText.object($0) } ?? "null"),
      ("against_signed", signed.map { JSONText.object($0) } ?? "null"),
      ("explanation", entitlement.map { JSONText.string(Messages.verdict($0)) } ?? "null"),
      ("transactions", JSONText.array(transactions.map(Self.json))),
      (
        "refund_requests",
        JSONText.array(
          requests.map {
            JSONText.object([
              "requested_at": .instant($0.requestedAt),
              "recorded_at": .instant($0.recordedAt),
              "reason": Value($0.reason),
              "transaction_id": Value($0.transactionID),
              "outcome": Value($0.outcome),
              "answered_at": Value($0.answeredAt),
            ])
          })
      ),
      ("customers", JSONText.array(claims.map(CustomerCard.json))),
      ("seat_claims", JSONText.array(seatClaims.map(CustomerCard.json))),
      ("reported_by", JSONText.array(reporters.map(JSONText.string))),
      (
        "contradictions",
        JSONText.array(
          contradictions.map {
            JSONText.object([
              "payload": .text($0.payload.hexadecimal),
              "path": .text($0.1.path),
              "values": .text($0.1.detail),
            ])
          })
      ),
      ("unread", unread.json), ("reads", reads.json),
    ])
  }

  private static func json(_ transaction: TransactionSummary) -> String {
    JSONText.object([
      "transaction_id": .text(transaction.transactionID),
      "web_order_line_item_id": Value(transaction.webOrderLineItemID),
      "product_id": Value(transaction.productID),
      "type": Value(transaction.type),
      "purchase_at": .instant(transaction.purchaseAt),
      "expires_at": Value(transaction.expiresAt),
      "revoked_at": Value(transaction.revokedAt),
      "revocation_type": Value(transaction.revocationType),
      "revocation_reason": Value(transaction.revocationReason),
      "is_upgraded": .flag(transaction.isUpgraded),
      "is_trial_period": .flag(transaction.isTrialPeriod),
      "in_app_ownership_type": Value(transaction.inAppOwnershipType),
      "price_milliunits": Value(transaction.price),
      "refunded_milliunits": Value(transaction.refundedAmount),
      "currency": Value(transaction.currency),
      "one_time_state": Value(transaction.oneTimeState),
      "one_time_end": Value(transaction.oneTimeEnd),
      "trust": Value(transaction.trust),
      "quantity": Value(transaction.quantity),
      "revoked_seat_quantity": Value(transaction.revokedSeatQuantity),
      "additional_transaction_reason": Value(transaction.additionalTransactionReason),
    ])
  }
}

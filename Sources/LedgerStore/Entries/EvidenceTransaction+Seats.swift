package import AppStore
internal import GRDB
internal import LedgerSchema

/// Entries about the seats that the app gives to customers. ``LedgerRecorder`` documents each of them.
extension EvidenceTransaction {
  package func claimSeat(
    of identifier: String, for customer: String, seatClaimID: String?, at instant: Instant, _ staffAction: StaffAction
  ) throws -> (isNew: Bool, seats: Int?, openCount: Int) {
    let customer = try CheckedText.customer(customer)
    if let seatClaimID { try CheckedText.text(seatClaimID, "A seat claim id") }
    try staffAction.check()
    let originalKey = try seatSubscription(identifier)
    let customerKey = try CustomerEntries(rows: self).key(customer)
    let (seats, open) = try (seats(of: originalKey, at: instant), openClaims(of: originalKey, at: instant))
    let sameID = try claims(at: instant, "s.seat_claim_id = ?2", [seatClaimID])
    if let other = sameID.first(where: { $0.customerKey != customerKey || $0.originalKey != originalKey || !$0.isOpen })
    {
      throw LedgerError(
        .refusedEntry,
        "The seat claim id belongs to \(other.isOpen ? "another claim" : "a claim that has ended"). Nothing was recorded.",
        "Each claim has an id of its own.")
    }
    if let mine = open.first(where: { $0.customerKey == customerKey }) {
      guard seatClaimID == nil || mine.seatClaimID == seatClaimID else {
        throw LedgerError(
          .refusedEntry, "The customer has a seat of this subscription already, with another seat claim id.",
          "End that claim first.")
      }
      return (false, seats, open.count)
    }
    try requireBegun(originalKey, at: instant)
    if let seats, open.count >= seats {
      throw LedgerError(
        .refusedEntry,
        (seats == 0 ? "The subscription has no seats at \(instant)." : "All \(seats) seats are claimed.")
          + " Nothing was recorded.", "End another claim, or add seats first.")
    }
    try insert(
      "seat_claim",
      [
        "customer_key": customerKey, "original_transaction_key": originalKey, "seat_claim_id": seatClaimID,
        "claimed_at": instant.milliseconds, "reason": staffAction.reason, "author": staffAction.author,
        "entered_at": staffAction.enteredAt.milliseconds,
      ])
    return (true, seats, open.count + 1)
  }

  package func unclaimSeat(
    of identifier: String, from customer: String, at instant: Instant, _ staffAction: StaffAction
  ) throws
    -> Bool
  {
    let customer = try CheckedText.customer(customer)
    try staffAction.check()
    let originalKey = try seatSubscription(identifier)
    let known = try claims(at: instant, "s.original_transaction_key = ?2 AND c.customer = ?3", [originalKey, customer])
    guard !known.isEmpty else {
      throw LedgerError(
        .refusedEntry, "The customer had no seat of this subscription until \(instant). Nothing was recorded.",
        "Look at the claims with subledger seats list.")
    }
    let open = known.filter(\.isOpen)
    for claim in open {
      try insert(
        "seat_unclaim",
        [
          "claim_id": claim.key, "unclaimed_at": instant.milliseconds, "reason": staffAction.reason,
          "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
    }
    return !open.isEmpty
  }

  private struct Claim {
    let key: SeatClaimKey
    let customerKey: CustomerKey
    let originalKey: OriginalTransactionKey
    let seatClaimID: String?
    let isOpen: Bool
  }

  /// Returns the claims that had begun at an instant, and whether they are open then. The values of the condition are
  /// numbered from 2.
  private func claims(at instant: Instant, _ condition: String, _ values: StatementArguments) throws -> [Claim] {
    try rows(
      """
      SELECT s.*, EXISTS (
        SELECT 1 FROM seat_unclaim u WHERE u.claim_id = s.claim_id AND u.unclaimed_at <= ?1
      ) OR EXISTS (
        SELECT 1 FROM seat_release w JOIN stg_payload p ON p.payload_id = w.payload_id
        WHERE w.seat_claim_id = s.seat_claim_id AND p.evidence_at <= ?1
      ) AS has_ended
      FROM seat_claim s JOIN customer c ON c.customer_key = s.customer_key
      WHERE s.claimed_at <= ?1 AND \(condition)
      ORDER BY s.claim_id
      """, [instant.milliseconds] + values
    ).map {
      Claim(
        key: $0["claim_id"], customerKey: $0["customer_key"], originalKey: $0["original_transaction_key"],
        seatClaimID: $0["seat_claim_id"], isOpen: !($0["has_ended"] as Bool))
    }
  }

  private func openClaims(of originalKey: OriginalTransactionKey, at instant: Instant) throws -> [Claim] {
    try claims(at: instant, "s.original_transaction_key = ?2", [originalKey]).filter(\.isOpen)
  }

  /// Returns the seats of a subscription at an instant; `nil` where they are not known.
  private func seats(of originalKey: OriginalTransactionKey, at instant: Instant) throws -> Int? {
    try numbers(
      """
      SELECT seats FROM entitlement_period
      WHERE original_transaction_key = ?1 AND begins_at <= ?2 AND (ends_at IS NULL OR ends_at > ?2)
        AND seats IS NOT NULL
      """, [originalKey, instant.milliseconds]
    ).first.map { Int($0) }
  }

  private func requireBegun(_ originalKey: OriginalTransactionKey, at instant: Instant) throws {
    let begins = try id(
      "SELECT MIN(begins_at) FROM entitlement_period WHERE original_transaction_key = ?1", [originalKey])
    guard let begins, instant.milliseconds < begins else { return }
    throw LedgerError(
      .refusedEntry, "The subscription had not begun at \(instant). Nothing was recorded.", "Give a later instant.")
  }

  /// Returns the key of the subscription that an id names, if its seats are the app's to give.
  /// - Throws: ``LedgerError`` with `refused_entry`.
  private func seatSubscription(_ identifier: String) throws -> OriginalTransactionKey {
    let originalKeys = try CustomerEntries(rows: self).originalKeys(CheckedText.identifier(identifier))
    let obstacles = try originalKeys.map(obstacle)
    let fitting = originalKeys.indices.filter { obstacles[$0] == nil }
    if fitting.count == 1 { return originalKeys[fitting[0]] }
    guard fitting.isEmpty else {
      throw LedgerError(
        .refusedEntry, "The id names \(fitting.count) subscriptions with seats. Nothing was recorded.",
        "Name the purchaser's original transaction id.")
    }
    guard let words = obstacles.first.flatMap(\.self) else {
      throw LedgerError(
        .refusedEntry, "The ledger does not know this id. Nothing was recorded.",
        "Import the purchaser's evidence first.")
    }
    throw LedgerError(
      .refusedEntry, words + " Nothing was recorded.", "Name a subscription whose invitationManagement is DEVELOPER.")
  }

  /// Returns why the app cannot give seats of a subscription; `nil` where it can.
  private func obstacle(_ originalKey: OriginalTransactionKey) throws -> String? {
    let management = try texts(
      """
      SELECT x.invitation_management FROM transaction_seat_info x
      WHERE x.original_transaction_key = ?1 AND x.invitation_management IS NOT NULL
      ORDER BY x.transaction_info_id DESC LIMIT 1
      """, [originalKey])
    let isMember = try has(
      """
      SELECT 1 FROM transaction_info
      WHERE original_transaction_key = ?1 AND transaction_info_id = transaction_key
        AND in_app_ownership_type IN ('ASSIGNED', 'FAMILY_SHARED')
      """, [originalKey])
    if isMember { return "The id names a member's subscription, and not the purchaser's." }
    if management.isEmpty { return "The subscription states no seats." }
    return management == ["DEVELOPER"] ? nil : "Apple gives the seats of this subscription to its members."
  }
}

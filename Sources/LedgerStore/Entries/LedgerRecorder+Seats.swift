public import AppStore
internal import GRDB

extension LedgerRecorder {
  /// Records that the app gave a seat of a subscription to a customer. While the claim is open, the customer has the
  /// entitlements of the purchaser's product when the purchaser has access (rules §9).
  /// - Parameters:
  ///   - identifier: an id of the purchaser's subscription, in Apple's form. Apple must leave its seats to the app:
  ///     `invitationManagement` is `DEVELOPER`.
  ///   - customer: the app's own id of the member.
  ///   - seatClaimID: Apple's `seatClaimId`. With it, a notification `UNCLAIM_SEATS` ends the claim.
  ///   - instant: the first instant at which the claim counts.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: three values. `isNew` is false when the customer had this seat already. `seats` is the number of seats at
  ///   that instant, `nil` when it is not known. `openCount` is the number of open claims, with this one.
  /// - Throws: ``LedgerError``: `refused_entry` when the id names no such subscription, when all seats are claimed, or
  ///   when the claim id belongs to another claim; `refused_text` when an id or a text is blank or too long.
  @discardableResult
  public func claimSeat(
    of identifier: String, for customer: String, seatClaimID: String? = nil, at instant: Instant,
    _ staffAction: StaffAction
  ) throws -> (isNew: Bool, seats: Int?, openCount: Int) {
    try record { try $0.claimSeat(of: identifier, for: customer, seatClaimID: seatClaimID, at: instant, staffAction) }
  }

  /// Ends a customer's seat of a subscription.
  /// - Parameters:
  ///   - identifier: an id of the purchaser's subscription, in Apple's form.
  ///   - customer: the app's own id of the member.
  ///   - instant: the first instant at which the claim no longer counts.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: whether an open claim was ended. It is false when the app or Apple had ended it before.
  /// - Throws: ``LedgerError``: `refused_entry` when the customer had no seat of it until then; `refused_text`.
  @discardableResult
  public func unclaimSeat(of identifier: String, from customer: String, at instant: Instant, _ staffAction: StaffAction)
    throws
    -> Bool
  {
    try record { try $0.unclaimSeat(of: identifier, from: customer, at: instant, staffAction) }
  }
}

import AppStore
import Ledger

/// The sentences about seats, where one buys a subscription for many.
extension Messages {
  /// Returns the sentences about the seats of a subscription: how many, since when, and what was refunded.
  /// - Parameters:
  ///   - entitlement: the state of the subscription.
  ///   - transactions: its transactions, read only where the number of seats is known.
  ///   - events: its history, read only where there are several seats.
  /// - Returns: `nil` for a subscription for one person, and where the number of seats is not known.
  package static func seats(
    _ entitlement: Entitlement, _ transactions: @autoclosure () throws -> [TransactionSummary],
    _ events: @autoclosure () throws -> [HistoryEvent]
  ) rethrows -> String? {
    guard entitlement.hasAccess, let seats = entitlement.seats, let begin = entitlement.purchaseAt,
      let end = entitlement.expiresAt
    else { return nil }
    let running = try transactions().filter { one in
      !one.isUpgraded && one.productID == entitlement.productID && one.purchaseAt < end
        && one.expiresAt.map { $0 > begin } ?? false
    }
    let bought = running.reduce(0) { $0 + ($1.quantity ?? 0) }
    guard bought > 1 else { return nil }
    let first = running.map(\.purchaseAt).min()
    var parts: [String] = []
    for added in running.reversed() where added.purchaseAt != first {
      let part = parts.isEmpty ? " of them" : ""
      parts.append("\(added.quantity ?? 0)\(part) added on \(added.purchaseAt.date)")
    }
    let refunds = refunds(running, try events())
    var text = count(seats, "seat") + (seats == bought ? "" : ": \(bought) bought")
    if !parts.isEmpty { text += ", " + parts.joined(separator: ", ") }
    if !refunds.isEmpty { text += "; " + refunds.joined(separator: ", ") + ". The subscription goes on" }
    text += "."
    if let next = entitlement.seatsNext, next != seats, entitlement.willRenew != false {
      text += " It renews with \(count(next, "seat"))."
    }
    return text
  }

  /// Returns what was refunded of the running transactions, such as `3 refunded on 2026-05-20`.
  private static func refunds(_ running: [TransactionSummary], _ events: [HistoryEvent]) -> [String] {
    running.reversed().compactMap { one in
      if let revokedAt = one.revokedAt { return "\(one.quantity ?? 0) refunded on \(revokedAt.date)" }
      guard let count = one.revokedSeatQuantity else { return nil }
      let stated = events.last {
        $0.kind == .seatsRefunded && $0.transactionID == one.transactionID && $0.detail == String(count)
      }
      return "\(count) refunded" + (stated.map { " on \($0.happenedAt.date)" } ?? "")
    }
  }

  /// Returns the sentence about refunded seats of a transaction; `nil` for any other.
  static func seatRefund(_ transaction: TransactionSummary) -> String? {
    guard let refunded = transaction.revokedSeatQuantity else { return nil }
    let about = transaction.isRefundEstimated ? "about " : ""
    let amount = transaction.refundedAmount.map { ", \(about)\(Messages.amount($0, transaction.currency))" } ?? ""
    return "\(refunded) of \(transaction.quantity ?? refunded) seats, by Apple: \(period(transaction)) of "
      + "\(text(transaction.productID))\(amount)"
      + " [\(Printable.text(transaction.transactionID))]"
  }

  /// Returns the sentence about the claims of a subscription, such as `3 of 12 seats are claimed.`
  package static func claimedSeats(_ count: Int, of seats: Int?) -> String {
    guard let seats else { return "\(count) \(count == 1 ? "seat is" : "seats are") claimed, of an unknown number." }
    guard count > seats, seats > 0 else { return "\(count) of \(seats) seats \(count == 1 ? "is" : "are") claimed." }
    return "More claims (\(count)) than seats (\(seats)). Nobody loses access. End the claims that are not needed."
  }

  /// Returns the sentence about one claim of a subscription, with its customer.
  package static func claim(_ claim: CustomerSeatClaim) -> String {
    "\(Printable.text(claim.customer)), \(entry(claim))"
  }

  /// Returns the sentence about a seat that a customer has or had.
  package static func seat(_ claim: CustomerSeatClaim) -> String {
    "a seat of \(Printable.text(claim.originalTransactionID)) \(entry(claim))"
  }

  private static func entry(_ claim: CustomerSeatClaim) -> String {
    let end = claim.unclaimedAt.map { " until \(instant($0))\(claim.isReleasedByApple ? " (released by Apple)" : "")" }
    return "from \(instant(claim.claimedAt))\(end ?? ""), by \(Printable.text(claim.author)): "
      + Printable.text(claim.reason)
  }
}

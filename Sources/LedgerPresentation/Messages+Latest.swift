import AppStore
import Ledger

/// What happened last, for a reader who has one look.
extension Messages {
  /// The greatest number of sentences about one person.
  private static let latestLimit = 8

  /// Returns the latest refund, request, change of the product and message of Apple's, of each purchase of a customer.
  package static func latest(_ card: CustomerCard) -> [String] {
    Array(card.purchases.flatMap { latest($0) }.prefix(latestLimit))
  }

  /// Returns the latest refund, request, change of the product and message of Apple's about a purchase.
  package static func latest(_ card: PurchaseCard) -> [String] {
    let refunds = card.transactions.compactMap(refund).prefix(1).map { "\($0)." }
    let requests = card.requests.filter { $0.outcome == nil }.map { "\(request($0, asOf: card.parameters.asOf))." }
    let (change, renewal) = (last(card) { $0.isOfProduct }, last(card) { $0.isOfRenewal })
    let notification = last(card) { $0 == .notification || $0 == .sendAttempt }
    let events = [change, renewal].compactMap(\.self).map { "\(instant($0.happenedAt)): \(event($0))." }
    return refunds + requests + events + [notification.map(lastMessage)].compactMap(\.self)
  }

  private static func last(_ card: PurchaseCard, where isWanted: (HistoryEvent.Kind) -> Bool) -> HistoryEvent? {
    card.events.last { isWanted($0.kind) }
  }

  private static func lastMessage(_ event: HistoryEvent) -> String {
    let (happened, recorded) = (instant(event.happenedAt), instant(event.recordedAt))
    return "\(Messages.event(event)), on \(happened)" + (recorded == happened ? "." : ", recorded on \(recorded).")
  }
}

extension HistoryEvent.Kind {
  /// Whether the customer got another product.
  fileprivate var isOfProduct: Bool {
    switch self {
    case .changedAtOnce, .changedAtRenewal, .changedOnReturn: true
    default: false
    }
  }

  /// Whether the customer chose what the next renewal does.
  fileprivate var isOfRenewal: Bool {
    switch self {
    case .renewalOn, .renewalOff, .productNext, .seatsNext: true
    default: false
    }
  }
}

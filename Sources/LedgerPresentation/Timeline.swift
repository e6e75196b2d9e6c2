import AppStore
import Ledger

/// What happened to a person or a purchase, from all sources, in one order.
package struct Timeline {
  /// The part of a person's story that an entry belongs to, by which a reader can filter.
  package enum Subject: String, Sendable, CaseIterable {
    /// Purchases, renewals, refunds and prices.
    case money
    /// Whether access begins, continues or ends.
    case access
    /// What will happen at the next renewal.
    case renewal
    /// A notification of Apple's.
    case notification
    /// What staff entered: links, grants and notes.
    case staff
    /// What the device reported.
    case device
  }

  /// One event or entry.
  package struct Entry: Sendable {
    /// When it happened, as Apple stated it; for an entry of the staff, when it was entered.
    package var happenedAt: Instant
    /// When the ledger learned of it.
    package var recordedAt: Instant
    package var subject: Subject
    /// What happened, in plain words.
    package var sentence: String
    /// The original transaction id of the purchase; `nil` for an entry about the person.
    package var originalTransactionID: String?
    /// The name of the environment; `nil` for an entry about the person.
    package var environment: String?
    /// The payload that states it; `nil` for an entry of the staff.
    package var payload: ContentDigest?
    /// Whether Apple stated no date for it. It happened then or later.
    package var isInferred = false
  }

  /// The entries, the newest first.
  package let entries: [Entry]

  /// Creates the timeline of a customer's card.
  package init(_ card: CustomerCard) {
    entries = Self.sorted(
      card.purchases.flatMap(Self.events) + Self.staff(card.record)
        + card.attempts.map(Self.attempt))
  }

  /// Creates the timeline of a purchase.
  package init(_ card: PurchaseCard) { entries = Self.sorted(Self.events(card)) }

  private static func sorted(_ entries: [Entry]) -> [Entry] {
    entries.enumerated().sorted {
      ($0.element.happenedAt, $0.element.recordedAt, $0.offset) > (
        $1.element.happenedAt, $1.element.recordedAt, $1.offset
      )
    }.map(\.element)
  }

  private static func events(_ card: PurchaseCard) -> [Entry] {
    card.events.map { event in
      Entry(
        happenedAt: event.happenedAt, recordedAt: event.recordedAt, subject: subject(event.kind),
        sentence: Messages.event(event), originalTransactionID: card.match.originalTransactionID,
        environment: card.match.environment, payload: event.payload, isInferred: event.isInferred)
    }
  }

  private static func subject(_ kind: HistoryEvent.Kind) -> Subject {
    switch kind {
    case .notification, .sendAttempt: .notification
    case .period, .trial, .purchase, .revoked, .upgraded, .seatsAdded, .seatsRefunded, .priceIncrease: .money
    case .changedAtOnce, .changedAtRenewal, .changedOnReturn, .returned, .grace, .retryBegan, .retryEnded: .access
    case .renewalOn, .renewalOff, .productNext, .seatsNext: .renewal
    }
  }

  private static func staff(_ record: CustomerRecord) -> [Entry] {
    func entry(_ instant: Instant, _ sentence: String) -> Entry {
      Entry(happenedAt: instant, recordedAt: instant, subject: .staff, sentence: sentence)
    }
    return record.entries.map { entry($0.enteredAt, Messages.entry($0)) }
      + record.grants.flatMap { grant in
        [entry(grant.enteredAt, Messages.granted(grant))]
          + (grant.revocation.map { [entry($0.enteredAt, Messages.revoked(grant, $0))] } ?? [])
      }
      + record.notes.map { entry($0.enteredAt, "Note by \(Printable.text($0.author)): \(Printable.lines($0.text))") }
  }

  private static func attempt(_ attempt: PurchaseAttempt) -> Entry {
    let finding = Messages.finding(of: attempt).map { ": \($0)" } ?? ""
    return Entry(
      happenedAt: attempt.stateSince ?? attempt.beganAt, recordedAt: attempt.stateSince ?? attempt.beganAt,
      subject: .device,
      sentence: "The device reported \(Messages.text(attempt.productID)), \(Messages.state(of: attempt))\(finding)")
  }
}

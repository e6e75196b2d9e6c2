public import AppStore
internal import GRDB
internal import LedgerSchema

/// The author, reason and instant of a change about a customer. Every entry stores them.
public struct StaffAction: Sendable {
  /// The person or program that acts. It must not be blank.
  public var author: String
  /// The reason, for people who read the entry later. At most 10,000 UTF-8 bytes, and not blank.
  public var reason: String
  /// When it is entered.
  public var enteredAt: Instant

  /// Creates an action. The function that records it checks its texts.
  public init(author: String, reason: String, enteredAt: Instant) {
    (self.author, self.reason, self.enteredAt) = (author, reason, enteredAt)
  }

  package func check() throws {
    try CheckedText.text(author, "The author")
    try CheckedText.text(reason, "The reason", limit: 10_000)
  }
}

extension LedgerRecorder {
  /// Links one of Apple's ids to a customer. The id is a transaction id, an original transaction id, an app account
  /// token or an app transaction id. The link also holds for later evidence with this id.
  /// - Parameters:
  ///   - customer: the app's own id of the customer.
  ///   - identifier: the id, in Apple's form.
  ///   - since: the instant from which the link holds. `nil` means from the beginning. If the id has entries already,
  ///     `nil` means from `staffAction.enteredAt`.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: three values. `isNew` states whether an entry was recorded. `purchaseCount` is the number of original
  ///   transactions that the id leads to now. `since` is the instant from which the link holds, `nil` for the beginning.
  /// - Throws: ``LedgerError``: `refused_text` when an id or a text is blank or too long.
  @discardableResult
  public func link(_ customer: String, to identifier: String, since: Instant? = nil, _ staffAction: StaffAction) throws
    -> (isNew: Bool, purchaseCount: Int, since: Instant?)
  {
    try record { try $0.link(customer, to: identifier, since: since, staffAction) }
  }

  /// Ends the link of one of Apple's ids to a customer.
  /// - Parameters:
  ///   - customer: the app's own id of the customer.
  ///   - identifier: the id, in Apple's form.
  ///   - instant: the instant at which the link ends.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: three values. `isNew` is true. `purchaseCount` is the number of original transactions that the id leads to
  ///   now. `since` is the instant at which the link ends.
  /// - Throws: ``LedgerError``: `refused_entry` when the id does not belong to the customer at that instant;
  ///   `refused_text`.
  @discardableResult
  public func unlink(_ customer: String, from identifier: String, at instant: Instant, _ staffAction: StaffAction)
    throws
    -> (isNew: Bool, purchaseCount: Int, since: Instant?)
  {
    try record { try $0.unlink(customer, from: identifier, at: instant, staffAction) }
  }

  /// Moves one of Apple's ids from one customer to another, from an instant on. Both entries are recorded, or neither.
  /// - Parameters:
  ///   - identifier: the id, in Apple's form.
  ///   - customer: the customer that the id belongs to before the instant.
  ///   - other: the customer that the id belongs to from the instant on.
  ///   - instant: the instant of the change.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Throws: ``LedgerError``: `refused_entry` when the id does not belong to the first customer at that instant, or
  ///   when both customers are equal; `refused_text`.
  public func transfer(
    _ identifier: String, from customer: String, to other: String, at instant: Instant, _ staffAction: StaffAction
  ) throws {
    try record { try $0.transfer(identifier, from: customer, to: other, at: instant, staffAction) }
  }

  /// Adds a note about a customer. A note is never changed.
  /// - Parameters:
  ///   - text: the note, at most 10,000 UTF-8 bytes.
  ///   - customer: the app's own id of the customer.
  ///   - author: the person or program that writes the note.
  ///   - now: the instant of recording.
  /// - Throws: ``LedgerError``: `refused_text` when a text is blank or too long.
  public func note(_ text: String, about customer: String, by author: String, now: Instant) throws {
    try record { try $0.note(text, about: customer, by: author, now: now) }
  }

  /// Grants a customer access by decision of the app, not of Apple.
  /// - Parameters:
  ///   - entitlement: the name of the entitlement, such as `pro`.
  ///   - customer: the app's own id of the customer.
  ///   - begins: the first instant of access.
  ///   - ends: the instant at which access ends, or `nil` for no end.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Throws: ``LedgerError``: `refused_entry` when the end is not after the start; `refused_text` when a text is
  ///   blank or too long.
  public func grant(
    _ entitlement: String, to customer: String, from begins: Instant, until ends: Instant?, _ staffAction: StaffAction
  ) throws {
    try record { try $0.grant(entitlement, to: customer, from: begins, until: ends, staffAction) }
  }

  /// Revokes all grants of an entitlement that a customer has at an instant or later.
  /// - Returns: the number of revoked grants.
  /// - Throws: ``LedgerError``: `refused_text` when a text is blank or too long.
  public func revokeGrants(
    of entitlement: String, from customer: String, at instant: Instant, _ staffAction: StaffAction
  )
    throws -> Int
  {
    try record { try $0.revokeGrants(of: entitlement, from: customer, at: instant, staffAction) }
  }
}

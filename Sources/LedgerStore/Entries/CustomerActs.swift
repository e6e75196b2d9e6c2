public import AppStore
internal import GRDB
internal import LedgerSchema

/// The author, reason and instant of a change about a customer. Every entry stores them.
public struct StaffAction: Sendable {
  /// The person or program that acts. It must not be blank.
  public var author: String
  /// The reason, for people who read the entry later. At most 10,000 UTF-8 bytes, and not blank.
  public var reason: String
  /// The instant of recording.
  public var recordedAt: Instant

  /// Creates an action. The function that records it checks its texts.
  public init(author: String, reason: String, recordedAt: Instant) {
    (self.author, self.reason, self.recordedAt) = (author, reason, recordedAt)
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
  ///     `nil` means from `act.recordedAt`.
  ///   - act: the author, reason and instant of recording.
  /// - Returns: three values. `isNew` states whether an entry was recorded. `lineCount` is the number of original
  ///   transactions that the id leads to now. `since` is the instant from which the link holds, `nil` for the beginning.
  /// - Throws: ``LedgerError``: `refused_text` when an id or a text is blank or too long.
  @discardableResult
  public func link(_ customer: String, to identifier: String, since: Instant? = nil, _ act: StaffAction) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "link", at: since, act)
  }

  /// Ends the link of one of Apple's ids to a customer.
  /// - Parameters:
  ///   - customer: the app's own id of the customer.
  ///   - identifier: the id, in Apple's form.
  ///   - instant: the instant at which the link ends.
  ///   - act: the author, reason and instant of recording.
  /// - Returns: three values. `isNew` is true. `lineCount` is the number of original transactions that the id leads to
  ///   now. `since` is the instant at which the link ends.
  /// - Throws: ``LedgerError``: `refused_entry` when the id does not belong to the customer at that instant;
  ///   `refused_text`.
  @discardableResult
  public func unlink(_ customer: String, from identifier: String, at instant: Instant, _ act: StaffAction) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "unlink", at: instant, act)
  }

  /// Moves one of Apple's ids from one customer to another, from an instant on. Both entries are recorded, or neither.
  /// - Parameters:
  ///   - identifier: the id, in Apple's form.
  ///   - customer: the customer that the id belongs to before the instant.
  ///   - other: the customer that the id belongs to from the instant on.
  ///   - instant: the instant of the change.
  ///   - act: the author, reason and instant of recording.
  /// - Throws: ``LedgerError``: `refused_entry` when the id does not belong to the first customer at that instant, or
  ///   when both customers are equal; `refused_text`.
  public func transfer(
    _ identifier: String, from customer: String, to other: String, at instant: Instant, _ act: StaffAction
  ) throws {
    let (customer, other) = (try CheckedText.customer(customer), try CheckedText.customer(other))
    guard customer != other else {
      throw LedgerError(.refusedEntry, "Both customers have the same id. Nothing was recorded.", "Name two customers.")
    }
    try act.check()
    let id = try CheckedText.identifier(identifier)
    try record { transaction in
      let entries = CustomerEntries(rows: transaction)
      try entries.requireClaim(customer, id, at: instant.milliseconds)
      try entries.insert(customer, id, "unlink", instant.milliseconds, other: other, act)
      try entries.insert(other, id, "link", instant.milliseconds, other: customer, act)
    }
  }

  private func enter(
    _ customer: String, _ identifier: String, action: String, at instant: Instant?, _ act: StaffAction
  ) throws -> (isNew: Bool, lineCount: Int, since: Instant?) {
    let customer = try CheckedText.customer(customer)
    let id = try CheckedText.identifier(identifier)
    try act.check()
    return try record { transaction in
      let entries = CustomerEntries(rows: transaction)
      let count = try entries.lines(id).count
      let isFirst = try !transaction.has("SELECT 1 FROM customer_link_entry WHERE identifier = ?", [id])
      let since = instant ?? (isFirst ? nil : act.recordedAt)
      let effectiveAt = since?.milliseconds ?? 0
      if action == "link" {
        if try entries.isLinked(customer, id, since: effectiveAt) { return (false, count, since) }
      } else {
        try entries.requireClaim(customer, id, at: effectiveAt)
      }
      try entries.insert(customer, id, action, effectiveAt, other: nil, act)
      return (true, count, since)
    }
  }

  /// Adds a note about a customer. A note is never changed.
  /// - Parameters:
  ///   - text: the note, at most 10,000 UTF-8 bytes.
  ///   - customer: the app's own id of the customer.
  ///   - author: the person or program that writes the note.
  ///   - now: the instant of recording.
  /// - Throws: ``LedgerError``: `refused_text` when a text is blank or too long.
  public func note(_ text: String, about customer: String, by author: String, now: Instant) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(text, "A note", limit: 10_000)
    try CheckedText.text(author, "The author")
    try record { transaction in
      let key = try CustomerEntries(rows: transaction).key(customer)
      try transaction.insert("customer_note", [nil, key, text, author, now.milliseconds])
    }
  }

  /// Grants a customer access by decision of the app, not of Apple.
  /// - Parameters:
  ///   - entitlement: the name of the entitlement, such as `pro`.
  ///   - customer: the app's own id of the customer.
  ///   - begins: the first instant of access.
  ///   - ends: the instant at which access ends, or `nil` for no end.
  ///   - act: the author, reason and instant of recording.
  /// - Throws: ``LedgerError``: `refused_entry` when the end is not after the start; `refused_text` when a text is
  ///   blank or too long.
  public func grant(
    _ entitlement: String, to customer: String, from begins: Instant, until ends: Instant?, _ act: StaffAction
  ) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(entitlement, "An entitlement's name")
    try act.check()
    if let ends, ends <= begins {
      throw LedgerError(.refusedEntry, "The grant would end at \(ends), before it begins.", "Choose a later end.")
    }
    try record { transaction in
      let key = try CustomerEntries(rows: transaction).key(customer)
      try transaction.insert(
        "access_grant",
        [
          nil, key, entitlement, begins.milliseconds, ends?.milliseconds, act.reason, act.author,
          act.recordedAt.milliseconds,
        ])
    }
  }

  /// Revokes all grants of an entitlement that a customer has at an instant or later.
  /// - Returns: the number of revoked grants.
  /// - Throws: ``LedgerError``: `refused_text` when a text is blank or too long.
  public func revokeGrants(of entitlement: String, from customer: String, at instant: Instant, _ act: StaffAction)
    throws -> Int
  {
    let customer = try CheckedText.customer(customer)
    try act.check()
    return try record { transaction in
      let grants = try transaction.numbers(
        """
        SELECT g.grant_id FROM access_grant g JOIN customer c USING (customer_key)
        WHERE c.customer = ?1 AND g.entitlement = ?2 AND (g.ends_at IS NULL OR g.ends_at > ?3) AND NOT EXISTS (
          SELECT 1 FROM access_grant_revocation r WHERE r.grant_id = g.grant_id AND r.revoked_at <= ?3)
        """, [customer, entitlement, instant.milliseconds])
      for grant in grants {
        try transaction.insert(
          "access_grant_revocation",
          [nil, grant, instant.milliseconds, act.reason, act.author, act.recordedAt.milliseconds])
      }
      return grants.count
    }
  }
}

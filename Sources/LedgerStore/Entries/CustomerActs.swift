public import AppStore
internal import GRDB
internal import LedgerSchema

/// Who does something about a customer, why, and when: every entry carries it.
public struct StaffAction: Sendable {
  /// Who.
  public var author: String
  /// Why, in words for whoever reads it later.
  public var reason: String
  /// When it is recorded.
  public var recordedAt: Instant

  /// An act.
  public init(author: String, reason: String, recordedAt: Instant) {
    (self.author, self.reason, self.recordedAt) = (author, reason, recordedAt)
  }

  package func check() throws {
    try CheckedText.text(author, "The author")
    try CheckedText.text(reason, "The reason", limit: 10_000)
  }
}

extension LedgerRecorder {
  /// Says that what an id of Apple's names is a customer's: a transaction's or a line's id, an app account token, an app
  /// transaction id. It holds for what is known by that id, and for what will be.
  /// - Parameter since: from when on; `nil` for ever, unless there are entries about this id already: then from now on.
  /// - Returns: whether that is news, how many lines the id names as yet, and from when on it holds; `nil` for ever.
  /// - Throws: ``LedgerError``.
  @discardableResult
  public func link(_ customer: String, to identifier: String, since: Instant? = nil, _ act: StaffAction) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "link", at: since, act)
  }

  /// Says that it is the customer's no longer.
  /// - Parameter at: from when on.
  /// - Throws: ``LedgerError``; with `refusedEntry` where it is not the customer's.
  @discardableResult
  public func unlink(_ customer: String, from identifier: String, at instant: Instant, _ act: StaffAction) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "unlink", at: instant, act)
  }

  /// Says that it was one customer's and is another's from an instant on: both entries or neither.
  /// - Throws: ``LedgerError``; with `refusedEntry` where it is not the first customer's.
  public func transfer(
    _ identifier: String, from customer: String, to other: String, at instant: Instant, _ act: StaffAction
  ) throws {
    let (customer, other) = (try CheckedText.customer(customer), try CheckedText.customer(other))
    guard customer != other else {
      throw LedgerError(.refusedEntry, "Both customers are the same.", "Nothing was written.")
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

  /// Adds a note about a customer: it stays as it is.
  /// - Throws: ``LedgerError``.
  public func note(_ text: String, about customer: String, by author: String, now: Instant) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(text, "A note", limit: 10_000)
    try CheckedText.text(author, "The author")
    try record { transaction in
      let key = try CustomerEntries(rows: transaction).key(customer)
      try transaction.insert("customer_note", [nil, key, text, author, now.milliseconds])
    }
  }

  /// Gives a customer access by the app's own will.
  /// - Parameters:
  ///   - begins: from when on.
  ///   - ends: until when; `nil` without end.
  /// - Throws: ``LedgerError``.
  public func grant(
    _ entitlement: String, to customer: String, from begins: Instant, until ends: Instant?, _ act: StaffAction
  ) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(entitlement, "An entitlement's name")
    try act.check()
    if let ends, ends <= begins {
      throw LedgerError(.refusedEntry, "The grant would end at \(ends), before it begins.", "Name a later end.")
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

  /// Takes back all grants of an entitlement that a customer has at an instant.
  /// - Returns: how many they were.
  /// - Throws: ``LedgerError``.
  public func revokeGrants(of entitlement: String, from customer: String, at instant: Instant, _ act: StaffAction) throws -> Int
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

package import AppStore
internal import GRDB
internal import LedgerSchema

/// Staff's entries about customers, inside the transaction of the caller. ``LedgerRecorder`` documents each of them.
extension EvidenceTransaction {
  package func link(_ customer: String, to identifier: String, since: Instant?, _ staffAction: StaffAction) throws
    -> (isNew: Bool, purchaseCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "link", at: since, staffAction)
  }

  package func unlink(_ customer: String, from identifier: String, at instant: Instant, _ staffAction: StaffAction)
    throws
    -> (isNew: Bool, purchaseCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "unlink", at: instant, staffAction)
  }

  private func enter(
    _ customer: String, _ identifier: String, action: String, at instant: Instant?, _ staffAction: StaffAction
  ) throws -> (isNew: Bool, purchaseCount: Int, since: Instant?) {
    let customer = try CheckedText.customer(customer)
    let id = try CheckedText.identifier(identifier)
    try staffAction.check()
    let entries = CustomerEntries(rows: self)
    let count = try entries.originalKeys(id).count
    let isFirst = try !has("SELECT 1 FROM customer_link_entry WHERE identifier = ?", [id])
    let since = instant ?? (isFirst ? nil : staffAction.enteredAt)
    let effectiveAt = since ?? Instant(milliseconds: 0)
    if action == "link" {
      if try entries.isLinked(customer, id, since: effectiveAt) { return (false, count, since) }
    } else {
      try entries.requireOwnership(customer, id, at: effectiveAt)
    }
    try entries.insert(customer, id, action, effectiveAt, other: nil, staffAction)
    return (true, count, since)
  }

  package func transfer(
    _ identifier: String, from customer: String, to other: String, at instant: Instant, _ staffAction: StaffAction
  ) throws {
    let (customer, other) = (try CheckedText.customer(customer), try CheckedText.customer(other))
    guard customer != other else {
      throw LedgerError(.refusedEntry, "Both customers have the same id. Nothing was recorded.", "Name two customers.")
    }
    try staffAction.check()
    let id = try CheckedText.identifier(identifier)
    let entries = CustomerEntries(rows: self)
    try entries.requireOwnership(customer, id, at: instant)
    try entries.insert(customer, id, "unlink", instant, other: other, staffAction)
    try entries.insert(other, id, "link", instant, other: customer, staffAction)
  }

  package func note(_ text: String, about customer: String, by author: String, now: Instant) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(text, "A note", limit: 10_000)
    try CheckedText.text(author, "The author")
    try insert(
      "customer_note",
      [
        "customer_key": try CustomerEntries(rows: self).key(customer), "text": text, "author": author,
        "entered_at": now.milliseconds,
      ])
  }

  package func grant(
    _ entitlement: String, to customer: String, from begins: Instant, until ends: Instant?, _ staffAction: StaffAction
  ) throws {
    let customer = try CheckedText.customer(customer)
    try CheckedText.text(entitlement, "An entitlement's name")
    try staffAction.check()
    if let ends, ends <= begins {
      throw LedgerError(.refusedEntry, "The grant would end at \(ends), before it begins.", "Choose a later end.")
    }
    try insert(
      "access_grant",
      [
        "customer_key": try CustomerEntries(rows: self).key(customer), "entitlement": entitlement,
        "begins_at": begins.milliseconds, "ends_at": ends?.milliseconds, "reason": staffAction.reason,
        "author": staffAction.author,
        "entered_at": staffAction.enteredAt.milliseconds,
      ])
  }

  package func revokeGrants(
    of entitlement: String, from customer: String, at instant: Instant, _ staffAction: StaffAction
  )
    throws -> Int
  {
    let customer = try CheckedText.customer(customer)
    try staffAction.check()
    let grants = try numbers(
      """
      SELECT g.grant_id FROM access_grant g JOIN customer c USING (customer_key)
      WHERE c.customer = ?1 AND g.entitlement = ?2 AND (g.ends_at IS NULL OR g.ends_at > ?3) AND NOT EXISTS (
        SELECT 1 FROM access_grant_revocation r WHERE r.grant_id = g.grant_id AND r.revoked_at <= ?3)
      """, [customer, entitlement, instant.milliseconds])
    for grant in grants {
      try insert(
        "access_grant_revocation",
        [
          "grant_id": grant, "revoked_at": instant.milliseconds, "reason": staffAction.reason,
          "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
    }
    return grants.count
  }
}

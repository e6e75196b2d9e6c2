public import AppStore
internal import GRDB

/// Who does something about a customer, why, and when: every entry carries it.
public struct Act: Sendable {
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

  func check() throws {
    try Checked.text(author, "The author")
    try Checked.text(reason, "The reason", limit: 10_000)
  }
}

extension Ledger {
  /// Says that what an id of Apple's names is a customer's: a transaction's or a line's id, an app account token, an app
  /// transaction id. It holds for what is known by that id, and for what will be.
  /// - Parameter since: from when on; `nil` for ever, unless there are entries about this id already: then from now on.
  /// - Returns: whether that is news, how many lines the id names as yet, and from when on it holds; `nil` for ever.
  /// - Throws: ``LedgerError``.
  @discardableResult
  public func link(_ customer: String, to identifier: String, since: Instant? = nil, _ act: Act) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "link", at: since, act)
  }

  /// Says that it is the customer's no longer.
  /// - Parameter at: from when on.
  /// - Throws: ``LedgerError``; with `refusedEntry` where it is not the customer's.
  @discardableResult
  public func unlink(_ customer: String, from identifier: String, at instant: Instant, _ act: Act) throws
    -> (isNew: Bool, lineCount: Int, since: Instant?)
  {
    try enter(customer, identifier, action: "unlink", at: instant, act)
  }

  /// Says that it was one customer's and is another's from an instant on: both entries or neither.
  /// - Throws: ``LedgerError``; with `refusedEntry` where it is not the first customer's.
  public func transfer(
    _ identifier: String, from customer: String, to other: String, at instant: Instant, _ act: Act
  ) throws {
    let (customer, other) = (try Checked.customer(customer), try Checked.customer(other))
    guard customer != other else {
      throw LedgerError(.refusedEntry, "Both customers are the same.", "Nothing was written.")
    }
    try act.check()
    let id = try Checked.identifier(identifier)
    try writing { database in
      let entries = CustomerEntries(database: database)
      try entries.requireClaim(customer, id, at: instant.milliseconds)
      try entries.insert(customer, id, "unlink", instant.milliseconds, other: other, act)
      try entries.insert(other, id, "link", instant.milliseconds, other: customer, act)
    }
  }

  private func enter(
    _ customer: String, _ identifier: String, action: String, at instant: Instant?, _ act: Act
  ) throws -> (isNew: Bool, lineCount: Int, since: Instant?) {
    let customer = try Checked.customer(customer)
    let id = try Checked.identifier(identifier)
    try act.check()
    return try writing { database in
      let entries = CustomerEntries(database: database)
      let count = try entries.lines(id).count
      let isFirst = try !database.has("SELECT 1 FROM customer_link_entry WHERE identifier = ?", [id])
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
    let customer = try Checked.customer(customer)
    try Checked.text(text, "A note", limit: 10_000)
    try Checked.text(author, "The author")
    try writing { database in
      let key = try CustomerEntries(database: database).key(customer)
      try database.insert("customer_note", [nil, key, text, author, now.milliseconds])
    }
  }

  /// Gives a customer access by the app's own will.
  /// - Parameters:
  ///   - begins: from when on.
  ///   - ends: until when; `nil` without end.
  /// - Throws: ``LedgerError``.
  public func grant(
    _ entitlement: String, to customer: String, from begins: Instant, until ends: Instant?, _ act: Act
  ) throws {
    let customer = try Checked.customer(customer)
    try Checked.text(entitlement, "An entitlement's name")
    try act.check()
    if let ends, ends <= begins {
      throw LedgerError(.refusedEntry, "The grant would end at \(ends), before it begins.", "Name a later end.")
    }
    try writing { database in
      let key = try CustomerEntries(database: database).key(customer)
      try database.insert(
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
  public func revokeGrants(of entitlement: String, from customer: String, at instant: Instant, _ act: Act) throws -> Int
  {
    let customer = try Checked.customer(customer)
    try act.check()
    return try writing { database in
      let grants = try Int64.fetchAll(
        database,
        sql: """
          SELECT g.grant_id FROM access_grant g JOIN customer c USING (customer_key)
          WHERE c.customer = ?1 AND g.entitlement = ?2 AND (g.ends_at IS NULL OR g.ends_at > ?3) AND NOT EXISTS (
            SELECT 1 FROM access_grant_revocation r WHERE r.grant_id = g.grant_id AND r.revoked_at <= ?3)
          """, arguments: [customer, entitlement, instant.milliseconds])
      for grant in grants {
        try database.insert(
          "access_grant_revocation",
          [nil, grant, instant.milliseconds, act.reason, act.author, act.recordedAt.milliseconds])
      }
      return grants.count
    }
  }
}

/// Writes and reads the dated entries about customers, inside its caller's transaction.
struct CustomerEntries {
  let database: Database

  func key(_ customer: String) throws -> Int64 {
    try database.id("SELECT customer_key FROM customer WHERE customer = ?", [customer])
      ?? database.insert("customer", [nil, customer])
  }

  func insert(
    _ customer: String, _ identifier: String, _ action: String, _ effectiveAt: Int64, other: String?, _ act: Act
  ) throws {
    try database.insert(
      "customer_link_entry",
      [
        nil, try key(customer), identifier, action, effectiveAt, try other.map(key), act.reason, act.author,
        act.recordedAt.milliseconds,
      ])
  }

  /// Whether the customer's last entry of all says so already, for as long: after any other, saying it again is news.
  func isLinked(_ customer: String, _ identifier: String, since: Int64) throws -> Bool {
    try database.has(
      """
      SELECT 1 FROM customer_link_entry e JOIN customer c USING (customer_key)
      WHERE c.customer = ?1 AND e.identifier = ?2 AND e.action = 'link' AND e.effective_at <= ?3 AND NOT EXISTS (
        SELECT 1 FROM customer_link_entry l WHERE l.customer_key = e.customer_key AND l.entry_id > e.entry_id)
      """, [customer, identifier, since])
  }

  /// Customers to whom an id is linked: those whose last entry about it, of those that hold and were known, says so.
  func holders(of identifier: String, asOf: Int64 = .max, knownAt: Int64 = .max) throws -> [String] {
    try String.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT DISTINCT c.customer FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
          WHERE e.identifier = ?1 AND e.action = 'link' AND e.effective_at <= ?2 AND e.recorded_at <= ?3
            AND NOT EXISTS (
              SELECT 1 FROM main.customer_link_entry l WHERE l.customer_key = e.customer_key AND l.identifier = e.identifier
                AND l.entry_id > e.entry_id AND l.effective_at <= ?2 AND l.recorded_at <= ?3)
          ORDER BY c.customer
          """), arguments: [identifier, asOf, knownAt])
  }

  /// The lines that an id names as yet.
  func lines(_ identifier: String) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT DISTINCT original_transaction_key FROM int_identifier WHERE identifier = ?1 ORDER BY 1
        """, arguments: [identifier])
  }

  /// Refuses to take from a customer what is not theirs: a link that holds, or a line that is theirs by its token.
  func requireClaim(_ customer: String, _ identifier: String, at instant: Int64) throws {
    let isLinked = try holders(of: identifier, asOf: instant, knownAt: .max).contains(customer)
    if isLinked { return }
    try database.execute(sql: "DELETE FROM temp.param_scope")
    for line in try lines(identifier) {
      try database.execute(
        sql: "INSERT OR IGNORE INTO temp.param_scope VALUES (?, ?, ?)",
        arguments: [instant, Int64.max >> 1, line])
    }
    let isClaimed = try database.has("SELECT 1 FROM temp.customer_original_transaction WHERE customer = ?", [customer])
    guard isClaimed else {
      throw LedgerError(
        .refusedEntry, "What this id names is not this customer's at that instant.",
        "Nothing was written; ask: subledger show, with either id.")
    }
  }
}

extension Database {
  /// Whether an id is an account token: it has a token's form, or evidence called it one.
  func isAccountToken(_ id: String) throws -> Bool {
    try AccountToken.isToken(id)
      || has(
        "SELECT 1 FROM int_identifier WHERE identifier = ? AND kind = 'app_account_token'", [id])
  }
}

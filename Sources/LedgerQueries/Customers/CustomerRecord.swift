public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A link between one customer and one original transaction.
public struct CustomerClaim: Sendable, Equatable {
  /// How a customer and an original transaction are linked.
  public enum Basis: String, Sendable, CaseIterable {
    /// A staff entry links them.
    case link
    /// Apple states the customer's token in the purchase.
    case appAccountToken = "app_account_token"
  }

  /// The customer, by the app's own id or an account token.
  public var customer: String
  /// The name of the environment of the original transaction.
  public var environment: String
  /// The original transaction id.
  public var originalTransactionID: String
  /// How they are linked.
  public var basis: Basis
  /// The id that links them, such as the account token.
  public var identifier: String
  /// The reason that staff gave; `nil` for an account token.
  public var reason: String?
  /// Who linked them; `nil` for an account token.
  public var author: String?
  /// How many customers this original transaction belongs to.
  public var claimantCount: Int
  let originalTransactionKey: OriginalTransactionKey

  /// The original transaction, for further queries.
  public var purchase: OriginalTransactionMatch {
    OriginalTransactionMatch(
      environment: environment, originalTransactionID: originalTransactionID, kind: .originalTransactionID,
      identifier: originalTransactionID, originalTransactionKey: originalTransactionKey)
  }
}

/// A dated entry of the staff about a customer: a link, an unlink, or one side of a transfer.
public struct CustomerEntry: Sendable, Equatable {
  /// What an entry does.
  public enum Action: String, Sendable, CaseIterable {
    /// From now on the purchases of the id belong to the customer.
    case link
    /// From now on they belong to the customer no longer.
    case unlink
  }

  /// What the entry does.
  public var action: Action
  /// The id that the entry links or unlinks.
  public var identifier: String
  /// The first instant at which the entry counts; `nil` when it counts from the beginning.
  public var effectiveAt: Instant?
  /// The other customer of a transfer; `nil` for other entries.
  public var otherCustomer: String?
  /// The reason that its author gave.
  public var reason: String
  /// The member of staff who made the entry.
  public var author: String
  /// When the entry was made.
  public var enteredAt: Instant
}

/// A note of the staff about a customer.
public struct CustomerNote: Sendable, Equatable {
  /// The text of the note.
  public var text: String
  /// The member of staff who wrote the note.
  public var author: String
  /// When the note was entered.
  public var enteredAt: Instant
}

/// Access that the app's staff granted. It is never evidence from Apple.
public struct AccessGrant: Sendable, Equatable {
  /// The name of the entitlement, such as `pro`.
  public var entitlement: String
  /// The state: `active`, `expired`, `revoked` or `not_begun`.
  public var state: CustomerAccess.State
  /// The first instant at which the grant counts.
  public var beginsAt: Instant
  /// When the access ends or ended; `nil` for no end.
  public var accessEndsAt: Instant?
  /// The reason that its author gave.
  public var reason: String
  /// The member of staff who granted it.
  public var author: String
  /// When the grant was entered.
  public var enteredAt: Instant
  /// The end that somebody entered; `nil` when nobody did.
  public var revocation: GrantRevocation?
}

/// The end of a grant that a member of staff entered.
public struct GrantRevocation: Sendable, Equatable {
  /// When the grant ends or ended.
  public var revokedAt: Instant
  /// The reason that its author gave.
  public var reason: String
  /// The member of staff who revoked it.
  public var author: String
  /// When the revocation was entered.
  public var enteredAt: Instant
}

/// Everything that the ledger knows about one customer, except the purchases themselves.
public struct CustomerRecord: Sendable {
  /// The customer, by the app's own id or an account token.
  public var customer: String
  /// The original transactions that belong to the customer, Production first.
  public var claims: [CustomerClaim]
  /// The entitlements of the customer, one for each name and environment.
  public var accesses: [CustomerAccess]
  /// Links, unlinks and transfers, the oldest first.
  public var entries: [CustomerEntry]
  /// The grants, including those that have not begun.
  public var grants: [AccessGrant]
  /// The notes of the staff, the oldest first.
  public var notes: [CustomerNote]
}

extension LedgerReader {
  /// Returns the record of a customer, at the instants of the query.
  /// - Parameters:
  ///   - customer: the app's own id, or an account token.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func record(of customer: String, _ parameters: QueryParameters) throws -> CustomerRecord {
    let customer = AccountToken.normalized(customer)
    let accesses = try accesses(of: customer, parameters)
    return try readSubscriptions(
      "customer_original_transaction", "int_customer_candidate", "customer_grant",
      settingParameters: { try scopeToCustomer($0, of: customer, parameters) }
    ) { database, _ in
      let known = parameters.knownAt.milliseconds
      let claims = try Self.claims(database, "WHERE c.customer = ?", [customer])
      let entries = try database.rows(
        """
        SELECT e.*, o.customer AS other FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
        LEFT JOIN main.customer o ON o.customer_key = e.other_customer_key
        WHERE c.customer = ? AND e.entered_at <= ? ORDER BY e.entry_id
        """, [customer, known]
      ).map { row in
        let since: Int64 = row["effective_at"]
        return CustomerEntry(
          action: try row.value("action"), identifier: row["identifier"],
          effectiveAt: since == 0 ? nil : Instant(milliseconds: since), otherCustomer: row["other"],
          reason: row["reason"], author: row["author"], enteredAt: Instant(milliseconds: row["entered_at"]))
      }
      return CustomerRecord(
        customer: customer, claims: claims, accesses: accesses, entries: entries,
        grants: try Self.grants(database, customer), notes: try Self.notes(database, customer, parameters))
    }
  }

  /// Returns what staff entered about a customer: the grants and the notes. It derives no subscription, so it is fast.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func staffWords(about customer: String, _ parameters: QueryParameters) throws -> (
    grants: [AccessGrant], notes: [CustomerNote]
  ) {
    try lookUp("customer_grant") { database in
      try setParameters(database, [], parameters)
      return (try Self.grants(database, customer), try Self.notes(database, customer, parameters))
    }
  }

  private static func notes(_ database: Database, _ customer: String, _ parameters: QueryParameters) throws
    -> [CustomerNote]
  {
    try database.rows(
      """
      SELECT n.* FROM main.customer_note n JOIN main.customer c USING (customer_key)
      WHERE c.customer = ? AND n.entered_at <= ? ORDER BY n.note_id
      """, [customer, parameters.knownAt.milliseconds]
    ).map {
      CustomerNote(text: $0["text"], author: $0["author"], enteredAt: Instant(milliseconds: $0["entered_at"]))
    }
  }

  private static func grants(_ database: Database, _ customer: String) throws -> [AccessGrant] {
    try database.rows(
      """
      SELECT g.*, w.revoked_at AS ended_at, w.reason AS end_reason, w.author AS end_author, w.entered_at AS end_entered_at
      FROM temp.customer_grant g
      LEFT JOIN main.access_grant_revocation w ON w.revocation_id = (
        SELECT r.revocation_id FROM main.access_grant_revocation r
        WHERE r.grant_id = g.grant_id AND r.entered_at <= g.known_at ORDER BY r.revoked_at, r.revocation_id LIMIT 1)
      WHERE g.customer = ? ORDER BY g.begins_at, g.grant_id
      """, [customer]
    ).map { row in
      AccessGrant(
        entitlement: row["entitlement"], state: try row.value("state"),
        beginsAt: Instant(milliseconds: row["begins_at"]),
        accessEndsAt: row.instant("access_ends_at"), reason: row["reason"], author: row["author"],
        enteredAt: Instant(milliseconds: row["entered_at"]),
        revocation: row.instant("ended_at").map {
          GrantRevocation(
            revokedAt: $0, reason: row["end_reason"], author: row["end_author"],
            enteredAt: Instant(milliseconds: row["end_entered_at"]))
        })
    }
  }

  /// Returns the original transactions that belong to a customer, Production first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func purchases(of customer: String, _ parameters: QueryParameters) throws -> [OriginalTransactionMatch] {
    let customer = AccountToken.normalized(customer)
    return try readSubscriptions(
      "customer_original_transaction", "int_customer_candidate",
      settingParameters: { try scopeToCustomer($0, of: customer, parameters) }
    ) { database, _ in
      try Self.claims(database, "WHERE c.customer = ?", [customer]).map(\.purchase)
    }
  }

  /// Returns the customers that an original transaction belongs to, with the reason.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func claims(on purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> [CustomerClaim] {
    try readSubscriptions(
      "customer_original_transaction",
      settingParameters: { try setParameters($0, [purchase.originalTransactionKey], parameters) }
    ) { database, _ in
      try Self.claims(database, "", [])
    }
  }

  private static func claims(_ database: Database, _ condition: String, _ arguments: StatementArguments) throws
    -> [CustomerClaim]
  {
    try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM temp.customer_original_transaction c \(condition)
        ORDER BY environment <> 'Production', environment, original_transaction_id, customer
        """, arguments: arguments
    ).map { row in
      CustomerClaim(
        customer: row["customer"], environment: row["environment"],
        originalTransactionID: row["original_transaction_id"], basis: try row.value("basis"),
        identifier: row["identifier"],
        reason: row["reason"], author: row["author"], claimantCount: row["claimant_count"],
        originalTransactionKey: row["original_transaction_key"])
    }
  }
}

extension LedgerReader {
  /// Returns when the next grant of an entitlement to a customer begins; `nil` when none is to begin.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func nextGrant(of entitlement: String, to customer: String, _ parameters: QueryParameters) throws -> Instant?
  {
    try lookUp { database in
      try database.id(
        """
        SELECT MIN(g.begins_at) FROM main.access_grant g JOIN main.customer c USING (customer_key)
        WHERE c.customer = ?1 AND g.entitlement = ?2 AND g.begins_at > ?3 AND g.entered_at <= ?4
        """, [customer, entitlement, parameters.asOf.milliseconds, parameters.knownAt.milliseconds]
      ).map { Instant(milliseconds: $0) }
    }
  }
}

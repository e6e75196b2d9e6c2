public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A customer's claim on a line, or a line's claim by a customer.
public struct CustomerClaim: Sendable, Equatable {
  /// The customer.
  public var customer: String
  /// The line.
  public var environment: String
  /// Its id.
  public var originalTransactionID: String
  /// `link` or `app_account_token`.
  public var basis: String
  /// The id by which the line is theirs.
  public var identifier: String
  /// Why it was linked.
  public var reason: String?
  /// Who linked it.
  public var author: String?
  /// How many customers claim this line.
  public var claimantCount: Int
  let originalTransactionKey: Int64

  /// The line, to ask more about.
  public var line: OriginalTransactionMatch {
    OriginalTransactionMatch(
      environment: environment, originalTransactionID: originalTransactionID, kind: "original_transaction_id",
      identifier: originalTransactionID, originalTransactionKey: originalTransactionKey)
  }
}

/// A dated entry of the staff's about a customer: a link, an unlink, one side of a transfer.
public struct CustomerEntry: Sendable, Equatable {
  /// `link` or `unlink`.
  public var action: String
  /// What it names.
  public var identifier: String
  /// Since when it holds; `nil` for ever.
  public var effectiveAt: Instant?
  /// Of a transfer, the other customer.
  public var otherCustomer: String?
  /// Why.
  public var reason: String
  /// Who.
  public var author: String
  /// When it was made.
  public var recordedAt: Instant
}

/// A note about a customer.
public struct CustomerNote: Sendable, Equatable {
  /// The note.
  public var text: String
  /// Who wrote it.
  public var author: String
  /// When.
  public var recordedAt: Instant
}

/// Access that the app gave by itself.
public struct AccessGrant: Sendable, Equatable {
  /// What it grants.
  public var entitlement: String
  /// `active`, `expired`, `revoked` or `not_begun`.
  public var state: String
  /// When it begins.
  public var beginsAt: Instant
  /// When it ends or ended; `nil` without end.
  public var accessEndsAt: Instant?
  /// Why.
  public var reason: String
  /// Who.
  public var author: String
}

/// All that is known of one customer, but for the purchases themselves.
public struct CustomerRecord: Sendable {
  /// The customer.
  public var customer: String
  /// The lines that are theirs, Production first.
  public var claims: [CustomerClaim]
  /// What they may use.
  public var accesses: [CustomerAccess]
  /// Links and transfers, oldest first.
  public var entries: [CustomerEntry]
  /// Grants, also those that have not begun.
  public var grants: [AccessGrant]
  /// Notes, oldest first.
  public var notes: [CustomerNote]
}

extension LedgerReader {
  /// A customer, as of an instant and as known at one.
  /// - Throws: ``LedgerError``.
  public func record(of customer: String, _ question: Question) throws -> CustomerRecord {
    let customer = AccountToken.normalized(customer)
    let accesses = try accesses(of: customer, question)
    return try lookUp("customer_original_transaction", "int_customer_candidate", "customer_grant") {
      database in
      try askAboutLines(database, of: customer, question)
      let known = question.knownAt.milliseconds
      let claims = try Self.claims(database, "WHERE c.customer = ?", [customer])
      let entries = try Row.fetchAll(
        database,
        sql: """
          SELECT e.*, o.customer AS other FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
          LEFT JOIN main.customer o ON o.customer_key = e.other_customer_key
          WHERE c.customer = ? AND e.recorded_at <= ? ORDER BY e.entry_id
          """, arguments: [customer, known]
      ).map { row in
        let since: Int64 = row["effective_at"]
        return CustomerEntry(
          action: row["action"], identifier: row["identifier"],
          effectiveAt: since == 0 ? nil : Instant(milliseconds: since), otherCustomer: row["other"],
          reason: row["reason"], author: row["author"], recordedAt: Instant(milliseconds: row["recorded_at"]))
      }
      return CustomerRecord(
        customer: customer, claims: claims, accesses: accesses, entries: entries,
        grants: try Self.grants(database, customer), notes: try Self.notes(database, customer, question))
    }
  }

  /// What staff gave and wrote: the grants and notes of a customer, and nothing that must be derived.
  /// - Throws: ``LedgerError``.
  public func staffWords(about customer: String, _ question: Question) throws -> (
    grants: [AccessGrant], notes: [CustomerNote]
  ) {
    try lookUp("customer_grant") { database in
      try ask(database, [])
      try ask(database, question)
      return (try Self.grants(database, customer), try Self.notes(database, customer, question))
    }
  }

  private static func notes(_ database: Database, _ customer: String, _ question: Question) throws -> [CustomerNote] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT n.* FROM main.customer_note n JOIN main.customer c USING (customer_key)
        WHERE c.customer = ? AND n.recorded_at <= ? ORDER BY n.note_id
        """, arguments: [customer, question.knownAt.milliseconds]
    ).map {
      CustomerNote(text: $0["text"], author: $0["author"], recordedAt: Instant(milliseconds: $0["recorded_at"]))
    }
  }

  private static func grants(_ database: Database, _ customer: String) throws -> [AccessGrant] {
    try Row.fetchAll(
      database, sql: "SELECT * FROM temp.customer_grant WHERE customer = ? ORDER BY begins_at, grant_id",
      arguments: [customer]
    ).map { row in
      AccessGrant(
        entitlement: row["entitlement"], state: row["state"], beginsAt: Instant(milliseconds: row["begins_at"]),
        accessEndsAt: row.instant("access_ends_at"), reason: row["reason"], author: row["author"])
    }
  }

  /// The lines that are a customer's, Production first.
  /// - Throws: ``LedgerError``.
  public func lines(of customer: String, _ question: Question) throws -> [OriginalTransactionMatch] {
    let customer = AccountToken.normalized(customer)
    return try lookUp("customer_original_transaction", "int_customer_candidate") { database in
      try askAboutLines(database, of: customer, question)
      return try Self.claims(database, "WHERE c.customer = ?", [customer]).map(\.line)
    }
  }

  /// Who claims a line.
  /// - Throws: ``LedgerError``.
  public func claims(on line: OriginalTransactionMatch, _ question: Question) throws -> [CustomerClaim] {
    try lookUp("customer_original_transaction") { database in
      try ask(database, [(line.originalTransactionKey, question)])
      return try Self.claims(database, "", [])
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
        originalTransactionID: row["original_transaction_id"], basis: row["basis"], identifier: row["identifier"],
        reason: row["reason"], author: row["author"], claimantCount: row["claimant_count"],
        originalTransactionKey: row["original_transaction_key"])
    }
  }
}

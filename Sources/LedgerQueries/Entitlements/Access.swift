public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// What speaks for a customer's having an entitlement: the best of it decides (rules §9).
public struct CustomerAccess: Sendable, Equatable {
  /// The customer.
  public var customer: String
  /// The entitlement.
  public var entitlement: String
  /// The environment; grants stand in Production.
  public var environment: String
  /// May this user in?
  public var hasAccess: Bool
  /// `active`, `grace_period`, `billing_retry`, `expired` or `revoked`.
  public var state: String
  /// When access ends or ended; `nil` without end.
  public var accessEndsAt: Instant?
  /// The product; `nil` of a grant.
  public var productID: String?
  /// The line; `nil` of a grant.
  public var originalTransactionID: String?
  /// What decided: `subscription`, `one_time_purchase` or `grant`.
  public var basis: String
  /// The rule that decided; of one-time purchases `bought`, `within_duration`, `duration_over`, `revoked`; of grants
  /// `granted`, `grant_ended`, `grant_revoked`.
  public var rule: String
  /// Whether something was heard since the last known end (rules §6).
  public var isConfirmed: Bool
  /// Whether a payload that decided contradicts itself: it may be forged or edited (rules §6).
  public var isContradictory: Bool
  /// Why the evidence that decided is believed: `verified`, `unsigned`, `unverified`; `nil` of a grant.
  public var trust: String?
  /// The name of the root that it is believed by, where that is not Apple's.
  public var addedRoot: String?
  /// The newest word of Apple's on the line; `nil` of a grant.
  public var evidenceAt: Instant?
  /// How many customers claim the line; more than one is for support to look at.
  public var claimantCount: Int

  init(_ row: Row) {
    customer = row["customer"]
    entitlement = row["entitlement"]
    environment = row["environment"]
    hasAccess = row["has_access"]
    state = row["state"]
    accessEndsAt = row.instant("access_ends_at")
    productID = row["product_id"]
    originalTransactionID = row["original_transaction_id"]
    basis = row["basis"]
    rule = row["rule"]
    isConfirmed = row["confirmed"]
    isContradictory = row["is_contradictory"]
    trust = row["trust"]
    addedRoot = row["added_root"]
    evidenceAt = row.instant("evidence_at")
    claimantCount = row["claimant_count"]
  }
}

/// The answer to *may this user use this?*
public enum AccessAnswer: Sendable, Equatable {
  /// Something speaks for it, well or badly.
  case decided(CustomerAccess)
  /// The customer is known, and nothing of theirs ever granted it.
  case nothing
  /// No evidence, link or grant names the customer.
  case unknownCustomer
  /// No product and no grant has an entitlement of this name.
  case unknownEntitlement
}

extension LedgerReader {
  /// May this user use this?
  /// - Parameters:
  ///   - customer: the app's own id, or an app account token.
  ///   - entitlement: the app's own name for it, such as `pro`.
  ///   - environment: purchases of other environments do not count.
  /// - Throws: ``LedgerError``.
  public func access(
    of customer: String, to entitlement: String, in environment: Environment = .production, _ question: Question
  ) throws -> AccessAnswer {
    try readSubscriptions(
      "customer_entitlement", "customer_original_transaction", "int_customer_candidate",
      asking: { try askAboutLines($0, ofCustomerNamed: customer, question) }
    ) { database, customer in
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: "SELECT * FROM temp.customer_entitlement WHERE customer = ? AND entitlement = ? AND environment = ?"),
        arguments: [customer, entitlement, environment.name])
      if let row { return .decided(CustomerAccess(row)) }
      let isNamed = try database.has(
        """
        SELECT 1 FROM main.product_entitlement_entry WHERE entitlement = ?1 AND recorded_at <= ?2
        UNION ALL SELECT 1 FROM main.access_grant WHERE entitlement = ?1 AND recorded_at <= ?2
        """, [entitlement, question.knownAt.milliseconds])
      guard isNamed else { return .unknownEntitlement }
      let isHeardOf = try database.has(
        """
        SELECT 1 FROM temp.customer_original_transaction WHERE customer = ?1
        UNION ALL
        SELECT 1 FROM main.customer c JOIN (
          SELECT customer_key, recorded_at FROM main.customer_link_entry
          UNION ALL SELECT customer_key, recorded_at FROM main.access_grant
          UNION ALL SELECT customer_key, recorded_at FROM main.customer_note
        ) USING (customer_key) WHERE c.customer = ?1 AND recorded_at <= ?2
        """, [customer, question.knownAt.milliseconds])
      return isHeardOf ? .nothing : .unknownCustomer
    }
  }

  /// All of a customer's entitlements, one row each and environment, Production first.
  /// - Throws: ``LedgerError``.
  public func accesses(of customer: String, _ question: Question) throws -> [CustomerAccess] {
    try readSubscriptions(
      "customer_entitlement", "int_customer_candidate",
      asking: { try askAboutLines($0, ofCustomerNamed: customer, question) }
    ) { database, customer in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM temp.customer_entitlement WHERE customer = ?
          ORDER BY environment <> 'Production', environment, entitlement
          """, arguments: [customer]
      ).map(CustomerAccess.init)
    }
  }

  /// Whom an id means: an account token that was linked to a customer stands for that customer.
  func customer(_ database: Database, named id: String, _ question: Question) throws -> String {
    let id = AccountToken.normalized(id)
    let holders = try CustomerEntries(rows: database)
      .holders(of: id, asOf: question.asOf.milliseconds, knownAt: question.knownAt.milliseconds)
    guard let first = holders.first, !holders.contains(id), try database.isAccountToken(id) else { return id }
    return first
  }

  private func askAboutLines(
    _ database: Database, ofCustomerNamed id: String, _ question: Question
  ) throws -> String {
    let customer = try self.customer(database, named: id, question)
    try askAboutLines(database, of: customer, question)
    return customer
  }

  /// Asks about every line that may be a customer's: what names them, or ever named them.
  func askAboutLines(_ database: Database, of customer: String, _ question: Question) throws {
    let lines = try Int64.fetchAll(
      database.cachedStatement(
        sql: "SELECT original_transaction_key FROM temp.int_customer_candidate WHERE customer = ?"),
      arguments: [customer])
    try ask(database, lines.map { ($0, question) })
    try ask(database, question)
  }
}

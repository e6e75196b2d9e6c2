public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// The access of a customer to one entitlement. The best of their purchases and grants decides (rules §9).
public struct CustomerAccess: Sendable, Equatable {
  /// The states of what gives an entitlement: a subscription, a one-time purchase or a grant.
  public enum State: String, Sendable, CaseIterable {
    /// Paid, on trial, or granted: it gives access.
    case active
    /// A payment failed, and Apple grants a grace period: it gives access.
    case gracePeriod = "grace_period"
    /// A payment failed, and Apple tries again: it gives no access.
    case billingRetry = "billing_retry"
    /// The paid time has ended.
    case expired
    /// It was refunded or revoked.
    case revoked
    /// A consumable: it gives no entitlement.
    case consumable
    /// A purchase whose type is not known.
    case unknown
    /// A grant that has not begun.
    case notBegun = "not_begun"
  }

  /// What gives an entitlement to a customer.
  public enum Basis: String, Sendable, CaseIterable {
    /// A subscription of the customer.
    case subscription
    /// A one-time purchase of the customer.
    case oneTimePurchase = "one_time_purchase"
    /// A seat of a subscription that somebody else bought.
    case seatClaim = "seat_claim"
    /// A grant of the staff.
    case grant
  }

  /// The customer, by the app's own id or an account token.
  public var customer: String
  /// The name of the entitlement, such as `pro`.
  public var entitlement: String
  /// The name of the environment; `Production` for a grant.
  public var environment: String
  /// Whether the customer has access: the state is `active` or `grace_period`.
  public var hasAccess: Bool
  /// The state: `active`, `grace_period`, `billing_retry`, `expired` or `revoked`.
  public var state: State
  /// When access ends or ended; `nil` for no end.
  public var accessEndsAt: Instant?
  /// The id of the product that grants it; `nil` for a grant.
  public var productID: String?
  /// The original transaction id of the purchase, for a seat that of its purchaser; `nil` for a grant.
  public var originalTransactionID: String?
  /// What gives or gave the entitlement.
  public var basis: Basis
  /// The rule that decided.
  public var rule: Rule
  /// Whether the ledger has evidence from after the last known end (rules §6).
  public var isConfirmed: Bool
  /// Whether a payload that decided contradicts itself. It may be forged or edited (rules §6).
  public var isContradictory: Bool
  /// The trust in the evidence that decided; `nil` for a grant.
  public var trust: Trust?
  /// The name of the added root that its signature leads to; `nil` for Apple's root, without a signature, or for a
  /// grant.
  public var addedRoot: String?
  /// The newest evidence instant of the original transaction; `nil` for a grant.
  public var evidenceAt: Instant?
  /// How many customers the purchase belongs to. Support should check it when there is more than one.
  public var claimantCount: Int

  init(_ row: Row) throws {
    customer = row["customer"]
    entitlement = row["entitlement"]
    environment = row["environment"]
    hasAccess = row["has_access"]
    state = try row.value("state")
    accessEndsAt = row.instant("access_ends_at")
    productID = row["product_id"]
    originalTransactionID = row["original_transaction_id"]
    basis = try row.value("basis")
    rule = try row.value("rule")
    isConfirmed = row["confirmed"]
    isContradictory = row["is_contradictory"]
    trust = try row.valueIfPresent("trust")
    addedRoot = row["added_root"]
    evidenceAt = row.instant("evidence_at")
    claimantCount = row["claimant_count"]
  }
}

/// Whether a customer has an entitlement.
public enum AccessAnswer: Sendable, Equatable {
  /// A purchase or a grant decided. The value states whether it gives access.
  case decided(CustomerAccess)
  /// The customer is known, and nothing that belongs to them ever granted the entitlement.
  case nothing
  /// No evidence, link or grant names the customer.
  case unknownCustomer
  /// No product and no grant has an entitlement with this name.
  case unknownEntitlement
}

extension LedgerReader {
  /// Returns whether a customer has an entitlement.
  /// - Parameters:
  ///   - customer: the app's own id, or an app account token.
  ///   - entitlement: the app's own name for it, such as `pro`.
  ///   - environment: the environment whose purchases count.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func access(
    of customer: String, to entitlement: String, in environment: Environment = .production,
    _ parameters: QueryParameters
  ) throws -> AccessAnswer {
    try readSubscriptions(
      "customer_entitlement", "customer_original_transaction", "int_customer_candidate",
      settingParameters: { try scopeToCustomer($0, ofCustomerNamed: customer, parameters) }
    ) { database, customer in
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: "SELECT * FROM temp.customer_entitlement WHERE customer = ? AND entitlement = ? AND environment = ?"),
        arguments: [customer, entitlement, environment.name])
      if let row { return .decided(try CustomerAccess(row)) }
      let isNamed = try database.has(
        """
        SELECT 1 FROM main.product_entitlement_entry WHERE entitlement = ?1 AND entered_at <= ?2
        UNION ALL SELECT 1 FROM main.access_grant WHERE entitlement = ?1 AND entered_at <= ?2
        """, [entitlement, parameters.knownAt.milliseconds])
      guard isNamed else { return .unknownEntitlement }
      let isKnown = try database.has(
        """
        SELECT 1 FROM temp.customer_original_transaction WHERE customer = ?1
        UNION ALL
        SELECT 1 FROM main.customer c JOIN (
          SELECT customer_key, entered_at FROM main.customer_link_entry
          UNION ALL SELECT customer_key, entered_at FROM main.access_grant
          UNION ALL SELECT customer_key, entered_at FROM main.seat_claim
          UNION ALL SELECT customer_key, entered_at FROM main.customer_note
        ) USING (customer_key) WHERE c.customer = ?1 AND entered_at <= ?2
        """, [customer, parameters.knownAt.milliseconds])
      return isKnown ? .nothing : .unknownCustomer
    }
  }

  /// Returns all entitlements of a customer, one for each name and environment, Production first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func accesses(of customer: String, _ parameters: QueryParameters) throws -> [CustomerAccess] {
    try readSubscriptions(
      "customer_entitlement", "int_customer_candidate",
      settingParameters: { try scopeToCustomer($0, ofCustomerNamed: customer, parameters) }
    ) { database, customer in
      try database.rows(
        """
        SELECT * FROM temp.customer_entitlement WHERE customer = ?
        ORDER BY environment <> 'Production', environment, entitlement
        """, [customer]
      ).map(CustomerAccess.init)
    }
  }

  /// Returns the customer that an id means. An account token that is linked to a customer means that customer.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func customer(named id: String, _ parameters: QueryParameters) throws -> String {
    try lookUp { try customer($0, named: id, parameters) }
  }

  func customer(_ database: Database, named id: String, _ parameters: QueryParameters) throws -> String {
    let id = AccountToken.normalized(id)
    let holders = try CustomerEntries(rows: database).holders(of: id, parameters)
    guard let first = holders.first, !holders.contains(id), try database.isAccountToken(id) else { return id }
    return first
  }

  private func scopeToCustomer(
    _ database: Database, ofCustomerNamed id: String, _ parameters: QueryParameters
  ) throws -> String {
    let customer = try self.customer(database, named: id, parameters)
    try scopeToCustomer(database, of: customer, parameters)
    return customer
  }

  /// Puts every original transaction that may be a customer's into the scope of the query. Such a transaction names the
  /// customer now, or did before.
  func scopeToCustomer(_ database: Database, of customer: String, _ parameters: QueryParameters) throws {
    let keys = try OriginalTransactionKey.fetchAll(
      database.cachedStatement(
        sql: "SELECT original_transaction_key FROM temp.int_customer_candidate WHERE customer = ?"),
      arguments: [customer])
    try setParameters(database, keys, parameters)
  }
}

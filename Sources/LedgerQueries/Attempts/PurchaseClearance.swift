public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// Whether a customer may start a purchase now.
public struct PurchaseClearance: Sendable, Equatable {
  /// One reason not to start the purchase, as a row of the view `rule_purchase_obstacle`.
  public struct Obstacle: Sendable, Equatable {
    /// The reasons not to start a purchase.
    public enum Reason: String, Sendable, CaseIterable {
      /// A purchase is in flight on a device.
      case inFlight = "in_flight"
      /// A purchase is paid, and the app has not finished it yet.
      case paidUnfinished = "paid_unfinished"
      /// A purchase waits for a parent's approval.
      case waitingForApproval = "waiting_for_approval"
      /// The attempt was finished on the device, and the evidence does not contain its payment yet.
      case paidNotVerified = "paid_not_verified"
      /// The app reported a payment that gives access now, and that is not linked to the customer.
      case paidNotTheirs = "paid_not_theirs"
      /// The customer has the product.
      case alreadyEntitled = "already_entitled"
    }

    /// Why the purchase should not start.
    public var reason: Reason
    /// When the obstacle began; `nil` when it is not known.
    public var since: Instant?
    /// When the obstacle ends by itself; `nil` when it does not.
    public var until: Instant?
    /// The transaction id; `nil` when the device reported none.
    public var transactionID: String?
    /// Whether the subscription will renew then, as last stated; `nil` when it is not known.
    public var willRenew: Bool?
  }

  /// The obstacles, the longest-lasting first; empty when the customer may start the purchase.
  public var obstacles: [Obstacle]

  /// Whether the customer may start the purchase, because nothing is an obstacle.
  public var mayPurchase: Bool { obstacles.isEmpty }
}

extension LedgerReader {
  /// Returns whether a customer may start a purchase of a product now. The view `rule_purchase_obstacle` decides.
  /// - Parameters:
  ///   - customer: the app's own id, or an account token.
  ///   - product: the id of the product.
  ///   - environment: the environment whose purchases count.
  ///   - attemptTimeout: how long an attempt without an end is an obstacle, in milliseconds.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func clearance(
    of customer: String, toPurchase product: String, in environment: Environment = .production, attemptTimeout: Int64,
    _ parameters: QueryParameters
  ) throws -> PurchaseClearance {
    try readSubscriptions(
      "rule_purchase_obstacle", "int_customer_candidate",
      settingParameters: { database in
        let customer = try self.customer(database, named: customer, parameters)
        _ = try askAboutQueues(database, of: customer, parameters)
        try database.query("DELETE FROM temp.param_clearance").execute()
        try database.query("INSERT INTO temp.param_clearance VALUES (?)").execute(arguments: [attemptTimeout])
        return customer
      }
    ) { database, customer in
      // To prepare this statement takes a hundred times as long as to run it.
      let rows = try database.rows(
        """
        SELECT * FROM temp.rule_purchase_obstacle
        WHERE customer = ?1 AND product_id = ?2 AND COALESCE(environment, ?3) = ?3
        ORDER BY ends_at IS NOT NULL, ends_at DESC
        """, [customer, product, environment.name])
      return PurchaseClearance(
        obstacles: try rows.map { row in
          PurchaseClearance.Obstacle(
            reason: try row.value("reason"), since: row.instant("begins_at"), until: row.instant("ends_at"),
            transactionID: row["transaction_id"], willRenew: row["will_renew"])
        })
    }
  }
}

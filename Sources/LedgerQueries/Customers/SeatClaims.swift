public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A seat of a subscription that the app gave to a customer (rules §9).
public struct CustomerSeatClaim: Sendable, Equatable {
  /// The customer, by the app's own id.
  public var customer: String
  /// Apple's `seatClaimId`; `nil` when it was not given.
  public var seatClaimID: String?
  /// The name of the environment of the subscription.
  public var environment: String
  /// The original transaction id of the purchaser's subscription.
  public var originalTransactionID: String
  /// The first instant at which the claim counts.
  public var claimedAt: Instant
  /// When the app or Apple ended it; `nil` while it is open.
  public var unclaimedAt: Instant?
  /// Whether Apple ended it, by a notification `UNCLAIM_SEATS`.
  public var isReleasedByApple: Bool
  /// The seats of the subscription; `nil` when they are not known.
  public var seats: Int?
  /// The number of open claims of the subscription. Where it is greater than ``seats``, nobody loses access.
  public var openClaimCount: Int
  /// The reason that its author gave.
  public var reason: String
  /// The person or program that recorded the claim.
  public var author: String

  init(_ row: Row) {
    customer = row["customer"]
    seatClaimID = row["seat_claim_id"]
    environment = row["environment"]
    originalTransactionID = row["original_transaction_id"]
    claimedAt = Instant(milliseconds: row["claimed_at"])
    unclaimedAt = row.instant("unclaimed_at")
    isReleasedByApple = row["is_released_by_apple"]
    seats = row["seats"]
    openClaimCount = row["open_claim_count"]
    reason = row["reason"]
    author = row["author"]
  }
}

extension LedgerReader {
  /// Returns the seats that the app gave to a customer, the oldest first, also those that have ended.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func seatClaims(of customer: String, _ parameters: QueryParameters) throws -> [CustomerSeatClaim] {
    let customer = AccountToken.normalized(customer)
    return try readSubscriptions(
      "customer_seat_claim", "int_customer_candidate",
      settingParameters: { try scopeToCustomer($0, of: customer, parameters) }
    ) { database, _ in
      try Self.seatClaims(database, "WHERE customer = ?", [customer])
    }
  }

  /// Returns the seats of a subscription that the app gave to customers, the oldest first, also those that have ended.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func seatClaims(on subscription: OriginalTransactionMatch, _ parameters: QueryParameters) throws
    -> [CustomerSeatClaim]
  {
    try readSubscriptions(
      "customer_seat_claim",
      settingParameters: { try setParameters($0, [subscription.originalTransactionKey], parameters) }
    ) { database, _ in
      try Self.seatClaims(database, "", [])
    }
  }

  /// Returns every subscription with open claims, Production first. Those with more claims than seats come first.
  /// - Returns: one claim of each; its ``CustomerSeatClaim/seats`` and ``CustomerSeatClaim/openClaimCount`` are those of
  ///   the subscription.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func claimedSubscriptions(_ parameters: QueryParameters) throws -> [CustomerSeatClaim] {
    try readAll(["customer_seat_claim"], parameters) { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM (
            SELECT c.*, ROW_NUMBER() OVER (PARTITION BY original_transaction_key ORDER BY claim_id) AS row_rank
            FROM temp.customer_seat_claim c WHERE is_open = 1
          ) WHERE row_rank = 1
          ORDER BY
            COALESCE(open_claim_count > seats, 0) DESC, environment <> 'Production', environment,
            original_transaction_id
          """
      ).map(CustomerSeatClaim.init)
    }
  }

  private static func seatClaims(_ database: Database, _ condition: String, _ arguments: StatementArguments) throws
    -> [CustomerSeatClaim]
  {
    try Row.fetchAll(
      database,
      sql: "SELECT * FROM temp.customer_seat_claim c \(condition) ORDER BY claimed_at, claim_id", arguments: arguments
    ).map(CustomerSeatClaim.init)
  }
}

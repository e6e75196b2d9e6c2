import AppStore

/// Returns an instant, in days after 2026-01-01. With days, a table of a test is easy to read.
package func day(_ number: Double) -> Instant {
  Instant(milliseconds: 1_767_225_600_000 + Int64(number * 86_400_000))
}

/// A transaction in Apple's forms of JSON, made from the values that a test needs.
package struct TransactionFixture: Sendable {
  package var id: String
  package var originalID: String
  package var product = "monthly"
  package var purchase: Instant
  package var expires: Instant?
  package var revoked: Instant?
  package var isUpgraded = false
  package var extra: [(String, String)] = []

  package init(
    _ id: String, originalID: String = "t1", product: String = "monthly", _ purchase: Instant, _ expires: Instant?,
    revoked: Instant? = nil, isUpgraded: Bool = false, extra: [(String, String)] = []
  ) {
    (self.id, self.originalID, self.product, self.purchase, self.expires) = (id, originalID, product, purchase, expires)
    (self.revoked, self.isUpgraded, self.extra) = (revoked, isUpgraded, extra)
  }

  /// Creates the transaction t1 of the subscription t1.
  package init(
    _ purchase: Instant, _ expires: Instant?, revoked: Instant? = nil, isUpgraded: Bool = false,
    extra: [(String, String)] = []
  ) {
    self.init("t1", purchase, expires, revoked: revoked, isUpgraded: isUpgraded, extra: extra)
  }

  /// Returns the decoded JWS payload of the transaction.
  package func signed(_ signedAt: Instant, environment: String = "Sandbox") -> String {
    var members = [
      ("transactionId", id.quoted), ("originalTransactionId", originalID.quoted), ("productId", product.quoted),
      ("bundleId", "\"b\""), ("environment", environment.quoted), ("purchaseDate", "\(purchase.milliseconds)"),
      ("signedDate", "\(signedAt.milliseconds)"),
    ]
    if let expires { members.append(("expiresDate", "\(expires.milliseconds)")) }
    if let revoked { members.append(("revocationDate", "\(revoked.milliseconds)")) }
    if isUpgraded { members.append(("isUpgraded", "true")) }
    return object(members + extra)
  }

  /// The transaction as a row of a receipt.
  package var row: String {
    var members = [
      ("transaction_id", id.quoted), ("original_transaction_id", originalID.quoted), ("product_id", product.quoted),
      ("purchase_date_ms", "\"\(purchase.milliseconds)\""),
    ]
    if let expires { members.append(("expires_date_ms", "\"\(expires.milliseconds)\"")) }
    if let revoked { members.append(("cancellation_date_ms", "\"\(revoked.milliseconds)\"")) }
    if isUpgraded { members.append(("is_upgraded", "\"true\"")) }
    return object(members + extra)
  }
}

package struct RenewalFixture: Sendable {
  package var originalID: String
  package var product: String?
  package var next: String?
  package var status: Bool?
  package var intent: Int?
  package var retry: Bool?
  package var grace: Instant?
  package var seats: Int?

  package init(
    originalID: String = "t1", product: String? = "monthly", next: String? = nil, status: Bool? = nil,
    intent: Int? = nil,
    retry: Bool? = nil, grace: Instant? = nil, seats: Int? = nil
  ) {
    (self.originalID, self.product, self.next, self.status) = (originalID, product, next, status)
    (self.intent, self.retry, self.grace, self.seats) = (intent, retry, grace, seats)
  }

  /// Returns the decoded JWS payload of the renewal info.
  package func signed(_ signedAt: Instant, environment: String = "Sandbox") -> String {
    var members = [
      ("originalTransactionId", originalID.quoted), ("environment", environment.quoted),
      ("signedDate", "\(signedAt.milliseconds)"), ("autoRenewProductId", (next ?? product ?? "monthly").quoted),
    ]
    if let product { members.append(("productId", product.quoted)) }
    if let status { members.append(("autoRenewStatus", status ? "1" : "0")) }
    if let intent { members.append(("expirationIntent", "\(intent)")) }
    if let retry { members.append(("isInBillingRetryPeriod", "\(retry)")) }
    if let grace { members.append(("gracePeriodExpiresDate", "\(grace.milliseconds)")) }
    if let seats { members.append(("renewalQuantity", "\(seats)")) }
    return object(members)
  }

  /// The renewal info as a row of `pending_renewal_info`.
  package var row: String {
    var members = [
      ("original_transaction_id", originalID.quoted), ("auto_renew_product_id", (next ?? product ?? "monthly").quoted),
    ]
    if let product { members.append(("product_id", product.quoted)) }
    if let status { members.append(("auto_renew_status", status ? "\"1\"" : "\"0\"")) }
    if let intent { members.append(("expiration_intent", "\"\(intent)\"")) }
    if let retry { members.append(("is_in_billing_retry_period", retry ? "\"1\"" : "\"0\"")) }
    if let grace { members.append(("grace_period_expires_date_ms", "\"\(grace.milliseconds)\"")) }
    return object(members)
  }
}

package enum PayloadFixture {
  /// Returns a verifyReceipt response, JSON.
  package static func receipt(
    at request: Instant?, latest: [TransactionFixture] = [], inApp: [TransactionFixture] = [],
    renewals: [RenewalFixture] = [], environment: String = "Sandbox"
  ) -> String {
    let requested = request.map { "\"request_date_ms\":\"\($0.milliseconds)\"," } ?? ""
    return "{\"status\":0,\"environment\":\"\(environment)\",\"receipt\":{\(requested)\"bundle_id\":\"b\","
      + "\"in_app\":[\(inApp.map(\.row).joined(separator: ","))]},"
      + "\"latest_receipt_info\":[\(latest.map(\.row).joined(separator: ","))],"
      + "\"pending_renewal_info\":[\(renewals.map(\.row).joined(separator: ","))]}"
  }

  /// Returns a V1 notification with its unified receipt.
  package static func v1(
    _ type: String, latest: [TransactionFixture], renewals: [RenewalFixture] = [], environment: String = "Sandbox"
  ) -> String {
    "{\"notification_type\":\"\(type)\",\"environment\":\"\(environment)\",\"bid\":\"b\",\"password\":\"s3cret\","
      + "\"unified_receipt\":{\"latest_receipt_info\":[\(latest.map(\.row).joined(separator: ","))],"
      + "\"pending_renewal_info\":[\(renewals.map(\.row).joined(separator: ","))]}}"
  }

  /// Returns a V2 notification without signatures, all texts decoded.
  package static func v2(
    _ type: String, subtype: String? = nil, at signedAt: Instant, status: Int? = nil,
    transaction: TransactionFixture? = nil,
    renewal: RenewalFixture? = nil, environment: String = "Sandbox"
  ) -> String {
    var data = [("environment", environment.quoted), ("bundleId", "\"b\"")]
    if let status { data.append(("status", "\(status)")) }
    if let transaction {
      data.append(("signedTransactionInfo", transaction.signed(signedAt, environment: environment)))
    }
    if let renewal { data.append(("signedRenewalInfo", renewal.signed(signedAt, environment: environment))) }
    return object(
      [("notificationType", type.quoted)] + (subtype.map { [("subtype", $0.quoted)] } ?? []) + [
        ("notificationUUID", "u\(signedAt.milliseconds)".quoted), ("version", "\"2.0\""),
        ("signedDate", "\(signedAt.milliseconds)"), ("data", object(data)),
      ])
  }

  /// Returns a signed V2 notification, with signed texts inside.
  package static func signedV2(
    _ type: String, at signedAt: Instant, status: Int? = nil, transaction: TransactionFixture,
    renewal: RenewalFixture? = nil,
    environment: String = "Production", chain: TestAuthority.Chain
  ) throws -> String {
    var data = [
      ("environment", environment.quoted), ("bundleId", "\"b\""),
      ("signedTransactionInfo", try chain.sign(transaction.signed(signedAt, environment: environment)).quoted),
    ]
    if let status { data.append(("status", "\(status)")) }
    if let renewal {
      data.append(("signedRenewalInfo", try chain.sign(renewal.signed(signedAt, environment: environment)).quoted))
    }
    let payload = object([
      ("notificationType", type.quoted), ("notificationUUID", "u\(signedAt.milliseconds)".quoted),
      ("version", "\"2.0\""), ("signedDate", "\(signedAt.milliseconds)"), ("data", object(data)),
    ])
    return "{\"signedPayload\":\"\(try chain.sign(payload))\"}"
  }
}

private func object(_ members: [(String, String)]) -> String {
  "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
}

extension String {
  var quoted: String { "\"\(self)\"" }
}

internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Returns the state of a subscription.
  /// - Returns: `nil` when it had not begun, or when the original transaction is a one-time purchase.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func entitlement(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> Entitlement? {
    try entitlements(parameters.minimumTrust) { try setParameters($0, [purchase.originalTransactionKey], parameters) }
      .first
  }

  /// Returns the transactions of an original transaction in their current versions, the latest purchase first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func transactions(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws
    -> [TransactionSummary]
  {
    let rows = try readSubscription("transaction_current", purchase, parameters) { database in
      try database.rows(
        "SELECT * FROM temp.transaction_current ORDER BY purchase_at DESC, expires_at DESC, transaction_id DESC")
    }
    // Only what has no expiry can be a one-time purchase, and few original transactions have such. The catalogue is
    // read for these alone.
    let isOneTime = rows.contains { ($0["expires_at"] as Int64?) == nil }
    let oneTimes = isOneTime ? try oneTimePurchases(of: purchase, parameters) : [:]
    return try rows.map { row in
      let oneTime = oneTimes[row["version_id"]]
      return TransactionSummary(
        transactionID: row["transaction_id"], productID: row["product_id"], type: row["type"] ?? oneTime?["type"],
        purchaseAt: Instant(milliseconds: row["purchase_at"]), expiresAt: row.instant("expires_at"),
        revokedAt: row.instant("revoked_at"), isUpgraded: row["is_upgraded"],
        isTrialPeriod: row["is_trial_period"] ?? false, inAppOwnershipType: row["in_app_ownership_type"],
        price: row.amount("price_milliunits"), currency: row["currency"],
        refundedAmount: row.amount("refunded_milliunits"), webOrderLineItemID: row["web_order_line_item_id"],
        revocationType: row["revocation_type"], revocationReason: row["revocation_reason"],
        oneTimeState: try oneTime?.value("state"), trust: try row.value("trust"),
        oneTimeEnd: oneTime?.instant("access_ends_at"),
        quantity: row["quantity"], revokedSeatQuantity: row["revoked_seat_quantity"],
        isRefundEstimated: row["is_refund_estimated"],
        additionalTransactionReason: row["additional_transaction_reason"])
    }
  }

  private func oneTimePurchases(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> [Int64:
    Row]
  {
    let rows = try readSubscription("one_time_purchase", purchase, parameters) {
      try Row.fetchAll($0, sql: "SELECT * FROM temp.one_time_purchase")
    }
    return Dictionary(rows.map { ($0["version_id"], $0) }) { first, _ in first }
  }

  /// Returns the history of an original transaction, in the order in which the events happened.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func history(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> [HistoryEvent] {
    try readSubscription("history_event", purchase, parameters) { database in
      try database.rows(
        """
        SELECT e.*, p.digest FROM temp.history_event e JOIN main.payload p USING (payload_id)
        ORDER BY e.happened_at, e.recorded_at, e.event = 'notification', e.event, e.transaction_id, p.digest
        """
      ).map { row in
        HistoryEvent(
          kind: try row.value("event"), happenedAt: Instant(milliseconds: row["happened_at"]),
          isInferred: row["is_inferred"],
          recordedAt: Instant(milliseconds: row["recorded_at"]), transactionID: row["transaction_id"],
          productID: row["product_id"], detail: row["detail"], secondDetail: row["second_detail"],
          relatedAt: row.instant("related_at"),
          autoRenewStatus: row["auto_renew_status"], payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)))
      }
    }
  }

  /// Returns the evidence behind an answer: every known version of the deciding transaction, and the deciding renewal
  /// info (rules §5). The versions that decided come first, and the latest first among them.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func evidence(for entitlement: Entitlement) throws -> [CitedVersion] {
    try lookUp(
      "stg_transaction_version", "stg_renewal_info_version", "stg_payload_trust"
    ) { database in
      let parameters = entitlement.parameters
      try setParameters(database, [], parameters)
      let texts = SourceText(database)
      return try Row.fetchAll(
        database,
        sql: """
          SELECT 'transaction' AS role, v.version_id = :deciding AS is_decisive,
            v.evidence_at, v.recorded_at, p.digest, p.kind,
            p.trust, c.name AS added_root, o.name,
            d.source_line, w.transaction_info_id AS info_id,
            \(SourceText.isErased("transaction_info", "w.digest")) AS is_erased, v.is_inferred, v.is_contradictory
          FROM main.transaction_version h
          JOIN temp.stg_transaction_version v ON v.original_transaction_key = h.original_transaction_key AND v.transaction_key = h.transaction_key
          JOIN temp.stg_payload_trust p ON p.payload_id = v.payload_id
          JOIN main.transaction_info w ON w.transaction_info_id = v.transaction_info_id
          LEFT JOIN main.root_certificate c ON c.root_id = p.root_id AND c.is_apple = 0
          LEFT JOIN main.delivery d ON d.payload_id = p.payload_id AND d.received_at = v.recorded_at
          LEFT JOIN main.origin o ON o.origin_id = d.origin_id
          WHERE h.version_id = :deciding AND v.recorded_at <= :known
          UNION ALL
          SELECT 'renewal', 1, v.evidence_at, v.recorded_at, p.digest, p.kind,
            p.trust, c.name, o.name, d.source_line, w.renewal_info_id,
            \(SourceText.isErased("renewal_info", "w.digest")),
            v.is_inferred, v.is_contradictory
          FROM temp.stg_renewal_info_version v
          JOIN temp.stg_payload_trust p ON p.payload_id = v.payload_id
          JOIN main.renewal_info w ON w.renewal_info_id = v.renewal_info_id
          LEFT JOIN main.root_certificate c ON c.root_id = p.root_id AND c.is_apple = 0
          LEFT JOIN main.delivery d ON d.payload_id = p.payload_id AND d.received_at = v.recorded_at
          LEFT JOIN main.origin o ON o.origin_id = d.origin_id
          WHERE v.version_id = :renewal
          ORDER BY 2 DESC, 3 DESC, 5
          """,
        arguments: [
          "deciding": entitlement.versionID, "known": parameters.knownAt.milliseconds,
          "renewal": entitlement.renewalVersionID,
        ]
      ).map { row in
        let role: CitedVersion.Role = try row.value("role")
        let kind: PayloadLayout.Kind = role == .renewal ? .renewalInfo : .transactionInfo
        return CitedVersion(
          role: role, isDecisive: row["is_decisive"],
          evidenceAt: Instant(milliseconds: row["evidence_at"]), isInferred: row["is_inferred"],
          isContradictory: row["is_contradictory"], recordedAt: Instant(milliseconds: row["recorded_at"]),
          payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)), kind: try row.value("kind"),
          trust: try row.value("trust"),
          addedRoot: row["added_root"],
          origin: row["name"] ?? "", sourceLine: row["source_line"],
          source: try texts.object(kind, row["info_id"]).source.text,
          isErased: row["is_erased"])
      }
    }
  }

  /// Returns the refund requests for an original transaction, the oldest first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func refundRequests(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws
    -> [RefundRequest]
  {
    let isAsked = try lookUp { database in
      try database.has(
        "SELECT 1 FROM main.notification WHERE original_transaction_key = ? AND notification_type = 'CONSUMPTION_REQUEST'",
        [purchase.originalTransactionKey]
      )
    }
    guard isAsked else { return [] }
    return try readSubscription("refund_request", purchase, parameters) { database in
      try database.rows("SELECT * FROM temp.refund_request ORDER BY requested_at, recorded_at").map(RefundRequest.init)
    }
  }
}

public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// One transaction in its current version, in the few words that a list of periods needs.
public struct TransactionSummary: Sendable {
  /// Its id.
  public var transactionID: String
  /// `productId`.
  public var productID: String?
  /// `type`.
  public var type: String?
  /// When it was bought.
  public var purchaseAt: Instant
  /// When it ends; `nil` for one-time purchases.
  public var expiresAt: Instant?
  /// When it was revoked.
  public var revokedAt: Instant?
  /// Whether an upgrade took its place.
  public var isUpgraded: Bool
  /// Whether it is a free trial.
  public var isTrialPeriod: Bool
  /// `inAppOwnershipType`.
  public var inAppOwnershipType: String?
  /// The price, in milliunits of ``currency``.
  public var priceMilliunits: Int64?
  /// ISO 4217.
  public var currency: String?
  /// How much of it was given back, in milliunits; `nil` where nothing was, or no price is known.
  public var refundedMilliunits: Int64?
  /// `webOrderLineItemId`.
  public var webOrderLineItemID: String?
  /// `revocationType`.
  public var revocationType: String?
  /// `revocationReason`.
  public var revocationReason: Int64?
  /// For one-time purchases: `active`, `expired`, `revoked`, `consumable` or `unknown` (rules §9).
  public var oneTimeState: String?
  /// Why the evidence of its current version is believed: `verified`, `unsigned`, `unverified`.
  public var trust: String
  /// For one-time purchases: when access ends or ended; `nil` without end.
  public var oneTimeEnd: Instant?
}

/// One event of a line's life; see the view `history_event`.
public struct HistoryEvent: Sendable {
  /// What: `notification`, `period`, `trial`, `purchase`, `revoked`, `upgraded`, `renewal_on`, `renewal_off`,
  /// `product_next`, `changed_at_once`, `changed_at_renewal`, `changed_on_return`, `returned`, `grace`, `retry_began`, `retry_ended`,
  /// `price_increase`, `send_attempt`.
  public var event: String
  /// When, by Apple's word.
  public var happenedAt: Instant
  /// Whether Apple stated no date for it: it happened not before ``happenedAt`` (rules §1).
  public var isInferred: Bool
  /// When the ledger learned it.
  public var recordedAt: Instant
  /// The transaction.
  public var transactionID: String?
  /// Its product.
  public var productID: String?
  /// What the event says: a notification's type, a revocation's type, the next product.
  public var detail: String?
  /// What it says further: a notification's subtype, a revocation's reason.
  public var more: String?
  /// An instant that it names: the end of a period or of grace.
  public var instant: Instant?
  /// Of a change of renewal, and a notification of one: whether renewal was turned on.
  public var autoRenewStatus: Bool?
  /// The digest of the payload that says so.
  public var payload: ContentDigest
}

/// A version with the payload that brought it: the evidence behind an answer.
public struct CitedVersion: Sendable {
  /// `transaction` or `renewal`.
  public var role: String
  /// Whether this version decided.
  public var isDecisive: Bool
  /// When Apple said it.
  public var evidenceAt: Instant
  /// Whether Apple stated no date for it: it was said not before ``evidenceAt`` (rules §1).
  public var isInferred: Bool
  /// Whether the payload contradicts itself: it may be forged or edited.
  public var isContradictory: Bool
  /// When the ledger learned it.
  public var recordedAt: Instant
  /// The payload's digest.
  public var payload: ContentDigest
  /// The payload's kind.
  public var kind: String
  /// Why it is believed: `verified`, `unsigned` or `unverified`.
  public var trust: String
  /// The name of the root that its signature leads to, where that is not Apple's.
  public var addedRoot: String?
  /// Where it came from.
  public var origin: String
  /// The line of that file.
  public var originLine: Int?
  /// Apple's words, exactly.
  public var source: String
  /// Whether someone was forgotten in it: the words are no longer Apple's to the letter, and cannot be verified again.
  public var isErased: Bool
}

/// A request for a refund, as Apple told of it by asking how the purchase was used.
public struct RefundRequest: Sendable, Equatable {
  /// When Apple asked.
  public var requestedAt: Instant
  /// When the ledger learned it.
  public var recordedAt: Instant
  /// `consumptionRequestReason`.
  public var reason: String?
  /// The transaction, where it was said.
  public var transactionID: String?
  /// `refunded` or `declined`; `nil` while it is open.
  public var outcome: String?
  /// When it ended.
  public var answeredAt: Instant?
}

extension LedgerReader {
  /// A line's state; `nil` where it had not begun, or holds one-time purchases only.
  /// - Throws: ``LedgerError``.
  public func entitlement(of line: OriginalTransactionMatch, _ question: Question) throws -> Entitlement? {
    try entitlements(question.leastTrust) { try ask($0, [(line.originalTransactionKey, question)]) }.first
  }

  /// A line's transactions, latest first.
  /// - Throws: ``LedgerError``.
  public func transactions(of line: OriginalTransactionMatch, _ question: Question) throws -> [TransactionSummary] {
    let rows = try readSubscription("transaction_current", line, question) { database in
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM temp.transaction_current ORDER BY purchase_at DESC, expires_at DESC, transaction_id DESC")
    }
    // What does not expire by itself is looked up in the catalogue too, and few lines hold such.
    let isOneTime = rows.contains { ($0["expires_at"] as Int64?) == nil }
    let oneTimes = isOneTime ? try oneTimePurchases(of: line, question) : [:]
    return rows.map { row in
      let oneTime = oneTimes[row["version_id"]]
      return TransactionSummary(
        transactionID: row["transaction_id"], productID: row["product_id"], type: row["type"] ?? oneTime?["type"],
        purchaseAt: Instant(milliseconds: row["purchase_at"]), expiresAt: row.instant("expires_at"),
        revokedAt: row.instant("revoked_at"), isUpgraded: row["is_upgraded"],
        isTrialPeriod: row["is_trial_period"] ?? false, inAppOwnershipType: row["in_app_ownership_type"],
        priceMilliunits: row["price_milliunits"], currency: row["currency"],
        refundedMilliunits: row["refunded_milliunits"], webOrderLineItemID: row["web_order_line_item_id"],
        revocationType: row["revocation_type"], revocationReason: row["revocation_reason"],
        oneTimeState: oneTime?["state"], trust: row["trust"], oneTimeEnd: oneTime?.instant("access_ends_at"))
    }
  }

  private func oneTimePurchases(of line: OriginalTransactionMatch, _ question: Question) throws -> [Int64: Row] {
    let rows = try readSubscription("one_time_purchase", line, question) {
      try Row.fetchAll($0, sql: "SELECT * FROM temp.one_time_purchase")
    }
    return Dictionary(rows.map { ($0["version_id"], $0) }) { first, _ in first }
  }

  /// A line's life, in the order in which it happened.
  /// - Throws: ``LedgerError``.
  public func history(of line: OriginalTransactionMatch, _ question: Question) throws -> [HistoryEvent] {
    try readSubscription("history_event", line, question) { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT e.*, p.digest FROM temp.history_event e JOIN main.payload p USING (payload_id)
          ORDER BY e.happened_at, e.recorded_at, e.event = 'notification', e.event, e.transaction_id, p.digest
          """
      ).map { row in
        HistoryEvent(
          event: row["event"], happenedAt: Instant(milliseconds: row["happened_at"]), isInferred: row["is_inferred"],
          recordedAt: Instant(milliseconds: row["recorded_at"]), transactionID: row["transaction_id"],
          productID: row["product_id"], detail: row["detail"], more: row["more"], instant: row.instant("instant"),
          autoRenewStatus: row["auto_renew_status"], payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)))
      }
    }
  }

  /// The evidence behind an answer: every known version of the transaction that decided, and the renewal info that
  /// spoke for the time after it, the deciding ones marked; latest first.
  /// - Throws: ``LedgerError``.
  public func evidence(for entitlement: Entitlement) throws -> [CitedVersion] {
    try lookUp(
      "stg_transaction_version", "stg_renewal_info_version", "stg_payload_trust"
    ) { database in
      let question = entitlement.question
      try ask(database, [])
      try ask(database, question)
      let texts = SourceText(database)
      return try Row.fetchAll(
        database,
        sql: """
          SELECT 'transaction' AS role, v.version_id = :head AS is_decisive,
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
          WHERE h.version_id = :head AND v.recorded_at <= :known
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
          "head": entitlement.versionID, "known": question.knownAt.milliseconds,
          "renewal": entitlement.renewalVersionID,
        ]
      ).map { row in
        let kind: PayloadLayout.Kind = row["role"] == "renewal" ? .renewalInfo : .transactionInfo
        return CitedVersion(
          role: row["role"], isDecisive: row["is_decisive"],
          evidenceAt: Instant(milliseconds: row["evidence_at"]), isInferred: row["is_inferred"],
          isContradictory: row["is_contradictory"], recordedAt: Instant(milliseconds: row["recorded_at"]),
          payload: ContentDigest(bytes: [UInt8](row["digest"] as Data)), kind: row["kind"], trust: row["trust"],
          addedRoot: row["added_root"],
          origin: row["name"] ?? "", originLine: row["source_line"],
          source: try texts.object(kind, row["info_id"]).source.text,
          isErased: row["is_erased"])
      }
    }
  }

  /// The requests for a refund that concern a line, oldest first.
  /// - Throws: ``LedgerError``.
  public func refundRequests(of line: OriginalTransactionMatch, _ question: Question) throws -> [RefundRequest] {
    let isAsked = try lookUp { database in
      try database.has(
        "SELECT 1 FROM main.notification WHERE original_transaction_key = ? AND notification_type = 'CONSUMPTION_REQUEST'",
        [line.originalTransactionKey]
      )
    }
    guard isAsked else { return [] }
    return try readSubscription("refund_request", line, question) { database in
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM temp.refund_request ORDER BY requested_at, recorded_at"
      ).map { row in
        RefundRequest(
          requestedAt: Instant(milliseconds: row["requested_at"]),
          recordedAt: Instant(milliseconds: row["recorded_at"]), reason: row["reason"],
          transactionID: row["transaction_id"], outcome: row["outcome"], answeredAt: row.instant("answered_at"))
      }
    }
  }
}

// Rows as receipts write them: snake case, dates under three keys, everything as text.

extension TransactionFields {
  /// A row of `latest_receipt_info` or `in_app`, or an iOS 6 receipt that is itself the transaction.
  init(receiptRow reader: inout FieldReader) {
    self.init()
    bundleID = reader.text("bundle_id") ?? reader.text("bid")
    webOrderLineItemID = reader.text("web_order_line_item_id")
    productID = reader.text("product_id")
    subscriptionGroupIdentifier = reader.text("subscription_group_identifier")
    purchaseAt = reader.receiptInstant(milliseconds: "purchase_date_ms", text: "purchase_date")
    originalPurchaseAt = reader.receiptInstant(
      milliseconds: "original_purchase_date_ms", text: "original_purchase_date")
    expiresAt =
      reader.receiptInstant(milliseconds: "expires_date_ms", text: "expires_date")
      ?? reader.receiptInstant(milliseconds: "expires_date_ms", text: "expires_date_formatted")
    revokedAt = reader.receiptInstant(milliseconds: "cancellation_date_ms", text: "cancellation_date")
    revocationReason = reader.integer("cancellation_reason")
    isUpgraded = reader.flag("is_upgraded")
    quantity = reader.integer("quantity")
    inAppOwnershipType = reader.text("in_app_ownership_type")
    appAccountToken = reader.text("app_account_token").map(AccountToken.normalized)
    isTrialPeriod = reader.flag("is_trial_period")
    isInIntroOfferPeriod = reader.flag("is_in_intro_offer_period")
    if let promotion = reader.text("promotional_offer_id") {
      (offerType, offerIdentifier) = (2, promotion)
    } else if let code = reader.text("offer_code_ref_name") {
      (offerType, offerIdentifier) = (3, code)
    } else if isTrialPeriod == true || isInIntroOfferPeriod == true {
      offerType = 1
    }
  }
}

extension RenewalFields {
  /// A row of `pending_renewal_info`, or the renewal fields at the top of V1, 21006 and legacy answers.
  init(receiptRow reader: inout FieldReader) {
    self.init()
    productID = reader.text("product_id")
    autoRenewProductID = reader.text("auto_renew_product_id")
    autoRenewStatus = reader.flag("auto_renew_status")
    expirationIntent = reader.integer("expiration_intent")
    isInBillingRetryPeriod = reader.flag("is_in_billing_retry_period")
    gracePeriodExpiresAt = reader.receiptInstant(
      milliseconds: "grace_period_expires_date_ms", text: "grace_period_expires_date")
    autoRenewStatusChangedAt = reader.receiptInstant(
      milliseconds: "auto_renew_status_change_date_ms", text: "auto_renew_status_change_date")
    priceIncreaseStatus = reader.integer("price_increase_status")
    priceConsentStatus = reader.integer("price_consent_status")
    if let promotion = reader.text("promotional_offer_id") {
      (offerType, offerIdentifier) = (2, promotion)
    } else if let code = reader.text("offer_code_ref_name") {
      (offerType, offerIdentifier) = (3, code)
    }
  }
}

/// Gathers the rows of a receipt, wherever in it Apple has put them over the years (`app-store.md` §9).
struct ReceiptRows {
  var draft: Draft
  /// The subscription lines seen, with the products of their rows.
  private var products: [String: Set<String>] = [:]
  private var subscriptions: Set<String> = []
  private var linesWithRenewal: Set<String> = []
  private(set) var rowCount = 0

  init(draft: Draft) { self.draft = draft }

  /// Reads the places for transactions of one level of a payload: the top, `receipt`, V1's `unified_receipt`.
  mutating func readTransactions(of level: JSONValue) {
    rows(level["latest_receipt_info"], rank: .latestReceiptInfo)
    rows(level["latest_expired_receipt_info"], rank: .latestReceiptInfo)
    rows(level["in_app"], rank: .inApp)
    draft.setAside(level["latest_receipt"])
    draft.setAside(level["latest_expired_receipt"])
  }

  private mutating func rows(_ place: JSONValue?, rank: SourceRank) {
    guard let place, !place.isNull else { return }
    if place.isArray {
      for row in place.elements { transaction(row, rank: rank) }
    } else if place.isObject {
      if !place.keys.isEmpty { transaction(place, rank: rank) }
    } else if place.string?.isEmpty != true {
      draft.note(.unexpectedShape, at: place)
    }
  }

  /// Reads one row.
  mutating func transaction(_ row: JSONValue, rank: SourceRank) {
    rowCount += 1
    guard row.isObject else { return draft.note(.unexpectedShape, at: row) }
    var reader = FieldReader(row)
    defer { draft.note(reader.problems) }
    guard let id = reader.text("transaction_id") else { return reader.note(.missingTransactionID, at: row) }
    let original = reader.text("original_transaction_id")
    if original == nil { reader.note(.missingOriginalTransactionID, at: row) }
    var fields = TransactionFields(receiptRow: &reader)
    if fields.purchaseAt == nil {
      reader.note(.missingPurchaseDate, at: row)
      fields.purchaseAt = fields.originalPurchaseAt
    }
    guard fields.purchaseAt != nil else { return }
    let line = original ?? id
    if let product = fields.productID { products[line, default: []].insert(product) }
    if fields.expiresAt != nil { subscriptions.insert(line) }
    let text = SignedText(source: Array(row.source))
    draft.add(
      TransactionVersion(
        statement: Statement(text: text, digest: Digest(sha256: text.source)), environment: draft.environment,
        originalTransactionID: line, transactionID: id, signedAt: nil, rank: rank, fields: fields),
      cutting: row.range)
  }

  /// Reads `pending_renewal_info` of one level. Comes after all transactions, by whose products rows without a line
  /// are attributed.
  mutating func readRenewals(of level: JSONValue) {
    guard let place = level["pending_renewal_info"], !place.isNull else { return }
    guard place.isArray else { return draft.note(.unexpectedShape, at: place) }
    for row in place.elements { renewal(row) }
  }

  private mutating func renewal(_ row: JSONValue) {
    rowCount += 1
    guard row.isObject else { return draft.note(.unexpectedShape, at: row) }
    var reader = FieldReader(row)
    defer { draft.note(reader.problems) }
    let fields = RenewalFields(receiptRow: &reader)
    guard let line = reader.text("original_transaction_id") ?? line(for: fields) else {
      return reader.note(.unattributedRenewal, at: row)
    }
    linesWithRenewal.insert(line)
    let text = SignedText(source: Array(row.source))
    add(fields, line: line, text: text, range: row.range)
  }

  private mutating func add(
    _ fields: RenewalFields, line: String, text: SignedText, range: Range<Int>?
  ) {
    draft.add(
      RenewalVersion(
        statement: Statement(text: text, digest: Digest(sha256: text.source)), environment: draft.environment,
        originalTransactionID: line, signedAt: nil, rank: .latestReceiptInfo, fields: fields),
      cutting: range)
  }

  /// The only line that has the product, or, where there is no product to go by, the only line.
  private func line(for fields: RenewalFields) -> String? {
    for product in [fields.productID, fields.autoRenewProductID].compactMap(\.self) {
      let owners = products.filter { $0.value.contains(product) }
      if owners.count == 1 { return owners.first?.key }
      if owners.count > 1 { return nil }
    }
    return subscriptions.count == 1 ? subscriptions.first : nil
  }

  /// Reads the renewal fields that V1, 21006 and legacy answers have at their top, for a line that has no row of its own
  /// in `pending_renewal_info`. Their source is a new object of exactly those members.
  mutating func readTopLevelRenewal(of root: JSONValue) {
    let names: [StaticString] = [
      "auto_renew_status", "auto_renew_product_id", "auto_renew_status_change_date_ms", "expiration_intent",
      "is_in_billing_retry_period", "grace_period_expires_date_ms", "price_consent_status", "price_increase_status",
    ]
    let members = names.compactMap { name in root[name].map { (name, $0) } }
    guard !members.isEmpty else { return }
    var reader = FieldReader(root)
    var fields = RenewalFields(receiptRow: &reader)
    draft.note(reader.problems)
    let named = reader.text("original_transaction_id")
    // The product at the top is the transaction's, not the renewal's.
    fields.productID = nil
    guard let line = named ?? line(for: fields) ?? (subscriptions.count == 1 ? subscriptions.first : nil) else {
      if !subscriptions.isEmpty { draft.note(.unattributedRenewal, at: root[members[0].0] ?? root) }
      return
    }
    guard !linesWithRenewal.contains(line) else { return }
    let inside = members.map { "\"\($0.0)\":" + String(decoding: $0.1.source, as: UTF8.self) }.joined(separator: ",")
    add(fields, line: line, text: SignedText(source: Array("{\(inside)}".utf8)), range: nil)
  }
}

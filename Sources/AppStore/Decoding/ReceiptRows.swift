// Reads rows of receipts: keys in snake case, each date under up to three keys, every value as text.

extension TransactionFields {
  /// Reads a row of `latest_receipt_info` or `in_app`, or an iOS 6 receipt that is itself the transaction.
  init(receiptRow reader: inout FieldReader) {
    self.init()
    bundleID = reader.text("bundle_id") ?? reader.text("bid")
    webOrderLineItemID = reader.identifier("web_order_line_item_id")
    productID = reader.text("product_id")
    subscriptionGroupIdentifier = reader.text("subscription_group_identifier")
    purchaseAt = reader.receiptInstant(.purchase)
    originalPurchaseAt = reader.receiptInstant(.originalPurchase)
    expiresAt = reader.receiptInstant(.expires)
    revokedAt = reader.receiptInstant(.cancellation)
    revocationReason = reader.integer("cancellation_reason")
    isUpgraded = reader.flag("is_upgraded")
    quantity = reader.integer("quantity")
    type = reader.text("type")
    inAppOwnershipType = reader.text("in_app_ownership_type")
    appAccountToken = reader.identifier("app_account_token").map(AccountToken.normalized)
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
  /// Reads a row of `pending_renewal_info`, or the renewal fields at the top level of V1, 21006 and legacy responses.
  init(receiptRow reader: inout FieldReader) {
    self.init()
    productID = reader.text("product_id")
    autoRenewProductID = reader.text("auto_renew_product_id")
    autoRenewStatus = reader.flag("auto_renew_status")
    expirationIntent = reader.integer("expiration_intent")
    isInBillingRetryPeriod = reader.flag("is_in_billing_retry_period")
    gracePeriodExpiresAt = reader.receiptInstant(.gracePeriodExpires)
    autoRenewStatusChangedAt = reader.receiptInstant(.autoRenewStatusChange)
    priceIncreaseStatus = reader.integer("price_increase_status")
    priceConsentStatus = reader.integer("price_consent_status")
    if let promotion = reader.text("promotional_offer_id") {
      (offerType, offerIdentifier) = (2, promotion)
    } else if let code = reader.text("offer_code_ref_name") {
      (offerType, offerIdentifier) = (3, code)
    }
  }
}

/// The bytes of a row, as a dictionary key that is fast to look up.
private struct RowBytes: Hashable {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Hashes the length and the first 160 bytes, which usually contain ids and dates. Rows that differ only later need
  /// more comparisons.
  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.count)
    bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(160))) }
  }
}

/// Collects the rows of a receipt from all places where Apple has put them over the years.
struct ReceiptRows {
  var builder: EvidenceBuilder
  /// The original transactions seen so far, each with the products of its rows.
  private var products: [String: Set<String>] = [:]
  private var subscriptions: Set<String> = []
  private var originalTransactionIDsWithRenewal: Set<String> = []
  /// The original transaction id of each transaction, from all rows of the payload. It is built when a row lacks the
  /// id.
  private var originals: [String: String]?
  /// The versions of rows without problems, by the bytes of the row. Most rows of a receipt occur twice: in `in_app`
  /// and in `latest_receipt_info`.
  private var stated: [RowBytes: TransactionVersion] = [:]

  init(builder: EvidenceBuilder) { self.builder = builder }

  /// Reads the transactions of one level of a payload: the top level, `receipt`, or V1's `unified_receipt`.
  ///
  /// It also reads keys in camel case, which libraries for several languages use for Apple's objects.
  mutating func readTransactions(of level: JSONValue) {
    for key in Self.latestKeys { rows(level[key], rank: .latestReceiptInfo) }
    for key in Self.inAppKeys { rows(level[key], rank: .inApp) }
    for key in ArrivalDigest.receiptKeys { builder.replaceReceipt(level[key]) }
  }

  private static let latestKeys: [StaticString] = [
    "latest_receipt_info", "latestReceiptInfo", "latest_expired_receipt_info", "latestExpiredReceiptInfo",
  ]
  private static let inAppKeys: [StaticString] = ["in_app", "inApp"]
  private static let renewalKeys: [StaticString] = ["pending_renewal_info", "pendingRenewalInfo"]
  /// The keys whose values are rows.
  static let rowListKeys = latestKeys + inAppKeys + renewalKeys

  private mutating func rows(_ value: JSONValue?, rank: SourceRank) {
    guard let value, !value.isNull else { return }
    if value.isArray {
      for row in value.elements { transaction(row, rank: rank) }
    } else if value.isObject {
      if !value.keys.isEmpty { transaction(value, rank: rank) }
    } else if value.string?.isEmpty != true {
      builder.countUnusableRow(.unexpectedShape, at: value)
    }
  }

  /// Reads one row and adds its transaction, or counts the row as lost.
  mutating func transaction(_ row: JSONValue, rank: SourceRank) {
    guard row.isObject else { return builder.countUnusableRow(.unexpectedShape, at: row) }
    let bytes = RowBytes(row.source)
    if var version = stated[bytes] {
      version.rank = rank
      return builder.add(version, cutting: row.range)
    }
    var reader = FieldReader(row)
    let version = transaction(&reader, rank: rank)
    builder.note(reader.problems)
    guard let version else { return builder.countUnusableRow() }
    if reader.problems.isEmpty { stated[bytes] = version }
    let originalID = version.originalTransactionID
    if let product = version.fields.productID { products[originalID, default: []].insert(product) }
    if version.fields.expiresAt != nil { subscriptions.insert(originalID) }
    note(pastFacing: version.fields, at: row)
    builder.add(version, cutting: row.range)
  }

  /// Returns the transaction of a row; `nil` if the row lacks a usable id or purchase date.
  private mutating func transaction(_ reader: inout FieldReader, rank: SourceRank) -> TransactionVersion? {
    let row = reader.object
    guard let id = reader.identifier("transaction_id") else {
      if reader.problems.isEmpty { reader.note(.missingTransactionID, at: row) }
      // The row still dates the payload (rules §1, evidence instant). Its other problems do not matter.
      var rest = FieldReader(row)
      note(pastFacing: TransactionFields(receiptRow: &rest), at: row)
      return nil
    }
    let before = reader.problems.count
    let stated = reader.identifier("original_transaction_id")
    let isUnreadable = reader.problems.count > before
    if stated == nil, !isUnreadable { reader.note(.missingOriginalTransactionID, at: row) }
    var fields = TransactionFields(receiptRow: &reader)
    if fields.purchaseAt == nil {
      if !reader.problems.contains(where: { $0.path.hasPrefix(row.path + ".purchase_date") }) {
        reader.note(.missingPurchaseDate, at: row)
      }
      fields.purchaseAt = fields.originalPurchaseAt
    }
    reportImpossibleDateOrder(of: fields, &reader)
    // If the original id was redacted, the transaction's own id must not replace it.
    guard let originalID = stated ?? original(of: id) ?? (isUnreadable ? nil : id), fields.purchaseAt != nil else {
      note(pastFacing: fields, at: row)
      return nil
    }
    let text = SignedText(source: Array(row.source))
    return TransactionVersion(
      object: ObjectText(text: text, digest: ContentDigest(sha256: text.source)),
      environment: builder.environment, originalTransactionID: originalID, transactionID: id, signedAt: nil, rank: rank,
      fields: fields)
  }

  private mutating func note(pastFacing fields: TransactionFields, at row: JSONValue) {
    for date in [fields.purchaseAt, fields.originalPurchaseAt, fields.revokedAt] {
      builder.note(pastFacing: date, at: row)
    }
  }

  /// Notes dates in an impossible order. Apple's own old restores have such dates.
  private func reportImpossibleDateOrder(of fields: TransactionFields, _ reader: inout FieldReader) {
    guard let purchase = fields.purchaseAt else { return }
    if let end = fields.expiresAt, end < purchase { reader.note(.periodEndsBeforeItBegins, at: reader.object) }
    if let original = fields.originalPurchaseAt, original.milliseconds - purchase.milliseconds > 60_000 {
      reader.note(.originalPurchaseAfterPurchase, at: reader.object)
    }
  }

  /// Returns the original transaction id that another row of the payload states for a transaction. A transaction
  /// belongs to exactly one original transaction.
  private mutating func original(of transaction: String) -> String? {
    if originals == nil {
      var found: [String: String] = [:]
      builder.document.root.forEachObject { object in
        var reader = FieldReader(object)
        if let id = reader.identifier("transaction_id"), let original = reader.identifier("original_transaction_id") {
          found[id] = original
        }
      }
      originals = found
    }
    return originals?[transaction]
  }

  /// Reads `pending_renewal_info` of one level. Call it after all transactions are read: their products attribute the
  /// rows that lack an id.
  mutating func readRenewals(of level: JSONValue) {
    for key in Self.renewalKeys {
      guard let value = level[key], !value.isNull else { continue }
      guard value.isArray else {
        builder.countUnusableRow(.unexpectedShape, at: value)
        continue
      }
      for row in value.elements { renewal(row) }
    }
  }

  private mutating func renewal(_ row: JSONValue) {
    guard row.isObject else { return builder.countUnusableRow(.unexpectedShape, at: row) }
    var reader = FieldReader(row)
    let fields = RenewalFields(receiptRow: &reader)
    builder.note(pastFacing: fields.autoRenewStatusChangedAt, at: row)
    let before = reader.problems.count
    let stated = reader.identifier("original_transaction_id")
    let isUnreadable = reader.problems.count > before
    guard let originalID = stated ?? (isUnreadable ? nil : originalID(for: fields)) else {
      if !isUnreadable { reader.note(.unattributedRenewal, at: row) }
      builder.note(reader.problems)
      return builder.countUnusableRow()
    }
    builder.note(reader.problems)
    originalTransactionIDsWithRenewal.insert(originalID)
    let text = SignedText(source: Array(row.source))
    add(fields, originalID: originalID, text: text, range: row.range)
  }

  private mutating func add(
    _ fields: RenewalFields, originalID: String, text: SignedText, range: Range<Int>?
  ) {
    builder.add(
      RenewalVersion(
        object: ObjectText(text: text, digest: ContentDigest(sha256: text.source)),
        environment: builder.environment, originalTransactionID: originalID, signedAt: nil, rank: .latestReceiptInfo,
        fields: fields),
      cutting: range)
  }

  /// Returns the only original transaction that has the product. Without a product, returns the only subscription.
  private func originalID(for fields: RenewalFields) -> String? {
    for product in [fields.productID, fields.autoRenewProductID].compactMap(\.self) {
      let owners = products.filter { $0.value.contains(product) }
      if owners.count == 1 { return owners.first?.key }
      if owners.count > 1 { return nil }
    }
    return subscriptions.count == 1 ? subscriptions.first : nil
  }

  /// Returns the original transaction id that the top level of a payload is about. The payload names it. Otherwise it
  /// is the id of the only transaction, or the one that has the products.
  /// - Parameter named: `original_transaction_id` at the top level.
  func subject(of root: JSONValue, named: String?) -> String? {
    if let named { return named }
    for key in ["latest_receipt_info", "latest_expired_receipt_info"] as [StaticString] {
      guard let value = root[key] else { continue }
      let rows = value.isObject ? [value] : value.elements
      let ids = Set(
        rows.compactMap { row in
          var reader = FieldReader(row)
          return reader.identifier("original_transaction_id") ?? reader.identifier("transaction_id")
        })
      if ids.count == 1, let id = ids.first { return id }
    }
    var reader = FieldReader(root)
    var fields = RenewalFields(receiptRow: &reader)
    // The product at the top level belongs to the transaction, not to the renewal.
    fields.productID = nil
    return originalID(for: fields)
  }

  /// Reads the renewal fields at the top level of V1, 21006 and legacy responses. It skips a subscription that has its
  /// own row in `pending_renewal_info`. The stored source is a new object of exactly those members.
  /// - Parameter originalID: the original transaction id that the top level is about.
  mutating func readTopLevelRenewal(of root: JSONValue, originalID: String?) {
    let members = Self.topLevelNames.compactMap { name in root[name].map { (name, $0) } }
    guard !members.isEmpty else { return }
    var reader = FieldReader(root)
    var fields = RenewalFields(receiptRow: &reader)
    builder.note(reader.problems)
    // This date counts even if a row of pending_renewal_info states the other fields (rules §1, evidence instant).
    builder.note(pastFacing: fields.autoRenewStatusChangedAt, at: root)
    fields.productID = nil
    guard let originalID else {
      if !subscriptions.isEmpty { builder.note(.unattributedRenewal, at: root[members[0].0] ?? root) }
      return
    }
    guard !originalTransactionIDsWithRenewal.contains(originalID) else { return }
    let inside = members.map { "\"\($0.0)\":" + String(decoding: $0.1.source, as: UTF8.self) }.joined(separator: ",")
    add(fields, originalID: originalID, text: SignedText(source: Array("{\(inside)}".utf8)), range: nil)
  }

  private static let topLevelNames: [StaticString] = [
    "auto_renew_status", "auto_renew_product_id", "auto_renew_status_change_date_ms", "auto_renew_status_change_date",
    "expiration_intent", "is_in_billing_retry_period", "grace_period_expires_date_ms", "grace_period_expires_date",
    "price_consent_status", "price_increase_status",
  ]

  /// Notes a level, or a member of it, that contains rows and that nothing has read. A library with an unknown format
  /// may have written it.
  /// - Parameter levels: the members that are read as levels.
  mutating func noteUnreadRows(of level: JSONValue, levels: Set<String> = []) {
    if holdsUnreadTransaction(level) { builder.countUnusableRow(.unreadRows, at: level) }
    for (name, member) in zip(level.names, level.members) where member.isObject || member.isArray {
      guard let key = name.string, !Self.readKeys.contains(key), !levels.contains(key) else { continue }
      var holdsRow = false
      member.forEachObject { object in
        if Self.rowKeys.contains(where: { object[$0] != nil }) { holdsRow = true }
      }
      if holdsRow { builder.countUnusableRow(.unreadRows, at: member) }
    }
  }

  /// Returns whether a level is itself a transaction with keys in camel case, which is not among those that were read. A
  /// library's wrapper names a transaction of the rows inside it.
  private func holdsUnreadTransaction(_ level: JSONValue) -> Bool {
    var reader = FieldReader(level)
    let (id, original) = (reader.text("transactionId"), reader.text("originalTransactionId"))
    if id == nil, original == nil { return level["transactionId"] != nil || level["originalTransactionId"] != nil }
    return !builder.transactions.contains {
      (id ?? $0.transactionID) == $0.transactionID && (original ?? $0.originalTransactionID) == $0.originalTransactionID
    }
  }

  private static let readKeys = Set(rowListKeys.map(\.description))
  private static let rowKeys: [StaticString] = [
    "transaction_id", "original_transaction_id", "transactionId", "originalTransactionId",
  ]
}

extension JSONValue {
  /// Calls `body` with every object inside this value, including the value itself.
  func forEachObject(_ body: (JSONValue) -> Void) {
    if isObject { body(self) }
    for child in isObject ? members : elements { child.forEachObject(body) }
  }
}

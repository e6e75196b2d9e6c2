/// The kind of value of each of Apple's keys, for splitting a text.
struct TemplateKeys: Sendable {
  /// Where a value is stored.
  enum Kind: Equatable, Sendable {
    /// In the template: the value belongs to the app, the product or Apple, and never to one customer.
    case common
    /// In a column, if the column contains it as it is written.
    case column(TemplateColumn)
    /// In the text's own values.
    case own
  }

  private struct Entry: Sendable {
    let mark: UInt64
    let key: [UInt8]
    let kind: Kind
  }

  /// The entries, grouped by the length of their keys.
  private let entries: [[Entry]]

  private init(_ kinds: [(key: Substring, kind: Kind)]) {
    var entries: [[Entry]] = Array(repeating: [], count: 48)
    for (key, kind) in kinds {
      let bytes = Array(key.utf8)
      let mark = bytes.withUnsafeBufferPointer(Self.mark)
      entries[bytes.count].append(Entry(mark: mark, key: bytes, kind: kind))
    }
    self.entries = entries
  }

  /// Returns a number from the first and the last eight bytes of a key. Few keys of one length share it.
  private static func mark(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(key)
    guard raw.count >= 8 else { return raw.reduce(0) { $0 << 8 | UInt64($1) } }
    return raw.loadUnaligned(as: UInt64.self)
      ^ raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15
  }

  /// Returns the kind of a key's value.
  subscript(key: UnsafeBufferPointer<UInt8>) -> Kind {
    guard key.count < entries.count else { return .own }
    let mark = Self.mark(key)
    for entry in entries[key.count] where entry.mark == mark && entry.key.elementsEqual(key) { return entry.kind }
    return .own
  }

  static let all = TemplateKeys(
    common.split(whereSeparator: \.isWhitespace).map { ($0, .common) }
      + TemplateColumn.allCases.flatMap { column in column.keys.map { (Substring($0), .column(column)) } })

  private static let common = """
    appAppleId app_item_id adam_id application_version autoRenewProductId autoRenewStatus auto_renew_product_id
    auto_renew_status bid billingPlanType bundleId bundleVersion bundle_id bvrs consumptionRequestReason currency
    deviceType environment expirationIntent expiration_intent hasMore inAppOwnershipType in_app_ownership_type
    isInBillingRetryPeriod isUpgraded is_in_billing_retry_period is_in_intro_offer_period is_trial_period is_upgraded
    item_id notificationType notification_type offerDiscountType offerIdentifier offerPeriod offerType
    offer_code_ref_name originalPlatform original_application_version platform price priceConsentStatus
    priceIncreaseStatus price_consent_status price_increase_status productId product_id promotional_offer_id quantity
    receiptType receipt_type renewalBillingPlanType renewalPrice revocationReason revocationType revision
    signedRenewalInfo signedTransactionInfo status storefront storefrontId subscriptionGroupIdentifier
    subscription_group_identifier subtype transactionReason type version
    """
}

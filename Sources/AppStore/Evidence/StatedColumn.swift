/// A column that may hold a value of a text exactly as Apple wrote it. Then the text's form has this letter in the place of
/// the value.
///
/// The views `transaction_info_value`, `renewal_info_value`, `app_transaction_info_value` and `payload_value` say the same
/// in SQL.
public enum StatedColumn: UInt8, Sendable, CaseIterable {
  /// `a`: `app_account_token`.
  case appAccountToken = 0x61
  /// `d`: `payload.stated_at`.
  case statedAt = 0x64
  /// `e`: `expires_at`.
  case expiresAt = 0x65
  /// `g`: `grace_period_expires_at`.
  case gracePeriodExpiresAt = 0x67
  /// `n`: `renewal_at`.
  case renewalAt = 0x6E
  /// `o`: `original_transaction_id` of the original transaction.
  case originalTransactionID = 0x6F
  /// `p`: `purchase_at`.
  case purchaseAt = 0x70
  /// `q`: `original_purchase_at`.
  case originalPurchaseAt = 0x71
  /// `r`: `revoked_at`.
  case revokedAt = 0x72
  /// `s`: `recent_subscription_start_at`.
  case recentSubscriptionStartAt = 0x73
  /// `t`: `transaction_id`.
  case transactionID = 0x74
  /// `u`: `notification.notification_uuid`.
  case notificationUUID = 0x75
  /// `w`: `web_order_line_item_id`.
  case webOrderLineItemID = 0x77
  /// `x`: `app_transaction_id`.
  case appTransactionID = 0x78

  /// The keys whose values the column may hold, of all of Apple's formats.
  var keys: [String] {
    switch self {
    case .appAccountToken: ["appAccountToken", "app_account_token"]
    case .statedAt: ["signedDate", "request_date_ms"]
    case .expiresAt: ["expiresDate", "expires_date_ms", "expires_date"]
    case .gracePeriodExpiresAt: ["gracePeriodExpiresDate", "grace_period_expires_date_ms"]
    case .renewalAt: ["renewalDate"]
    case .originalTransactionID: ["originalTransactionId", "original_transaction_id"]
    case .purchaseAt: ["purchaseDate", "purchase_date_ms"]
    case .originalPurchaseAt: ["originalPurchaseDate", "original_purchase_date_ms"]
    case .revokedAt: ["revocationDate", "cancellation_date_ms"]
    case .recentSubscriptionStartAt: ["recentSubscriptionStartDate"]
    case .transactionID: ["transactionId", "transaction_id"]
    case .notificationUUID: ["notificationUUID"]
    case .webOrderLineItemID: ["webOrderLineItemId", "web_order_line_item_id"]
    case .appTransactionID: ["appTransactionId"]
    }
  }
}

/// What a column holds.
public enum StatedValue: Sendable {
  /// A text.
  case text(String)
  /// An instant, in milliseconds since 1970.
  case milliseconds(Int64)

  /// The value as Apple writes it.
  var bytes: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .milliseconds(let number): Array(String(number).utf8)
    }
  }

  /// Whether these bytes of a text are the value, byte for byte.
  func isWritten(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .text(let text): return text.utf8.elementsEqual(bytes)
    case .milliseconds(let number):
      // Instants before 2001 or after 2286 have other counts of digits, and stay in their texts.
      guard bytes.count == 13, bytes[0] != UInt8(ascii: "0") else { return false }
      var read: Int64 = 0
      for byte in bytes {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
        read = read * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return read == number
    }
  }
}

/// Says what the columns beside a text hold.
public protocol StatedValues {
  /// The value of a column; `nil` where it has none.
  func stated(_ column: StatedColumn) -> StatedValue?
}

/// Of a text without columns beside it.
public struct NoStatedValues: StatedValues {
  /// No values.
  public init() {}
  /// Always `nil`.
  public func stated(_ column: StatedColumn) -> StatedValue? { nil }
}

/// What is stored in columns of a transaction info.
struct TransactionValues: StatedValues {
  let transactionID: String
  let originalTransactionID: String
  let fields: TransactionFields

  func stated(_ column: StatedColumn) -> StatedValue? {
    switch column {
    case .transactionID: .text(transactionID)
    case .originalTransactionID: .text(originalTransactionID)
    case .purchaseAt: fields.purchaseAt.map(StatedValue.init)
    case .originalPurchaseAt: fields.originalPurchaseAt.map(StatedValue.init)
    case .expiresAt: fields.expiresAt.map(StatedValue.init)
    case .revokedAt: fields.revokedAt.map(StatedValue.init)
    case .webOrderLineItemID: fields.webOrderLineItemID.map(StatedValue.text)
    case .appAccountToken: fields.appAccountToken.map(StatedValue.text)
    case .appTransactionID: fields.appTransactionID.map(StatedValue.text)
    default: nil
    }
  }
}

/// What is stored in columns of a renewal info.
struct RenewalValues: StatedValues {
  let originalTransactionID: String
  let fields: RenewalFields

  func stated(_ column: StatedColumn) -> StatedValue? {
    switch column {
    case .originalTransactionID: .text(originalTransactionID)
    case .gracePeriodExpiresAt: fields.gracePeriodExpiresAt.map(StatedValue.init)
    case .renewalAt: fields.renewalAt.map(StatedValue.init)
    case .recentSubscriptionStartAt: fields.recentSubscriptionStartAt.map(StatedValue.init)
    case .appAccountToken: fields.appAccountToken.map(StatedValue.text)
    case .appTransactionID: fields.appTransactionID.map(StatedValue.text)
    default: nil
    }
  }
}

extension AppTransactionFields: StatedValues {
  /// What is stored in columns of an app transaction info.
  public func stated(_ column: StatedColumn) -> StatedValue? {
    switch column {
    case .appTransactionID: appTransactionID.map(StatedValue.text)
    case .originalPurchaseAt: originalPurchaseAt.map(StatedValue.init)
    default: nil
    }
  }
}

/// What is stored in columns of a payload.
struct PayloadValues: StatedValues {
  let statedAt: Instant?
  let notificationUUID: String?

  func stated(_ column: StatedColumn) -> StatedValue? {
    switch column {
    case .statedAt: statedAt.map(StatedValue.init)
    case .notificationUUID: notificationUUID.map(StatedValue.text)
    default: nil
    }
  }
}

extension TransactionVersion {
  /// The values that columns hold beside the text of ``statement``.
  public var columns: some StatedValues {
    TransactionValues(transactionID: transactionID, originalTransactionID: originalTransactionID, fields: fields)
  }
}

extension RenewalVersion {
  /// The values that columns hold beside the text of ``statement``.
  public var columns: some StatedValues {
    RenewalValues(originalTransactionID: originalTransactionID, fields: fields)
  }
}

extension Evidence {
  /// The values that columns hold beside ``text``.
  public var columns: some StatedValues { PayloadValues(statedAt: statedAt, notificationUUID: notification?.uuid) }
}

extension StatedValue {
  fileprivate init(_ instant: Instant) { self = .milliseconds(instant.milliseconds) }
}

/// A column that may contain a value of a text exactly as Apple wrote it. The text's form then has this letter in place
/// of the value.
///
/// The views `transaction_info_value`, `renewal_info_value`, `app_transaction_info_value` and `payload_value` implement
/// the same mapping in SQL.
public enum StatedColumn: UInt8, Sendable, CaseIterable {
  /// The letter `a`, for the column `app_account_token`.
  case appAccountToken = 0x61
  /// The letter `d`, for the column `payload.stated_at`.
  case statedAt = 0x64
  /// The letter `e`, for the column `expires_at`.
  case expiresAt = 0x65
  /// The letter `g`, for the column `grace_period_expires_at`.
  case gracePeriodExpiresAt = 0x67
  /// The letter `n`, for the column `renewal_at`.
  case renewalAt = 0x6E
  /// The letter `o`, for the column `original_transaction_id` of the original transaction.
  case originalTransactionID = 0x6F
  /// The letter `p`, for the column `purchase_at`.
  case purchaseAt = 0x70
  /// The letter `q`, for the column `original_purchase_at`.
  case originalPurchaseAt = 0x71
  /// The letter `r`, for the column `revoked_at`.
  case revokedAt = 0x72
  /// The letter `s`, for the column `recent_subscription_start_at`.
  case recentSubscriptionStartAt = 0x73
  /// The letter `t`, for the column `transaction_id`.
  case transactionID = 0x74
  /// The letter `u`, for the column `notification.notification_uuid`.
  case notificationUUID = 0x75
  /// The letter `w`, for the column `web_order_line_item_id`.
  case webOrderLineItemID = 0x77
  /// The letter `x`, for the column `app_transaction_id`.
  case appTransactionID = 0x78

  /// The keys of all of Apple's formats whose values the column may contain.
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

/// The value of a column.
public enum StatedValue: Sendable {
  /// A text, as the column stores it.
  case text(String)
  /// An instant, in milliseconds since 1970.
  case milliseconds(Int64)

  /// The bytes of the value as Apple writes it.
  var bytes: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .milliseconds(let number): Array(String(number).utf8)
    }
  }

  /// Returns whether these bytes of a text are exactly the value.
  func isWritten(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .text(let text): return text.utf8.elementsEqual(bytes)
    case .milliseconds(let number):
      // Instants before 2001 or after 2286 have another number of digits. They stay in their texts.
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

/// The values of the columns that are stored beside a text.
public protocol StatedValues {
  /// Returns the value of a column; `nil` if it has none.
  func stated(_ column: StatedColumn) -> StatedValue?
}

/// The columns of a text that has no columns beside it.
public struct NoStatedValues: StatedValues {
  /// Creates an empty set of values.
  public init() {}
  /// Returns `nil` for every column.
  public func stated(_ column: StatedColumn) -> StatedValue? { nil }
}

/// The values that columns of a transaction info contain.
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

/// The values that columns of a renewal info contain.
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
  /// Returns the value that a column of an app transaction info contains; `nil` if it has none.
  public func stated(_ column: StatedColumn) -> StatedValue? {
    switch column {
    case .appTransactionID: appTransactionID.map(StatedValue.text)
    case .originalPurchaseAt: originalPurchaseAt.map(StatedValue.init)
    default: nil
    }
  }
}

/// The values that columns of a payload contain.
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
  /// The values of the columns that are stored beside the text of ``object``.
  public var columns: some StatedValues {
    TransactionValues(transactionID: transactionID, originalTransactionID: originalTransactionID, fields: fields)
  }
}

extension RenewalVersion {
  /// The values of the columns that are stored beside the text of ``object``.
  public var columns: some StatedValues {
    RenewalValues(originalTransactionID: originalTransactionID, fields: fields)
  }
}

extension Evidence {
  /// The values of the columns that are stored beside ``text``.
  public var columns: some StatedValues { PayloadValues(statedAt: statedAt, notificationUUID: notification?.uuid) }
}

extension StatedValue {
  fileprivate init(_ instant: Instant) { self = .milliseconds(instant.milliseconds) }
}

package import AppStore

/// A column that may contain a value of a text exactly as Apple wrote it. The text's template then has this letter in place
/// of the value.
///
/// The views `transaction_info_value`, `renewal_info_value`, `app_transaction_info_value` and `payload_value` implement
/// the same mapping in SQL.
package enum TemplateColumn: UInt8, Sendable, CaseIterable {
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
package enum TemplateValue: Sendable {
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
package protocol TemplateValues {
  /// Returns the value of a column; `nil` if it has none.
  func value(of column: TemplateColumn) -> TemplateValue?
}

extension TransactionVersion: TemplateValues {
  /// Returns the value that a column of a transaction info contains; `nil` if it has none.
  package func value(of column: TemplateColumn) -> TemplateValue? {
    switch column {
    case .transactionID: .text(transactionID)
    case .originalTransactionID: .text(originalTransactionID)
    case .purchaseAt: fields.purchaseAt.map(TemplateValue.init)
    case .originalPurchaseAt: fields.originalPurchaseAt.map(TemplateValue.init)
    case .expiresAt: fields.expiresAt.map(TemplateValue.init)
    case .revokedAt: fields.revokedAt.map(TemplateValue.init)
    case .webOrderLineItemID: fields.webOrderLineItemID.map(TemplateValue.text)
    case .appAccountToken: fields.appAccountToken.map(TemplateValue.text)
    case .appTransactionID: fields.appTransactionID.map(TemplateValue.text)
    default: nil
    }
  }
}

extension RenewalVersion: TemplateValues {
  /// Returns the value that a column of a renewal info contains; `nil` if it has none.
  package func value(of column: TemplateColumn) -> TemplateValue? {
    switch column {
    case .originalTransactionID: .text(originalTransactionID)
    case .gracePeriodExpiresAt: fields.gracePeriodExpiresAt.map(TemplateValue.init)
    case .renewalAt: fields.renewalAt.map(TemplateValue.init)
    case .recentSubscriptionStartAt: fields.recentSubscriptionStartAt.map(TemplateValue.init)
    case .appAccountToken: fields.appAccountToken.map(TemplateValue.text)
    case .appTransactionID: fields.appTransactionID.map(TemplateValue.text)
    default: nil
    }
  }
}

extension AppTransactionVersion: TemplateValues {
  /// Returns the value that a column of an app transaction info contains; `nil` if it has none.
  package func value(of column: TemplateColumn) -> TemplateValue? {
    switch column {
    case .appTransactionID: fields.appTransactionID.map(TemplateValue.text)
    case .originalPurchaseAt: fields.originalPurchaseAt.map(TemplateValue.init)
    default: nil
    }
  }
}

extension Evidence: TemplateValues {
  /// Returns the value that a column of a payload contains; `nil` if it has none.
  package func value(of column: TemplateColumn) -> TemplateValue? {
    switch column {
    case .statedAt: statedAt.map(TemplateValue.init)
    case .notificationUUID: notification?.uuid.map(TemplateValue.text)
    default: nil
    }
  }
}

extension TemplateValue {
  fileprivate init(_ instant: Instant) { self = .milliseconds(instant.milliseconds) }
}

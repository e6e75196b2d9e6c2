/// In which of Apple's ways it is said.
public enum Format: String, Sendable, CaseIterable {
  /// App Store Server Notifications V2, signed.
  case notificationV2 = "v2"
  /// App Store Server Notifications V1.
  case notificationV1 = "v1"
  /// verifyReceipt, asked after each event.
  case receipt
  /// The same with `exclude-old-transactions`.
  case receiptExcludingOld = "receipt-exclude-old"
  /// verifyReceipt of an iOS 6 style receipt, one for each line.
  case receiptIOS6 = "receipt-ios6"
  /// Get All Subscription Statuses, asked after each event.
  case statuses
  /// Get Transaction History, all pages, asked after each event.
  case history
  /// Get Transaction Info, asked after each notification about a transaction.
  case transactionInfo = "transaction"
  /// Get Refund History, asked after each refund.
  case refundHistory = "refunds"
  /// Get Notification History, asked every ninety days or twenty notifications, and at the world's end.
  case notificationHistory = "notification-history"
  /// What the app itself reports of StoreKit's queue.
  case clientEvents = "client-events"

  /// Whether something in it is signed.
  public var isSigned: Bool {
    switch self {
    case .notificationV2, .statuses, .history, .transactionInfo, .refundHistory, .notificationHistory: true
    case .notificationV1, .receipt, .receiptExcludingOld, .receiptIOS6, .clientEvents: false
    }
  }
}

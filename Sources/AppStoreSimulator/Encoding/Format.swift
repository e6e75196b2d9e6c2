/// The formats of messages: Apple's services, and the app's own reports.
public enum Format: String, Sendable, CaseIterable {
  /// Signed App Store Server Notifications V2.
  case notificationV2 = "v2"
  /// App Store Server Notifications V1, which are not signed.
  case notificationV1 = "v1"
  /// A verifyReceipt response after each event.
  case receipt
  /// A verifyReceipt response with `exclude-old-transactions`, after each event.
  case receiptExcludingOld = "receipt-exclude-old"
  /// A verifyReceipt response for an iOS 6 style receipt, one for each subscription, after each event.
  case receiptIOS6 = "receipt-ios6"
  /// The signed app receipt of the device, after each event. It states nothing of renewals.
  case appReceipt = "app-receipt"
  /// A response of Get All Subscription Statuses, after each event.
  case statuses
  /// All pages of Get Transaction History, after each event.
  case history
  /// A response of Get Transaction Info, after each notification about a transaction.
  case transactionInfo = "transaction"
  /// All pages of Get Refund History, after each refund.
  case refundHistory = "refunds"
  /// Pages of Get Notification History, after every ninety days or twenty notifications, and at the end.
  case notificationHistory = "notification-history"
  /// The app's own reports about StoreKit's payment queue.
  case clientEvents = "client-events"

  /// Whether messages in this format contain signed texts.
  public var isSigned: Bool {
    switch self {
    case .notificationV2, .appReceipt, .statuses, .history, .transactionInfo, .refundHistory, .notificationHistory: true
    case .notificationV1, .receipt, .receiptExcludingOld, .receiptIOS6, .clientEvents: false
    }
  }
}

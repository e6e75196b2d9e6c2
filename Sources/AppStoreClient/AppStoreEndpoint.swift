/// An endpoint of Apple's servers that a client asks.
public enum AppStoreEndpoint: String, Sendable, CaseIterable {
  /// Get Transaction Info: one transaction.
  case transactionInfo = "transaction_info"
  /// Get Transaction History, version 2: all transactions of a customer.
  case transactionHistory = "transaction_history"
  /// Get All Subscription Statuses of a customer.
  case subscriptionStatuses = "subscription_statuses"
  /// Get App Transaction Info: the download of the app.
  case appTransactionInfo = "app_transaction_info"
  /// Get Refund History, version 2.
  case refundHistory = "refund_history"
  /// Look Up Order ID, of production only.
  case orderLookup = "order_lookup"
  /// Get Notification History, of 180 days; of 30 in the sandbox.
  case notificationHistory = "notification_history"
  /// Request a Test Notification, to the address of the app's server.
  case testNotification = "test_notification"
  /// Get Test Notification Status: the attempts to send it.
  case testNotificationStatus = "test_notification_status"
  /// Send Consumption Information, version 2.
  case consumption
  /// Extend a Subscription Renewal Date.
  case extend
  /// Extend Subscription Renewal Dates for All Active Subscribers.
  case extendAll = "extend_all"
  /// Get Status of Subscription Renewal Date Extensions.
  case extendAllStatus = "extend_all_status"
  /// Set App Account Token of an original transaction.
  case appAccountToken = "app_account_token"
  /// Finish Transaction: the content was delivered.
  case finish
  /// The verifyReceipt endpoint, which takes no token.
  case verifyReceipt = "verify_receipt"

  /// How many requests a second Apple allows in production, over an hour. The sandbox has a tenth of it (Apple,
  /// "Identifying rate limits"). Apple names no limit of verifyReceipt; it gets the most usual one.
  public var requestsPerSecond: Double {
    switch self {
    case .refundHistory, .orderLookup: 10
    case .testNotification, .testNotificationStatus, .extendAll, .extendAllStatus: 1
    case .extend, .appAccountToken: 20
    default: 50
    }
  }

  /// Whether the same request may be sent again when it is not known whether the first one was read. A second test
  /// request sends a second notification.
  public var isRepeatable: Bool { self != .testNotification }
}

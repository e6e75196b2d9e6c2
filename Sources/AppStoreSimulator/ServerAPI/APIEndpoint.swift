import Foundation

/// An endpoint of Apple's servers. The local App Store answers each of them.
public enum APIEndpoint: String, Sendable, CaseIterable {
  /// Get Transaction Info: one transaction.
  case transactionInfo = "transaction_info"
  /// Get App Transaction Info: the download of the app.
  case appTransactionInfo = "app_transaction_info"
  /// Get Transaction History, version 2.
  case transactionHistory = "transaction_history"
  /// Get Transaction History, version 1, without finished consumables.
  case transactionHistoryV1 = "transaction_history_v1"
  /// Get All Subscription Statuses of a customer.
  case subscriptionStatuses = "subscription_statuses"
  /// Get Refund History, version 2.
  case refundHistory = "refund_history"
  /// Get Refund History, version 1, without pages.
  case refundHistoryV1 = "refund_history_v1"
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
  /// Send Consumption Information, version 1.
  case consumptionV1 = "consumption_v1"
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
  /// Get Customer Groups, of the sandbox only.
  case customerGroups = "customer_groups"
  /// Get Group Members, of the sandbox only.
  case groupMembers = "group_members"
  /// The verifyReceipt endpoint, which takes no token.
  case verifyReceipt = "verify_receipt"

  /// The requests a second that Apple allows in production; `nil` where Apple names no limit (Apple, "Identifying rate
  /// limits").
  var rate: Int64? {
    switch self {
    case .refundHistory, .refundHistoryV1, .orderLookup: 10
    case .testNotification, .testNotificationStatus, .extendAll, .extendAllStatus: 1
    case .extend, .appAccountToken: 20
    case .verifyReceipt: nil
    default: 50
    }
  }

  /// Whether its answer is one page of several.
  var hasPages: Bool {
    [.transactionHistory, .transactionHistoryV1, .refundHistory, .notificationHistory, .groupMembers].contains(self)
  }

  /// The endpoints with their methods and paths. A star is an id.
  private static let routes: [(endpoint: APIEndpoint, method: String, path: [Substring])] =
    [
      (.transactionInfo, "GET /inApps/v1/transactions/*"),
      (.appTransactionInfo, "GET /inApps/v1/transactions/appTransactions/*"),
      (.transactionHistory, "GET /inApps/v2/history/*"),
      (.transactionHistoryV1, "GET /inApps/v1/history/*"),
      (.subscriptionStatuses, "GET /inApps/v1/subscriptions/*"),
      (.refundHistory, "GET /inApps/v2/refund/lookup/*"),
      (.refundHistoryV1, "GET /inApps/v1/refund/lookup/*"),
      (.orderLookup, "GET /inApps/v1/lookup/*"),
      (.notificationHistory, "POST /inApps/v1/notifications/history"),
      (.testNotification, "POST /inApps/v1/notifications/test"),
      (.testNotificationStatus, "GET /inApps/v1/notifications/test/*"),
      (.consumption, "PUT /inApps/v2/transactions/consumption/*"),
      (.consumptionV1, "PUT /inApps/v1/transactions/consumption/*"),
      (.extend, "PUT /inApps/v1/subscriptions/extend/*"),
      (.extendAll, "POST /inApps/v1/subscriptions/extend/mass"),
      (.extendAllStatus, "GET /inApps/v1/subscriptions/extend/mass/*/*"),
      (.appAccountToken, "PUT /inApps/v1/transactions/*/appAccountToken"),
      (.finish, "POST /inApps/v1/transactions/*/finish"),
      (.customerGroups, "GET /groups/v1/currentGroups/*"),
      (.groupMembers, "GET /groups/v1/group/*"),
      (.verifyReceipt, "POST /verifyReceipt"),
    ].map { endpoint, route in
      let words = route.split(separator: "/")
      return (endpoint, words[0].trimmingCharacters(in: .whitespaces), Array(words.dropFirst()))
    }

  /// Returns the endpoint of a request, and the ids in its path; `nil` for an unknown method and path.
  static func match(_ request: APIRequest) -> (endpoint: APIEndpoint, ids: [String])? {
    for route in routes where route.method == request.method && route.path.count == request.path.count {
      let pairs = zip(route.path, request.path)
      guard pairs.allSatisfy({ $0 == "*" ? !$1.isEmpty : $0 == $1 }) else { continue }
      return (route.endpoint, pairs.filter { $0.0 == "*" }.map(\.1))
    }
    return nil
  }
}

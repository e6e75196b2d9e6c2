public import AppStore

/// A message from the simulated store, with its instant.
public struct StoreEvent: Sendable {
  /// The instant of the message: Apple's `signedDate`.
  public let at: Instant
  /// The account that it is about, as an index into ``SimulatedStore/accounts``.
  public let account: Int
  /// The content of the message.
  public let content: Content

  /// The kinds of message content.
  public enum Content: Sendable {
    /// A notification from Apple's server to the app's server.
    case notification(StoreNotification)
    /// A report of the app about StoreKit's payment queue on the device.
    case report(DeviceReport)
    /// No message, but Apple's answers to requests change.
    case silence
  }
}

/// A notification, with copies of everything that it states.
public struct StoreNotification: Sendable {
  /// Apple's `notificationType` of version 2.
  public let type: String
  /// Apple's `subtype` of version 2; `nil` where the type has none.
  public let subtype: String?
  /// Apple's `notification_type` of version 1; `nil` where version 1 sends nothing.
  public let typeV1: String?
  /// Apple's `notificationUUID` of the notification.
  public internal(set) var uuid: String
  /// The subscription, as an index into ``SimulatedStore/subscriptions``; `nil` for one-time purchases and summaries.
  public let subscription: Int?
  /// The transaction, as it was at that instant; `nil` for summaries.
  public let transaction: Transaction?
  /// The renewal info, as it was at that instant; `nil` without a subscription.
  let renewal: RenewalInfo?
  /// The subscription's state at that instant; `nil` without a subscription.
  public let state: PurchaseState?
  /// Apple's `consumptionRequestReason` of a consumption request.
  var consumptionRequestReason: String?
  /// The result of an extension for all subscribers.
  var summary: ExtensionSummary?
  /// Apple's `unclaimSeatIds`: the seat claims that Apple released.
  public var unclaimedSeatIDs: [String] = []
}

/// The summary that Apple sends of an extension for all subscribers.
struct ExtensionSummary: Sendable {
  let requestIdentifier: String
  let product: Int
  /// The storefronts; empty for all.
  let storefronts: [String]
  let succeeded: Int
  let failed: Int
}

/// A report of the app about StoreKit's payment queue.
public struct DeviceReport: Sendable {
  /// The queue's event: `updated` or `removed`.
  let event: String
  /// The `transaction_state` of the client event.
  let state: String?
  let product: Int
  let transactionID: Int64?
  let originalID: Int64?
  /// The error's code in `SKErrorDomain`.
  var errorCode: Int64?

  /// The event and the state in words, such as `updated purchased`.
  public var text: String { state.map { event + " " + $0 } ?? event }
}

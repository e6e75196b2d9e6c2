public import AppStore

/// Something that the simulated store tells about, at the instant when it does.
public struct StoreEvent: Sendable {
  /// When it is told: `signedDate`.
  public let at: Instant
  /// Whom it is about, by place in the store's accounts.
  public let account: Int
  /// What is told.
  public let content: Content

  /// What may be told.
  public enum Content: Sendable {
    /// Apple's server tells the app's.
    case notification(StoreNotification)
    /// The app itself reports what StoreKit's queue does on the device.
    case report(DeviceReport)
    /// Nobody is told, and whoever asks Apple finds something new.
    case silence
  }
}

/// One notification, with copies of all that it says.
public struct StoreNotification: Sendable {
  /// `notificationType` of version 2.
  public let type: String
  /// `subtype`.
  public let subtype: String?
  /// `notification_type` of version 1; `nil` where that had no word for it.
  public let typeV1: String?
  /// `notificationUUID`.
  public let uuid: String
  /// The line, by place; `nil` for one-time purchases and for what is about no customer.
  public let line: Int?
  /// The transaction, as it was then.
  public let transaction: Transaction?
  /// The line, as it was then: its renewal info.
  let renewal: RenewalInfo?
  /// The line's state, as it was then.
  public let state: PurchaseState?
  /// `consumptionRequestReason`.
  var consumptionRequestReason: String?
  /// What an extension for all subscribers came to.
  var summary: ExtensionSummary?
}

/// How an extension for everybody went.
struct ExtensionSummary: Sendable {
  let requestIdentifier: String
  let product: Int
  let succeeded: Int
  let failed: Int
}

/// What the app reports of StoreKit's payment queue.
public struct DeviceReport: Sendable {
  /// `updated` or `removed`.
  let event: String
  /// `transaction_state`.
  let state: String?
  let product: Int
  let transactionID: Int64?
  let originalID: Int64?
  /// SKErrorDomain's code.
  var errorCode: Int64?

  /// What is reported, in two words.
  public var words: String { state.map { event + " " + $0 } ?? event }
}

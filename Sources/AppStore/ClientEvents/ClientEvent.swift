/// An event of StoreKit's payment queue on one device, as the app reports it. It is a claim, never evidence of a
/// purchase.
///
/// It is one JSON object with the members `event` (`updated` or `removed`), `transaction_state`, `transaction_id`,
/// `original_transaction_id`, `product_id`, `customer` or `app_account_token`, `device`, `at`, and `error` {`domain`,
/// `code`, `message`}.
public struct ClientEvent: Sendable, Equatable {
  /// The event: `updated` or `removed`. Any other value is stored and noted as a problem, but has no effect.
  public var event: String
  /// StoreKit's state: `purchasing`, `purchased`, `failed`, `deferred` or `restored`, in lower case.
  public var transactionState: String?
  /// StoreKit's transaction id, once there is one.
  public var transactionID: String?
  /// The id of the original transaction that this transaction renews or restores.
  public var originalTransactionID: String?
  /// The id of the product.
  public var productID: String
  /// The app's own id of its user.
  public var customer: String?
  /// The app account token of the purchase.
  public var appAccountToken: String?
  /// Any text that distinguishes one device from another.
  public var device: String?
  /// When the event happened, by the device's clock.
  public var happenedAt: Instant
  /// The domain of an error, such as `SKErrorDomain`.
  public var errorDomain: String?
  /// The code of an error. In `SKErrorDomain`, 2 means that the customer cancelled.
  public var errorCode: Int64?
  /// The message of an error, as the device wrote it.
  public var errorMessage: String?

  /// The key of the queue to which the event belongs: the customer, else the token, else the device. StoreKit has one
  /// queue for each device. But another device may approve, deliver or report a purchase that one device began.
  public var queue: String {
    customer.map { "customer " + $0 } ?? appAccountToken.map { "token " + $0 } ?? "device " + (device ?? "")
  }

  static let events: Set<String> = ["updated", "removed"]
  static let states: Set<String> = ["purchasing", "purchased", "failed", "deferred", "restored"]

  /// The maximum length of an id, in UTF-8 bytes. An event with a longer id is refused.
  public static let idLimit = 1024

  /// Returns whether an object looks like a client event.
  static func recognises(_ root: JSONValue) -> Bool {
    guard let event = root["event"], event.isString else { return false }
    return root["transaction_state"] != nil || root["product_id"] != nil
  }

  init(_ root: JSONValue, problems: inout [Problem]) throws(PayloadError) {
    var reader = FieldReader(root)
    defer { problems += reader.problems }
    func missing(_ key: String, _ words: String) -> PayloadError {
      PayloadError(.unusableEvent, path: "$." + key, detail: "a client event \(words)")
    }
    event = reader.text("event") ?? ""
    transactionState = reader.text("transaction_state")?.lowercased()
    guard let product = reader.text("product_id") else { throw missing("product_id", "has no product_id") }
    productID = product
    guard let at = root["at"], !at.isNull else { throw missing("at", "does not state when it happened") }
    guard let instant = Instant(at.string ?? at.numberText ?? "") else {
      throw missing("at", "states a time that is neither ISO 8601 nor milliseconds since 1970")
    }
    guard instant >= .appStoreOpening else {
      throw missing("at", "is dated before the App Store opened; its date may be in seconds instead of milliseconds")
    }
    happenedAt = instant
    guard event != "updated" || transactionState != nil else {
      throw missing("transaction_state", "with the event updated needs a transaction_state")
    }
    customer = reader.text("customer").map(AccountToken.normalized)
    appAccountToken = reader.text("app_account_token").map(AccountToken.normalized)
    device = reader.text("device")
    guard customer != nil || appAccountToken != nil || device != nil else {
      throw missing("customer", "names no customer, app_account_token or device")
    }
    transactionID = reader.text("transaction_id")
    originalTransactionID = reader.text("original_transaction_id")
    let named = [customer, appAccountToken, device, transactionID, originalTransactionID, productID]
    for case let id? in named where id.utf8.count > Self.idLimit {
      throw PayloadError(.unusableEvent, detail: "a client event has an id longer than \(Self.idLimit) bytes")
    }
    for (key, value, known) in [("event", event, Self.events), ("transaction_state", transactionState, Self.states)] {
      if let value, !known.contains(value) {
        problems.append(Problem(code: .unknownValue, path: "$." + key, value: Array(value.utf8)))
      }
    }
    errorDomain = reader.text("error_domain")
    errorCode = reader.integer("error_code")
    errorMessage = reader.text("error_message")
    if let error = root["error"], error.isObject {
      var inner = FieldReader(error)
      errorDomain = inner.text("domain") ?? errorDomain
      errorCode = inner.integer("code") ?? errorCode
      errorMessage = inner.text("message") ?? errorMessage
      reader.problems += inner.problems
    }
  }
}

/// One attempt of Apple's to deliver a notification, as a page of notification history states it.
public struct SendAttempt: Sendable, Equatable {
  /// The digest of the notification.
  public var notification: ContentDigest
  /// Apple's `attemptDate`: when Apple tried to deliver it.
  public var attemptedAt: Instant
  /// Apple's `sendAttemptResult`, such as `SUCCESS` or `TIMED_OUT`.
  public var result: String?
}

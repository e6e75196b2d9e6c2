/// What an app reports of StoreKit's payment queue on one device: a claim, never evidence of a purchase.
///
/// One JSON object: `event` (`updated` or `removed`), `transaction_state`, `transaction_id`, `original_transaction_id`,
/// `product_id`, `customer` or `app_account_token`, `device`, `at`, `error` {`domain`, `code`, `message`}.
public struct ClientEvent: Sendable, Equatable {
  /// `updated` or `removed`; any other word is kept, noted as a problem, and counts for nothing.
  public var event: String
  /// `purchasing`, `purchased`, `failed`, `deferred`, `restored`.
  public var transactionState: String?
  /// StoreKit's id, once there is one.
  public var transactionID: String?
  /// The line that the transaction renews or repeats.
  public var originalTransactionID: String?
  /// The product.
  public var productID: String
  /// The app's own id of its user.
  public var customer: String?
  /// The token that the purchase was made with.
  public var appAccountToken: String?
  /// Any text that tells one device from another.
  public var device: String?
  /// By the device's clock.
  public var happenedAt: Instant
  /// Of a failure, such as `SKErrorDomain`.
  public var errorDomain: String?
  /// Of a failure; 2 in `SKErrorDomain` is the customer's own cancel.
  public var errorCode: Int64?
  /// Of a failure, in the device's words.
  public var errorMessage: String?

  /// Whose purchases they are, one after the other: the customer's, else the token's, else the device's. (StoreKit has a
  /// queue on each device; but a purchase that one device begins may be approved, delivered or reported by another.)
  public var queue: String {
    customer.map { "customer " + $0 } ?? appAccountToken.map { "token " + $0 } ?? "device " + (device ?? "")
  }

  static let events: Set<String> = ["updated", "removed"]
  static let states: Set<String> = ["purchasing", "purchased", "failed", "deferred", "restored"]

  /// Longer ids than this, in bytes, are nobody's.
  public static let idLimit = 1024

  /// Whether an object looks like one.
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
    guard let at = root["at"], !at.isNull else { throw missing("at", "does not say when it happened") }
    guard let instant = Instant(at.string ?? at.numberText ?? "") else {
      throw missing("at", "says when it happened neither in ISO 8601 nor in milliseconds since 1970")
    }
    guard instant >= .appStoreOpening else {
      throw missing("at", "lies before the App Store: perhaps seconds were written for milliseconds")
    }
    happenedAt = instant
    guard event != "updated" || transactionState != nil else {
      throw missing("transaction_state", "that says updated needs a transaction_state")
    }
    customer = reader.text("customer").map(AccountToken.normalized)
    appAccountToken = reader.text("app_account_token").map(AccountToken.normalized)
    device = reader.text("device")
    guard customer != nil || appAccountToken != nil || device != nil else {
      throw missing("customer", "names neither a customer, an app_account_token nor a device")
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

/// One attempt of Apple's to deliver a notification, as a page of notification history tells it.
public struct SendAttempt: Sendable, Equatable {
  /// The notification's digest.
  public var notification: ContentDigest
  /// `attemptDate`.
  public var attemptedAt: Instant
  /// `sendAttemptResult`, such as `SUCCESS` or `TIMED_OUT`.
  public var result: String?
}

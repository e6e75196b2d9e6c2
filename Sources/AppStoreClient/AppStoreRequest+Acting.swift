internal import AppStore

/// The requests by which Apple does something.
extension AppStoreRequest {
  /// Asks Apple to send a test notification to the app's server: Request a Test Notification.
  public static let testNotification = AppStoreRequest(
    .testNotification, "POST", "/inApps/v1/notifications/test")

  /// Whether a purchase was delivered, as Apple's field `deliveryStatus` states it.
  public enum DeliveryStatus: String, Sendable, CaseIterable {
    /// The app delivered a purchase that works.
    case delivered = "DELIVERED"
    /// The purchase was delivered, and did not work.
    case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    /// Something else was delivered.
    case wrongItem = "UNDELIVERED_WRONG_ITEM"
    /// Nothing was delivered, because the app's server had an outage.
    case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
    /// Nothing was delivered, for another reason.
    case other = "UNDELIVERED_OTHER"
  }

  /// What the app wishes of a refund, as Apple's field `refundPreference` states it. Apple decides.
  public enum RefundPreference: String, Sendable, CaseIterable {
    /// Apple declines the refund.
    case decline = "DECLINE"
    /// Apple refunds the whole price.
    case grantFull = "GRANT_FULL"
    /// Apple refunds the part that was not consumed.
    case grantProrated = "GRANT_PRORATED"
  }

  private struct ConsumptionBody: Encodable {
    let customerConsented = true
    let deliveryStatus: String
    let sampleContentProvided: Bool
    let consumptionPercentage: Int?
    let refundPreference: String?
  }

  /// Answers a `CONSUMPTION_REQUEST`: Send Consumption Information. It states that the customer consented, because Apple
  /// takes no answer without consent.
  /// - Parameters:
  ///   - id: the id of the transaction whose refund was asked for, in digits.
  ///   - delivery: whether the purchase was delivered.
  ///   - hasSample: whether the app offered a free sample before the purchase.
  ///   - consumption: how much was consumed, in thousandths of a percent, from 0 to 100000; `nil` for a subscription,
  ///     where Apple counts itself.
  ///   - preference: what the app wishes; `nil` for no wish.
  /// - Throws: ``WrongArgument`` for numbers and ids out of their range.
  public static func consumption(
    of id: String, delivery: DeliveryStatus, hasSample: Bool, consumption: Int? = nil,
    preference: RefundPreference? = nil
  ) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    if let consumption {
      guard (0...100_000).contains(consumption), delivery == .delivered || consumption == 0 else {
        throw WrongArgument(
          name: "The consumption",
          advice: "Write thousandths of a percent from 0 to 100000; 0 where nothing was delivered.")
      }
    }
    return AppStoreRequest(
      .consumption, "PUT", "/inApps/v2/transactions/consumption/\(id)", about: id,
      body: json(
        ConsumptionBody(
          deliveryStatus: delivery.rawValue, sampleContentProvided: hasSample, consumptionPercentage: consumption,
          refundPreference: preference?.rawValue)))
  }

  /// Why a renewal date is extended, as Apple's field `extendReasonCode` states it.
  public enum ExtensionReason: Int, Sendable, CaseIterable {
    /// No reason is stated.
    case undeclared
    /// To satisfy a customer.
    case customerSatisfaction
    /// Another reason than the others here.
    case other
    /// The service had an outage.
    case serviceIssue
  }

  private struct ExtensionBody: Encodable {
    let extendByDays: Int
    let extendReasonCode: Int
    let requestIdentifier: String
    var productId: String?
    var storefrontCountryCodes: [String]?
  }

  private static func checked(days: Int) throws(WrongArgument) -> Int {
    guard (1...90).contains(days) else {
      throw WrongArgument(name: "The number of days", advice: "Write a number from 1 to 90.")
    }
    return days
  }

  /// Extends one subscription's renewal date: Extend a Subscription Renewal Date. Apple mails the customer, and the
  /// extension cannot be undone.
  /// - Parameters:
  ///   - id: the original transaction id, in digits.
  ///   - days: how far, 1 to 90 days.
  ///   - reason: why.
  ///   - identifier: identifies this wish; the same one again does nothing more. 1 to 128 characters.
  /// - Throws: ``WrongArgument`` for numbers and ids out of their range.
  public static func extend(
    _ id: String, byDays days: Int, _ reason: ExtensionReason, identifier: String
  ) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id, "The original transaction id")
    guard (1...128).contains(identifier.count) else {
      throw WrongArgument(name: "The request identifier", advice: "Write 1 to 128 characters.")
    }
    return AppStoreRequest(
      .extend, "PUT", "/inApps/v1/subscriptions/extend/\(id)", about: id,
      body: json(
        ExtensionBody(
          extendByDays: try checked(days: days), extendReasonCode: reason.rawValue, requestIdentifier: identifier)))
  }

  /// Extends the renewal dates of all who subscribe to a product now.
  /// - Parameters:
  ///   - productID: the product.
  ///   - days: how far, 1 to 90 days.
  ///   - reason: why.
  ///   - identifier: a UUID that identifies this wish; the same one again does nothing more.
  ///   - storefronts: only subscribers of these countries, by their three letters; empty for all.
  /// - Throws: ``WrongArgument`` for numbers and texts out of their range.
  public static func extendAll(
    of productID: String, byDays days: Int, _ reason: ExtensionReason, identifier: String,
    storefronts: [String] = []
  ) throws(WrongArgument) -> AppStoreRequest {
    guard !productID.isEmpty else { throw WrongArgument(name: "The product id", advice: "Write one.") }
    let identifier = try uuid(identifier, "The request identifier")
    guard storefronts.allSatisfy({ $0.count == 3 && $0.allSatisfy(\.isUppercase) }) else {
      throw WrongArgument(name: "A storefront", advice: "Write three capital letters, such as USA.")
    }
    return AppStoreRequest(
      .extendAll, "POST", "/inApps/v1/subscriptions/extend/mass", about: identifier,
      body: json(
        ExtensionBody(
          extendByDays: try checked(days: days), extendReasonCode: reason.rawValue,
          requestIdentifier: identifier, productId: productID,
          storefrontCountryCodes: storefronts.isEmpty ? nil : storefronts)))
  }

  private struct TokenBody: Encodable { let appAccountToken: String }

  /// Sets the account token of a purchase and of its renewals from now on: Set App Account Token.
  /// - Parameters:
  ///   - token: the customer's account token.
  ///   - id: the original transaction id, in digits.
  /// - Throws: ``WrongArgument`` for a token other than a UUID, and an id that has something other than digits.
  public static func setAppAccountToken(_ token: String, of id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id, "The original transaction id")
    return AppStoreRequest(
      .appAccountToken, "PUT", "/inApps/v1/transactions/\(id)/appAccountToken", about: id,
      body: json(TokenBody(appAccountToken: try uuid(token, "The account token"))))
  }

  /// States that the content of a transaction was delivered: Finish Transaction.
  /// - Parameter id: the transaction's id, in digits.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func finish(_ id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    return AppStoreRequest(.finish, "POST", "/inApps/v1/transactions/\(id)/finish", about: id)
  }

  /// Returns a UUID in small letters, as Apple writes it.
  private static func uuid(_ text: String, _ name: String) throws(WrongArgument) -> String {
    guard AccountToken.isToken(text) else {
      throw WrongArgument(name: name, advice: "Write a UUID, such as 7e3fb204-0000-4000-8000-0123456789ab.")
    }
    return AccountToken.normalized(text)
  }
}

public import AppStore

/// The requests that only read.
extension AppStoreRequest {
  /// Asks for one transaction: Get Transaction Info.
  /// - Parameter id: the transaction's id, in digits.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func transactionInfo(_ id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    return AppStoreRequest(.transactionInfo, "GET", "/inApps/v1/transactions/\(id)", about: id)
  }

  /// Asks for all transactions of a customer, in the order of their last change: Get Transaction History.
  /// - Parameters:
  ///   - id: any transaction id of the customer, in digits.
  ///   - productID: only transactions of this product; `nil` for all.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func transactionHistory(
    of id: String, productID: String? = nil
  ) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    let query = productID.map { [Field(name: "productId", value: $0)] } ?? []
    return AppStoreRequest(
      .transactionHistory, "GET", "/inApps/v2/history/\(id)", about: id, query: query, cursor: .revision)
  }

  /// Asks for the state of all subscriptions of a customer: Get All Subscription Statuses.
  /// - Parameter id: any transaction id of the customer, in digits.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func subscriptionStatuses(of id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    return AppStoreRequest(.subscriptionStatuses, "GET", "/inApps/v1/subscriptions/\(id)", about: id)
  }

  /// Asks when and where a customer downloaded the app: Get App Transaction Info.
  /// - Parameter id: any transaction id of the customer, in digits.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func appTransactionInfo(of id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    return AppStoreRequest(
      .appTransactionInfo, "GET", "/inApps/v1/transactions/appTransactions/\(id)", about: id)
  }

  /// Asks for the refunds of a customer, in the order of their dates: Get Refund History.
  /// - Parameter id: any transaction id of the customer, in digits.
  /// - Throws: ``WrongArgument`` for anything else.
  public static func refundHistory(of id: String) throws(WrongArgument) -> AppStoreRequest {
    let id = try transactionID(id)
    return AppStoreRequest(
      .refundHistory, "GET", "/inApps/v2/refund/lookup/\(id)", about: id, cursor: .revision)
  }

  /// Asks for the transactions of an order: Look Up Order ID. Only production answers.
  /// - Parameter order: the order's id from the customer's receipt by mail.
  /// - Throws: ``WrongArgument`` for an id that Apple does not make.
  public static func orderLookup(_ order: String) throws(WrongArgument) -> AppStoreRequest {
    let order = try id(order, "The order id", longest: 64)
    return AppStoreRequest(.orderLookup, "GET", "/inApps/v1/lookup/\(order)", about: order)
  }

  private struct HistoryBody: Encodable {
    let startDate: Int64
    let endDate: Int64
    let onlyFailures: Bool?
    let transactionId: String?
  }

  /// Asks what Apple sent: Get Notification History.
  /// - Parameters:
  ///   - from: the first instant; at most 180 days back, in the sandbox 30.
  ///   - to: the instant after the last one.
  ///   - hasOnlyFailures: only what has not reached the app's server.
  ///   - transactionID: only what is about this transaction; `nil` for all.
  /// - Throws: ``WrongArgument`` when `to` is not after `from`, or the id has something other than digits.
  public static func notificationHistory(
    from: Instant, to: Instant, onlyFailures hasOnlyFailures: Bool = false, transactionID: String? = nil
  ) throws(WrongArgument) -> AppStoreRequest {
    guard from < to else { throw WrongArgument(name: "The end of the history", advice: "Name one after its start.") }
    let id: String? = if let transactionID { try Self.transactionID(transactionID) } else { nil }
    return AppStoreRequest(
      .notificationHistory, "POST", "/inApps/v1/notifications/history", about: id, cursor: .paginationToken,
      body: json(
        HistoryBody(
          startDate: from.milliseconds, endDate: to.milliseconds, onlyFailures: hasOnlyFailures ? true : nil,
          transactionId: id)))
  }

  /// Asks what became of a test notification: Get Test Notification Status.
  /// - Parameter token: the token that ``testNotification`` got.
  /// - Throws: ``WrongArgument`` for a text that Apple does not make.
  public static func testNotificationStatus(_ token: String) throws(WrongArgument) -> AppStoreRequest {
    let token = try id(token, "The token of the test notification")
    return AppStoreRequest(
      .testNotificationStatus, "GET", "/inApps/v1/notifications/test/\(token)", about: token)
  }

  /// Asks how far an extension for all subscribers is.
  /// - Parameters:
  ///   - requestIdentifier: the identifier of the extension, a UUID.
  ///   - productID: the product whose subscribers were extended.
  /// - Throws: ``WrongArgument`` for ids that cannot stand in a path.
  public static func extendAllStatus(
    requestIdentifier: String, productID: String
  ) throws(WrongArgument) -> AppStoreRequest {
    let request = try id(requestIdentifier, "The request identifier")
    let product = try id(productID, "The product id")
    return AppStoreRequest(
      .extendAllStatus, "GET", "/inApps/v1/subscriptions/extend/mass/\(product)/\(request)", about: request)
  }

  private struct ReceiptBody: Encodable {
    let receipt: String
    let password: String?
    let excludesOld: Bool?

    enum CodingKeys: String, CodingKey {
      case receipt = "receipt-data"
      case password
      case excludesOld = "exclude-old-transactions"
    }
  }

  /// Asks for what a receipt of a device contains: verifyReceipt.
  /// - Parameters:
  ///   - receipt: the receipt in Base64.
  ///   - sharedSecret: the app's shared secret; `nil` where there is none. Auto-renewable subscriptions need it.
  ///   - excludesOld: only the newest renewal of each subscription.
  /// - Throws: ``WrongArgument`` for a text that is not Base64.
  public static func verifyReceipt(
    _ receipt: String, sharedSecret: AppSecret? = nil, excludingOldTransactions excludesOld: Bool = false
  ) throws(WrongArgument) -> AppStoreRequest {
    guard isAlphanumeric(receipt, or: "+/=-_"), !receipt.isEmpty else {
      throw WrongArgument(name: "The receipt", advice: "Write the receipt of the device in Base64, and nothing else.")
    }
    return AppStoreRequest(
      .verifyReceipt, "POST", "/verifyReceipt",
      body: json(
        ReceiptBody(receipt: receipt, password: sharedSecret?.text, excludesOld: excludesOld ? true : nil)))
  }
}

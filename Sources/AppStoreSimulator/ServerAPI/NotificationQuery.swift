import AppStore

/// The question of Get Notification History.
struct NotificationQuery {
  /// The body of a request.
  struct Body: Decodable {
    let startDate: Int64?
    let endDate: Int64?
    let notificationType: String?
    let notificationSubtype: String?
    let transactionId: String?
    let originalTransactionId: String?
    let onlyFailures: Bool?
  }

  private let from: Instant
  private let to: Instant
  private let type: String?
  private let subtype: String?
  private let id: Int64?
  private let hasOnlyFailures: Bool

  /// The subtypes of Apple's notification types. Each type can also come without one, where its list has the empty text.
  private static let subtypes: [String: Set<String>] = [
    "SUBSCRIBED": ["INITIAL_BUY", "RESUBSCRIBE"], "DID_RENEW": ["", "BILLING_RECOVERY"],
    "DID_CHANGE_RENEWAL_PREF": ["", "UPGRADE", "DOWNGRADE"],
    "DID_CHANGE_RENEWAL_STATUS": ["", "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"],
    "OFFER_REDEEMED": ["", "INITIAL_BUY", "RESUBSCRIBE", "UPGRADE", "DOWNGRADE"],
    "DID_FAIL_TO_RENEW": ["", "GRACE_PERIOD"],
    "EXPIRED": ["", "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"],
    "PRICE_INCREASE": ["PENDING", "ACCEPTED"], "RENEWAL_EXTENSION": ["SUMMARY", "FAILURE"],
    "EXTERNAL_PURCHASE_TOKEN": ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"], "GRACE_PERIOD_EXPIRED": [""],
    "REFUND": [""], "REFUND_DECLINED": [""], "REFUND_REVERSED": [""], "CONSUMPTION_REQUEST": [""], "REVOKE": [""],
    "RENEWAL_EXTENDED": [""], "ONE_TIME_CHARGE": [""], "RESCIND_CONSENT": [""], "METADATA_UPDATE": [""],
    "MIGRATION": [""], "PRICE_CHANGE": [""], "UNCLAIM_SEATS": [""], "TEST": [""],
  ]

  /// Reads the question of a request.
  /// - Parameters:
  ///   - body: the body of the request.
  ///   - clock: the present instant.
  ///   - earliest: the first instant that the history has.
  /// - Throws: the error of the first member that is not valid.
  init(_ body: Body, clock: Instant, from earliest: Instant) throws(APIError) {
    guard let start = body.startDate, start >= 0 else { throw .invalidStartDate }
    guard let end = body.endDate, end >= 0 else { throw .invalidEndDate }
    (from, to) = (Instant(milliseconds: start), min(Instant(milliseconds: end), clock))
    guard from >= earliest else { throw .startDateTooFarInPast }
    guard from < to else { throw .startDateAfterEndDate }
    (type, subtype) = (body.notificationType, body.notificationSubtype)
    let text = body.transactionId ?? body.originalTransactionId
    guard text == nil || type == nil else { throw .multipleFilters }
    if let type {
      guard let known = Self.subtypes[type], subtype.map(known.contains) ?? true, subtype != "" else {
        throw .invalidNotificationType
      }
    } else if subtype != nil {
      throw .invalidNotificationType
    }
    id = text.flatMap { Int64($0) }
    guard text == nil || id != nil else { throw .invalidTransactionID }
    hasOnlyFailures = body.onlyFailures ?? false
  }

  /// Whether a notification is one of those that were asked for.
  func matches(_ sent: SentNotification) -> Bool {
    (from...to).contains(sent.signedAt) && (type.map { $0 == sent.type } ?? true)
      && (subtype.map { $0 == sent.subtype } ?? true)
      && (id.map { $0 == sent.transactionID || $0 == sent.originalTransactionID } ?? true)
      && (!hasOnlyFailures || !sent.attempts.isEmpty && !sent.isReceived)
  }
}

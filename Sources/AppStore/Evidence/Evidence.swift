/// Everything that one payload states, as values that a ledger can record. It does not depend on how a ledger stores
/// them.
public struct Evidence: Sendable {
  /// The format of the payload.
  public var kind: PayloadKind
  /// SHA-256 of the payload as it arrived, with secrets and receipts replaced. The same payload always has the same
  /// digest.
  public var digest: ContentDigest
  /// The digest of a signed payload with the other form of its signature. ECDSA has two valid signatures for one text,
  /// and anyone can compute one from the other. A payload that is recorded under either digest is a duplicate.
  public var alternateDigest: ContentDigest?
  /// The exact text, without the objects and nested payloads that are stored separately.
  public var text: SignedText
  /// Why the payload counts as evidence.
  public var trust: Trust
  /// The root of the payload's signature. For a response with signed objects inside, it is the root of these objects; a
  /// root that the caller added takes precedence over Apple's. `nil` if the payload states anything about purchases
  /// without a signature.
  public var root: RootCertificate?
  /// The environment that the payload states.
  public var environment: Environment
  /// The app's bundle id: `bundleId`, `bundle_id` or `bid`.
  public var bundleID: String?
  /// The app's App Store id (`appAppleId`, `app_item_id` or `adam_id`).
  public var appAppleID: String?
  /// Apple's own instant for the whole payload: `signedDate`, `request_date_ms` or `receipt_creation_date_ms`.
  public var statedAt: Instant?
  /// The greatest past-facing date inside (purchase, cancellation, auto-renew change), for payloads without
  /// ``statedAt``.
  public var inferredAt: Instant?
  /// The JSON path of the object that contains ``inferredAt``, if it is known.
  public var inferredPath: String?
  /// The `status` of a verifyReceipt response if it is a failure or 21006, or the `errorCode` of a Server API error.
  public var receiptStatus: Int64?
  /// What to do about a failed response; `nil` if the response did not fail.
  public var failure: FailureAdvice?
  /// The fields of the notification itself; `nil` for other payloads.
  public var notification: NotificationFields?
  /// What the payload states about transactions.
  public var transactions: [TransactionVersion] = []
  /// What the payload states about renewals.
  public var renewals: [RenewalVersion] = []
  /// What the payload states about the customer's copy of the app.
  public var appTransactions: [AppTransactionVersion] = []
  /// Apple's own `status` of subscriptions.
  public var claims: [StatusClaim] = []
  /// The rows and fields that could not be used.
  public var problems: [Problem] = []
  /// The positions of nested payloads, as byte offsets in ``SignedText/source``, with their digests.
  public var nested: [(position: Int, digest: ContentDigest)] = []
  /// What an app reported. A payload with a client event contains nothing else.
  public var clientEvent: ClientEvent?
  /// Apple's attempts to deliver the ``nested`` notifications.
  public var sendAttempts: [SendAttempt] = []
  /// The order that a response of Look Up Order ID is about, if the payload states it.
  public var orderID: String?
  /// The `latest_receipt` texts that were set aside.
  public var receiptData: [ReceiptData] = []
  /// The ids of purchases that the text names without a usable row.
  public var mentions: [Mention] = []

  /// Whether dates in the payload contradict each other. It may be forged or edited, and alone it does not confirm an
  /// answer.
  public var isContradictory: Bool { problems.contains { $0.code == .contradictoryDate } }

  /// How many rows, or values that should contain rows, could not be read.
  public var unusableRowCount = 0

  /// Whether the payload names a purchase, or has rows, and none of them can be used.
  public var hasNoUsableTransaction: Bool {
    let isEmpty =
      transactions.isEmpty && renewals.isEmpty && appTransactions.isEmpty && claims.isEmpty && nested.isEmpty
    return isEmpty && failure == nil && (unusableRowCount > 0 || notification?.originalTransactionID != nil)
  }
}

/// An opaque `latest_receipt`, which a ledger stores once or not at all.
public struct ReceiptData: Sendable {
  /// SHA-256 of ``text``. In the payload's text, `sha256:…` replaces the receipt.
  public var digest: ContentDigest
  /// The receipt as Base 64 text.
  public var text: [UInt8]
}

/// The format of a payload, named after Apple's documentation, or a client event of the app.
public enum PayloadKind: String, Sendable, CaseIterable {
  /// A verifyReceipt response, current or iOS 6 style.
  case verifyReceipt = "verify_receipt"
  /// An app receipt: the signed file of a device.
  case appReceipt = "app_receipt"
  /// A transaction receipt of iOS 6 and earlier, with one purchase.
  case transactionReceipt = "transaction_receipt"
  /// A notification of App Store Server Notifications V1.
  case notificationV1 = "notification_v1"
  /// A notification of App Store Server Notifications V2.
  case notificationV2 = "notification_v2"
  /// A response of Get All Subscription Statuses.
  case subscriptionStatuses = "subscription_statuses"
  /// A response of Get Transaction History. Unlike a response of Get Refund History, it names the app or the
  /// environment.
  case transactionHistory = "transaction_history"
  /// A response of Get Refund History.
  case refundHistory = "refund_history"
  /// A response of Get Transaction Info.
  case transactionInfo = "transaction_info"
  /// A response of Look Up Order ID.
  case orderLookup = "order_lookup"
  /// A page of Get Notification History. Each notification on it is a payload of its own.
  case notificationHistory = "notification_history"
  /// A response of Get Test Notification Status.
  case testNotificationStatus = "test_notification_status"
  /// A response of Get App Transaction Info.
  case appTransactionInfo = "app_transaction_info"
  /// An error of the App Store Server API.
  case apiError = "api_error"
  /// One transaction, signed or decoded.
  case transaction
  /// One renewal info, signed or decoded.
  case renewalInfo = "renewal_info"
  /// One app transaction, signed or decoded.
  case appTransaction = "app_transaction"
  /// An event of StoreKit's payment queue that the app reports. It does not come from Apple's servers.
  case clientEvent = "client_event"

  /// Whether it is the receipt of a device, which may lack renewals (rules §6).
  public var isDeviceReceipt: Bool { self == .appReceipt || self == .transactionReceipt }
}

/// Why a payload counts as evidence (Importing.md, "The full table").
public enum Trust: String, Sendable {
  /// The payload is signed, and its signature leads to a trusted root.
  case verified
  /// Apple does not sign this format: a verifyReceipt response, a V1 notification, a response's own fields.
  case unsigned
  /// The caller accepted the payload although nothing vouches for it.
  case unverified
}

/// What the caller should do about a failed response (Apple, "status").
public enum FailureAdvice: String, Sendable {
  /// Repeat the request later: Apple could not answer now.
  case retry
  /// Ask the sandbox: a sandbox receipt was sent to production.
  case askSandbox = "ask_sandbox"
  /// Ask production: a production receipt was sent to the sandbox.
  case askProduction = "ask_production"
  /// Correct the request: wrong secret, wrong method or malformed data.
  case mendRequest = "mend_request"
  /// Do not repeat the request: it will never succeed.
  case permanent
}

/// A SHA-256 digest, compared byte by byte.
public struct ContentDigest: Hashable, Sendable, Comparable {
  /// The 32 bytes of the digest.
  public var bytes: [UInt8]
  /// Creates a digest from its 32 bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }
  /// Creates a digest from 64 hexadecimal digits; `nil` for any other text.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    self.init(bytes: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
  /// The digest as 64 hexadecimal digits in lower case.
  public var hexadecimal: String {
    String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
  }
  /// Hashes the first eight bytes. Digests are as good as random, so eight bytes distinguish them.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// Returns whether the left digest is less, compared byte by byte.
  public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
  private static let digits = Array("0123456789abcdef".utf8)
}

/// One object from Apple, exactly as written, with its position in its payload.
public struct ObjectText: Sendable {
  /// The exact text of the object.
  public var text: SignedText
  /// SHA-256 of the object's ``SignedText/compact`` text.
  public var digest: ContentDigest
  /// The byte offset in the payload's ``SignedText/source`` at which the object was cut out; `nil` if it was not cut
  /// out.
  public var position: Int?
}

/// What one payload states about one transaction.
public struct TransactionVersion: Sendable {
  /// The exact text of the transaction.
  public var object: ObjectText
  /// The environment of the transaction.
  public var environment: Environment
  /// The original transaction id: opaque text.
  public var originalTransactionID: String
  /// The transaction's id: opaque text.
  public var transactionID: String
  /// The transaction's own `signedDate`; `nil` for a row of a receipt, which has the instant of its payload.
  public var signedAt: Instant?
  /// The kind of source that the row comes from.
  public var rank: SourceRank
  /// The typed fields of the transaction.
  public var fields: TransactionFields
}

/// The strength of a source, for versions of the same instant (rules §2). A smaller value is stronger.
public enum SourceRank: Int64, Sendable {
  /// A transaction or renewal info that is signed, or that once was.
  case jws = 1
  /// A row of `latest_receipt_info`, of a receipt or of V1's `unified_receipt`.
  case latestReceiptInfo = 2
  /// A row of `receipt.in_app` or of an app receipt, or an iOS 6 receipt that is itself the transaction.
  case inApp = 3
}

/// What one payload states about the next renewal of one subscription.
public struct RenewalVersion: Sendable {
  /// The exact text of the renewal info.
  public var object: ObjectText
  /// The environment of the subscription.
  public var environment: Environment
  /// The original transaction id of the subscription.
  public var originalTransactionID: String
  /// The renewal info's own `signedDate`; `nil` for a row of a receipt.
  public var signedAt: Instant?
  /// The kind of source that the renewal info comes from.
  public var rank: SourceRank
  /// The typed fields of the renewal info.
  public var fields: RenewalFields
}

/// What one payload states about the purchase or first download of the app itself.
public struct AppTransactionVersion: Sendable {
  /// The exact text of the app transaction.
  public var object: ObjectText
  /// The environment of the app transaction.
  public var environment: Environment
  /// The app transaction's own `signedDate` or `receiptCreationDate`.
  public var signedAt: Instant?
  /// The typed fields of the app transaction.
  public var fields: AppTransactionFields
}

/// Apple's own `status` of a subscription. A ledger records it and compares it, but the rules take precedence (rules
/// §8).
public struct StatusClaim: Sendable {
  /// The environment of the subscription.
  public var environment: Environment
  /// The original transaction id of the subscription.
  public var originalTransactionID: String
  /// Apple's value: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
  public var status: Int64
  /// The instant for which Apple states the status, if it is known.
  public var signedAt: Instant?
  /// The `purchaseDate` of the transaction that came with the status.
  public var purchaseAt: Instant?
}

/// A part of a payload that could not be used. The rest of the payload counts.
public struct Problem: Sendable, Equatable {
  /// The kinds of problem. Their names are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// A value is neither text nor a number.
    case unreadableText = "unreadable_text"
    /// A value is not a whole number.
    case unreadableNumber = "unreadable_number"
    /// A value is not true or false.
    case unreadableFlag = "unreadable_flag"
    /// A value is not a date, or is a date beyond the year 9999.
    case unreadableInstant = "unreadable_instant"
    /// A row has no transaction id and cannot be identified.
    case missingTransactionID = "missing_transaction_id"
    /// A row has no original transaction id. The id from another row of the transaction is used, else the transaction's
    /// own id.
    case missingOriginalTransactionID = "missing_original_transaction_id"
    /// A row has no purchase date.
    case missingPurchaseDate = "missing_purchase_date"
    /// A renewal row names no subscription, and its product belongs to none or to several.
    case unattributedRenewal = "unattributed_renewal"
    /// A value that should be a signed text is something else.
    case notSigned = "not_signed"
    /// A signed text is empty: its content is `null`.
    case emptySignedText = "empty_signed_text"
    /// A signed text contains another kind of object than expected.
    case unexpectedContent = "unexpected_content"
    /// A value that should contain rows contains something else.
    case unexpectedShape = "unexpected_shape"
    /// A value is not one of the few that the ledger supports.
    case unknownValue = "unknown_value"
    /// The values of `environment` and `receipt_type` contradict each other.
    case contradictoryEnvironment = "contradictory_environment"
    /// Two keys state one date, and their dates differ by a second or more, or one of them cannot be read (rules §6).
    /// The payload may be forged or edited.
    case contradictoryDate = "contradictory_date"
    /// A period ends before it begins, as in Apple's own old restores.
    case periodEndsBeforeItBegins = "period_ends_before_it_begins"
    /// The original purchase is dated more than a minute after the purchase, as in Apple's own old restores. (For a
    /// first purchase, Apple itself dates the original some seconds later.)
    case originalPurchaseAfterPurchase = "original_purchase_after_purchase"
    /// An id was redacted (`***`), so it identifies nothing.
    case redactedID = "redacted_id"
    /// A payload without a date of its own contains a purchase, cancellation or renewal change more than a day after it
    /// was received. The payload is not dated by it (rules §1).
    case dateAfterReceipt = "date_after_receipt"
    /// A key that the ledger does not read contains transactions or renewals.
    case unreadRows = "unread_rows"
    /// A quantity or price of seats is less than it can be, or greater. It is read as absent.
    case impossibleQuantity = "impossible_quantity"
    /// The quantities of the price tiers do not add up to the quantity. No total is known then.
    case contradictoryQuantity = "contradictory_quantity"
    /// A subscription with several seats states no price tiers. Its price is the average of the seats, so no total is
    /// known.
    case missingPriceTiers = "missing_price_tiers"
  }

  /// The kind of problem.
  public var code: Code
  /// The JSON path of the value; unique for each field of a payload.
  public var path: String
  /// The value at that path, shortened to 120 bytes.
  public var value: String

  /// Creates a problem with the first 120 bytes of the value.
  public init(code: Code, path: String, value: some Collection<UInt8> = [UInt8]()) {
    self.code = code
    self.path = path
    self.value = String(decoding: value.prefix(120), as: UTF8.self)
  }
}

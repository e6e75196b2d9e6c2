/// One payload, read: everything it says, as values that a ledger can record. Knows nothing of how they are kept.
public struct Evidence: Sendable {
  /// What arrived.
  public var kind: PayloadKind
  /// SHA-256 of the payload as it arrived (secrets and receipts blanked): the same payload has the same digest.
  public var digest: ContentDigest
  /// Of a signed payload the digest of the same text with the other form of its signature: ECDSA has two that fit,
  /// and anyone can make the one of the other. A payload that is recorded under either digest is known.
  public var alternateDigest: ContentDigest?
  /// The exact text, less the statements and nested payloads that are kept on their own.
  public var text: SignedText
  /// The source of ``text`` taken apart, where that can be.
  public var parts: TextForm.Parts?
  /// Why it is believed.
  public var trust: Trust
  /// The root that its signature leads to. Of an answer whose purchases are all signed inside it: the root of those, one
  /// that was added before Apple's. `nil` where anything that it states of purchases is not signed.
  public var root: RootCertificate?
  /// The environment the payload speaks for.
  public var environment: Environment
  /// `bundleId` / `bundle_id` / `bid`.
  public var bundleID: String?
  /// The app's App Store id.
  public var appAppleID: String?
  /// Apple's own instant for the whole payload: `signedDate`, `request_date_ms`, `receipt_creation_date_ms`.
  public var statedAt: Instant?
  /// The greatest past-facing date inside (purchase, cancellation, auto-renew change), for payloads without ``statedAt``.
  public var inferredAt: Instant?
  /// The JSON path of the object that holds ``inferredAt``, where that is known.
  public var inferredPath: String?
  /// verifyReceipt's `status`, where it is a failure or 21006; a Server API error's `errorCode`.
  public var receiptStatus: Int64?
  /// What to do about a failed answer; `nil` where the answer is a good one.
  public var failure: FailureAdvice?
  /// The notification's own words, for notifications.
  public var notification: NotificationFields?
  /// What it says of transactions.
  public var transactions: [TransactionVersion] = []
  /// What it says of renewals.
  public var renewals: [RenewalVersion] = []
  /// What it says of the app's first download.
  public var appTransactions: [AppTransactionVersion] = []
  /// Apple's own word for a line's state.
  public var claims: [StatusClaim] = []
  /// Rows and fields that could not be used.
  public var problems: [Problem] = []
  /// Where nested payloads stood in the text, by their digest, as byte offsets in ``SignedText/source``.
  public var nested: [(position: Int, digest: ContentDigest)] = []
  /// What an app reported; such a payload says nothing else.
  public var clientEvent: ClientEvent?
  /// Apple's attempts to deliver the ``nested`` notifications.
  public var sendAttempts: [SendAttempt] = []
  /// The order that an answer of Look Up Order ID is about, where it was written into it.
  public var orderID: String?
  /// The `latest_receipt` texts that were set aside.
  public var receiptData: [ReceiptData] = []
  /// Ids of purchases that the text names, and of which it brought no usable row.
  public var mentions: [Mention] = []

  /// Whether its own dates contradict each other: it may be forged or edited, and confirms nothing by itself.
  public var isContradictory: Bool { problems.contains { $0.code == .contradictoryDate } }

  /// How many rows, or places for rows, could not be read.
  public var lostRowCount = 0

  /// Whether it names a purchase, or has rows, and none of them can be used.
  public var hasNoUsableTransaction: Bool {
    let isEmpty =
      transactions.isEmpty && renewals.isEmpty && appTransactions.isEmpty && claims.isEmpty && nested.isEmpty
    return isEmpty && failure == nil && (lostRowCount > 0 || notification?.originalTransactionID != nil)
  }
}

/// An opaque `latest_receipt`, which a ledger keeps once or not at all.
public struct ReceiptData: Sendable {
  /// SHA-256 of ``text``; in the payload's text it stands as `sha256:…` where the receipt stood.
  public var digest: ContentDigest
  /// The Base 64 text.
  public var text: [UInt8]
}

/// What a payload is, in the words of Apple's documentation, or the app's own report.
public enum PayloadKind: String, Sendable, CaseIterable {
  /// An answer of verifyReceipt, current or iOS 6 style.
  case verifyReceipt = "verify_receipt"
  /// App Store Server Notifications V1.
  case notificationV1 = "notification_v1"
  /// App Store Server Notifications V2.
  case notificationV2 = "notification_v2"
  /// Get All Subscription Statuses.
  case subscriptionStatuses = "subscription_statuses"
  /// Get Transaction History (and Get Refund History, whose pages look the same but for the app's ids).
  case transactionHistory = "transaction_history"
  /// Get Refund History.
  case refundHistory = "refund_history"
  /// Get Transaction Info.
  case transactionInfo = "transaction_info"
  /// Look Up Order ID.
  case orderLookup = "order_lookup"
  /// Get Notification History: a page; each notification in it is a payload of its own.
  case notificationHistory = "notification_history"
  /// Get Test Notification Status.
  case testNotificationStatus = "test_notification_status"
  /// Get App Transaction Info.
  case appTransactionInfo = "app_transaction_info"
  /// An error of the App Store Server API.
  case apiError = "api_error"
  /// One transaction, signed or decoded.
  case transaction
  /// One renewal info, signed or decoded.
  case renewalInfo = "renewal_info"
  /// One app transaction, signed or decoded.
  case appTransaction = "app_transaction"
  /// What the app itself reports of StoreKit's payment queue: no word of Apple's.
  case clientEvent = "client_event"
}

/// Why a payload is believed (`design.md`, Trust).
public enum Trust: String, Sendable {
  /// Signed, and the signature leads to a trusted root.
  case verified
  /// Never signed by its nature: verifyReceipt, V1, an API answer's own fields.
  case unsigned
  /// Taken in because it was asked for, with nothing to vouch for it.
  case unverified
}

/// What a failed answer of Apple's asks its caller to do (`app-store.md` §7).
public enum FailureAdvice: String, Sendable {
  /// Apple could not answer now: the same request may succeed later.
  case retry
  /// A sandbox receipt was sent to production.
  case askSandbox = "ask_sandbox"
  /// A production receipt was sent to the sandbox.
  case askProduction = "ask_production"
  /// The request itself must be mended: wrong secret, wrong method, malformed data.
  case mendRequest = "mend_request"
  /// The same request will never succeed.
  case permanent
}

/// SHA-256.
public struct ContentDigest: Hashable, Sendable, Comparable {
  /// The 32 bytes.
  public var bytes: [UInt8]
  /// A digest from its 32 bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }
  /// A digest from 64 hexadecimal digits; `nil` for any other text.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    self.init(bytes: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
  /// 64 hexadecimal digits, lower case.
  public var hexadecimal: String {
    String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
  }
  /// Digests are as good as random: eight bytes tell them apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// Bytewise.
  public static func < (left: ContentDigest, right: ContentDigest) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
  private static let digits = Array("0123456789abcdef".utf8)
}

/// A text of Apple's that can be given back byte for byte: plain JSON, or a compact JWS taken apart.
public struct SignedText: Sendable {
  /// The JSON text; of a JWS its decoded payload. What was cut out of it is inserted again at its position.
  public let source: [UInt8]
  /// A JWS's first segment as it stood, certificates included; `nil` for plain JSON.
  public var header: [UInt8]?
  /// A JWS's signature, 64 bytes; `nil` for plain JSON.
  public var signature: [UInt8]?

  /// The text as it arrived: the JSON, or header, payload and signature in Base64 URL joined by dots.
  public var compact: [UInt8] {
    guard let header, let signature else { return source }
    return header + [UInt8(ascii: ".")] + Base64URL.encode(source) + [UInt8(ascii: ".")] + Base64URL.encode(signature)
  }

  /// A text from its parts, as a ledger keeps them.
  public init(source: [UInt8], header: [UInt8]? = nil, signature: [UInt8]? = nil) {
    self.source = source
    self.header = header
    self.signature = signature
  }
}

/// One object of Apple's, exactly as written, with where it stood in its payload.
public struct ObjectText: Sendable {
  /// The exact text.
  public var text: SignedText
  /// SHA-256 of ``SignedText/compact``.
  public var digest: ContentDigest
  /// The byte offset in the payload's ``SignedText/source`` where it was cut out; `nil` where its text was left there.
  public var position: Int?
  /// Its source taken apart, where that can be.
  public let parts: TextForm.Parts?

  /// A statement; its text is taken apart here, where many cores are at work.
  /// - Parameter columns: the values that columns of its row will hold.
  init(text: SignedText, digest: ContentDigest, columns: some StatedValues) {
    (self.text, self.digest) = (text, digest)
    parts = TextForm.split(text.source, columns: columns)
  }
}

/// What one payload said of one transaction.
public struct TransactionVersion: Sendable {
  /// The exact words.
  public var statement: ObjectText
  /// The environment of the line.
  public var environment: Environment
  /// The line's id: opaque text.
  public var originalTransactionID: String
  /// The transaction's id: opaque text.
  public var transactionID: String
  /// The row's own `signedDate`; `nil` for rows of receipts, which speak at their payload's instant.
  public var signedAt: Instant?
  /// Which of Apple's places the row comes from.
  public var rank: SourceRank
  /// The typed fields.
  public var fields: TransactionFields
}

/// Which source is the stronger, when two say something at the same instant (`entitlement-rules.md` §2): less is stronger.
public enum SourceRank: Int64, Sendable {
  /// A signed (or once signed) transaction or renewal info.
  case jws = 1
  /// `latest_receipt_info`, of a receipt or of V1's `unified_receipt`.
  case latestReceiptInfo = 2
  /// `receipt.in_app`, and an iOS 6 receipt that is itself the transaction.
  case inApp = 3
}

/// What one payload said of the next renewal of one line.
public struct RenewalVersion: Sendable {
  /// The exact words.
  public var statement: ObjectText
  /// The environment of the line.
  public var environment: Environment
  /// The line's id.
  public var originalTransactionID: String
  /// The info's own `signedDate`.
  public var signedAt: Instant?
  /// Which of Apple's places it comes from.
  public var rank: SourceRank
  /// The typed fields.
  public var fields: RenewalFields
}

/// What one payload said of the app's own purchase or first download.
public struct AppTransactionVersion: Sendable {
  /// The exact words.
  public var statement: ObjectText
  /// The environment.
  public var environment: Environment
  /// Its own `signedDate` or `receiptCreationDate`.
  public var signedAt: Instant?
  /// The typed fields.
  public var fields: AppTransactionFields
}

/// Apple's own `status` of a line: recorded and compared, never believed over the rules (`entitlement-rules.md` §8).
public struct StatusClaim: Sendable {
  /// The environment of the line.
  public var environment: Environment
  /// The line's id.
  public var originalTransactionID: String
  /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
  public var status: Int64
  /// The instant it is true of, where one was stated.
  public var signedAt: Instant?
  /// `purchaseDate` of the transaction that came with it.
  public var purchaseAt: Instant?
}

/// Something in a payload that could not be used, while the rest could.
public struct Problem: Sendable, Equatable {
  /// The kinds of problem: stable names.
  public enum Code: String, Sendable, CaseIterable {
    /// A value is neither text nor number.
    case unreadableText = "unreadable_text"
    /// A value is not a whole number.
    case unreadableNumber = "unreadable_number"
    /// A value is not true or false.
    case unreadableFlag = "unreadable_flag"
    /// A value is not a date, or one beyond the year 9999.
    case unreadableInstant = "unreadable_instant"
    /// A row has no transaction id and cannot be keyed.
    case missingTransactionID = "missing_transaction_id"
    /// A row has no original transaction id: that of another row of the transaction was taken, else its own id.
    case missingOriginalTransactionID = "missing_original_transaction_id"
    /// A row has no purchase date and cannot be placed in time.
    case missingPurchaseDate = "missing_purchase_date"
    /// A renewal row names no line, and its product belongs to none or to several.
    case unattributedRenewal = "unattributed_renewal"
    /// A place that should hold a signed text holds something else.
    case notSigned = "not_signed"
    /// A signed text holds something other than what its place promises.
    case unexpectedContent = "unexpected_content"
    /// A place that should hold rows holds something else.
    case unexpectedShape = "unexpected_shape"
    /// A word that the ledger does not know, where the words are few.
    case unknownValue = "unknown_value"
    /// `environment` and `receipt_type` say different things.
    case contradictoryEnvironment = "contradictory_environment"
    /// Two keys state one date, and their dates differ by a second or more: the payload may be forged or edited
    /// (`app-store.md` §9).
    case contradictoryDate = "contradictory_date"
    /// A period ends before it begins, as in old restores of Apple's own.
    case periodEndsBeforeItBegins = "period_ends_before_it_begins"
    /// The original purchase is dated more than a minute after the purchase, as in old restores of Apple's own. (Of a
    /// first purchase Apple itself dates the original some seconds later.)
    case originalPurchaseAfterPurchase = "original_purchase_after_purchase"
    /// An id that was blanked out (`***`): it names nothing.
    case redactedID = "redacted_id"
    /// A payload without a date of its own holds a purchase, cancellation or renewal change after it was received: it
    /// does not count from then (rules §1).
    case dateAfterReceipt = "date_after_receipt"
    /// A key that the ledger does not read holds transactions or renewals.
    case unreadRows = "unread_rows"
  }

  /// What is wrong.
  public var code: Code
  /// The JSON path; unique for each field of a payload.
  public var path: String
  /// The value found there, shortened.
  public var value: String

  /// A problem; of the value its first 120 bytes are kept.
  public init(code: Code, path: String, value: some Collection<UInt8> = [UInt8]()) {
    self.code = code
    self.path = path
    self.value = String(decoding: value.prefix(120), as: UTF8.self)
  }
}

/// What became of a request to Apple: answered, or the class of its failure, which states what a client does next.
///
/// The classes follow from Apple's error codes ("Error codes", App Store Server API) and from the statuses of
/// verifyReceipt.
public enum RequestVerdict: String, Sendable, CaseIterable {
  /// Apple answered the request.
  case answered
  /// Apple could not answer now. Ask again soon.
  case tryAgain = "try_again"
  /// There were too many requests. Ask again at the instant that Apple names.
  case tooManyRequests = "too_many_requests"
  /// This environment does not know the transaction id: 4040010. The other one may know it, or this one later.
  case unknownTransaction = "unknown_transaction"
  /// The receipt belongs to the other environment: 21007 or 21008.
  case otherEnvironment = "other_environment"
  /// The test notification is not known yet, or is too old: 4040008.
  case notYetKnown = "not_yet_known"
  /// The request is wrong, or names something that does not exist. The same request never succeeds.
  case wrongRequest = "wrong_request"
  /// A rule of the App Store refuses it: the subscription cannot be extended.
  case refusedByRule = "refused_by_rule"
  /// The key, its ids, the shared secret or the app's bundle id is wrong, or the clock is.
  case wrongSettings = "wrong_settings"
  /// No answer came: no connection, or it ended, or it took too long.
  case unreachable
  /// An answer came that is not one of Apple's: no JSON, too long, or a redirect.
  case unreadable

  /// Whether the same request may succeed later.
  public var isTemporary: Bool { [.tryAgain, .tooManyRequests, .notYetKnown, .unreachable].contains(self) }

  /// Creates the verdict about an error of the App Store Server API.
  /// - Parameter errorCode: Apple's `errorCode`, of seven digits.
  public init(errorCode: Int64) {
    self =
      switch errorCode {
      case 4_040_002, 4_040_004, 4_040_006, 5_000_000...5_999_999: .tryAgain
      case 4_290_000: .tooManyRequests
      case 4_040_010: .unknownTransaction
      case 4_040_008: .notYetKnown
      case 4_040_003, 4_000_002, 4_010_000...4_019_999: .wrongSettings
      case 4_030_000...4_039_999: .refusedByRule
      default: .wrongRequest
      }
  }

  /// Creates the verdict about an answer that has no error code.
  /// - Parameter status: the status of HTTP.
  public init(status: Int) {
    self =
      switch status {
      case 200...299: .answered
      case 401: .wrongSettings
      case 429: .tooManyRequests
      case 400...499: .wrongRequest
      case 500...599: .tryAgain
      default: .unreadable
      }
  }

  /// Creates the verdict about an answer of verifyReceipt.
  /// - Parameters:
  ///   - receiptStatus: the answer's `status`.
  ///   - isRetryable: the answer's `is_retryable`; `nil` where it has none.
  public init(receiptStatus: Int64, isRetryable: Bool?) {
    guard receiptStatus != 0, receiptStatus != 21_006 else {
      self = .answered
      return
    }
    self =
      switch FailureAdvice(receiptStatus: receiptStatus, isRetryable: isRetryable) {
      case .retry: .tryAgain
      case .askSandbox, .askProduction: .otherEnvironment
      case .mendRequest: receiptStatus == 21_004 ? .wrongSettings : .wrongRequest
      case .permanent: .wrongRequest
      }
  }
}

extension FailureAdvice {
  /// Creates the advice about an error of the App Store Server API.
  /// - Parameter errorCode: Apple's `errorCode`, of seven digits.
  init(errorCode: Int64) {
    self =
      switch RequestVerdict(errorCode: errorCode) {
      case .tryAgain, .tooManyRequests: .retry
      case .unknownTransaction: .askSandbox
      default: errorCode < 4_040_000 ? .mendRequest : .permanent
      }
  }

  /// Creates the advice about a status of verifyReceipt (Apple, "status").
  init(receiptStatus: Int64, isRetryable: Bool?) {
    self =
      switch receiptStatus {
      case 21_002, 21_005, 21_009: .retry
      case 21_007: .askSandbox
      case 21_008: .askProduction
      case 21_000, 21_004: .mendRequest
      case 21_100...21_199: isRetryable == false ? .permanent : .retry
      default: isRetryable == true ? .retry : .permanent
      }
  }
}

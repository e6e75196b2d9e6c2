public import AppStore

/// A notification that a local App Store sent, or tries to send.
public struct SentNotification: Sendable {
  /// The number of the notification, from 0 in the order of sending.
  public internal(set) var number: Int
  /// Apple's `notificationUUID` of the notification.
  public let uuid: String
  /// Apple's `notificationType` of version 2.
  public let type: String
  /// Apple's `subtype` of version 2; `nil` where the type has none.
  public let subtype: String?
  /// The instant of the signature: Apple's `signedDate`.
  public let signedAt: Instant
  /// The app's own id of the customer; `nil` for tests and summaries.
  public let customer: String?
  /// Apple's `originalTransactionId` of its transaction; `nil` for tests and summaries.
  public let originalTransactionID: Int64?
  let transactionID: Int64?
  /// The signed text, which is the same in every attempt.
  let payload: NotificationFile.TextRange
  /// The body of version 1, where the app's server wants that version.
  let bodyV1: NotificationFile.TextRange?
  /// The attempts to send it, in order.
  public internal(set) var attempts: [SendAttempt] = []
  /// The instant of the next attempt; `nil` where none follows.
  public internal(set) var nextAttemptAt: Instant?
  /// What goes wrong with its delivery.
  var fault: WebhookFault?

  /// Whether it was lost: it is neither sent nor in the history.
  var isLost: Bool { fault == .lost }
  /// Whether the app's server has received it.
  public var isReceived: Bool { attempts.contains { $0.result == .success } }
}

/// An attempt to send a notification.
public struct SendAttempt: Sendable, Equatable {
  /// The instant of the attempt: Apple's `attemptDate`.
  public let at: Instant
  /// Apple's `sendAttemptResult` of the attempt.
  public let result: SendAttemptResult
  /// The status of HTTP that the app's server answered; `nil` where it did not answer.
  public let status: Int?
}

/// The outcomes of an attempt to send a notification, as Apple names them.
public enum SendAttemptResult: String, Sendable, CaseIterable {
  /// The server answered with a status from 200 to 206.
  case success = "SUCCESS"
  /// The server took too long.
  case timedOut = "TIMED_OUT"
  /// The encrypted connection failed.
  case tlsIssue = "TLS_ISSUE"
  /// The server answered with a redirect to itself.
  case circularRedirect = "CIRCULAR_REDIRECT"
  /// The server sent nothing.
  case noResponse = "NO_RESPONSE"
  /// No connection was possible.
  case socketIssue = "SOCKET_ISSUE"
  /// The answer's charset is not known.
  case unsupportedCharset = "UNSUPPORTED_CHARSET"
  /// The answer is not one of HTTP.
  case invalidResponse = "INVALID_RESPONSE"
  /// The connection ended within the answer.
  case prematureClose = "PREMATURE_CLOSE"
  /// The server answered with another status.
  case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  /// Anything else that failed.
  case other = "OTHER"

  /// The outcome of an answer: 200 to 206 are a success (Apple, "Responding to App Store Server Notifications").
  public init(status: Int) { self = (200...206).contains(status) ? .success : .unsuccessfulStatus }
}

/// What goes wrong with the delivery of a notification.
public enum WebhookFault: String, Sendable, CaseIterable {
  /// It is never sent, and the notification history does not have it.
  case lost
  /// The first attempt is an hour late, so that newer ones arrive before.
  case late
  /// It is sent again an hour after a success.
  case repeated
  /// The first attempt arrives cut short; the whole text follows an hour later.
  case torn
  /// It is not tried again after a 400, as users saw in March 2026.
  case notRetriedAfter400 = "not_retried_after_400"
}

/// The version of App Store Server Notifications that the app's server receives.
public enum NotificationVersion: String, Sendable, CaseIterable {
  /// Signed notifications of version 2.
  case v2
  /// Notifications of version 1, which are not signed and contain the shared secret.
  case v1
}

/// A notification that is to be posted to the app's server now.
public struct WebhookDelivery: Sendable {
  /// The number of the notification: ``SentNotification/number``.
  public let number: Int
  /// The body of the request: a JSON object, UTF-8, cut short where a fault asks for it.
  public let body: [UInt8]
  let isTorn: Bool
}

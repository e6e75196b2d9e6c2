import AppStore
import Ledger

/// The sentences about requests for a refund.
extension Messages {
  /// How long Apple waits for an answer, in milliseconds (App Store Server API, Send Consumption Information).
  package static let refundAnswerTime: Int64 = 12 * 3_600_000

  /// Returns how long an open request still waits for an answer: `7 hours left`.
  package static func timeLeft(_ request: RefundRequest, _ now: Instant) -> String {
    let end = request.requestedAt + refundAnswerTime
    return end > now ? "\(age(now, end)) left" : "over since \(instant(end))"
  }
}

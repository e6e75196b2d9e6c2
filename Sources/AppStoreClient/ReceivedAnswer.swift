internal import AppStore
internal import Foundation

/// What the head and the body of an answer say.
struct ReceivedAnswer {
  let status: Int
  let body: [UInt8]
  /// The body's value; `nil` where it is not JSON. It is parsed once for everybody who reads it.
  let root: JSONValue?
  /// The value of the header `Retry-After`.
  let retryAfter: String?
  /// The value of the header `Date`.
  let date: String?
  /// When the endpoint ends, by the header `Sunset` (RFC 8594).
  let sunset: Instant?

  init(status: Int, body: [UInt8], retryAfter: String? = nil, date: String? = nil, sunset: String? = nil) {
    (self.status, self.body, self.retryAfter, self.date) = (status, body, retryAfter, date)
    self.sunset = sunset.flatMap(Self.instant)
    root = try? JSONDocument(body).root
  }

  /// The verdict, Apple's code, and what happened in words.
  struct Reading: Equatable {
    var verdict: RequestVerdict
    var code: Int64?
    var detail = ""
  }

  /// Reads the verdict about an answer to a request.
  func reading(of request: AppStoreRequest) -> Reading {
    guard (200...299).contains(status) else {
      if let code = root?["errorCode"]?.plainDigits {
        let words = AppStoreFailure.text(for: code) ?? root?["errorMessage"]?.string.map(Self.plain) ?? ""
        return Reading(verdict: RequestVerdict(errorCode: code), code: code, detail: words)
      }
      let isRedirect = (300...399).contains(status)
      return Reading(
        verdict: RequestVerdict(status: status), detail: isRedirect ? "It sends to another address." : "")
    }
    guard !body.isEmpty else {
      // Those that do something answer with nothing.
      let hasAnswer = request.method == "GET" || ![.appAccountToken, .consumption, .finish].contains(request.endpoint)
      return hasAnswer
        ? Reading(verdict: .unreadable, detail: "The answer is empty.") : Reading(verdict: .answered)
    }
    guard let root, root.isObject else { return Reading(verdict: .unreadable, detail: "The answer is not JSON.") }
    if request.endpoint == .orderLookup, root["status"]?.plainDigits != 0 {
      return Reading(verdict: .wrongRequest, detail: "No order of this app has this id.")
    }
    guard request.endpoint == .verifyReceipt else { return Reading(verdict: .answered) }
    guard let code = root["status"]?.plainDigits else {
      return Reading(verdict: .unreadable, detail: "The answer has no status.")
    }
    let again = root["is-retryable"] ?? root["is_retryable"]
    let isRetryable = again.flatMap { $0.boolean ?? $0.plainDigits.map { $0 != 0 } }
    return Reading(verdict: RequestVerdict(receiptStatus: code, isRetryable: isRetryable), code: code)
  }

  /// Returns Apple's words for a person, without anything that a terminal or a log would obey.
  private static func plain(_ words: String) -> String {
    let text = String(
      words.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(200).map(Character.init))
    return text.hasSuffix(".") || text.isEmpty ? text : text + "."
  }

  /// The longest wait that Apple may ask for: an hour, in milliseconds.
  static let longestWait: Int64 = 3_600_000

  /// The wait after a 429 that does not state one: a minute, in milliseconds.
  static let usualWait: Int64 = 60_000

  /// Returns when Apple may be asked again; `nil` where the answer does not say. Apple writes an instant in milliseconds,
  /// others write seconds (Apple, "Identifying rate limits").
  func retryAt(_ reading: Reading, now: Instant) -> Instant? {
    var wait = reading.verdict == .tooManyRequests ? Self.usualWait : nil
    if let text = retryAfter, let number = Int64(text.trimmingSpace), number >= 0 {
      wait = number > 100_000_000_000 ? number - now.milliseconds : min(number, Self.longestWait) * 1000
    }
    return wait.map { now + min(max(0, $0), Self.longestWait) }
  }

  /// How far two clocks may be apart: a minute, in milliseconds. Apple refuses a token that begins later.
  private static let clockDifference: Int64 = 60_000

  /// Returns words about this machine's clock; `nil` where it agrees with the clock of the answer.
  func clockDifferenceDescription(now: Instant) -> String? {
    guard let date = date.flatMap(Self.instant) else { return nil }
    let difference = now.milliseconds - date.milliseconds
    guard abs(difference) > Self.clockDifference else { return nil }
    let seconds = abs(difference) / 1000
    return
      "The clock of this machine is \(seconds) seconds \(difference > 0 ? "ahead of" : "behind") that of the server."
  }

  /// Returns the instant of a date in HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func instant(_ text: String) -> Instant? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return format.date(from: text).map { Instant(milliseconds: Int64($0.timeIntervalSince1970 * 1000)) }
  }
}

import AppStore
import ArgumentParser

extension Instant {
  /// The instant at which the command began. One command has one "now".
  package static let commandStart = Instant.now

  /// Returns the instant that an argument states: in ISO 8601, in milliseconds since 1970, or as a word.
  /// - Throws: `ValidationError` if the text is none of these, or the instant is before the App Store opened.
  package static func argument(_ text: String) throws -> Instant {
    let text = text.trimmingSpace
    let isMonth = text.wholeMatch(of: /\d{4}-\d{2}/) != nil
    guard let instant = word(text) ?? Instant(isMonth ? text + "-01" : text) else {
      throw ValidationError(
        text.wholeMatch(of: /-\d+m/) != nil
          ? "'\(text)' may mean minutes or months. Write \(text)in or \(text)o."
          : "'\(text)' is not an instant. Write ISO 8601 (2026-03-01, 2026-03-01T10:00:00Z), now, today, yesterday, a "
            + "time ago such as -7d (units: s, min, h, d, w, mo, y), or milliseconds since 1970.")
    }
    guard instant >= .appStoreOpening else {
      throw ValidationError(
        "'\(text)' is \(instant), before the App Store opened. If you wrote seconds, write milliseconds.")
    }
    return instant
  }

  /// Returns what a word means: `now`, `today` and `yesterday` (from midnight on, UTC), or a time ago such as `-7d`.
  private static func word(_ text: String) -> Instant? {
    let now = commandStart.milliseconds
    let today = now - now % 86_400_000
    switch text {
    case "now": return commandStart
    case "today": return Instant(milliseconds: today)
    case "yesterday": return Instant(milliseconds: today - 86_400_000)
    default: return ago(text)
    }
  }

  /// Returns the instant before the command's start by a number of units, such as `-7d`. A month or year is one of the
  /// calendar (UTC).
  private static func ago(_ text: String) -> Instant? {
    guard let match = text.wholeMatch(of: /-(\d{1,6})(s|min|h|d|w|mo|y)/), let count = Int64(match.1) else {
      return nil
    }
    let lengths: [Substring: Int64] = ["s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
    guard let length = lengths[match.2] else {
      return commandStart.adding(months: match.2 == "y" ? -12 * count : -count, days: 0)
    }
    return Instant(milliseconds: commandStart.milliseconds - count * length)
  }
}

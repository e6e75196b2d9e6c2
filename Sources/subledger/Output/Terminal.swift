import Foundation

/// What may be written where: data to stdout, everything else to stderr, colours only to a person's eyes.
enum Terminal {
  /// Whether stdout is looked at by a person who wants colours (https://no-color.org).
  static let hasColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }()

  /// Whether a progress bar would be seen.
  static let hasProgress = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Writes data.
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// Writes one line of data.
  static func print(_ line: String = "") { write(line + "\n") }

  /// Says what went wrong.
  static func complain(_ text: String) { note("subledger: " + text) }

  /// Says something that is not data.
  static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Emphasis for eyes.
  static func styled(_ text: String, _ code: Style) -> String {
    hasColors ? "\u{1B}[\(code.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
  }

  /// Text from outside, made harmless to a terminal: controls and marks that reorder text are spelled out.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isDisturbing) else { return text }
    return text.unicodeScalars.map { isDisturbing($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
  }

  static func isDisturbing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
}

import Foundation

/// What may be written where: data to stdout, everything else to stderr, colours only to a person's eyes.
enum Terminal {
  /// Whether stdout is looked at by a person who wants colours (https://no-color.org).
  static let hasColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isScreen && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }()

  /// Whether a progress bar would be seen.
  static let hasProgress = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Writes data; where that is impossible, says so and ends the program: half an answer must not look like one.
  static func write(_ text: String) {
    guard !put(text, to: STDOUT_FILENO) else { return }
    if errno != EPIPE { complain("standard output cannot be written: \(String(cString: strerror(errno))).") }
    exit(74)
  }

  /// Writes bytes as they arrived; harmless ones to a person's eyes.
  static func write(_ bytes: [UInt8]) {
    guard isScreen else {
      if !put(bytes, to: STDOUT_FILENO) { exit(74) }
      return
    }
    print(printableLines(String(decoding: bytes, as: UTF8.self)))
  }

  /// Whether stdout is looked at by a person.
  static let isScreen = isatty(STDOUT_FILENO) == 1

  /// How many letters a line of text may have: what the screen holds, else what is read well in a file.
  static let width: Int = {
    var size = winsize()
    guard isScreen, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return max(Int(size.ws_col), 60)
  }()

  private static func put(_ text: String, to descriptor: Int32) -> Bool { put(Array(text.utf8), to: descriptor) }

  private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if errno != EINTR { return false }
    }
    return true
  }

  /// Writes one line of data.
  static func print(_ line: String = "") { write(line + "\n") }

  /// Says what went wrong, in one line: a path with line ends in it must not look like a message of its own.
  static func complain(_ text: String) { note("subledger: " + printable(text)) }

  /// Says something that is not data, harmlessly: paths and arguments are in it. Where nobody can hear it, the work goes on.
  static func note(_ text: String) { tell(printableLines(text) + "\n") }

  /// Writes to stderr as it is.
  static func tell(_ text: String) { _ = put(text, to: STDERR_FILENO) }

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

  /// The same of a text of several lines, which stay lines.
  static func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }.joined(separator: "\n")
  }

  static func isDisturbing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
}

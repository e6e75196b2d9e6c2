import Foundation
import Ledger
import LedgerPresentation

/// Writes data to stdout and everything else to stderr. Only a terminal gets colours.
enum Terminal {
  /// Whether stdout is a terminal and the user wants colours (https://no-color.org).
  static let hasColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isScreen && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }()

  /// Whether stderr is a terminal that can show a progress line.
  static let hasProgress = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Writes data. If that fails, prints an error and exits with 74, so that half an answer cannot look complete.
  static func write(_ text: String) {
    guard !put(text, to: STDOUT_FILENO) else { return }
    // To leave the pager before the end of the list is the user's way to end it.
    if errno == EPIPE, Pager.end() { exit(0) }
    if errno != EPIPE {
      complain("Cannot write standard output: \(String(cString: strerror(errno))). Check its target.")
    }
    exit(74)
  }

  /// Writes bytes as they arrived; escapes them for a terminal.
  static func write(_ bytes: [UInt8]) {
    guard isScreen else {
      if !put(bytes, to: STDOUT_FILENO) { exit(74) }
      return
    }
    print(Printable.lines(String(decoding: bytes, as: UTF8.self)))
  }

  /// Whether stdin is a terminal, where a person can answer a query.
  static let hasPerson = isatty(STDIN_FILENO) == 1

  /// Whether stdout is a terminal, where a person reads it.
  static let isScreen = isatty(STDOUT_FILENO) == 1

  /// The characters in a line of text: the width of the terminal, at least 60; else 100.
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

  /// Writes one line of data to stdout.
  static func print(_ line: String = "") { write(line + "\n") }

  /// Prints the rows of a card under one title.
  static func list(_ title: String, _ rows: [String]) {
    for (index, row) in rows.enumerated() { print("  " + (index == 0 ? title : "").padding(to: 11) + row) }
  }

  /// Prints an error in one line on stderr. Line ends are escaped, so that a path cannot look like a second message.
  static func complain(_ text: String) { note("subledger: " + Printable.text(text)) }

  /// Prints text that is not data on stderr, and escapes control characters. A failure to write is ignored.
  static func note(_ text: String) { writeError(Printable.lines(text) + "\n") }

  /// Writes text to stderr unchanged, without a line end.
  static func writeError(_ text: String) { _ = put(text, to: STDERR_FILENO) }

  /// Returns text with a colour or a weight, if stdout has colours.
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

  /// Returns a subscription's state as text, in its colour.
  static func state(_ state: Entitlement.State) -> String {
    let style: Style =
      switch state {
      case .active: .green
      case .gracePeriod, .billingRetry: .yellow
      case .expired: .dim
      case .revoked: .red
      }
    return styled(Messages.state(state), style)
  }
}

import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport
import Synchronization

/// Shows the progress of long work as one line on a terminal's stderr: the step, its share and the time left. In a pipe,
/// work that asks for it gets a line each ten seconds.
final class ProgressLine: Sendable {
  private struct State: Sendable {
    var work = ""
    var began: ContinuousClock.Instant?
    var shown: ContinuousClock.Instant?
    var isShown = false
  }

  private let state = Mutex(State())
  private let isTerminal: Bool
  /// Writes a line where stderr is not a terminal; `nil`: there is nothing to be seen there.
  private let log: (@Sendable (String) -> Void)?
  private let now: @Sendable () -> ContinuousClock.Instant

  /// The time between two lines in a pipe, and before the first one.
  static let logInterval: Duration = .seconds(10)

  /// Creates a line that shows nothing yet.
  /// - Parameters:
  ///   - log: writes a line each ten seconds where stderr is not a terminal, such as into the log of a nightly job.
  ///   - isTerminal: whether stderr is a terminal.
  ///   - now: a clock that never goes back.
  init(
    log: (@Sendable (String) -> Void)? = nil, isTerminal: Bool = Terminal.hasProgress,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.log, self.isTerminal, self.now) = (log, isTerminal, now)
    let start = now()
    state.withLock { $0.shown = start }
  }

  /// Shows one step of the work.
  /// - Parameters:
  ///   - share: the share that is done, from 0 to 1; `nil` if it is not known.
  ///   - count: the number of things that are done.
  ///   - noun: the noun for one of them.
  func show(_ work: String, share: Double?, count: Int? = nil, _ noun: String = "") {
    guard isTerminal || log != nil else { return }
    state.withLock { state in
      let now = now()
      if state.work != work {
        (state.work, state.began) = (work, now)
        if isTerminal { state.shown = nil }
      }
      // A person cannot read more than ten updates a second.
      if let shown = state.shown, now - shown < (isTerminal ? .milliseconds(100) : Self.logInterval) { return }
      (state.shown, state.isShown) = (now, isTerminal)
      let time = now - (state.began ?? now)
      let text = Self.line(work, share, after: time) + (count.map { Self.rate($0, noun, after: time) } ?? "")
      if isTerminal { Terminal.writeError("\r\u{1B}[K" + text) } else { log?(text) }
    }
  }

  /// Returns the text of a step after the given time.
  static func line(_ work: String, _ share: Double?, after time: Duration) -> String {
    guard let share else { return work + " …" }
    let percent = "\(work): \(Int(share * 100)) %"
    // An earlier estimate of the time left would be far off. So would one of a few seconds, because the last step of the
    // work, which writes, is slower than the rest.
    guard share > 0.02, time > .seconds(1) else { return percent }
    let left = Int(time.components.seconds) * Int((1 - share) * 1000) / max(1, Int(share * 1000))
    guard left >= 10 else { return percent }
    return percent + (left < 60 ? ", about \(left) s left" : ", about \((left + 59) / 60) min left")
  }

  /// Returns how many things are done, and how many per second.
  static func rate(_ count: Int, _ noun: String, after time: Duration) -> String {
    let seconds = time / .seconds(1)
    let rate = seconds > 1 ? ", \(Int(Double(count) / seconds))/s" : ""
    return "; \(Messages.count(count, noun))\(rate)"
  }

  /// Runs work with a progress line, and removes the line when the work ends or fails.
  static func during<Result>(_ work: (ProgressLine) throws -> Result) rethrows -> Result {
    let line = ProgressLine()
    defer { line.clear() }
    return try work(line)
  }

  /// Shows the progress of an upgrade of the file, or of a rebuild of the projections.
  func show(_ progress: UpgradeProgress) {
    switch progress {
    case .migrating(let number, let count):
      show("Upgrading the file, migration \(number) of \(count)", share: nil)
    case .deriving(let done, let count):
      show("Deriving projections", share: Double(done) / Double(max(1, count)), count: done, "subscription")
    case .keepingViews(let version):
      Terminal.note("The views in this file are those of subledger \(version), which is newer. They stay as they are.")
    }
  }

  /// Removes the line from the terminal.
  func clear() {
    state.withLock { state in
      if state.isShown { Terminal.writeError("\r\u{1B}[K") }
      state.isShown = false
    }
  }
}

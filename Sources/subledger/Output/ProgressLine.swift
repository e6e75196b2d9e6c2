import Foundation
import Ledger
import Synchronization

/// How far long work is, as one line on a terminal's stderr: what is done now, the share that is done, the time left.
final class ProgressLine: Sendable {
  private struct State: Sendable {
    var work = ""
    var began = ContinuousClock.now
    var told: ContinuousClock.Instant?
    var isShown = false
  }

  private let state = Mutex(State())

  /// Tells of one step of the work.
  /// - Parameters:
  ///   - share: from 0 to 1; `nil` where it is not known.
  ///   - count: how many things are done.
  ///   - noun: what one of them is called.
  func show(_ work: String, share: Double?, count: Int? = nil, _ noun: String = "") {
    guard Terminal.hasProgress else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if state.work != work { (state.work, state.began, state.told) = (work, now, nil) }
      // Ten times a second is enough for eyes.
      if let told = state.told, now - told < .milliseconds(100) { return }
      (state.told, state.isShown) = (now, true)
      let time = now - state.began
      let counted = count.map { Self.rate($0, noun, after: time) } ?? ""
      Terminal.tell("\r\u{1B}[K" + Self.line(work, share, after: time) + counted)
    }
  }

  /// The text after some time.
  static func line(_ work: String, _ share: Double?, after time: Duration) -> String {
    guard let share else { return work + " …" }
    let percent = "\(work): \(Int(share * 100)) %"
    // Before that, a guess would be wild.
    guard share > 0.02, time > .seconds(1) else { return percent }
    let left = Int(time.components.seconds) * Int((1 - share) * 1000) / max(1, Int(share * 1000))
    return percent + (left < 60 ? ", about \(left) s left" : ", about \((left + 59) / 60) min left")
  }

  /// How many things are done, and how many in a second.
  static func rate(_ count: Int, _ noun: String, after time: Duration) -> String {
    let seconds = time / .seconds(1)
    let rate = seconds > 1 ? ", \(Int(Double(count) / seconds))/s" : ""
    return "; \(Messages.count(count, noun))\(rate)"
  }

  /// Gives work a line, and takes the line away when the work ends or fails.
  static func during<Result>(_ work: (ProgressLine) throws -> Result) rethrows -> Result {
    let line = ProgressLine()
    defer { line.clear() }
    return try work(line)
  }

  /// Shows how far an upgrade of the file is, or the rebuilding of what is derived.
  func show(_ progress: UpgradeProgress) {
    switch progress {
    case .migrating(let number, let count):
      show("Upgrading the file, migration \(number) of \(count)", share: nil)
    case .deriving(let done, let count):
      show("Deriving projections", share: Double(done) / Double(max(1, count)), count: done, "subscription")
    }
  }

  /// Takes the line away.
  func clear() {
    state.withLock { state in
      if state.isShown { Terminal.tell("\r\u{1B}[K") }
      state.isShown = false
    }
  }
}

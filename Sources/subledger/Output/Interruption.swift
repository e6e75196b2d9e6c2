import Dispatch
import Foundation
import Synchronization

/// Ends long work in good order when a person (Ctrl-C) or the system (SIGTERM) asks for it: with words about what is done
/// and what is not, and with exit code 130.
///
/// SQLite commits whole transactions, and unfinished files have names of their own. So most work may end at any time. Work
/// that records in batches is asked to end after one.
enum Interruption {
  /// The exit code that shells give to an interrupted command.
  static let code: Int32 = 130
  /// How long work that was asked to end may take until it is ended.
  private static let patience = DispatchTimeInterval.seconds(10)

  private struct State {
    var words = ""
    var isPatient = false
    var isAsked = false
  }

  private static let state = Mutex(State())
  private static let queue = DispatchQueue(label: "interruption")

  /// What hears the signals. It is made once, and nobody looks at it again.
  nonisolated(unsafe) private static let sources = [SIGINT, SIGTERM].map { number in
    // The default would end the program before it can speak.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { note() }
    source.resume()
    return source
  }

  /// Whether the work was asked to end.
  static var isRequested: Bool { state.withLock { $0.isAsked } }

  /// Watches from now on.
  /// - Parameters:
  ///   - isPatient: whether the work looks at ``isRequested`` and ends by itself. A second signal ends it at once.
  ///   - words: what is done and what is not, in whole sentences.
  static func watch(isPatient: Bool = false, _ words: String) {
    state.withLock { ($0.words, $0.isPatient) = (words, isPatient) }
    _ = sources
  }

  /// Changes the words, while the work goes on.
  static func say(_ words: String) { state.withLock { $0.words = words } }

  private static func note() {
    let mayFinish = state.withLock { state in
      defer { state.isAsked = true }
      return state.isPatient && !state.isAsked
    }
    if mayFinish {
      if Terminal.hasProgress { Terminal.tell("\r\u{1B}[Kstopping …") }
      queue.asyncAfter(deadline: .now() + patience) { end() }
    } else {
      end()
    }
  }

  /// Says what is done, and ends the program.
  static func end() -> Never {
    if Terminal.hasProgress { Terminal.tell("\r\u{1B}[K") }
    Terminal.complain("stopped. " + state.withLock { $0.words })
    // Without what a program does at its end: other threads are still at work.
    _exit(code)
  }
}

import Dispatch
import Foundation
import ProgramSupport
import Synchronization

/// Ends long work safely after Ctrl-C or SIGTERM. It prints what is done and what is not, and exits with 130.
///
/// SQLite commits whole transactions, and an unfinished file has a temporary name. So most work can end at any time.
/// Work that records in batches ends after a batch.
enum Interruption {
  /// The exit code that shells give to an interrupted command.
  static let code: Int32 = 130
  /// How long work may continue after a request to end, before the program exits.
  private static let patience = DispatchTimeInterval.seconds(10)

  private struct State {
    var message = ""
    var isPatient = false
    var isAsked = false
  }

  private static let state = Mutex(State())
  private static let queue = DispatchQueue(label: "interruption")

  /// The sources that receive the signals. They are created once, and only kept in memory afterwards.
  nonisolated(unsafe) private static let sources = [SIGINT, SIGTERM].map { number in
    #if !os(Linux)
      // Here the default action would still end the program. On Linux the source replaces it.
      signal(number, SIG_IGN)
    #endif
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    let isRegistered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isRegistered.signal() }
    source.setEventHandler { note() }
    source.resume()
    // Until then, a signal would be lost, or would end the program without a message.
    isRegistered.wait()
    return source
  }

  /// Whether a signal has asked the work to end.
  static var isRequested: Bool { state.withLock { $0.isAsked } }

  /// Begins to handle signals for the work that follows.
  /// - Parameters:
  ///   - isPatient: whether the work checks ``isRequested`` and ends by itself. A second signal ends it at once.
  ///   - message: what is done and what is not, in whole sentences.
  static func watch(isPatient: Bool = false, _ message: String) {
    state.withLock { ($0.message, $0.isPatient) = (message, isPatient) }
    _ = sources
  }

  /// Begins to handle signals, unless the work has begun to do so.
  static func watchUnlessWatching(_ message: String) {
    if state.withLock({ $0.message.isEmpty }) { watch(message) }
  }

  /// Replaces the message while the work continues.
  static func setMessage(_ message: String) { state.withLock { $0.message = message } }

  private static func note() {
    let mayFinish = state.withLock { state in
      defer { state.isAsked = true }
      return state.isPatient && !state.isAsked
    }
    if mayFinish {
      if Terminal.hasProgress { Terminal.writeError("\r\u{1B}[Kstopping …") }
      queue.asyncAfter(deadline: .now() + patience) { end() }
    } else {
      end()
    }
  }

  /// Prints what is done, and ends the program with exit code 130.
  static func end() -> Never {
    Pager.end()
    if Terminal.hasProgress { Terminal.writeError("\r\u{1B}[K") }
    Terminal.complain("stopped. " + state.withLock { $0.message })
    // _exit skips the handlers of a normal exit, because other threads still work.
    _exit(code)
  }
}

import Foundation
import Synchronization

/// Shows a long table in the pager of the user's terminal, as git does: `PAGER`, else less where it is installed. An empty
/// `PAGER` means none.
enum Pager {
  private struct Running {
    let process: pid_t
    /// A copy of the descriptor of the terminal.
    let screen: Int32
  }

  private static let running = Mutex<Running?>(nil)

  /// The command that a shell runs, or `nil` for none.
  private static let command: String? = {
    let environment = ProcessInfo.processInfo.environment
    guard Terminal.isScreen, Terminal.hasPerson, environment["TERM"] != "dumb" else { return nil }
    if let pager = environment["PAGER"] { return pager.isEmpty ? nil : pager }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less" : nil
  }()

  /// Begins to send what is printed to the pager, until ``end()``.
  static func begin() {
    guard let command else { return }
    running.withLock { running in
      guard running == nil else { return }
      // The program must not end before the pager, which would stay behind without a terminal.
      Interruption.watchUnlessWatching("The list is not complete.")
      running = start(command)
      signal(SIGPIPE, SIG_IGN)
    }
  }

  private static func start(_ command: String) -> Running? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    var process = pid_t()
    // As git sets it: end at once if one screen is enough, show colours, and leave the text on the screen.
    let variables = ["LESS": "FRX"].merging(ProcessInfo.processInfo.environment) { $1 }.map { "\($0)=\($1)" }
    let texts = [["sh", "-c", command], variables].map { texts in texts.map { strdup($0) } + [nil] }
    defer { for text in texts.joined() { free(text) } }
    let code = posix_spawn(&process, "/bin/sh", &actions, nil, texts[0], texts[1])
    close(ends[0])
    guard code == 0 else {
      close(ends[1])
      return nil
    }
    let screen = dup(STDOUT_FILENO)
    dup2(ends[1], STDOUT_FILENO)
    close(ends[1])
    return Running(process: process, screen: screen)
  }

  /// Waits until the user has left the pager, and prints to the terminal again.
  /// - Returns: whether there was a pager.
  @discardableResult
  static func end() -> Bool {
    running.withLock { running in
      guard let pager = running else { return false }
      running = nil
      dup2(pager.screen, STDOUT_FILENO)
      close(pager.screen)
      while waitpid(pager.process, nil, 0) < 0, errno == EINTR {}
      return true
    }
  }
}

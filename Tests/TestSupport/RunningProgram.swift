import Foundation

/// A built program that runs until a test ends it, with what it writes in a file.
package final class RunningProgram {
  /// The program of the server, beside the one of ``Program/path``.
  package static let server = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
    .appendingPathComponent("subledger-server").path

  /// The program ended before it did what a test waits for.
  package struct Ended: Error {
    /// What it has written.
    package let words: String
  }

  private let process = Process()
  private let log: String

  package var pid: Int32 { process.processIdentifier }

  /// Starts a program.
  /// - Parameters:
  ///   - arguments: its arguments.
  ///   - folder: the folder in which its log is.
  ///   - path: the path of the program.
  ///   - environment: environment variables beside those of the test.
  ///   - logsOutput: whether its standard output is in the log too. Otherwise nobody reads it.
  package init(
    _ arguments: [String], in folder: TemporaryFolder, program path: String = server,
    environment: [String: String] = [:], logsOutput: Bool = false
  ) throws {
    log = folder.file("log-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let file = FileHandle(forWritingAtPath: log)
    process.standardError = file
    process.standardOutput = logsOutput ? file : FileHandle.nullDevice
    try process.run()
  }

  /// Returns what the program has written.
  package func text() throws -> String { try String(contentsOfFile: log, encoding: .utf8) }

  /// Waits until the program has written something that a test needs.
  /// - Parameter find: returns it; `nil` where it is not there yet.
  /// - Throws: ``Ended`` when the program ends before.
  package func wait<Value>(for find: (String) -> Value?) throws -> Value {
    var found: Value?
    try Eventually.blocksUntil {
      found = find(try text())
      return found != nil || !process.isRunning
    }
    guard let found else { throw Ended(words: try text()) }
    return found
  }

  /// Waits until a server listens.
  /// - Returns: its port.
  package func port() throws -> Int {
    try wait { $0.firstMatch(of: /"listening","port":"(\d+)"/).flatMap { Int($0.1) } }
  }

  /// Waits for the end.
  /// - Returns: the exit code.
  package func waitForEnd() throws -> Int32 {
    try Eventually.blocksUntil { !process.isRunning }
    return process.terminationStatus
  }

  /// Sends a signal, and waits for the end.
  /// - Returns: the exit code.
  @discardableResult package func end(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  deinit { if process.isRunning { process.terminate() } }
}

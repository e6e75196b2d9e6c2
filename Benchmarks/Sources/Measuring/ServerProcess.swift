import Foundation

/// A server as its users run it, which listens until it is stopped.
final class ServerProcess {
  /// The port that the server listens to.
  let port: Int
  private let process = Process()

  /// Starts the server, and waits until it listens.
  /// - Parameters:
  ///   - ledger: the path of its ledger.
  ///   - name: the name of the file for its log.
  ///   - arguments: further options.
  init(_ workshop: Workshop, ledger: String, log name: String, _ arguments: [String]) throws {
    let log = workshop.path(name)
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.executableURL = URL(fileURLWithPath: workshop.subledger + "-server")
    process.arguments = ["run", "--database", ledger, "--listen", "127.0.0.1:0", "--drain", "0s"] + arguments
    process.standardError = FileHandle(forWritingAtPath: log)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var found: Int?
    while found == nil {
      guard process.isRunning else { throw BenchmarkError("the server ended: see \(log)") }
      Thread.sleep(forTimeInterval: 0.01)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      found = text.firstMatch(of: /"listening","port":"(\d+)"/).flatMap { Int($0.1) }
    }
    port = found ?? 0
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Returns the memory of the server, in bytes.
  /// - Parameter field: the field of Linux' process status: `VmRSS` for the present, `VmHWM` for the most so far.
  func memory(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
    guard let kilobytes = line?.split(separator: " ").compactMap({ Int($0) }).first else {
      throw BenchmarkError("the memory of the server cannot be read")
    }
    return kilobytes << 10
  }

  /// Stops the server, and waits for its end.
  func stop() throws {
    process.terminate()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkError("the server did not end as it should") }
  }
}

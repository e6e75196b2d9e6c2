import Foundation

/// The built program at its own terminal, as a person runs it. It reads what the terminal shows.
package final class PseudoTerminal {
  private let process = Process()
  private let main: FileHandle
  private var shown: [UInt8] = []
  private var read = 0

  package struct Silence: Error, CustomStringConvertible {
    package let description: String
  }

  package init(_ arguments: [String], in folder: TemporaryFolder, pager: String = "") throws {
    var (descriptor, other): (Int32, Int32) = (-1, -1)
    guard openpty(&descriptor, &other, nil, nil, nil) == 0 else {
      throw Silence(description: "there is no pseudo-terminal to be had")
    }
    main = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let end = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    process.executableURL = URL(fileURLWithPath: Program.path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TERM": "xterm", "NO_COLOR": "1", "PAGER": pager]
    ) { $1 }
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    try process.run()
    try end.close()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Types a line, and the newline after it.
  package func type(_ line: String) throws { try main.write(contentsOf: Data((line + "\n").utf8)) }

  /// Waits until the program handles Ctrl-C itself. Before that, the system ends it without a word.
  package func waitUntilItHandlesInterrupts() throws {
    try Eventually.blocksUntil {
      // The signals with a handler, the first signal in the lowest bit.
      let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
      let mask = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let handled = mask.flatMap { UInt64($0.dropFirst(7).filter(\.isHexDigit), radix: 16) } ?? 0
      return handled >> UInt64(SIGINT - 1) & 1 == 1
    }
  }

  /// Sends what a terminal sends for Ctrl-C.
  package func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Waits until the terminal shows a text, after the text of the last call.
  /// - Returns: the output up to the end of the text.
  @discardableResult
  package func expect(_ words: String) throws -> String {
    let wanted = Array(words.utf8)
    let deadline = ContinuousClock.now + Eventually.limit
    while ContinuousClock.now < deadline {
      let fresh = shown[read...]
      if let found = fresh.firstRange(of: wanted) {
        let text = String(decoding: shown[read..<found.upperBound], as: UTF8.self)
        read = found.upperBound
        return text.replacing("\r\n", with: "\n")
      }
      var waiting = pollfd(fd: main.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 500) > 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = Foundation.read(main.fileDescriptor, &piece, piece.count)
      guard count > 0 else { break }
      shown += piece.prefix(count)
    }
    throw Silence(
      description: "\(words) was not shown, but: \(String(decoding: shown[read...].suffix(2000), as: UTF8.self))")
  }

  /// Waits for the end of the program.
  /// - Returns: its exit code.
  package func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}

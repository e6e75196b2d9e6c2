import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SubledgerServer

/// The server's log: it never blocks the server and never ends it.
@Suite(.takesTurns) struct LogTests {
  /// What becomes of standard error after the server listens.
  enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case readerStops = "nobody reads the pipe"
    case readerGoes = "the pipe is closed"
    case diskIsFull = "the disk is full"

    var testDescription: String { rawValue }
  }

  @Test(arguments: Fault.allCases)
  func `a log that cannot be written takes nothing from the server but lines, and these are counted`(
    fault: Fault
  ) async throws {
    let folder = try TemporaryFolder()
    let token = try Program(folder: folder).run(
      ["tokens", "create", "m", "--scope", "metrics", "--rate", "100000", "--database", "l.sqlite"],
      program: RunningProgram.server
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let (port, pipe, process) = (try FreePort.find(), Pipe(), Process())
    process.executableURL = URL(fileURLWithPath: RunningProgram.server)
    process.arguments = [
      "run", "--listen", "127.0.0.1:\(port)", "--database", folder.file("l.sqlite"), "--drain", "0s",
    ]
    process.standardError = fault == .diskIsFull ? FileHandle(forWritingAtPath: "/dev/full") : pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    // Only the server has the other end.
    try pipe.fileHandleForWriting.close()
    let client = Client(port: port, token: token)
    try await Eventually.isTrue { (try? await client.send("/healthz").status) == 200 }
    if fault == .readerGoes { try pipe.fileHandleForReading.close() }
    // A pipe takes 64 KiB, some hundred lines, and the queue a thousand.
    let count = fault == .readerStops ? 3_000 : 50
    for _ in 0..<count { #expect(try await client.send("/healthz").status == 200) }
    let metrics = try await client.send("/metrics").body
    let line = try #require(metrics.firstMatch(of: /subledger_log_lines_dropped_total (\d+)/))
    #expect(try #require(Int(line.1)) > 0)
    // Its end does not wait for the log either.
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
  }

  @Test func `lines arrive whole and in their order, and what was before the end is written`() throws {
    let pipe = Pipe()
    let queue = LogQueue(pipe.fileHandleForWriting.fileDescriptor)
    for number in 0..<500 { queue.write("line \(number)\n") }
    queue.flush()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == (0..<500).map { "line \($0)\n" }.joined() && queue.droppedCount == 0)
  }
}

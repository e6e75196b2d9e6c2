import Foundation
import TestSupport
import Testing

/// The demo, as somebody tries it who has nothing yet.
@Suite(.takesTurns) struct DemoTests {
  private static func arguments(_ folder: TemporaryFolder, port: Int) -> [String] {
    [
      "demo", "--out", folder.file("year"), "--customers", "10", "--seconds", "0", "--listen", "127.0.0.1:\(port)",
    ]
  }

  private static func play(_ folder: TemporaryFolder, port: Int) throws -> Program.Result {
    try Program(folder: folder).run(arguments(folder, port: port) + ["--exit"], program: RunningProgram.server)
  }

  @Test func `after a year the ledger has what follows from everything that Apple signed`() throws {
    let folder = try TemporaryFolder()
    var result = try Self.play(folder, port: try FreePort.find())
    // One of the next two ports may belong to somebody.
    for _ in 0..<10 where result.complaints.contains("Address already in use") {
      #expect(!FileManager.default.fileExists(atPath: folder.file("year")))
      result = try Self.play(folder, port: try FreePort.find())
    }
    #expect(result.code == 0, "\(result)")
    for month in 1...12 { #expect(result.output.contains("\n2025-\(month < 10 ? "0" : "")\(month) ")) }
    let counts = try #require(result.output.firstMatch(of: #/Of (\d+) purchases, the ledger has (\d+) /#))
    #expect(counts.1 == counts.2 && counts.1 != "0")
    let again = try Self.play(folder, port: 1)
    #expect(again.code == 1 && again.complaints.contains("has files. Nothing was written."), "\(again)")
  }

  @Test func `the purchase to try is one that the ledger has`() async throws {
    let folder = try TemporaryFolder()
    var process = try RunningProgram(Self.arguments(folder, port: try FreePort.find()), in: folder, logsOutput: true)
    for _ in 0..<10 {
      try await Eventually.isTrue { try process.text().contains(#/End with Ctrl-C|Address already in use/#) }
      guard try process.text().contains("Address already in use") else { break }
      process = try RunningProgram(Self.arguments(folder, port: try FreePort.find()), in: folder, logsOutput: true)
    }
    let command = try #require(try process.text().firstMatch(of: #/subledger (show \d+ --database .*)/#))
    let shown = try Program(folder: folder).run(command.1.split(separator: " ").map(String.init))
    #expect(shown.code == 0 && shown.output.contains("  Access     yes"), "\(shown)")
    _ = process.end()
  }
}

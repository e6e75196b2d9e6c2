import Foundation
import TestSupport
import Testing

/// The demo, as somebody tries it who has nothing yet.
@Suite(.takesTurns) struct DemoTests {
  private static func play(_ folder: TemporaryFolder, port: Int) throws -> Program.Result {
    try Program(folder: folder).run(
      [
        "demo", "--out", folder.file("year"), "--customers", "10", "--seconds", "0", "--exit", "--listen",
        "127.0.0.1:\(port)",
      ], program: RunningProgram.server)
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
}

import Foundation
import TestSupport
import Testing

/// What a person sees who stops long work with Ctrl-C, and what of it is done.
@Suite(.takesTurns) struct InterruptionTests {
  private static func receipt(_ number: Int) -> String {
    PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("t\(number)", originalID: "t\(number)", day(0), day(30))])
      + "\n"
  }

  @Test func `an import that is stopped has recorded what was read, says how much, and continues when it is run again`()
    throws
  {
    let program = try Program()
    let pipe = program.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let terminal = try PseudoTerminal(["import", pipe, "--database", "l.sqlite"], in: program.folder)
    let feeder = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    // More than the program records at once.
    let lines = (0..<9000).map { Self.receipt($0) }
    try feeder.write(contentsOf: Data(lines.joined().utf8))
    try terminal.expect("Importing")
    terminal.interrupt()
    try terminal.expect("stopping")
    // The program waits for the pipe, and sees at its end that it is to stop.
    try feeder.close()
    let words = try terminal.expect("It counts these as duplicates.")
    #expect(words.contains("stopped. ") && words.contains("The rest was not read."))
    #expect(terminal.end() == 130)
    let read = try #require(words.firstMatch(of: /stopped\. (\d+) payloads of the input: (\d+) recorded/))
    #expect(read.1 == read.2)
    try program.folder.write(lines.joined(), to: "all.ndjson")
    let again = try program.run(["import", "all.ndjson", "--database", "l.sqlite"])
    #expect(again.output.contains("9000 payloads:") && again.output.contains(" \(read.1) duplicates"), "\(again)")
  }

  @Test func `a second signal stops at once what waits for its input`() throws {
    let program = try Program()
    let terminal = try PseudoTerminal(["import", "-", "--database", "l.sqlite"], in: program.folder)
    try terminal.waitUntilItHandlesInterrupts()
    terminal.interrupt()
    // Signals that come together are one.
    try terminal.expect("stopping")
    terminal.interrupt()
    try terminal.expect("stopped. Nothing was recorded.")
    #expect(terminal.end() == 130)
    #expect(try program.run(["audit", "--database", "l.sqlite"]).code == 0)
  }
}

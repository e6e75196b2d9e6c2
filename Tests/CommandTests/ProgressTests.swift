import Synchronization
import TestSupport
import Testing

@testable import subledger

/// What a person sees while long work goes on, and that a program which reads along sees nothing of it.
@Suite(.takesTurns) struct ProgressTests {
  static let work: [(arguments: [String], words: String)] = [
    (["import", "receipt.json"], "Importing"),
    (["report", "mrr", "--from", "2025-01-01", "--to", "2025-02-01"], "Updating 1 subscription:"),
    (["audit"], "Checking the file's structure"),
    (["audit", "--repair"], "Deriving projections: 0 %"),
    (["export", "out"], "Exporting "),
    (["backup", "kept.sqlite"], "Copying: 100 %"),
    (["restore", "kept.sqlite", "--replace"], "Replacing the ledger: 100 %"),
  ]

  @Test(
    arguments: [
      (nil, 30, "Importing …"), (0.5, 0.5, "Importing: 50 %"), (0.01, 30, "Importing: 1 %"),
      (0.8, 8, "Importing: 80 %"), (0.5, 10, "Importing: 50 %, about 10 s left"),
      (0.5, 90, "Importing: 50 %, about 2 min left"),
    ] as [(Double?, Double, String)])
  func `a time left is stated when it is long enough to be right`(share: Double?, seconds: Double, words: String) {
    #expect(ProgressLine.line("Importing", share, after: .seconds(seconds)) == words)
  }

  @Test func `in a pipe, an export writes a line each ten seconds`() {
    let clock = TestClock()
    let lines = Mutex<[String]>([])
    let progress = ProgressLine(log: { line in lines.withLock { $0.append(line) } }, isTerminal: false) { clock.now }
    for (seconds, work) in [(1, "one"), (8, "two"), (1, "three"), (5, "four"), (4, "five"), (2, "six")] {
      clock.advance(by: .seconds(seconds))
      progress.show(work, share: nil, count: 2000, "row")
    }
    #expect(lines.withLock { $0 } == ["three …; 2000 rows", "six …; 2000 rows"])
  }

  @Test func `long work shows on a terminal what it does, and in a pipe nothing`() throws {
    let program = try Program()
    let text = PayloadFixture.receipt(at: day(1), latest: [TransactionFixture("t1", originalID: "t1", day(0), day(30))])
    try program.folder.write(text, to: "receipt.json")
    for (arguments, words) in Self.work {
      let terminal = try PseudoTerminal(arguments, in: program.folder)
      try terminal.expect(words)
      #expect(terminal.end() == 0, "\(arguments)")
    }
    for (arguments, words) in Self.work {
      let piped = arguments[0] == "backup" ? arguments + ["--replace"] : arguments
      let run = try program.run(piped)
      #expect(run.code == 0 && !(run.output + run.complaints).contains(words), "\(arguments): \(run)")
    }
  }
}

import TestSupport
import Testing

/// What a bug report quotes: the version, and the commit that the program was built from.
@Suite(.takesTurns) struct VersionTests {
  @Test func `the version names its number, and the commit where git knew it`() throws {
    let run = try Program().run(["--version"])
    #expect(run.code == 0 && run.complaints.isEmpty)
    let form = /subledger [0-9]+\.[0-9]+\.[0-9]+(?: \([0-9a-f]{12}(?:, modified)?\))?\n/
    #expect(run.output.wholeMatch(of: form) != nil, "\(run.output)")
  }
}

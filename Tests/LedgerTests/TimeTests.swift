import TestSupport
import Testing

/// No test waits for a wall clock, or for another program that competes with a hundred others.
@Suite struct TimeTests {
  /// What waits or measures. Code that waits gets a clock as a parameter instead: `TestClock`, `Eventually`.
  static func waits(_ text: String) -> [String] {
    text.matches(of: /u?sleep\(|[^-a-z]sleep [0-9]|ContinuousClock(?:\(\))?\.now|[^-a-z]timeout [0-9]/)
      .map { String($0.0) }
  }

  /// Whether a test starts programs or servers, and its suite does not wait for its turn.
  static func competes(_ text: String) -> Bool {
    let starts = [
      "Program(", "ServerBench(", "PseudoTerminal(", "GuideTests.run", "Shell.run", "StoryInParts", "Process(",
    ]
    return starts.contains(where: text.contains) && !text.contains(".takesTurns")
  }

  private static let files = Checkout.files(in: "Tests", ending: "Tests.swift").filter {
    !$0.hasSuffix("/TimeTests.swift")
  }

  @Test func `no test sleeps, sets a limit in seconds or measures how long something took`() throws {
    for file in Self.files {
      let found = Self.waits(try Checkout.contents(file))
      #expect(found == [], "\(file)")
    }
  }

  @Test func `suites that start programs or servers take turns`() throws {
    for file in Self.files {
      let competes = Self.competes(try Checkout.contents(file))
      #expect(!competes, "\(file): write @Suite(.takesTurns)")
    }
  }

  @Test func `canary: a test that waits is noticed, and one that competes`() {
    #expect(Self.waits("try await Task.sleep(for: .seconds(1)); usleep(1)") == ["sleep(", "usleep("])
    #expect(Self.waits("let line = \"sleep 1; timeout 60 subledger\"") == ["\"sleep 1", " timeout 6"])
    #expect(Self.waits("let start = ContinuousClock().now") == ["ContinuousClock().now"])
    #expect(Self.competes("@Suite struct A { let program = try Program() }"))
    #expect(!Self.competes("@Suite(.takesTurns) struct A { let program = try Program() }"))
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// The program is killed while it imports. Whatever was recorded stays, whatever was not is recorded by the next run, and
/// there is nothing between.
@Suite(.enabled(if: Faults.library != nil), .takesTurns) struct CrashTests {
  static let story = Result { try StoryInParts() }

  @Test(arguments: ["kill", "torn"])
  func `killed before or amid any write, sync, truncation or removal, a run is whole or not at all`(kind: String)
    async throws
  {
    let story = try Self.story.get()
    var random = SplitMix(seed: Trials.seed)
    var count = 0
    for run in 0..<StoryInParts.count {
      #expect(story.calls[run] > 20)
      for callNumber in Trials.sample(1...story.calls[run], 1, full: 3, &random) {
        let folder = try StoryInParts.copy(story.states[run])
        let result = try StoryInParts.record(run, in: folder, Faults.environment(kind, at: callNumber, on: "l.sqlite"))
        #expect(result.code == 9, "run \(run), call \(callNumber): the program was not killed")
        let complaints = try await story.complaints(run, in: folder)
        #expect(complaints == [], "run \(run), \(kind) at call \(callNumber), seed \(Trials.seed)")
        count += 1
      }
    }
    Trials.report(kind == "kill" ? "killed before a write, sync or truncation" : "killed amid a write", count)
  }

  /// Many batches, so that most kills fall inside or between them.
  static let events: String = {
    (0..<SampleSize.pick(4200, full: 5000)).map { number in
      let at = 1_767_225_600_000 + number * 1000
      return """
        {"receivedAt":\(at + 5),"payload":{"event":"updated","transaction_state":"purchasing","product_id":"p\(number % 9)",\
        "customer":"c\(number % 500)","device":"d","at":\(at)}}
        """
    }.joined(separator: "\n")
  }()

  @Test func `killed at any instant, an import has recorded whole batches, and the next one records the rest`()
    async throws
  {
    let whole = try Program()
    _ = try whole.folder.write(Self.events, to: "events.ndjson")
    let arguments = ["import", "events.ndjson", "--database", "l.sqlite"]
    let calls = try Faults.calls(on: "l.sqlite") { try whole.run(arguments, environment: $0) }
    let sizes = try Self.sealSizes(whole.folder)
    let final = try StoryInParts.contents(whole.folder)
    #expect(sizes.count > 2)
    var random = SplitMix(seed: Trials.seed)
    let callNumbers = Trials.sample(1...calls, 1, full: 3, &random)
    for callNumber in callNumbers {
      let program = try Program()
      try FileManager.default.copyItem(
        atPath: whole.folder.file("events.ndjson"), toPath: program.folder.file("events.ndjson"))
      // Between two calls the files are as after the first: a kill at any instant leaves the same.
      let killed = try program.run(arguments, environment: Faults.environment("kill", at: callNumber, on: "l.sqlite"))
      #expect(killed.code == 9, "call \(callNumber): the program was not killed")
      let path = program.folder.file("l.sqlite")
      if FileManager.default.fileExists(atPath: path) {
        let ledger = try LedgerRecorder(path: path)
        #expect(try sizes.starts(with: Self.sealSizes(program.folder)))
        #expect(try await ledger.reader.faults() == [], "call \(callNumber), seed \(Trials.seed)")
        ledger.close()
      }
      #expect(try program.run(arguments).code == 0)
      #expect(try StoryInParts.contents(program.folder) == final, "call \(callNumber), seed \(Trials.seed)")
    }
    Trials.report("killed at a random instant of a long import", callNumbers.count)
  }

  /// How many rows each transaction recorded.
  private static func sealSizes(_ folder: TemporaryFolder) throws -> [Int] {
    try DatabaseQueue(path: folder.file("l.sqlite")).read {
      try Int.fetchAll($0, sql: "SELECT row_count FROM seal ORDER BY seal_id")
    }
  }

  @Test(arguments: ["kill", "torn"])
  func `killed before or amid any write or renaming, an export leaves those before it, and the next one goes on`(
    kind: String
  ) throws {
    // Each export asks at its own instant.
    func entitlements(_ folder: TemporaryFolder) throws -> Set<[String: String]> {
      let rows = try ExportReader(folder.file("out"), format: "ndjson").relations["entitlement"] ?? []
      return Set(rows.map { $0.filter { !["as_of", "known_at"].contains($0.key) } })
    }
    let arguments = ["export", "out", "--database", "l.sqlite"]
    let exported = try StoryInParts.copy(Self.story.get().states[2])
    #expect(try Program(folder: exported).run(arguments).code == 0)
    #expect(try StoryInParts.record(2, in: exported).code == 0)
    let whole = try StoryInParts.copy(exported)
    let calls = try Faults.calls(on: "/out/") { try Program(folder: whole).run(arguments, environment: $0) }
    let (first, last) = try (entitlements(exported), entitlements(whole))
    #expect(calls > 20 && first != last)
    var random = SplitMix(seed: Trials.seed)
    let callNumbers = Trials.sample(1...calls, 2, full: 5, &random)
    for callNumber in callNumbers {
      let folder = try StoryInParts.copy(exported)
      let fault = Faults.environment(kind, at: callNumber, on: "/out/")
      #expect(try Program(folder: folder).run(arguments, environment: fault).code == 9, "call \(callNumber)")
      let left = try entitlements(folder)
      #expect(left == first || left == last, "call \(callNumber), seed \(Trials.seed)")
      #expect(try Program(folder: folder).run(arguments).code == 0)
      #expect(try entitlements(folder) == last, "call \(callNumber), seed \(Trials.seed)")
      #expect(!FileManager.default.fileExists(atPath: folder.file("out/.unfinished")))
    }
    Trials.report("killed before or amid a call of an export", callNumbers.count)
  }

  @Test func `canary: a log that lost a page in its middle is noticed`() async throws {
    let story = try Self.story.get()
    let folder = try StoryInParts.copy(story.states[1])
    let file = try #require(FileHandle(forUpdatingAtPath: folder.file("l.sqlite")))
    try file.seek(toOffset: 4096 * 9)
    try file.write(contentsOf: Data(repeating: 0, count: 4096))
    try file.close()
    let complaints = (try? await story.complaints(1, in: folder)) ?? ["cannot be opened"]
    #expect(complaints != [])
  }
}

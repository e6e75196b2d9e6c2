import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// The program is killed while it imports. Whatever was recorded stays, whatever was not is recorded by the next run, and
/// there is nothing between.
@Suite(.enabled(if: Faults.library != nil), .serialized) struct CrashTests {
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
      for place in Trials.sample(1...story.calls[run], 1, full: 6, &random) {
        let folder = try StoryInParts.copy(story.states[run])
        let result = try StoryInParts.record(run, in: folder, Faults.environment(kind, at: place, on: "l.sqlite"))
        #expect(result.code == 9, "run \(run), call \(place): the program was not killed")
        let complaints = try await story.complaints(run, in: folder)
        #expect(complaints == [], "run \(run), \(kind) at call \(place), seed \(Trials.seed)")
        count += 1
      }
    }
    Trials.report(kind == "kill" ? "killed before a write, sync or truncation" : "killed amid a write", count)
  }

  /// Many batches, so that most kills fall inside or between them.
  static let events: String = {
    (0..<SampleSize.pick(4200, full: 7000)).map { number in
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
    let began = Date()
    #expect(try whole.run(arguments).code == 0)
    let duration = Date().timeIntervalSince(began)
    let sizes = try Self.sealSizes(whole.folder)
    let final = try StoryInParts.contents(whole.folder)
    #expect(sizes.count > 2)
    var random = SplitMix(seed: Trials.seed)
    let count = SampleSize.pick(1, full: 6 * Trials.length)
    for _ in 0..<count {
      let program = try Program()
      try FileManager.default.copyItem(
        atPath: whole.folder.file("events.ndjson"), toPath: program.folder.file("events.ndjson"))
      let delay = Double.random(in: 0...duration, using: &random)
      try program.kill(arguments, after: delay)
      let path = program.folder.file("l.sqlite")
      if FileManager.default.fileExists(atPath: path) {
        let ledger = try LedgerRecorder(path: path)
        #expect(try sizes.starts(with: Self.sealSizes(program.folder)))
        #expect(try await ledger.reader.faults() == [], "after \(delay) s, seed \(Trials.seed)")
        ledger.close()
      }
      #expect(try program.run(arguments).code == 0)
      #expect(try StoryInParts.contents(program.folder) == final, "after \(delay) s, seed \(Trials.seed)")
    }
    Trials.report("killed at a random instant of a long import", count)
  }

  /// How many rows each transaction recorded.
  private static func sealSizes(_ folder: TemporaryFolder) throws -> [Int] {
    try DatabaseQueue(path: folder.file("l.sqlite")).read {
      try Int.fetchAll($0, sql: "SELECT row_count FROM seal ORDER BY seal_id")
    }
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

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// The machine loses power while the program imports: what was not yet synced is on disk in parts, in any order.
@Suite(.enabled(if: Faults.library != nil), .takesTurns) struct PowerLossTests {
  /// Three imports one after the other, the last without the end that moves its log into the file.
  struct Bench {
    let trace: TracedFiles
    let contents: [TableContents?]
    /// How many seals the file has when power is lost after so many calls, each with all that was written.
    let seals: [Int: Int]

    init() throws {
      let folder = try TemporaryFolder()
      var contents: [TableContents?] = []
      for run in 0..<StoryInParts.count {
        let result = try StoryInParts.record(
          run, in: folder, Faults.environment(nil, on: "l.sqlite", trace: folder.file("trace")))
        guard result.code == 0 else { throw StoryInParts.Failed(words: result.complaints) }
        contents.append(try StoryInParts.contents(folder))
      }
      trace = try TracedFiles(folder.file("trace"))
      self.contents = contents
      // What has been synced into the log is recorded for good.
      var seals: [Int: Int] = [:]
      var none = SplitMix(seed: 0)
      for (callNumber, call) in trace.calls.enumerated() {
        guard case .sync(let name) = call, name.hasSuffix("-wal") else { continue }
        let folder = try Self.folder(trace.files(after: callNumber + 1, &none, isPowerLost: false))
        let file = try DatabaseQueue(path: folder.file("l.sqlite"))
        seals[callNumber] = try file.read {
          try $0.tableExists("seal") ? Int.fetchOne($0, sql: "SELECT COUNT(*) FROM seal") ?? 0 : 0
        }
      }
      self.seals = seals
    }

    static func folder(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name))) }
      return folder
    }
  }

  static let bench = Result { try Bench() }

  /// What is wrong with files that a loss of power left.
  static func complaints(_ files: [String: [UInt8]], leastSeals: Int) async throws -> [String] {
    let bench = try bench.get()
    let folder = try Bench.folder(files)
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    var complaints = try await ledger.reader.faults().map { "\($0)" }
    let anchor = try ledger.reader.anchor()
    if anchor != nil, try !bench.contents.contains(StoryInParts.contents(folder)) {
      complaints.append("holds half of a run")
    }
    if Int(anchor?.seal ?? 0) < leastSeals { complaints.append("lost what was recorded for good") }
    ledger.close()
    for run in 0..<StoryInParts.count where try StoryInParts.record(run, in: folder).code != 0 {
      complaints.append("run \(run) fails afterwards")
    }
    if try StoryInParts.contents(folder) != bench.contents.last {
      complaints.append("another import ends elsewhere")
    }
    return complaints
  }

  @Test func `power lost after any call loses nothing that was recorded, and leaves nothing half`() async throws {
    let bench = try Self.bench.get()
    var random = SplitMix(seed: Trials.seed)
    let callNumbers = Trials.sample(1...bench.trace.calls.count, 2, full: 8, &random)
    for callNumber in callNumbers {
      let files = bench.trace.files(after: callNumber, &random, isPowerLost: true)
      let least = bench.seals.filter { $0.key < callNumber }.map(\.value).max() ?? 0
      let complaints = try await Self.complaints(files, leastSeals: least)
      #expect(complaints == [], "after call \(callNumber), seed \(Trials.seed)")
    }
    Trials.report("power lost, unsynced sectors on disk or not by chance", callNumbers.count)
  }

  @Test func `a log cut off at any page, or inside one, is a file that was recorded less into`() async throws {
    let bench = try Self.bench.get()
    var random = SplitMix(seed: Trials.seed)
    // Where each run's last sync of its log is: the log is whole, and nothing of it is in the file yet.
    let ends = bench.trace.calls.indices.filter { bench.seals[$0] != nil }
    var count = 0
    for end in ends {
      let files = bench.trace.files(after: end + 1, &random, isPowerLost: false)
      guard let log = files["l.sqlite-wal"], log.count > 32 else { continue }
      let frames = (log.count - 32) / 4120
      for frame in Trials.sample(0...frames, 1, full: 1, &random) {
        let ends = [0, Int.random(in: 1..<4120, using: &random)].shuffled(using: &random)
        for inside in ends.prefix(SampleSize.pick(1, full: 2)) {
          var cut = files
          cut["l.sqlite-wal"] = Array(log.prefix(32 + frame * 4120 + inside))
          let complaints = try await Self.complaints(cut, leastSeals: 0)
          #expect(complaints == [], "\(frame) of \(frames) pages and \(inside) bytes, seed \(Trials.seed)")
          count += 1
        }
      }
    }
    Trials.report("log cut off at a page's end or inside a page", count)
  }

  @Test func `canary: a commit that was not synced can be lost, and that is noticed`() async throws {
    let bench = try Self.bench.get()
    let sync = try #require(bench.seals.max { ($0.value, $1.key) < ($1.value, $0.key) })
    var random = SplitMix(seed: 1)
    // Everything but the sync itself: had the program not waited for it, its run could be gone.
    var files = bench.trace.files(after: sync.key, &random, isPowerLost: true)
    files["l.sqlite-wal"] = []
    #expect(try await Self.complaints(files, leastSeals: sync.value).contains("lost what was recorded for good"))
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// What a program needs is missing: space, handles, permission, the file itself, memory. It says so and ends with a code of
/// its own, the file is sound, and the next run records the rest.
@Suite(.enabled(if: Faults.library != nil), .takesTurns) struct StarvationTests {
  /// Runs a part of the story under a fault; gives what is wrong afterwards.
  private func complaints(_ kind: String, at callNumber: Int, _ run: Int, words: [String]) async throws -> [String] {
    let story = try CrashTests.story.get()
    let folder = try StoryInParts.copy(story.states[run])
    let result = try StoryInParts.record(run, in: folder, Faults.environment(kind, at: callNumber, on: "l.sqlite"))
    var complaints = try await story.complaints(run, in: folder)
    // A fault while the log is moved into the file, after all is recorded, needs no word.
    if result.code == 0 { return complaints }
    if ![66, 73, 74].contains(result.code) { complaints.append("ends with \(result.code)") }
    if !result.complaints.hasPrefix("subledger: ") || !words.contains(where: result.complaints.contains) {
      complaints.append("says: \(result.complaints)")
    }
    if result.complaints.contains("2000000000") { complaints.append("tells values") }
    return complaints
  }

  static let kinds: [(kind: String, words: [String])] = [
    ("full", ["no space left", "cannot be written"]),
    ("error", ["cannot be written", "cannot be read", "is damaged", "disk I/O error", "is not a SQLite database"]),
    ("handles", ["no file handle is free", "Too many open files", "cannot be opened"]),
  ]

  @Test(arguments: kinds.map(\.kind))
  func `no space, an error of the disk, or no file handle at any call: said, and nothing is lost`(kind: String)
    async throws
  {
    let story = try CrashTests.story.get()
    let words = try #require(Self.kinds.first { $0.kind == kind }).words
    var random = SplitMix(seed: Trials.seed)
    var count = 0
    for run in 0..<StoryInParts.count {
      // Reads are counted too where they can fail, and openings are few.
      let last = kind == "handles" ? 8 : kind == "error" ? story.calls[run] * 2 : story.calls[run]
      for callNumber in Trials.sample(1...last, 1, full: 2, &random) {
        let complaints = try await complaints(kind, at: callNumber, run, words: words)
        #expect(complaints == [], "run \(run), call \(callNumber), seed \(Trials.seed)")
        count += 1
      }
    }
    let faults = ["full": "no space left", "error": "input or output error", "handles": "no file handle free"]
    Trials.report(faults[kind] ?? kind, count)
  }

  /// A folder with one part of the story, a copy of the program, and rights for everyone: tests may run as root.
  private func openFolder() throws -> TemporaryFolder {
    let folder = try StoryInParts.copy(CrashTests.story.get().states[1])
    // What a reader left: empty, and nobody else's to write.
    for name in ["l.sqlite-wal", "l.sqlite-shm"] { try? FileManager.default.removeItem(atPath: folder.file(name)) }
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder.file("l.sqlite"))
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    return folder
  }

  private static let asNobody = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""

  @Test(arguments: [
    ("ulimit -f 200", 0, ""), ("ulimit -f 60", 74, "cannot be written"),
    ("chmod 555 .; chmod 666 l.sqlite", 74, "permission"), ("chmod 444 l.sqlite", 74, "may not be written"),
    ("chmod 000 l.sqlite", 74, "cannot be opened"),
    ("rm l.sqlite; mkdir l.sqlite", 74, "is not a plain file"),
    ("echo no database > l.sqlite", 74, "not a SQLite database"),
  ])
  func `a limit or a permission that stands in the way is named, and without it the next run completes`(
    limit: String, code: Int32, words: String
  ) async throws {
    let folder = try openFolder()
    let story = try CrashTests.story.get()
    _ = try folder.write(try StoryInParts.part(1), to: "part.ndjson")
    let program = folder.file("program")
    try FileManager.default.copyItem(atPath: Program.path, toPath: program)
    let line = "exec 3< part.ndjson; \(limit); \(Self.asNobody)./program import - --database l.sqlite <&3"
    let result = try Shell.run(line, in: folder)
    #expect((words.isEmpty || result.complaints.contains(words)) && result.code == code, "\(limit): \(result)")
    try FileManager.default.removeItem(atPath: program)
    _ = try Shell.run("chmod 755 .; chmod 600 l.sqlite", in: folder)
    if limit.contains("l.sqlite;") || limit.contains("> l.sqlite") { return }
    #expect(try await story.complaints(1, in: folder) == [], "\(limit)")
  }

  @Test func `a file that another program holds for too long is reported as held, and is used later`()
    async throws
  {
    let story = try CrashTests.story.get()
    let folder = try StoryInParts.copy(story.states[1])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.file("l.sqlite"), configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let program = Program(folder: folder)
    let arguments = ["import", "-", "--database", "l.sqlite", "--busy-timeout", "1s"]
    let held = try program.run(arguments, input: StoryInParts.part(1))
    #expect(held.code == 74 && held.complaints.contains("Another program has"))
    // Asking waits for nobody.
    #expect(try program.run(["entitlements", "--database", "l.sqlite"]).code == 0)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await story.complaints(1, in: folder) == [])
    // The same while another brings the file up to date.
    let lock = open(folder.path, O_RDONLY)
    _ = flock(lock, LOCK_EX)
    #expect(try program.run(arguments, input: StoryInParts.part(1)).complaints.contains("Another program has"))
    close(lock)
    #expect(try program.run(arguments, input: StoryInParts.part(1)).code == 0)
  }

  @Test func `with too little memory for a long payload nothing of it is recorded, and with enough all of it is`()
    async throws
  {
    let folder = try TemporaryFolder()
    let rows = (0..<SampleSize.pick(4000, full: 10_000)).map {
      TransactionFixture("\($0)", originalID: "1", day(Double($0)), day(Double($0) + 1)).row
    }
    _ = try folder.write(
      "{\"status\":0,\"environment\":\"Production\",\"receipt\":{\"bundle_id\":\"b\"},\"latest_receipt_info\":["
        + rows.joined(separator: ",") + "]}", to: "long.json")
    // Known before, so that only the payload needs more.
    #expect(try StoryInParts.record(0, in: folder).code == 0)
    let starved = try Shell.run(
      "ulimit -v 170000; SWIFT_BACKTRACE=enable=no \(Program.hangGuard) '\(Program.path)' import long.json --database l.sqlite",
      in: folder)
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    #expect(try await ledger.reader.faults() == [])
    let summary = try Program(folder: folder).run(["import", "long.json", "--database", "l.sqlite"])
    #expect(summary.code == 0, "after \(starved.code)")
    #expect(try await ledger.reader.faults() == [])
  }
}

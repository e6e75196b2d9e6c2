import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport

/// The README's story, imported by three runs of the program one after the other: what an undisturbed import leaves after
/// each of them is known, and what a disturbed one leaves is compared with it.
struct StoryInParts {
  /// A folder for every number of runs done, with what they left.
  let states: [TemporaryFolder]
  /// What the file holds after each; `nil` before the first.
  let contents: [TableContents?]
  /// How many calls of each run a fault can be made at.
  let calls: [Int]

  static let count = 3

  static func part(_ run: Int) throws -> String {
    let lines = try Checkout.contents("Tests/TrialTests/Data/archive.ndjson").split(separator: "\n")
    return lines[(run * lines.count / count)..<((run + 1) * lines.count / count)].joined(separator: "\n") + "\n"
  }

  init() throws {
    var (states, contents, calls) = ([try TemporaryFolder()], [TableContents?.none], [Int]())
    for run in 0..<Self.count {
      let folder = try Self.copy(states[run])
      calls.append(try Faults.calls(on: "l.sqlite") { try Self.record(run, in: folder, $0) })
      contents.append(try Self.contents(folder))
      states.append(folder)
    }
    (self.states, self.contents, self.calls) = (states, contents, calls)
  }

  struct Failed: Error { let words: String }

  /// What a file holds; `nil` where nothing was recorded yet.
  static func contents(_ folder: TemporaryFolder) throws -> TableContents? {
    let file = try DatabaseQueue(path: folder.file("l.sqlite"))
    defer { try? file.close() }
    return try file.read { database in
      guard try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM seal") ?? 0 > 0 else { return nil }
      return try TableContents(ofOneFile: false) { try String.fetchAll(database, sql: $0) }
    }
  }

  /// A folder with the same files.
  static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder { try TemporaryFolder(copying: folder) }

  /// Imports one part.
  @discardableResult
  static func record(_ run: Int, in folder: TemporaryFolder, _ environment: [String: String] = [:]) throws
    -> Program.Result
  {
    try Program(folder: folder).run(
      ["import", "-", "--database", folder.file("l.sqlite")], input: part(run), environment: environment)
  }

  /// What is wrong with a folder in which a run was disturbed: nothing may be.
  ///
  /// The file opens, holds all of the run or nothing of it, its audit finds nothing, and the run once more ends where an
  /// undisturbed one does.
  func complaints(_ run: Int, in folder: TemporaryFolder) async throws -> [String] {
    var complaints: [String] = []
    if FileManager.default.fileExists(atPath: folder.file("l.sqlite")) {
      let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
      let found = try Self.contents(folder)
      if found != contents[run], found != contents[run + 1] { complaints.append("holds half of a run") }
      complaints += try await ledger.reader.faults().map { "\($0)" }
      ledger.close()
    }
    let again = try Self.record(run, in: folder)
    if again.code != 0 { complaints.append("a second run fails: \(again.complaints)") }
    if try Self.contents(folder) != contents[run + 1] {
      complaints.append("a second run ends elsewhere")
    }
    return complaints
  }
}

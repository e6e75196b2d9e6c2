import AppStore
import Foundation
import TestSupport
import Testing

/// `export` and `schema` as their users meet them.
@Suite(.takesTurns) struct ExportCommandTests {
  private static func program() throws -> Program { try Program(copying: imported.get()) }

  /// The folder that every test has a copy of.
  private static let imported = Result {
    let program = try Program()
    let told = try program.run(["demo", "--story"])
    _ = try program.run(["import", "-"], input: told.output)
    return program.folder
  }

  @Test func `the first export holds everything, the next what is new`() throws {
    let program = try Self.program()
    let first = try program.run(["export", "out"])
    #expect(first.output.hasPrefix("out/000001 holds everything: ") && first.output.hasSuffix(" relations.\n"))
    #expect(first.code == 0 && first.complaints.isEmpty)
    let again = try program.run(["export", "out"])
    #expect(again.output.hasPrefix("out/000002 holds what is new: ") && again.code == 0)
    let full = try program.run(["export", "out", "--full"])
    #expect(full.output.hasPrefix("out/000003 holds everything: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.file("out")) == ["000003"])
    let reader = try ExportReader(program.folder.file("out"), format: "csv")
    #expect(reader.relations["entitlement"]?.count == 5)
    #expect(reader.relations["entitlement"]?.compactMap { $0["original_transaction_id"] }.count == 5)
  }

  @Test func `formats, partitions and tables can be chosen`() throws {
    let program = try Self.program()
    let result = try program.run(["export", "out", "--format", "csv", "--partitions", "1", "--tables-only"])
    #expect(result.code == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: program.folder.file("out"))
    #expect(
      files.contains("000001/original_transaction/part-00.csv")
        && !files.contains { $0.hasSuffix("ndjson") || $0.contains("-01") })
    #expect(!files.contains { $0.contains("entitlement/") })
  }

  @Test func `what cannot be exported is told with what to do, and its exit code`() throws {
    let program = try Self.program()
    try program.folder.write("mine", to: "mine.txt")
    let other = try program.run(["export", "."])
    #expect(other.code == 73)
    #expect(
      other.complaints
        == "subledger: . contains other files, and nothing was written. Name a new folder, or an empty one.\n")
    #expect(try program.run(["export", "mine.txt"]).code == 73)
    #expect(try program.run(["export", "out", "--database", "none.sqlite"]).code == 66)
    #expect(try program.run(["export", "out", "--database", "mine.txt"]).code == 74)
    #expect(!FileManager.default.fileExists(atPath: program.folder.file("out")))
    for wrong in [
      ["--partitions", "0"], ["--full", "--recorded-since", "2026-01-01"], ["--format", "xml"],
      ["--recorded-since", "x"],
    ] {
      #expect(try program.run(["export", "out"] + wrong).code == 64, "\(wrong)")
    }
    #expect(try program.run(["export", "out"]).code == 0)
    let changed = try program.run(["export", "out", "--partitions", "3"])
    #expect(changed.code == 1 && changed.complaints.contains("--full"))
  }

  @Test(arguments: ["spark", "postgresql", "duckdb"])
  func `schema prints a script for another engine`(dialect: String) throws {
    let program = try Program()
    let result = try program.run(["schema", "--dialect", dialect])
    #expect(result.code == 0 && result.output.contains("CREATE VIEW entitlement AS\n"))
    #expect(try program.run(["schema", "--dialect", "oracle"]).code == 64)
  }
}

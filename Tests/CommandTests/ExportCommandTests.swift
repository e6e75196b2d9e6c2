import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import subledger

/// `export` and `schema` as their users meet them.
@Suite(.takesTurns) struct ExportCommandTests {
  private static func program() throws -> Program { try Program(copying: imported.get()) }

  /// The folder that every test has a copy of.
  private static let imported = Result {
    let program = try Program()
    let reported = try program.run(["demo", "--story"])
    _ = try program.run(["import", "-"], input: reported.output)
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

  @Test func `what cannot be exported is an error with advice and an exit code`() throws {
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

  @Test func `an export of chosen relations has them and nothing else, also later`() throws {
    let program = try Self.program()
    let only = ["export", "out", "--only", "entitlement, transaction_fact", "--format", "ndjson"]
    let first = try program.run(only)
    #expect(first.output == "out/000001 holds everything: 15 rows of 2 relations.\n", "\(first)")
    let folders = try FileManager.default.contentsOfDirectory(atPath: program.folder.file("out/000001")).sorted()
    #expect(folders == ["entitlement", "for_next_export", "schema.json", "transaction_fact"])
    #expect(try program.run(only).output.hasPrefix("out/000002 holds what is new: "))
    let other = try program.run(["export", "out", "--format", "ndjson"])
    #expect(other.code == 1 && other.complaints.contains("only entitlement, transaction_fact"), "\(other)")
    let table: [(arguments: [String], words: String)] = [
      (["--only", "entitlment"], "'entitlment' is not a table or view that can be exported. Nearest: entitlement"),
      (["--only", "entitlement", "--tables-only"], "entitlement is not a table or view of this export."),
      (["--format", "csv,csv"], "Choose from csv, ndjson, parquet, each once."),
    ]
    for row in table {
      let result = try program.run(["export", "new"] + row.arguments)
      #expect(result.code == 64 && result.complaints.contains(row.words), "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: program.folder.file("new")))
  }

  @Test func `Parquet needs the program duckdb, whose statements name every column, and its failure leaves nothing`()
    throws
  {
    let program = try Self.program()
    let none = try program.run(["export", "out", "--format", "parquet"], environment: ["PATH": "/none"])
    #expect(none.code == 64 && none.complaints.contains("Parquet needs the program duckdb"), "\(none)")
    let script = DuckDB.script(
      [ParquetWriter.File(source: "it's.ndjson", target: "it's.parquet")],
      [ParquetWriter.Column(name: "id", isInteger: true), ParquetWriter.Column(name: "text", isInteger: false)])
    #expect(
      script.contains("read_json('it''s.ndjson'") && script.contains("columns = {'id': 'BIGINT', 'text': 'VARCHAR'}"))
    #expect(
      script.contains("TO 'it''s.parquet' (FORMAT parquet)") && script.contains("autoinstall_known_extensions = false"))
    // What fails as a version that is too old would.
    try program.folder.write(
      "#!/bin/sh\ncat > /dev/null; echo 'Catalog Error: no function read_json' >&2; exit 1\n", to: "duckdb")
    #expect(chmod(program.folder.file("duckdb"), 0o700) == 0)
    let path = program.folder.path + ":/usr/bin:/bin"
    let failed = try program.run(["export", "out", "--format", "parquet"], environment: ["PATH": path])
    #expect(
      failed.code == 74 && failed.complaints.contains("DuckDB could not write Parquet (Catalog Error)."), "\(failed)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.file("out")) == [])
  }

  @Test(arguments: ["spark", "postgresql", "duckdb"])
  func `schema prints a script for another engine`(dialect: String) throws {
    let program = try Program()
    let result = try program.run(["schema", "--dialect", dialect])
    #expect(result.code == 0 && result.output.contains("CREATE VIEW entitlement AS\n"))
    #expect(try program.run(["schema", "--dialect", "oracle"]).code == 64)
  }
}

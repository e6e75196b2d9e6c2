import AppStore
import Foundation
import TestSupport
import Testing

/// Whoever can put links, pipes and devices where a command reads or writes gains nothing by it.
@Suite struct FileTests {
  private static func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private static func link(_ path: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
  }

  // MARK: - The database

  @Test func `no database is made behind a link to nothing`() throws {
    let program = try Program()
    try program.folder.write(CommandTests.receipt, to: "r.json")
    try Self.link(program.folder.file("l.sqlite"), to: "elsewhere.sqlite")
    _ = try program.run(["import", "r.json", "--database", "good.sqlite"])
    #expect(try program.run(["backup", "b.sqlite", "--database", "good.sqlite"]).code == 0)
    for arguments in [
      ["import", "r.json", "--database", "l.sqlite"], ["demo", "--database", "l.sqlite"],
      ["restore", "b.sqlite", "--database", "l.sqlite"],
      ["restore", "b.sqlite", "--database", "l.sqlite", "--replace"],
      ["backup", "l.sqlite", "--database", "good.sqlite", "--replace"],
    ] {
      let result = try program.run(arguments)
      #expect(result.code == 73 && result.complaints.contains("l.sqlite is"), "\(arguments): \(result)")
      #expect(!FileManager.default.fileExists(atPath: program.folder.file("elsewhere.sqlite")), "\(arguments)")
    }
    #expect(try program.run(["show", "t1", "--database", "l.sqlite"]).code == 66)
    // A link to a ledger is one of its names.
    try Self.link(program.folder.file("name.sqlite"), to: "good.sqlite")
    #expect(try program.run(["import", "r.json", "--database", "name.sqlite"]).output.contains("1 known already"))
    #expect(try Self.rights(program.folder.file("good.sqlite")) == 0o600)
  }
}

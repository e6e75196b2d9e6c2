import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Whoever can put links, pipes and devices where a command reads or writes gains nothing by it.
@Suite(.takesTurns) struct FileTests {
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
      #expect(result.code == 73 && result.complaints.contains("l.sqlite "), "\(arguments): \(result)")
      #expect(!FileManager.default.fileExists(atPath: program.folder.file("elsewhere.sqlite")), "\(arguments)")
    }
    #expect(try program.run(["show", "t1", "--database", "l.sqlite"]).code == 66)
    // A link to a ledger is one of its names.
    try Self.link(program.folder.file("name.sqlite"), to: "good.sqlite")
    #expect(try program.run(["import", "r.json", "--database", "name.sqlite"]).output.contains("1 duplicate"))
    #expect(try Self.rights(program.folder.file("good.sqlite")) == 0o600)
  }

  @Test func `a backup that cannot be used leads to another backup`() throws {
    let program = try Program()
    try program.folder.write("no database, but a text", to: "b.sqlite")
    let result = try program.run(["restore", "b.sqlite", "--database", "l.sqlite"])
    #expect(
      result.code != 0 && result.complaints.hasSuffix("Nothing was restored. Restore another backup.\n"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: program.folder.file("l.sqlite")))
  }

  // MARK: - What is written

  @Test(arguments: [
    "products.json", "simulation.json", "truth.ndjson", "payloads", "payloads/v2.ndjson", "payloads/receipt.ndjson",
    "authority",
  ])
  func `a simulation writes through no link that was planted`(name: String) throws {
    let program = try Program()
    let simulate = ["simulate", "--customers", "2", "--payload-format", "v2,receipt", "--out", "world"]
    #expect(try program.run(simulate).code == 0)
    let victim = try program.folder.write("mine", to: "victim")
    try FileManager.default.createDirectory(atPath: program.folder.file("folder"), withIntermediateDirectories: true)
    let path = program.folder.file("world/" + name)
    let isFolder = name == "payloads" || name == "authority"
    try FileManager.default.removeItem(atPath: path)
    try Self.link(path, to: isFolder ? program.folder.file("folder") : victim)
    let result = try program.run(simulate)
    #expect(result.code == 73 && result.complaints.contains("world/\(name) is a link"), "\(result)")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.file("folder")) == [])
  }

  @Test func `a simulation's key, and files with a second name, are not written over`() throws {
    let program = try Program()
    let simulate = ["simulate", "--customers", "1", "--out", "world"]
    #expect(try program.run(simulate).code == 0)
    #expect(try Self.rights(program.folder.file("world/authority/key.pem")) == 0o600)
    let victim = try program.folder.write("mine", to: "victim")
    try FileManager.default.removeItem(atPath: program.folder.file("world/products.json"))
    try FileManager.default.linkItem(atPath: victim, toPath: program.folder.file("world/products.json"))
    let second = try program.run(simulate)
    #expect(
      second.code == 73 && second.complaints.contains("products.json is a link, or is not a plain file"), "\(second)")
    // A key that waits to be made, as a link to another file.
    try FileManager.default.createDirectory(atPath: program.folder.file("keys"), withIntermediateDirectories: true)
    try Self.link(program.folder.file("keys/key.pem"), to: victim)
    let key = try program.run(["simulate", "--customers", "1", "--authority", "keys"])
    #expect(key.code == 73 && key.complaints.contains("key.pem is a link"), "\(key)")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test func `an authority that cannot be read is not replaced`() throws {
    let program = try Program()
    let simulate = ["simulate", "--customers", "1", "--payload-format", "v2", "--authority", "keys"]
    #expect(try program.run(simulate).code == 0)
    let key = try String(contentsOfFile: program.folder.file("keys/key.pem"), encoding: .utf8)
    try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: program.folder.file("keys/chain.pem")))
    let refused = try program.run(simulate)
    #expect(refused.code != 0 && refused.complaints.contains("Cannot read the test authority"), "\(refused)")
    #expect(try String(contentsOfFile: program.folder.file("keys/key.pem"), encoding: .utf8) == key)
  }

  @Test func `an export continues and removes nothing behind a link`() throws {
    let program = try Program()
    try program.folder.write(CommandTests.receipt, to: "r.json")
    _ = try program.run(["import", "r.json"])
    #expect(try program.run(["export", "other"]).code == 0)
    let manager = FileManager.default
    func files() throws -> [String] { try manager.subpathsOfDirectory(atPath: program.folder.file("other")).sorted() }
    let before = try files()
    try manager.createDirectory(atPath: program.folder.file("out"), withIntermediateDirectories: true)
    try Self.link(program.folder.file("out/000001"), to: "../other/000001")
    let result = try program.run(["export", "out"])
    #expect(result.code == 73 && result.complaints.contains("out contains other files"), "\(result)")
    #expect(try files() == before && before.contains { $0.contains("for_next_export/") })
    // Where it writes at last, a link waits.
    try manager.removeItem(atPath: program.folder.file("out/000001"))
    #expect(try program.run(["export", "out"]).code == 0)
    try Self.link(program.folder.file("out/000002"), to: "../other/000001")
    #expect(try program.run(["export", "out"]).code == 74)
    #expect(try files() == before)
  }

  // MARK: - What is read

  @Test func `of a folder, plain files are read and nothing else is waited for or followed`() throws {
    let program = try Program()
    let folder = program.folder
    try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
    try folder.write(CommandTests.receipt, to: "in/deep/r.json")
    try folder.write(CommandTests.receipt.replacing("monthly", with: "yearly"), to: "secret.json")
    #expect(mkfifo(folder.file("in/pipe"), 0o600) == 0)
    try Self.link(folder.file("in/deep/link"), to: folder.file("secret.json"))
    try Self.link(folder.file("in/zero"), to: "/dev/zero")
    try Self.link(folder.file("in/round"), to: ".")
    let line = "(\(Program.hangGuard) subledger import in --format json; echo $?)"
    let stated = try GuideTests.run(line, in: folder)
    #expect(stated.contains("\"payloads\": 1, \"recorded\": 1") && stated.hasSuffix("\n0\n"), "\(stated)")
    #expect(
      stated.contains(
        "Skipped, because import reads only plain files of payloads in a folder: in/deep/link (symbolic link), "
          + "in/pipe (named pipe), in/round (symbolic link), in/zero (symbolic link). "
          + "To import a pipe or what a link leads to, name it on the command line.\n"), "\(stated)")
    // Named by itself, a link is what it leads to.
    #expect(try program.run(["import", "in/deep/link", "--format", "json"]).output.contains("\"recorded\": 1"))
    for number in 0..<9 { #expect(mkfifo(folder.file("in/pipe\(number)"), 0o600) == 0) }
    #expect(try program.run(["import", "in"]).complaints.contains(" … and 8 more."))
  }

  @Test func `a database is not imported: the ledger's own in a folder is skipped, and by name it is refused`() throws {
    let program = try Program()
    try FileManager.default.createDirectory(atPath: program.folder.file("in"), withIntermediateDirectories: true)
    try program.folder.write(CommandTests.receipt, to: "in/r.json")
    for _ in 0..<2 {
      let result = try program.run(["import", "in", "--database", "in/l.sqlite"])
      #expect(result.code == 0 && result.output.contains(" 0 in quarantine;"), "\(result)")
    }
    let ledger = try LedgerRecorder(path: program.folder.file("in/l.sqlite"))
    defer { ledger.close() }
    let result = try program.run(["import", "in", "--database", "in/l.sqlite"])
    #expect(result.complaints.contains("in/l.sqlite (SQLite database)"), "\(result)")
    #expect(result.output.contains("1 payload: 0 recorded, 1 duplicate,"), "\(result)")
    let named = try program.run(["import", "in/l.sqlite", "--database", "in/l.sqlite"])
    #expect(named.code == 66 && named.complaints.contains("is a SQLite database, which cannot be imported"))
    // The name of a database's log, beside a pipe that nobody writes to.
    try FileManager.default.createDirectory(atPath: program.folder.file("other"), withIntermediateDirectories: true)
    #expect(mkfifo(program.folder.file("other/x"), 0o600) == 0)
    try program.folder.write(CommandTests.receipt, to: "other/x-wal")
    let stated = try GuideTests.run(
      "(\(Program.hangGuard) subledger import other --format json; echo $?)", in: program.folder)
    #expect(stated.contains("\"recorded\": 1") && stated.hasSuffix("\n0\n"), "\(stated)")
  }

  @Test func `a pipe may be named, as a shell does; a device may not`() throws {
    let program = try Program()
    try program.folder.write(CommandTests.receipt, to: "r.json")
    let piped = try program.run(
      ["-c", "\(Program.hangGuard) '\(Program.path)' import <(cat r.json)"], program: "/bin/bash")
    #expect(piped.output.hasPrefix("1 payload: 1 recorded") && piped.code == 0, "\(piped)")
    #expect(mkfifo(program.folder.file("pipe"), 0o600) == 0)
    let named = try GuideTests.run("cat r.json > pipe & \(Program.hangGuard) subledger import pipe", in: program.folder)
    #expect(named.hasPrefix("1 payload: 0 recorded, 1 duplicate"), "\(named)")
    for device in ["/dev/zero", "/dev/null"] {
      let stated = try GuideTests.run(
        "(\(Program.hangGuard) subledger import r.json \(device); echo $?)", in: program.folder)
      #expect(
        stated == "subledger: \(device) is a device, which cannot be imported. Nothing was imported. "
          + "Name a file, a folder, a named pipe, or - for standard input.\n66\n", "\(stated)")
    }
  }

  @Test func `what was read before a file that cannot be read is recorded`() throws {
    let program = try Program()
    try FileManager.default.createDirectory(atPath: program.folder.file("in"), withIntermediateDirectories: true)
    try program.folder.write(CommandTests.receipt, to: "in/a.json")
    try program.folder.write("{}", to: "in/b.json")
    // Taken away after the program has listed the folder, for it opens the pipe then, and while it waits for the pipe.
    let line = """
      mkfifo first; (exec 3> first; rm in/b.json; mkfifo in/b.json; cat in/a.json >&3) & \
      (\(Program.hangGuard) subledger import first in; echo $?)
      """
    let stated = try GuideTests.run(line, in: program.folder)
    #expect(
      stated.contains(
        "in/b.json cannot be read. Everything before it is recorded. "
          + "Check the file, and run the command again.\n66"), "\(stated)")
    #expect(try program.run(["entitlements", "--format", "ndjson"]).output.contains("\"t1\""))
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

import LedgerMaintenance
import LedgerReports
import LedgerSchema
import LedgerStore

/// Copies that can be relied on, and putting them back.
@Suite struct BackupTests {
  private static let parameters = QueryParameters(asOf: day(20_000), knownAt: day(20_000))

  private func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test
  func `a backup answers as the ledger did, is one file for its owner alone, and is proved by the ledger's anchor`()
    async throws
  {
    let history = await RandomHistory(seed: 21, count: 60)
    let bench = try LedgerBench([history.arrivals])
    let (file, answers) = (bench.folder.file("b.sqlite"), try bench.answers(Self.parameters))
    let summary = try bench.ledger.reader.backUp(to: file)
    #expect(try summary.anchor == bench.ledger.reader.anchor() && summary.payloads > 20)
    #expect(try rights(file) == 0o600 && rights(bench.ledger.path) == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(names.filter { $0.hasPrefix("b.") } == ["b.sqlite"])
    // Also where nothing may be written beside it.
    let copy = try LedgerReader(path: file)
    let found = try copy.entitlements(Self.parameters).map(SlowModel.Answer.init).sorted {
      $0.subscription < $1.subscription
    }
    #expect(found == answers)
    #expect(try TableContents.of(file).differences(from: TableContents.of(bench.ledger.path)) == [])
    #expect(
      try await copy.audit(against: try #require(summary.anchor).digest).filter { $0.code != .disagreement } == [])
  }

  @Test func `nothing is written over, unless that is asked for; and never the ledger itself`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 22, count: 10).arrivals])
    let file = try bench.folder.write("mine", to: "b.sqlite")
    let link = bench.folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "l.sqlite")
    for (name, isReplacing) in [(file, false), (bench.ledger.path, true), (link, true), ("/nowhere/b.sqlite", false)] {
      #expect { try bench.ledger.reader.backUp(to: name, isReplacing: isReplacing) } throws: {
        ($0 as? LedgerError)?.code == .cannotCreate
      }
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    _ = try bench.ledger.reader.backUp(to: file, isReplacing: true)
    #expect(try bench.answers(Self.parameters).count > 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(!names.contains { $0.contains("unfinished") })
  }

  @Test func `a ledger that is not sound is not taken for a backup, and a backup that is not sound not for a ledger`()
    async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 23, count: 10).arrivals])
    let file = bench.folder.file("b.sqlite")
    _ = try bench.ledger.reader.backUp(to: file)
    let before = try bench.answers(Self.parameters)
    for (path, tamper) in [
      (file, "DROP TRIGGER delivery_refuses_update; UPDATE delivery SET source_line = 7"),
      (bench.ledger.path, "DROP TRIGGER payload_refuses_delete"),
    ] { try await DatabaseQueue(path: path).write { try $0.execute(sql: tamper) } }
    #expect { try bench.ledger.reader.backUp(to: bench.folder.file("c.sqlite")) } throws: {
      ($0 as? LedgerError)?.code == .damaged
    }
    #expect { try Backup.restore(file, to: bench.ledger.path, isReplacing: true, at: day(500)) } throws: {
      ($0 as? LedgerError)?.code == .damaged
    }
    #expect(try bench.answers(Self.parameters) == before)
    #expect(!FileManager.default.fileExists(atPath: bench.folder.file("c.sqlite")))
  }

  @Test func `restoring under programs that have the ledger open: they go on with what was restored`() async throws {
    let history = await RandomHistory(seed: 24, count: 60)
    let half = history.arrivals.count / 2
    let bench = try LedgerBench([Array(history.arrivals.prefix(half))])
    let file = bench.folder.file("b.sqlite")
    let anchor = try bench.ledger.reader.backUp(to: file).anchor
    let (before, contents) = (try bench.answers(Self.parameters), try TableContents.of(bench.ledger.path))
    try bench.ledger.record(history.arrivals)
    let (after, last) = (try bench.answers(Self.parameters), try bench.ledger.reader.anchor())
    #expect { try Backup.restore(file, to: bench.ledger.path, at: day(500)) } throws: {
      ($0 as? LedgerError)?.code == .cannotCreate
    }
    #expect(try Backup.relation(of: file, to: bench.ledger.path) == .earlier(by: 1))
    _ = try Backup.restore(file, to: bench.ledger.path, isReplacing: true, at: day(500))
    #expect(try Backup.relation(of: file, to: bench.ledger.path) == .complete)
    #expect(try bench.ledger.reader.anchor() == anchor && bench.answers(Self.parameters) == before)
    #expect(try TableContents.of(bench.ledger.path).differences(from: contents) == [])
    // The recording connection had learned numbers of rows that are gone.
    try bench.ledger.record(history.arrivals)
    #expect(try bench.ledger.reader.anchor()?.seal == last?.seal && bench.answers(Self.parameters) == after)
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [])
  }

  @Test func `a file that cannot be opened is moved beside; another program's database never is`()
    async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 25, count: 10).arrivals])
    let file = bench.folder.file("b.sqlite")
    _ = try bench.ledger.reader.backUp(to: file)
    let (broken, foreign) = (try bench.folder.write("broken", to: "broken.sqlite"), bench.folder.file("foreign.sqlite"))
    try await DatabaseQueue(path: foreign).write { try $0.execute(sql: "CREATE TABLE mine (a)") }
    _ = try Backup.restore(file, to: broken, isReplacing: true, at: day(500))
    #expect(try LedgerReader(path: broken).anchor() == bench.ledger.reader.anchor())
    let stored = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
      .filter { $0.hasPrefix("broken.sqlite.damaged-") }
    #expect(try stored.map { try String(contentsOfFile: bench.folder.file($0), encoding: .utf8) } == ["broken"])
    #expect { try Backup.restore(file, to: foreign, isReplacing: true, at: day(500)) } throws: {
      ($0 as? LedgerError)?.code == .notALedger
    }
    #expect { try Backup.restore(foreign, to: bench.folder.file("n.sqlite"), at: day(500)) } throws: {
      ($0 as? LedgerError)?.code == .notALedger
    }
    #expect { try Backup.restore("/nowhere", to: bench.folder.file("n.sqlite"), at: day(500)) } throws: {
      ($0 as? LedgerError)?.code == .noSuchFile
    }
  }

  @Test func `what SQLite left beside a file that is gone is not read into the one that takes its place`() async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 27, count: 20).arrivals])
    let file = bench.folder.file("b.sqlite")
    let anchor = try bench.ledger.reader.backUp(to: file).anchor
    for ending in ["-wal", "-journal"] {
      let path = bench.folder.file("n.sqlite")
      try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: path + ending))
      _ = try Backup.restore(file, to: path, at: day(500))
      #expect(try LedgerReader(path: path).anchor() == anchor)
      let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
      #expect(names.contains { $0.hasPrefix("n.sqlite.damaged-") && $0.hasSuffix(ending) })
      for name in names where name.hasPrefix("n.sqlite") {
        try FileManager.default.removeItem(atPath: bench.folder.file(name))
      }
      _ = try bench.folder.write("left", to: "c.sqlite\(ending)")
      #expect { try bench.ledger.reader.backUp(to: bench.folder.file("c.sqlite")) } throws: {
        ($0 as? LedgerError)?.code == .cannotCreate
      }
      #expect { try bench.ledger.reader.backUp(to: bench.ledger.path + ending, isReplacing: true) } throws: {
        ($0 as? LedgerError)?.code == .cannotCreate
      }
    }
  }

  @Test func `only plain files give way to a backup or a ledger`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 28, count: 5).arrivals])
    let (file, link, pipe) = (bench.folder.file("b.sqlite"), bench.folder.file("link"), bench.folder.file("pipe"))
    _ = try bench.ledger.reader.backUp(to: file)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in ["/dev/null", bench.folder.path, link, pipe] {
      #expect(throws: LedgerError.self, "\(path)") { try bench.ledger.reader.backUp(to: path, isReplacing: true) }
      #expect(throws: LedgerError.self, "\(path)") {
        try Backup.restore(file, to: path, isReplacing: true, at: day(500))
      }
    }
    for path in ["/dev/null", bench.folder.path, pipe, ":memory:", ""] {
      #expect(throws: LedgerError.self, "\(path)") {
        try Backup.restore(path, to: bench.folder.file("n.sqlite"), at: day(500))
      }
      #expect(throws: LedgerError.self, "\(path)") { try LedgerRecorder(path: path) }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(names.filter { $0.contains("unfinished") || $0.hasPrefix("n.") } == [])
  }

  @Test func `what an interrupted backup left goes with the next one, and what another is making stays`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 29, count: 5).arrivals])
    let left = try bench.folder.write("left", to: "b.sqlite.unfinished-12345678")
    let made = try bench.folder.write("made", to: "b.sqlite.unfinished-87654321")
    let handle = open(made, O_RDONLY)
    _ = flock(handle, LOCK_EX)
    _ = try bench.ledger.reader.backUp(to: bench.folder.file("b.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: left) && FileManager.default.fileExists(atPath: made))
    close(handle)
  }

  @Test func `a file that SQLite finds broken is not read any further, nor backed up`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 30, count: 40).arrivals])
    let file = bench.folder.file("b.sqlite")
    _ = try bench.ledger.reader.backUp(to: file)
    try await DatabaseQueue(path: file).writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'seal') WHERE name = 'erasure'
          """)
    }
    let broken = try LedgerReader(path: file)
    let codes = try await broken.audit().map(\.code)
    #expect(!codes.isEmpty && codes.allSatisfy { $0 == .integrity })
    #expect { try broken.backUp(to: bench.folder.file("c.sqlite")) } throws: { ($0 as? LedgerError)?.code == .damaged }
  }

  @Test func `what is derived is derived anew, surplus and missing rows alike`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 31, count: 40).arrivals])
    try await DatabaseQueue(path: bench.ledger.path).write { database in
      let refusal = try String.fetchOne(
        database, sql: "SELECT sql FROM sqlite_schema WHERE name = 'original_transaction_identifier_refuses_delete'")
      try database.execute(
        sql: """
          INSERT INTO projection_renewal_info SELECT 99999, evidence_at, version_id, recorded_at FROM projection_renewal_info LIMIT 1;
          DELETE FROM projection_transaction WHERE original_transaction_key = 1;
          INSERT INTO original_transaction_identifier VALUES ('made-up', 'order_id', 1);
          DROP TRIGGER original_transaction_identifier_refuses_delete;
          DELETE FROM original_transaction_identifier WHERE identifier IN (SELECT identifier FROM original_transaction_identifier LIMIT 2);
          \(refusal ?? "")
          """)
    }
    #expect(try await bench.ledger.reader.audit().contains { $0.code == .projection })
    try ProjectionMaintainer(path: bench.ledger.path).rebuild()
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [])
  }

  @Test func `a backup taken while others record is one moment of the ledger's history`() async throws {
    let history = await RandomHistory(seed: 26, count: 200)
    let bench = try LedgerBench([Array(history.arrivals.prefix(1))])
    var random = SplitMix(seed: 26)
    let batches = RandomChoice.split(history.arrivals, &random)
    let ledger = bench.ledger
    let recording = Task.detached { for batch in batches { try ledger.record(batch) } }
    var anchors: [Anchor] = []
    for number in 0..<12 {
      let copy = bench.folder.file("b\(number).sqlite")
      if let anchor = try ledger.reader.backUp(to: copy).anchor { anchors.append(anchor) }
    }
    try await recording.value
    for anchor in anchors { #expect(try ledger.reader.anchor(with: anchor.digest) == anchor) }
    #expect(anchors.count == 12)
  }
}

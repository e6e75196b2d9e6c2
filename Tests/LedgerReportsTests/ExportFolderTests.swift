import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

import LedgerReports
import LedgerSchema
import LedgerStore

/// What is already in the folder of an export: kept, continued, refused, or gone for a reason.
@Suite struct ExportFolderTests {
  private static let options = ExportOptions(parameters: QueryParameters(asOf: day(60), knownAt: day(20_000)))

  private static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func `a folder that holds other files is refused, and so is what is no folder`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 41, count: 10).arrivals])
    let folder = bench.folder.file("mine")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try bench.folder.write("my own", to: "mine/notes.txt")
    let file = try bench.folder.write("a file", to: "file")
    // Another's folder whose name is like one of ours.
    let like = bench.folder.file("like")
    try FileManager.default.createDirectory(atPath: like + "/000001", withIntermediateDirectories: true)
    for name in [folder, file, like, bench.folder.file("no/where"), bench.ledger.path] {
      #expect { try bench.ledger.reader.export(to: name, Self.options) } throws: {
        ($0 as? LedgerError)?.code == .cannotCreate
      }
    }
    #expect(try Self.names(folder) == ["notes.txt"] && Self.names(like) == ["000001"])
  }

  @Test func `what is of another ledger, or of another kind, is not continued; in full, it gives way`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 42, count: 20).arrivals])
    let other = try LedgerBench([await RandomHistory(seed: 43, count: 20).arrivals])
    let folder = bench.folder.file("export")
    _ = try bench.ledger.reader.export(to: folder, Self.options)
    var others = Self.options
    others.partitions = 3
    var plain = Self.options
    plain.formats = [.csv]
    for (ledger, options) in [(other.ledger, Self.options), (bench.ledger, others), (bench.ledger, plain)] {
      #expect { try ledger.reader.export(to: folder, options) } throws: { ($0 as? LedgerError)?.code == .refusedEntry }
      #expect(try Self.names(folder) == ["000001"])
    }
    others.isFull = true
    let summary = try other.ledger.reader.export(to: folder, others)
    #expect(summary.isFull && summary.reason == .asked && summary.number == 2)
    #expect(try Self.names(folder) == ["000002"])
  }

  @Test func `what an interrupted export left is never read, and goes with the next one`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 44, count: 20).arrivals])
    let folder = bench.folder.file("export")
    _ = try bench.ledger.reader.export(to: folder, Self.options)
    let before = try ExportReader(folder, format: "csv").relations
    try FileManager.default.createDirectory(
      atPath: folder + "/.unfinished/original_transaction", withIntermediateDirectories: true)
    try bench.folder.write("half a ro", to: "export/.unfinished/original_transaction/part-00.csv")
    #expect(try ExportReader(folder, format: "csv").relations == before)
    // One is being written already.
    let lock = open(folder, O_RDONLY)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect { try bench.ledger.reader.export(to: folder, Self.options) } throws: { ($0 as? LedgerError)?.code == .busy }
    close(lock)
    let summary = try bench.ledger.reader.export(to: folder, Self.options)
    #expect(summary.number == 2 && !summary.isFull)
    #expect(try Self.names(folder) == ["000001", "000002"])
    // Only the last one has what the next one needs.
    let own = "for_next_export"
    #expect(try !Self.names(folder + "/000001").contains(own) && Self.names(folder + "/000002").contains(own))
  }

  @Test func `an export that cannot be finished leaves nothing, and what was there as it was`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 45, count: 20).arrivals])
    let folder = bench.folder.file("export")
    _ = try bench.ledger.reader.export(to: folder, Self.options)
    // The name that the next one is to get is taken.
    try FileManager.default.createDirectory(atPath: folder + "/000002/taken", withIntermediateDirectories: true)
    #expect { try bench.ledger.reader.export(to: folder, Self.options) } throws: {
      ($0 as? LedgerError)?.code == .cannotWrite
    }
    #expect(try Self.names(folder) == ["000001", "000002"])
    #expect(try Self.names(folder + "/000002") == ["taken"])
    try FileManager.default.removeItem(atPath: folder + "/000002")
    #expect(try bench.ledger.reader.export(to: folder, Self.options).number == 2)
  }

  @Test func `where a person was forgotten, the next export holds everything, and those that name them are gone`()
    async throws
  {
    let token = "5a6d2f0e-3c1b-4f7a-9e8d-0b1c2d3e4f5a"
    let receipt = TransactionFixture(
      "1", originalID: "1", day(0), day(30), extra: [("appAccountToken", "\"\(token)\"")])
    let bench = try LedgerBench([])
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    let item = await decoder.decode(Array(receipt.signed(day(1)).utf8))
    try bench.ledger.record(
      item.outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "test") })
    let folder = bench.folder.file("export")
    var options = Self.options
    options.isWithPayloads = true
    _ = try bench.ledger.reader.export(to: folder, options)
    func text() throws -> String {
      try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("part") || $0.contains("all.") }
        .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
    }
    #expect(try text().contains(token) && text().contains("originalTransactionId"))
    _ = try bench.ledger.erase(
      token, as: "forgotten-1", StaffAction(author: "anna", reason: "asked", enteredAt: day(2)))
    let summary = try bench.ledger.reader.export(to: folder, options)
    #expect(summary.isFull && summary.reason == .erasure)
    #expect(try Self.names(folder) == ["000002"] && !text().contains(token) && text().contains("forgotten-1"))
  }
}

import AppStore
import Foundation
import GRDB
import Ledger
import LedgerServer
import TestSupport
import Testing

/// What goes wrong around a server, and what is lost of it: nothing that was answered.
@Suite(.takesTurns) struct FaultTests {
  private static func decoder() throws -> PayloadDecoder {
    PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]))
  }

  private static func notification(_ number: Int, at signedAt: Instant = day(0)) throws -> String {
    try PayloadFixture.signedV2(
      "SUBSCRIBED", at: signedAt,
      transaction: TransactionFixture("t\(number)", originalID: "t\(number)", day(0), day(30)),
      chain: TestAuthority.sharedChain.get())
  }

  @Test func `one notification, sent very often at once, is one payload`() async throws {
    let bench = try await ServerBench(decoder: Self.decoder()) { day(1) }
    let text = try Self.notification(1)
    let (client, total) = (bench.client, SampleSize.pick(400, full: 3_000))
    let codes = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<100 {
        group.addTask {
          var codes: [Int] = []
          for _ in 0..<total / 100 { codes.append((try? await client.post("/apple/v2", text)) ?? 0) }
          return codes
        }
      }
      return await group.reduce(into: [Int: Int]()) { sums, codes in for code in codes { sums[code, default: 0] += 1 } }
    }
    // More than 64 at a time wait: the others are asked to come again.
    #expect(Set(codes.keys).isSubset(of: [200, 503]) && codes.values.reduce(0, +) == total, "\(codes)")
    #expect(try bench.column("SELECT COUNT(*) FROM payload WHERE kind = 'notification_v2'") == ["1"])
    try await bench.stop()
  }

  @Test func `with a clock that is days behind nothing is lost, and after its correction everything counts`()
    async throws
  {
    let box = WallClock(day(10))
    let bench = try await ServerBench(decoder: Self.decoder()) { box.now }
    #expect(try await bench.client.post("/apple/v2", Self.notification(1, at: day(10))) == 200)
    box.set(day(2))
    #expect(try await bench.client.post("/apple/v2", Self.notification(2, at: day(10))) == 200)
    #expect(try bench.reader.quarantined().map(\.reason.rawValue) == ["from_the_future"])
    box.set(day(11))
    #expect(try await bench.client.post("/apple/v2", Self.notification(3, at: day(11))) == 200)
    let recorder = try LedgerRecorder(path: bench.reader.path)
    var decoder = try Self.decoder()
    decoder.now = day(11)
    _ = try await recorder.retryQuarantine(decoder, now: day(11))
    recorder.close()
    #expect(try bench.column("SELECT COUNT(*) FROM payload WHERE kind = 'notification_v2'") == ["3"])
    #expect(try await bench.reader.audit() == [])
    try await bench.stop()
  }

  @Test func `a full disk is a 503, and the server stores again when there is space, without a restart`() async throws {
    let folder = try TemporaryFolder()
    let program = Program(folder: folder)
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    // A limit on the size of files, which the test lifts later, stands for the disk.
    let size = try FileManager.default.attributesOfItem(atPath: folder.file("l.sqlite"))[.size] as? Int ?? 0
    let server = try ProgramTests.Server(
      in: folder, ["--quarantine-bytes", "1GiB"], wrapper: "ulimit -S -f \(size / 1024 + 400)")
    var (stored, refused) = (0, 0)
    // The last of the space goes to the smallest.
    for length in [20_000, 5_000, 1_000, 1] {
      for number in 0..<1000 {
        let body = "{\"signedPayload\": \"eyJ\(number).\(String(repeating: "x", count: length)).\"}"
        let code = try await server.client.post("/apple/v2", body)
        #expect([200, 503].contains(code))
        if code == 503 { refused += 1 } else { stored += 1 }
        if code == 503 { break }
      }
    }
    #expect(stored > 3 && refused == 4)
    #expect(try await server.client.send("/healthz").status == 200)
    _ = try program.run(["--pid", "\(server.pid)", "--fsize=unlimited"], program: "/usr/bin/prlimit")
    #expect(try await server.client.post("/apple/v2", "{\"signedPayload\": \"eyJafter.a.b\"}") == 200)
    #expect(try await server.client.send("/readyz").status == 200)
    #expect(server.end(SIGTERM) == 0)
    let reader = try LedgerReader(path: folder.file("l.sqlite"))
    #expect(try reader.quarantined().count == stored + 1)
    #expect(try await reader.audit() == [])
  }

  @Test(arguments: [false, true])
  func `after the file was moved or replaced nothing is answered 200, and the server ends and says why`(
    isReplaced: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let server = try ProgramTests.Server(in: folder, [])
    #expect(try await server.client.post("/apple/v2", "{\"signedPayload\": \"eyJ1.a.b\"}") == 200)
    let path = folder.file("l.sqlite")
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("moved.sqlite"))
    if isReplaced { try FileManager.default.copyItem(atPath: folder.file("moved.sqlite"), toPath: path) }
    // The server may have ended already.
    let answer = try? await server.client.post("/apple/v2", "{\"signedPayload\": \"eyJ2.a.b\"}")
    #expect(answer == nil || answer == 503)
    #expect(try server.waitForEnd() != 0)
    #expect(try server.log().contains("was moved away or replaced"))
    #expect(FileManager.default.fileExists(atPath: path) == isReplaced)
  }

  @Test func `a schema that changed under the server makes it not ready at once, and ready again`() async throws {
    let bench = try await ServerBench(decoder: Self.decoder()) { day(1) }
    func alter(_ sql: String) async throws {
      // The server may be recording.
      var patient = Configuration()
      patient.busyMode = .timeout(Eventually.limit / .seconds(1))
      try await DatabaseQueue(path: bench.folder.file("l.sqlite"), configuration: patient)
        .writeWithoutTransaction { try $0.execute(sql: sql) }
    }
    // A newer command line would change more than this.
    try await alter("CREATE TRIGGER theirs AFTER INSERT ON payload BEGIN DELETE FROM origin; END")
    try await Eventually.isTrue { try await bench.client.send("/readyz").status == 503 }
    #expect(try await bench.client.post("/apple/v2", Self.notification(1)) == 503)
    #expect(try await bench.client.send("/healthz").status == 200)
    try await alter("DROP TRIGGER theirs")
    try await Eventually.isTrue { try await bench.client.send("/readyz").status == 200 }
    #expect(try await bench.client.post("/apple/v2", Self.notification(1)) == 200)
    try await bench.stop()
  }
}

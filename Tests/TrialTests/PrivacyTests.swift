import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

/// What is nobody else's business stays so: files are their owner's, a shared secret is nowhere, and messages tell no values.
@Suite(.takesTurns) struct PrivacyTests {
  static let secret = "5ha6edS3cret"

  /// Everything that came to be in a folder, and what was said.
  private func everything(_ folder: TemporaryFolder, but inputs: Set<String>) throws -> [UInt8] {
    var all = Data()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !inputs.contains(name) {
      all += try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }
    return [UInt8](all)
  }

  /// A notification of version 1 with the secret in it, in every way that one arrives, whole and broken.
  static let payloads: [String] = {
    let plain = PayloadFixture.v1("DID_RENEW", latest: [TransactionFixture(day(0), day(30))], environment: "PROD")
      .replacing("s3cret", with: secret)
    let text = HostileTests.json(plain)
    return [
      plain, plain.replacing("\"password\":", with: "\"password\" : "), plain.replacing(secret, with: secret + "\\\\"),
      plain.replacing("password", with: "pass\\u0077ord"),
      "{\"payload\":\(plain)}", "{\"payload\":\(text)}", "{\"payload\":\(text.replacing("\\\"", with: "\\u0022"))}",
      "{\"receivedAt\":\"never\",\"payload\":\(plain)}", "[\(plain)]", "[\(plain)", String(plain.dropLast(3)),
      plain + "}",
      "{\"payload\":\(text.dropLast(9))", "{\"payload\":\(text.replacing("\\\"", with: "\\u0022").dropLast(9))",
      plain.replacing("notification_type", with: "kind"), "{\"password\":\"\(secret)\"}", "\"password\": \"\(secret)\"",
      plain.replacing("\"bid\"", with: "\"password\":\"\(secret)\",\"bid\""),
      plain.replacing("\"PROD\"", with: "\"PROD\",\"latest_receipt_info\":[{\"password\":\"\(secret)\"}]"),
      plain.replacing("password", with: "PassWord"), plain.replacing("password", with: "PASSWORD"),
      plain.replacing("\"\(secret)\"", with: "[\"\(secret)\"]"),
      plain.replacing("\"\(secret)\"", with: "{\"a\":\"\(secret)\"}"),
      "{'password': '\(secret)', 'environment': 'PROD'}", "bid=b&password=\(secret)&environment=PROD",
      "{\"log\":\"body: bid=b&password=\(secret)\"}", "{\"log\":\"{'password': '\(secret)'}\"}",
      String(repeating: " ", count: 100) + plain.replacing("DID_RENEW", with: "LATER"),
    ]
  }()

  @Test func `a shared secret is in no file, no answer and no message`() async throws {
    let program = try Program()
    var inputs: Set<String> = []
    var stated = ""
    for (index, payload) in Self.payloads.enumerated() {
      _ = try program.folder.write(payload, to: "in\(index)")
      inputs.insert("in\(index)")
    }
    // As Windows writes it; and one that is too long to hold, and passes by on disk.
    try Data(Self.payloads[0].utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
      .write(to: URL(fileURLWithPath: program.folder.file("wide")))
    let long = Self.payloads[0].dropLast() + ",\"more\":\"" + String(repeating: "x", count: 33 << 20) + "\"}"
    _ = try program.folder.write(String(long), to: "long")
    inputs.formUnion(["wide", "long"])
    let environment = ["SUBLEDGER_DATABASE": program.folder.file("l.sqlite"), "TMPDIR": program.folder.path]
    func run(_ arguments: [String]) throws {
      let result = try program.run(arguments, environment: environment)
      stated += result.output + result.complaints
    }
    try run(["import"] + inputs.sorted())
    try run(["quarantine", "retry"])
    try run(["backup", "b.sqlite"])
    let ids = try LedgerReader(path: program.folder.file("l.sqlite")).quarantined().map(\.id)
    #expect(ids.count > 8)
    for id in ids where id < 40 { try run(["quarantine", "show", String(id)]) }
    try run(["query", "SELECT source FROM payload_text", "--format", "ndjson"])
    try run(["why", "t1", "--source"])
    #expect(stated.contains("notification_type"))
    let files = try everything(program.folder, but: inputs)
    #expect(files.count > 1_000_000)
    for text in [Array(stated.utf8), files] { #expect(!Self.hasSecret(text)) }
  }

  @Test func `canary: the secret would be found`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.payloads[0], to: "a")
    #expect(Self.hasSecret(try everything(folder, but: [])))
    #expect(Self.hasSecret([1] + Self.secret.utf8.flatMap { [0, $0] }))
  }

  /// Whether bytes contain the secret, in any encoding that puts zero bytes between its letters.
  private static func hasSecret(_ bytes: [UInt8]) -> Bool {
    let letters = Array(secret.utf8)
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      // memchr is quick also where nothing is optimised.
      while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
        let found = memchr(base, Int32(letters[0]), rest.count)
      {
        let offset = rest.startIndex + base.distance(to: found)
        if bytes[offset...].lazy.filter({ $0 != 0 }).starts(with: letters) { return true }
        rest = bytes[(offset + 1)...]
      }
      return false
    }
  }

  @Test func `ledgers, their logs, backups and what is restored are their owner's alone, whatever the mask`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(PayloadFixture.receipt(at: day(1), latest: [TransactionFixture(day(0), day(30))]), to: "in")
    let originalID =
      "umask 000; p='\(Program.path)'; $p import in --database l.sqlite; $p backup b.sqlite --database l.sqlite; "
      + "$p restore b.sqlite --database r.sqlite; $p restore b.sqlite --database l.sqlite --replace; "
      + "$p entitlements --database l.sqlite"
    #expect(try Shell.run(originalID, in: folder).code == 0)
    // A program that has the ledger open keeps its log beside it.
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(1))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("sqlite") }
    #expect(Set(names).isSuperset(of: ["l.sqlite", "l.sqlite-wal", "l.sqlite-shm", "b.sqlite", "r.sqlite"]))
    for name in names {
      let rights = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
      #expect(rights == 0o600, "\(name)")
    }
    ledger.close()
  }

  @Test func `an error of SQLite's has no bound values in it`() async throws {
    let program = try Program()
    let payload = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("1234567890", originalID: "987654321", day(0), day(30))])
    let path = program.folder.file("l.sqlite")
    #expect(try program.run(["import", "-", "--database", path], input: "").code == 0)
    for trap in [
      "CREATE TRIGGER trap BEFORE INSERT ON transaction_info BEGIN SELECT RAISE(ABORT, 'trapped'); END",
      "DROP TRIGGER trap; CREATE TRIGGER trap BEFORE INSERT ON original_transaction BEGIN INSERT INTO problem VALUES (1, NULL, 1, 1, 1); END",
      "DROP TRIGGER trap; CREATE TRIGGER trap BEFORE INSERT ON original_transaction BEGIN INSERT INTO delivery VALUES ('x', 1, 1, 1, 1); END",
    ] {
      try await DatabaseQueue(path: path).write { try $0.execute(sql: trap) }
      let result = try program.run(["import", "-", "--database", path], input: payload)
      #expect(result.code == 74 && !result.complaints.isEmpty)
      for value in ["1234567890", "987654321", "1767"] { #expect(!result.complaints.contains(value), "\(result)") }
    }
  }
}

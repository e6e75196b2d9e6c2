import AppStore
import AppStoreSimulator
import Foundation
import Ledger
import TestSupport
import Testing

/// A back end that posts the receipts of devices, while Apple answers or does not.
@Suite(.takesTurns) struct PostedReceiptTests {
  /// A server beside a local App Store, both as users run them.
  private struct Bench {
    let desk: Desk
    let port: Int
    let token: String
    let process: RunningProgram

    init(settings: [String: String] = [:]) async throws {
      desk = try Desk()
      let made = try desk.run([
        "tokens", "create", "app", "--scope", "ingest,metrics", "--author", "a", "--reason", "r",
      ])
      token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      process = try RunningProgram(
        ["run", "--listen", "127.0.0.1:0", "--drain", "0s", "--database", desk.folder.file("subledger.sqlite")],
        in: desk.folder, environment: desk.shop.settings.merging(settings) { $1 })
      port = try process.port()
    }

    func send(_ method: String, _ path: String, _ body: String = "") async throws -> Shop.Answer {
      try await Shop.send(
        method, "http://127.0.0.1:\(port)\(path)", body,
        headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")])
    }

    func post(_ receipt: String) async throws -> Shop.Answer {
      try await send("POST", "/v1/receipts", #"{"receipt-data": "\#(receipt)"}"#)
    }

    func receipt(_ environment: String = "Production") throws -> String {
      let row = try #require(try desk.shop.purchases().first { $0["environment"] as? String == environment })
      return try #require(row["receipt_data"] as? String)
    }

    /// Returns the state of what is asked of Apple.
    func apple() async throws -> Shop.Object {
      try #require(try await send("GET", "/status").object["apple"] as? Shop.Object)
    }

    func end() { _ = process.end() }
  }

  @Test(arguments: ["Production", "Sandbox"])
  func `a receipt is verified by the server itself, and Apple is asked later about its purchases`(
    environment: String
  ) async throws {
    let bench = try await Bench(settings: ["SUBLEDGER_NOTIFICATION_HISTORY": "off"])
    let receipt = try bench.receipt(environment)
    let answer = try await bench.post(receipt)
    #expect(answer.status == 200 && answer.text.contains(#""outcome": "recorded""#), "\(answer.text)")
    #expect(try await bench.post(receipt).text.contains(#""outcome": "duplicate""#))
    #expect(
      try bench.desk.query("SELECT kind, trust, environment FROM payload WHERE kind = 'app_receipt'")
        == "kind,trust,environment\napp_receipt,verified,\(environment)\n")
    #expect(
      try bench.desk.query("SELECT COUNT(*) FROM apple_request WHERE endpoint = 'verify_receipt'") == "COUNT(*)\n0\n")
    // Ten seconds later the server asks, and Apple's own statement is recorded too.
    try await Eventually.isTrue {
      try bench.desk.query("SELECT COUNT(*) FROM open_question WHERE reason = 'posted_transaction'") == "COUNT(*)\n0\n"
        && bench.desk.query("SELECT verdict FROM apple_request WHERE occasion = 'posted_transaction'")
          .contains("answered")
    }
    bench.end()
  }

  /// Returns the receipt of a device that this server cannot verify: the local App Store's, while its root is not trusted.
  private static func untrusting() throws -> [String: String] {
    ["SUBLEDGER_NOTIFICATION_HISTORY": "off", "SUBLEDGER_TRUST": ""]
  }

  @Test func `what the server cannot verify waits on disk while Apple is out of reach, and is asked about later`()
    async throws
  {
    let bench = try await Bench(settings: Self.untrusting())
    _ = try await bench.desk.shop.admin(
      "POST", "faults", #"{"fault":"503","endpoint":"verify_receipt","requests":1}"#)
    let answer = try await bench.post(bench.receipt())
    #expect(answer.status == 202, "\(answer.text)")
    #expect(answer.text.contains(#"{"outcome": "waiting", "reason": "try_again"}"#), "\(answer.text)")
    // After ten seconds Apple is asked again, and then the receipt is not stored apart any more.
    try await Eventually.isTrue {
      try bench.desk.query("SELECT COUNT(*) FROM open_question WHERE reason = 'posted_receipt'") == "COUNT(*)\n0\n"
    }
    #expect(try bench.desk.query("SELECT COUNT(*) FROM payload WHERE kind = 'verify_receipt'") != "COUNT(*)\n0\n")
    #expect(try bench.desk.query("SELECT COUNT(*) FROM payload WHERE kind = 'app_receipt'") == "COUNT(*)\n0\n")
    bench.end()
  }

  @Test func `what Apple never accepts is refused with its code, and a wrong secret is the server's own trouble`()
    async throws
  {
    let bench = try await Bench()
    let receipt = try bench.receipt()
    let changed = receipt.dropLast(40) + String(repeating: "A", count: 20) + receipt.suffix(20)
    let wrong = try await bench.post(String(changed))
    #expect(wrong.status == 422 && wrong.text.contains("(status 21003)"), "\(wrong.text)")
    for body in [#"{"receipt-data": "a b"}"#, #"{"receipt-data": 7}"#, #"{"receipt-data": "AAAA", "password": "s"}"#] {
      let answer = try await bench.send("POST", "/v1/receipts", body)
      #expect(answer.status == 400, "\(body): \(answer.text)")
    }
    bench.end()
    let file = try bench.desk.folder.write("wr0ng", to: "wrong")
    let other = try await Bench(
      settings: Self.untrusting().merging(["SUBLEDGER_SHARED_SECRET": "com.example.meditation=\(file)"]) { $1 })
    let late = try await other.post(other.receipt())
    #expect(late.status == 202 && late.text.contains("wrong_settings"), "\(late.text)")
    let failures = try await other.apple()["failures"]
    #expect(failures != nil)
    other.end()
  }

  @Test func `a server without a key verifies receipts too, and asks nothing`() async throws {
    let bench = try await Bench(settings: ["SUBLEDGER_APPLE_KEY_FILE": ""])
    let answer = try await bench.post(bench.receipt())
    #expect(answer.status == 200 && answer.text.contains(#""outcome": "recorded""#), "\(answer.text)")
    let wrong = try await bench.post("AAAA")
    #expect(wrong.status == 400 && wrong.text.contains("receipt-data"), "\(wrong.text)")
    #expect(try await bench.send("GET", "/status").object["apple"] is NSNull)
    bench.end()
  }

  @Test func `a server that asks Apple writes no key, no shared secret and no token, also where it fails`() async throws
  {
    let bench = try await Bench(settings: ["SUBLEDGER_TRUST": ""])
    for fault in ["401", "503", "empty"] {
      _ = try await bench.desk.shop.admin("POST", "faults", #"{"fault": "\#(fault)", "requests": 2}"#)
      #expect(try await bench.post(bench.receipt()).status == 202)
    }
    try await Eventually.isTrue { try await bench.apple()["failures"] as? [String] != [] }
    var written = [try await bench.send("GET", "/status").text, try await bench.send("GET", "/metrics").text]
    bench.end()
    written.append(try bench.process.text())
    #expect(written[2].contains("Apple could not be asked") || written[2].contains("could not be walked"))
    let folder = bench.desk.folder
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("subledger.sqlite") {
      written.append(
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.file(name))), as: Unicode.ASCII.self))
    }
    #expect(written.count >= 4)
    let settings = bench.desk.shop.settings
    let key = try String(contentsOfFile: settings["SUBLEDGER_APPLE_KEY_FILE"] ?? "", encoding: .utf8)
    let secrets = key.split(separator: "\n").filter { !$0.hasPrefix("-") }.map(String.init)
    for secret in secrets + [LocalAppStore.sharedSecret, bench.token, "Bearer "] {
      #expect(!written.contains { $0.contains(secret) })
    }
  }
}

import AppStore
import Foundation
import GRDB
import TestSupport
import Testing

/// A local App Store, and the program with its settings.
struct Desk {
  let folder: TemporaryFolder
  let shop: Shop
  let program: Program

  init(_ arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    shop = try Shop(
      ["--customers", "6", "--seed", "7", "--sandbox-customers", "3", "--from", "2024-01-01", "--to", "2024-06-01"]
        + arguments, in: folder
    )
    program = Program(folder: folder)
  }

  /// Runs a command of the server's program with the settings of the shop.
  func run(_ arguments: [String], settings: [String: String] = [:]) throws -> Program.Result {
    try program.run(
      arguments, environment: shop.settings.merging(settings) { $1 }, program: RunningProgram.server)
  }

  func fetch(_ arguments: [String], settings: [String: String] = [:]) throws -> Program.Result {
    try run(["fetch"] + arguments, settings: settings)
  }

  func query(_ sql: String) throws -> String {
    try program.run(["query", "--format", "csv", sql]).output
  }

  func id(_ environment: String) throws -> String {
    let row = try #require(try shop.purchases().first { $0["environment"] as? String == environment })
    return try #require(row["original_transaction_id"] as? String)
  }
}

/// `subledger-server fetch` beside a local App Store, as a person uses it.
@Suite(.takesTurns) struct FetchTests {
  @Test func `a question is asked, recorded and printed in one run, and a second time nothing changes`() throws {
    let desk = try Desk()
    let id = try desk.id("Production")
    let first = try desk.fetch(["statuses", id])
    #expect(first.code == 0 && first.complaints.isEmpty, "\(first)")
    #expect(first.output.contains("Asked Apple's production server: GET /inApps/v1/subscriptions/\(id) (1 page)."))
    #expect(first.output.contains("1 payload: 1 recorded, 0 duplicates, 0 in quarantine; 0 problems.\n"))
    #expect(first.output.contains("\(id) (") && first.output.contains("was unknown to the ledger, is "))
    let second = try desk.fetch(["statuses", id])
    #expect(second.code == 0 && second.output.contains("unchanged.") && !second.output.contains("was "), "\(second)")
    #expect(try desk.query("SELECT COUNT(*) FROM payload WHERE kind = 'subscription_statuses'").contains("2"))
  }

  @Test func `each question records what Apple answers`() throws {
    let desk = try Desk()
    let id = try desk.id("Production")
    for command in ["transaction", "history", "refunds", "app-transaction"] {
      let result = try desk.fetch([command, id])
      #expect(result.code == 0 && result.output.contains(" 0 in quarantine"), "\(result)")
    }
    let notifications = try desk.fetch(["notifications", "--from", "2024-01-01", "--to", "2024-06-01"])
    #expect(notifications.code == 0, "\(notifications)")
    #expect(
      try desk.query("SELECT DISTINCT kind FROM payload ORDER BY kind").split(separator: "\n").dropFirst()
        == [
          "app_transaction_info", "notification_history", "notification_v2", "refund_history", "transaction_history",
          "transaction_info",
        ])
  }

  @Test func `the sandbox answers for what production does not know, and marks it`() throws {
    let desk = try Desk()
    let result = try desk.fetch(["transaction", try desk.id("Sandbox")])
    #expect(result.code == 0 && result.output.hasPrefix("Asked Apple's sandbox server"), "\(result)")
    #expect(result.complaints == "production: unknown transaction (4040010)\n")
    #expect(try desk.query("SELECT environment FROM payload").contains("Sandbox"))
  }

  @Test func `a receipt is verified with the shared secret, which is written nowhere`() throws {
    let desk = try Desk()
    let row = try #require(try desk.shop.purchases().first { $0["environment"] as? String == "Sandbox" })
    let receipt = try #require(row["receipt_data"] as? String)
    let file = try desk.folder.write(receipt + "\n", to: "receipt")
    let setting = try #require(desk.shop.settings["SUBLEDGER_SHARED_SECRET"]).split(separator: "=")
    let secretFile = String(setting[1])
    let secret = try String(contentsOfFile: secretFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    let dry = try desk.fetch(["receipt", file, "--dry-run"])
    #expect(dry.output.hasPrefix("POST http://127.0.0.1:") && dry.output.contains("\"password\":\"***"), "\(dry)")
    let asked = try desk.fetch(["receipt", file])
    #expect(asked.code == 0 && asked.output.hasPrefix("Asked Apple's sandbox server: POST /verifyReceipt"), "\(asked)")
    let wrong = try desk.folder.write("wrong-s3cr3t", to: "wrong")
    let refused = try desk.fetch(["receipt", file, "--shared-secret", "\(setting[0])=\(wrong)"])
    #expect(refused.code == 1 && refused.complaints.contains("Check the app's shared secret."), "\(refused)")
    let texts = [dry, asked, refused].map { $0.output + $0.complaints }
    let ledger = try Data(contentsOf: URL(fileURLWithPath: desk.folder.file("subledger.sqlite")))
    for hidden in [secret, "wrong-s3cr3t"] {
      #expect(!texts.contains { $0.contains(hidden) } && ledger.range(of: Data(hidden.utf8)) == nil)
    }
  }

  @Test func `a dry run prints the request and sends nothing`() async throws {
    let desk = try Desk()
    let result = try desk.fetch(["history", "12", "--environment", "sandbox", "--dry-run"])
    #expect(result.output == "GET \(desk.shop.sandbox)/inApps/v2/history/12\n", "\(result)")
    #expect(!FileManager.default.fileExists(atPath: desk.folder.file("subledger.sqlite")))
    #expect(try await desk.shop.admin("GET", "requests").text.contains("/inApps/") == false)
  }

  struct Wrong: Sendable {
    let arguments: [String]
    var settings: [String: String] = [:]
    let code: Int32
    let words: String
  }

  static let wrong: [Wrong] = [
    Wrong(arguments: ["transaction", "5"], code: 1, words: "Neither production nor the sandbox knows this id."),
    Wrong(arguments: ["transaction", "5/6"], code: 64, words: "The transaction id is not usable."),
    Wrong(arguments: ["order", "a/b"], code: 64, words: "The order id is not usable."),
    Wrong(arguments: ["order", "NONE"], code: 1, words: "No order of this app has this id."),
    Wrong(arguments: ["transaction", "5", "--environment", "xcode"], code: 64, words: "Write production or sandbox."),
    Wrong(arguments: ["receipt", "missing"], code: 1, words: "Cannot read the receipt missing."),
    Wrong(
      arguments: ["notifications", "--from", "2024-06-01", "--to", "2024-01-01"], code: 64,
      words: "Name one after its start."),
    Wrong(
      arguments: ["transaction", "5"], settings: ["SUBLEDGER_APPLE_KEY_ID": ""], code: 1,
      words: "a setting is missing: --apple-key-id or SUBLEDGER_APPLE_KEY_ID."),
    Wrong(
      arguments: ["transaction", "5"],
      settings: ["SUBLEDGER_APPLE_KEY_FILE": "", "SUBLEDGER_APPLE_ISSUER_ID": ""], code: 1,
      words: "SUBLEDGER_APPLE_KEY_FILE; --apple-issuer-id or SUBLEDGER_APPLE_ISSUER_ID."),
    Wrong(
      arguments: ["transaction", "5"], settings: ["SUBLEDGER_BUNDLE_ID": ""], code: 1, words: "and none is named"),
    Wrong(
      arguments: ["transaction", "5", "--apple-key-file", "missing"], code: 1,
      words: "'missing' (--apple-key-file) is not usable."),
    Wrong(
      arguments: ["transaction", "5", "--apple-issuer-id", "me"], code: 1, words: "(--apple-issuer-id) is not usable."),
    Wrong(
      arguments: ["transaction", "5"], settings: ["SUBLEDGER_APPLE_API_URL": "http://user:pa55@10.0.0.1"], code: 1,
      words: "SUBLEDGER_APPLE_API_URL is not usable."),
    Wrong(
      arguments: ["transaction", "5", "--apple-api-url", "http://10.0.0.1"], code: 1, words: "sent without TLS"),
    Wrong(
      arguments: ["transaction", "5"], settings: ["SUBLEDGER_BUNDLE_ID": "com.other"], code: 1,
      words: "Check the bundle id"),
    Wrong(
      arguments: ["transaction", "5"], settings: ["SUBLEDGER_APPLE_KEY_ID": "OTHER"], code: 1,
      words: "was not revoked in App Store Connect"),
  ]

  @Test func `what cannot be asked is refused with the setting or the id at fault, and nothing is recorded`() throws {
    let desk = try Desk()
    for row in Self.wrong {
      let result = try desk.fetch(row.arguments, settings: row.settings)
      #expect(result.code == row.code && result.complaints.contains(row.words), "\(row) \(result)")
      #expect(result.output.isEmpty && !result.complaints.contains("pa55") && !result.complaints.contains("Bearer"))
    }
    #expect(!FileManager.default.fileExists(atPath: desk.folder.file("subledger.sqlite")))
  }

  @Test func `a check of the settings includes those for requests to Apple`() throws {
    let desk = try Desk()
    #expect(try desk.run(["config", "check"]).code == 0)
    let wrong = try desk.run(["config", "check"], settings: ["SUBLEDGER_APPLE_KEY_FILE": "missing"])
    #expect(wrong.code == 1 && wrong.complaints.contains("'missing' (SUBLEDGER_APPLE_KEY_FILE)"), "\(wrong)")
  }

  @Test func `an answer that is not Apple's leaves nothing in the ledger`() async throws {
    let desk = try Desk()
    _ = try await desk.shop.admin("POST", "faults", #"{"fault":"empty","requests":9}"#)
    let result = try desk.fetch(["transaction", "5", "--environment", "production"])
    #expect(result.code == 1 && result.complaints.contains("no proxy answers in its place"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: desk.folder.file("subledger.sqlite")))
    // Where there is a ledger, the request is in it.
    _ = try await desk.shop.admin("DELETE", "faults")
    #expect(try desk.fetch(["transaction", try desk.id("Production")]).code == 0)
    #expect(try desk.fetch(["transaction", "5", "--environment", "production"]).code == 1)
    #expect(
      try desk.query("SELECT occasion, endpoint, http_status, error_code, verdict, recorded_count FROM apple_request")
        == """
        occasion,endpoint,http_status,error_code,verdict,recorded_count
        command,transaction_info,200,,answered,1
        command,transaction_info,404,4040010,unknown_transaction,0

        """)
  }
}

/// The commands by which Apple does something, beside a local App Store.
@Suite(.takesTurns) struct ActTests {
  @Test func `a test notification arrives, or the reason and what to check are named`() throws {
    // A program of its own: here, other tests may block the threads that would answer.
    let folder = try TemporaryFolder()
    let server = try RunningProgram(
      ["run", "--listen", "127.0.0.1:0", "--database", folder.file("l.sqlite"), "--drain", "0s"], in: folder)
    let webhook = ["--webhook", "http://127.0.0.1:\(try server.port())/apple/v2"]
    let arrived = try Desk(webhook).run(["test-notification"])
    #expect(arrived.code == 0, "\(arrived)")
    #expect(arrived.output.contains(/It arrived after \d+ ms\./), "\(arrived)")
    server.end()
    let failed = try Desk(webhook).run(["test-notification"])
    #expect(failed.code == 1 && failed.output.contains("It did not arrive: "), "\(failed)")
    #expect(failed.output.contains("Check the address in App Store Connect"), "\(failed)")
    let unset = try Desk().run(["test-notification"])
    #expect(unset.code == 1 && unset.complaints.contains("has no address for notifications"), "\(unset)")
  }

  @Test func `a renewal date is extended once per wish, and the ledger has the new end`() async throws {
    let desk = try Desk()
    let bought = try await desk.shop.admin("POST", "actions", #"{"customer": "user-000003", "action": "buy monthly"}"#)
    let id = try #require(bought.text.firstMatch(of: /"original_transaction_id":"(\d+)"/)?.1).description
    // A free trial cannot be extended.
    _ = try await desk.shop.admin("POST", "clock", #"{"advance": "P20D"}"#)
    let dry = try desk.run(["extend", id, "--days", "10", "--request-identifier", "w1", "--dry-run"])
    #expect(dry.output.contains(#"{"extendByDays":10,"extendReasonCode":0,"requestIdentifier":"w1"}"#), "\(dry)")
    var ends: Set<String> = []
    for _ in 1...2 {
      let result = try desk.run([
        "extend", id, "--days", "10", "--reason", "service-issue", "--request-identifier", "w1",
      ])
      #expect(result.code == 0 && result.output.contains("Asked Apple's production server: GET"), "\(result)")
      ends.insert(String(try #require(result.output.firstMatch(of: /It renews at ([^.]*)\./)?.1)))
    }
    #expect(ends.count == 1)
    let refused = try desk.run(["extend", "1", "--days", "10"])
    #expect(refused.code == 1 && refused.output.isEmpty, "\(refused)")
    for wrong in [["extend", id, "--days", "91"], ["extend", "x/y", "--days", "1"], ["extend", id]] {
      #expect(try desk.run(wrong).code == 64)
    }
  }

  @Test func `the ledger's own evidence says in which environment to act`() throws {
    let desk = try Desk()
    let id = try desk.id("Sandbox")
    let token = "7e3fb204-0000-4000-8000-0123456789ab"
    #expect(try desk.run(["set-account-token", id, token]).code == 1)
    #expect(try desk.run(["fetch", "statuses", id]).code == 0)
    let set = try desk.run(["set-account-token", id, token])
    #expect(set.code == 0 && set.output.hasPrefix("Asked Apple's sandbox server: PUT"), "\(set)")
    #expect(try desk.run(["set-account-token", id, "me"]).code == 64)
  }

  @Test func `where a failure of Apple's cannot be recorded, both failures are printed`() throws {
    let desk = try Desk()
    #expect(try desk.fetch(["statuses", desk.id("Production")]).code == 0)
    try DatabaseQueue(path: desk.folder.file("subledger.sqlite")).write {
      try $0.execute(sql: "DROP TRIGGER payload_refuses_delete")
    }
    let failed = try desk.fetch(["statuses", "404"])
    let message = failed.complaints
    #expect(failed.code != 0 && message.contains("server answered with 404"), "\(failed)")
    #expect(message.contains("After that: Somebody changed the schema"), "\(failed)")
  }

  @Test func `consumption is sent only with consent, and within Apple's rules`() throws {
    let desk = try Desk()
    let id = try desk.id("Production")
    let without = try desk.run(["send-consumption", id])
    #expect(without.code == 64 && without.complaints.contains("--customer-consented"), "\(without)")
    let sent = try desk.run(["send-consumption", id, "--customer-consented", "--preference", "decline"])
    #expect(sent.code == 0 && sent.output.contains("Apple has the answer."), "\(sent)")
    #expect(try desk.run(["send-consumption", id, "--customer-consented", "--consumed", "101"]).code == 64)
    #expect(
      try desk.run(["send-consumption", id, "--customer-consented", "--delivery", "wrong-item", "--consumed", "5"]).code
        == 64)
  }
}

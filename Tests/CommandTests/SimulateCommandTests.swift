import Foundation
import AppStoreSimulator
import TestSupport
import Testing

/// `subledger simulate`, used as its users do.
@Suite(.takesTurns) struct SimulateCommandTests {
  @Test func `a scenario on standard output goes straight into import, and the story can be read`() throws {
    let program = try Program()
    let reported = try program.run(["simulate", "--scenario", "grace-recovered", "--payload-format", "receipt"])
    #expect(reported.code == 0 && reported.complaints.isEmpty)
    #expect(reported.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"receivedAt\":\"20") })
    let imported = try program.run(["import", "-"], input: reported.output)
    #expect(imported.output.hasPrefix("4 payloads: 4 recorded, 0 duplicates, 0 in quarantine; 0 problems"))
    let line = try #require(reported.output.firstMatch(of: /"original_transaction_id":"(\d+)"/)?.1)
    let history = try program.run(["history", String(line), "--as-of", "2024-04-01"])
    #expect(history.output.contains("Payment failed; access continues until"))
    #expect(try program.run(["audit"]).output == "OK: no problems found.\n")
  }

  @Test func `a folder holds payloads, products, the authority and the truth, and the ledger agrees with it`() throws {
    let program = try Program()
    let customers = SampleSize.pick(10, full: 25)
    let arguments = [
      "simulate", "--seed", "7", "--customers", "\(customers)", "--out", "world", "--payload-format",
      "v2,client-events",
    ]
    let made = try program.run(arguments)
    #expect(made.code == 0, "\(made.complaints)")
    #expect(made.output.contains("Next: subledger import world/payloads --trust world/authority/root.pem"))
    let untrusted = try program.run(["import", "world/payloads/v2.ndjson", "--database", "other.sqlite"])
    #expect(untrusted.code == 65)
    #expect(
      try program.run(["import", "world/payloads", "--trust", "world/authority/root.pem"]).code == 0)
    #expect(try program.run(["products", "import", "world/products.json"]).code == 0)
    #expect(try program.run(["audit", "--signatures", "--trust", "world/authority/root.pem"]).code == 0)
    // The last word of the truth about each line is the ledger's word.
    let truth = try String(contentsOfFile: program.folder.file("world/truth.ndjson"), encoding: .utf8)
    var last: [String: String] = [:]
    for line in truth.split(separator: "\n") {
      let match = try #require(
        line.firstMatch(of: /"original_transaction_id": "(\d+)".*"state": "(\w+)", "product_id": "([^"]+)"/))
      last[String(match.1)] = "\(match.2),\(match.3)"
    }
    let asked = try program.run([
      "query", "SELECT original_transaction_id, state, product_id FROM entitlement", "--as-of", "2025-12-31",
      "--format", "csv",
    ])
    for row in asked.output.split(separator: "\n").dropFirst() {
      let cells = row.split(separator: ",", maxSplits: 1)
      #expect(last[String(cells[0])] == String(cells[1]))
    }
    #expect(last.count >= customers)
    let permissions = try FileManager.default.attributesOfItem(
      atPath: program.folder.file("world/authority/key.pem"))
    #expect((permissions[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `the same arguments write the same bytes, and the authority is stored`() throws {
    let program = try Program()
    func run(_ folder: String) throws -> [String: Data] {
      let made = try program.run([
        "simulate", "--seed", "3", "--customers", "10", "--payload-format", "receipt,v1,v2", "--deliver",
        "shuffled,late=0.2",
        "--out", folder,
      ])
      #expect(made.code == 0, "\(made.complaints)")
      var files: [String: Data] = [:]
      for name in [
        "payloads/receipt.ndjson", "payloads/v1.ndjson", "truth.ndjson", "products.json", "authority/root.pem",
      ] {
        files[name] = try Data(contentsOf: URL(fileURLWithPath: program.folder.file("\(folder)/\(name)")))
      }
      return files
    }
    let first = try run("a")
    #expect(try run("a") == first)
    let other = try run("b").filter { $0.key != "authority/root.pem" }
    #expect(other == first.filter { $0.key != "authority/root.pem" })
  }

  @Test func `signed texts on standard output are signed by an authority that is made once`() throws {
    let program = try Program()
    let reported = try program.run(["simulate", "--scenario", "refund"])
    #expect(reported.complaints == "Signed by a test authority. Import with --trust simulated-authority/root.pem\n")
    let again = try program.run(["simulate", "--scenario", "upgrade"])
    let both = reported.output + again.output
    let imported = try program.run(["import", "-", "--trust", "simulated-authority/root.pem"], input: both)
    #expect(imported.code == 0, "\(imported.complaints)")
  }

  @Test func `lists tell the scenarios and the rates`() throws {
    let program = try Program()
    let scenarios = try program.run(["simulate", "--scenario", "list"]).output
    for scenario in Scenario.all { #expect(scenarios.contains(scenario.name + " ")) }
    let rates = try program.run(["simulate", "--rate", "list"]).output
    #expect(rates.split(separator: "\n").count == Rate.allCases.count)
    #expect(rates.contains("payment-failure=0.06"))
  }

  @Test func `a run that was interrupted may be run again, and a world without words says so`() throws {
    let program = try Program()
    // The system ends it after a second of processor time, in which it cannot write so much.
    let arguments = "simulate --customers 30000 --out w --payload-format receipt"
    #expect(try GuideTests.run("(ulimit -t 1; subledger \(arguments)); echo $?", in: program.folder).hasSuffix("137\n"))
    #expect(!FileManager.default.fileExists(atPath: program.folder.file("w/truth.ndjson")))
    #expect(try program.run(["simulate", "--out", "w", "--payload-format", "receipt"]).code == 0)
    let silent = try program.run(["simulate", "--scenario", "ask-to-buy-declined", "--payload-format", "receipt"])
    #expect(silent.code == 0 && silent.output.isEmpty)
    #expect(silent.complaints == "This simulation produced no messages in the chosen formats.\n")
  }

  @Test func `several scenarios are reported to one ledger, each with a line of its own`() throws {
    let program = try Program()
    var lines = Set<Substring>()
    for name in ["refund", "resubscribed", "cancelled", "upgrade"] {
      let reported = try program.run(["simulate", "--scenario", name, "--payload-format", "receipt"]).output
      lines.insert(try #require(reported.firstMatch(of: /"original_transaction_id":"(\d+)"/)?.1))
    }
    #expect(lines.count == 4)
  }

  static let mistakes: [([String], Int32, String)] = [
    (["--customers", "0"], 64, "1 to 1000000 customers, not 0"),
    (["--customers", "1000001"], 64, "1 to 1000000 customers"),
    (["--from", "2026-01-02", "--to", "2026-01-01"], 64, "before it begins"),
    (["--scenario", "happy-end"], 64, "No scenario has the name 'happy-end'"),
    (["--payload-format", "v3"], 64, "v3 is not a format"),
    (["--payload-format", ""], 64, "--payload-format names no format"),
    (["--deliver", "late=2"], 64, "a share between 0 and 1"),
    (["--renewal-rate", "5s"], 64, "is not a renewal rate"),
    (["--rate", "luck=1"], 64, "is not a rate"),
    (["--grace-period", "5"], 64, "0, 3, 16 or 28"),
    (["--products", "none.json"], 66, "Cannot read none.json"),
    (["--products", "coins.json"], 65, "has no auto-renewable subscription"),
    (["--products", "broken.json"], 65, "not JSON"),
    (
      ["--products", "plain.json", "--scenario", "upgrade", "--payload-format", "v1"], 1, "needs two levels of service"
    ),
    (["--out", "full"], 73, "has files that no simulation made"),
    (["--database", "l.sqlite"], 64, "--database goes with --interactive"),
    (["--interactive", "--customers", "2"], 64, "--interactive has one customer"),
  ]

  @Test(arguments: mistakes)
  func `what makes no sense is refused in words, and nothing is written`(
    _ arguments: [String], _ code: Int32, _ words: String
  ) throws {
    let program = try Program()
    try program.folder.write("[{\"product_id\":\"coins\",\"type\":\"Consumable\"}]", to: "coins.json")
    try program.folder.write("[{", to: "broken.json")
    try program.folder.write(
      "[{\"product_id\":\"p\",\"type\":\"Auto-Renewable Subscription\",\"group\":\"g\",\"period\":\"P1M\"}]",
      to: "plain.json")
    try FileManager.default.createDirectory(atPath: program.folder.file("full"), withIntermediateDirectories: true)
    try program.folder.write("mine", to: "full/mine.txt")
    let before = try FileManager.default.subpathsOfDirectory(atPath: program.folder.path).sorted()
    let result = try program.run(["simulate"] + arguments)
    #expect(result.code == code, "\(result.complaints)")
    #expect(result.output.isEmpty)
    #expect(result.complaints.contains(words), "\(result.complaints)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: program.folder.path).sorted() == before)
  }

  // MARK: Interactive

  @Test func `at a terminal: each step is shown and recorded, a mistake changes nothing, and the states are reported`()
    throws
  {
    let program = try Program()
    let terminal = try PseudoTerminal(
      ["simulate", "--interactive", "--from", "2026-01-01", "--database", "l.sqlite"], in: program.folder)
    try terminal.expect("nothing bought> ")
    try terminal.type("payloads off")
    try terminal.type("refund")
    try terminal.expect("subledger: the customer has no subscription yet.")
    try terminal.type("buy family")
    try terminal.expect("SUBSCRIBED INITIAL_BUY: now active")
    try terminal.expect("the ledger says active (rule covered)")
    try terminal.type("resolve")
    try terminal.expect("no payment has failed.")
    try terminal.type("fail")
    try terminal.expect("Apple sends no message about it.")
    try terminal.type("wait end")
    try terminal.expect("DID_FAIL_TO_RENEW GRACE_PERIOD: now grace_period")
    try terminal.expect("the ledger says grace_period (rule grace)")
    try terminal.type("wait 20d")
    try terminal.expect("the ledger says billing_retry (rule retry)")
    try terminal.type("resolve")
    try terminal.expect("DID_RENEW BILLING_RECOVERY: now active")
    try terminal.type("refund app")
    try terminal.expect("the ledger says revoked (rule revoked)")
    try terminal.expect("revoked> ")
    try terminal.type("quit")
    try terminal.expect("messages sent by 2026-02-2")
    #expect(terminal.end() == 0)
    let states = try program.run(["entitlements", "--as-of", "2026-02-10", "--format", "csv", "--database", "l.sqlite"])
    #expect(states.output.contains(",grace_period,"))
  }

  @Test func `from a script: what Apple sends is shown, and the first mistake ends it`() throws {
    let program = try Program()
    let arguments = ["simulate", "--interactive", "--from", "2026-01-01", "--out", "steps"]
    let script = "buy monthly\nwait next\ncancel\nwait end\nstate\n"
    let played = try program.run(arguments, input: script)
    #expect(played.code == 0, "\(played.complaints)")
    for words in [
      "> buy monthly", "SUBSCRIBED INITIAL_BUY: now active", "\"offerDiscountType\":\"FREE_TRIAL\"",
      "DID_RENEW: now active",
      "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
    ] { #expect(played.output.contains(words), "\(words)") }
    let imported = try program.run(["import", "steps/payloads", "--trust", "steps/authority/root.pem"])
    #expect(imported.output.hasPrefix("4 payloads: 4 recorded"))
    let wrong = try program.run(["simulate", "--interactive"], input: "buy gold\nbuy monthly\n")
    #expect(wrong.code == 1)
    #expect(wrong.complaints.contains("'gold' is not sold"))
    #expect(!wrong.output.contains("SUBSCRIBED"))
  }
}

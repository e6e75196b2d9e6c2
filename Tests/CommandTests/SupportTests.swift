import AppStore
import Foundation
import TestSupport
import Testing

/// The questions that support is asked, each answered by a command.
@Suite(.takesTurns) struct SupportTests {
  static func ask(_ program: Program, _ arguments: String, asOf: Double, knownAt: Double? = nil) throws -> String {
    var all = arguments.split(separator: " ").map(String.init) + ["--as-of", "\(day(asOf))"]
    if let knownAt { all += ["--known-at", "\(day(knownAt))"] }
    let result = try program.run(all)
    return result.output + result.complaints
  }

  /// Every phrase must be in the answer.
  static func expect(_ answer: String, _ phrases: String..., location: SourceLocation = #_sourceLocation) {
    for phrase in phrases {
      #expect(answer.contains(phrase), "\(phrase) is not in:\n\(answer)", sourceLocation: location)
    }
  }

  @Test func `She paid, why is she locked out? - A payment failed, and grace is over`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show ada", asOf: 40), "pro  yes, until 2026-02-16 00:00:00Z",
      "Payment failed; access continues until 2026-02-16 00:00:00Z")
    Self.expect(
      try Self.ask(program, "show ada", asOf: 50), "pro  NO, it ended on 2026-02-16 00:00:00Z: billing retry",
      "Rule       retry.",
      "Apple still tries to collect it")
  }

  @Test func `She paid, why is she locked out? - In the Sandbox, which is no real purchase`() throws {
    let program = try SupportStory.program()
    Self.expect(try Self.ask(program, "show bea", asOf: 10), "*** SANDBOX: NO REAL PURCHASE ***", "*** SANDBOX ***")
    let check = try program.run(["check", "bea", "pro", "--as-of", "\(day(10))"])
    #expect(check.code == 1 && check.output.hasPrefix("{\"has_access\": false, \"state\": null"))
    #expect(try program.run(["check", "bea", "pro", "--as-of", "\(day(10))", "--environment", "sandbox"]).code == 0)
  }

  @Test func `She paid, why is she locked out? - Another user of the app owns the subscription`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show 3001", asOf: 10), "2 customers claim this purchase. Decide whose it is.",
      "cleo, linked by anna: asked", "\(SupportStory.token), by its app account token")
    // Decided: it was the token's, and is cleo's.
    let transfer = try program.run([
      "customers", "transfer", "3001", "--from-customer", SupportStory.token.uppercased(), "--to-customer", "cleo",
      "--author",
      "anna", "--reason",
      "one person",
      "--at", "\(day(3))",
    ])
    #expect(transfer.code == 0, "\(transfer.complaints)")
    let after = try Self.ask(program, "show 3001", asOf: 10)
    #expect(!after.contains("customers claim this purchase"))
    Self.expect(
      try Self.ask(program, "show \(SupportStory.token)", asOf: 10), "Gave 3001 to cleo", "Purchases  none known.")
    Self.expect(try Self.ask(program, "show cleo", asOf: 10), "Took over 3001 from \(SupportStory.token)")
  }

  @Test func `She paid, why is she locked out? - Paid on the device, never verified here`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show ida", asOf: 21),
      "monthly: paid unfinished; paid on the device, never in the evidence",
      "Purchases  none known.")
    Self.expect(
      try Self.ask(program, "attempts --customer ida", asOf: 21), "8001", "paid on the device, never in the evidence")
    #expect(try program.run(["check", "ida", "pro"]).code == 2)
  }

  @Test func `He cancelled, why is he still in? - Renewal is off; access lasts until the period's end`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show hal", asOf: 10), "Access     yes, active. Has access until 2026-02-03 00:00:00Z.",
      "Ends on 2026-02-03 00:00:00Z: renewal is turned off.", "Renewal was turned off")
  }

  @Test func `Was it refunded? - Which period, by whom, how much, and whether one is asked for`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show 5001", asOf: 20), "Access     NO, revoked.",
      "Refunded by Apple on 2026-01-12 00:00:00Z because of a problem in the app: the period 2026-01-05 00:00:00Z to "
        + "2026-02-04 00:00:00Z of monthly, 9.99 EUR [5001]",
      "Refund requested on 2026-01-11 00:00:00Z: refunded on 2026-01-12 00:00:00Z [5001]")
    Self.expect(
      try Self.ask(program, "show 7001", asOf: 18), "Refund requested on 2026-01-16 00:00:00Z: OPEN for 3 days [7001]",
      "Apple sent CONSUMPTION_REQUEST: refund requested: Apple asks how the purchase was used")
    let before = try Self.ask(program, "show 7001", asOf: 15 - 0.1)
    #expect(!before.contains("OPEN"))
  }

  @Test func `Why did the product change? - An upgrade at once, a downgrade with the renewal`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "show fay", asOf: 20),
      "Product changed immediately, from monthly to yearly, within a period (transaction 6002)",
      "Renews on 2027-01-11 00:00:00Z to monthly, the product chosen for the renewal.",
      "Will renew to monthly instead of yearly")
  }

  @Test func `Was she away? - A gap between periods is shown, and so is a choice that is taken back`() throws {
    let program = try SupportStory.program()
    let later = PayloadFixture.receipt(
      at: day(80),
      latest: [
        TransactionFixture("4001", originalID: "4001", day(3), day(33)),
        TransactionFixture("4002", originalID: "4001", day(70), day(100)),
      ],
      environment: "Production")
    try program.folder.write(later, to: "later.json")
    _ = try program.run(["import", "later.json"])
    Self.expect(
      try Self.ask(program, "history hal", asOf: 90), "Returned, after a gap since 2026-02-03 00:00:00Z")
    _ = try program.run(["demo"])
    let story = try program.run(["history", "2000000000000004", "--database", "demo.sqlite"]).output
    for originalID in story.split(separator: "\n") where originalID.contains("Will renew to") {
      let words = originalID.split(separator: " ")
      let (next, before) = (
        words.firstIndex(of: "to").map { words[$0 + 1] }, words.firstIndex(of: "of").map { words[$0 + 1] }
      )
      #expect(next != before, "\(originalID)")
    }
  }

  @Test func `What did we show on 3 March? - The answer of that day, with what was known`() throws {
    let program = try SupportStory.program()
    for (knownAt, has) in [(11.5, true), (13, false)] {
      let answer = try Self.ask(program, "why 5001", asOf: 11.5, knownAt: knownAt)
      Self.expect(answer, has ? "active. Has access until" : "revoked. Has had no access since")
    }
    Self.expect(try Self.ask(program, "check eve pro", asOf: 5), "\"has_access\": true")
    Self.expect(try Self.ask(program, "check eve pro", asOf: 5, knownAt: 6), "\"rule\": \"unknown_entitlement\"")
  }

  @Test func `Did Apple tell us? - What was received, when, and what Apple tried to send`() throws {
    let program = try SupportStory.program()
    Self.expect(
      try Self.ask(program, "history ada", asOf: 50),
      "2026-01-31 02:24:00Z  2026-01-31 02:24:00Z  Apple sent DID_FAIL_TO_RENEW: payment failed [")
    Self.expect(
      try Self.ask(program, "history 9001", asOf: 50),
      "2026-02-01 00:00:00Z  2026-02-10 00:00:00Z  Apple could not deliver DID_RENEW: TIMED_OUT [",
      "2026-02-01 02:24:00Z  2026-02-10 00:00:00Z  Apple delivered DID_RENEW [")
  }

  @Test func `The payload behind a line of the timeline is shown as it came`() throws {
    let program = try SupportStory.program()
    let history = try Self.ask(program, "history 1001", asOf: 50)
    let digest = try #require(
      history.split(separator: "\n").last { $0.hasSuffix("]") }?.split(separator: "[").last?.dropLast())
    Self.expect(try program.run(["show", String(digest)]).output, "eyJ")
  }

  @Test func `a token with many purchases has cards for twenty, and a row for each that is left`() throws {
    let program = try Program()
    let rows = (1...26).map {
      TransactionFixture(
        "b\($0)", originalID: "b\($0)", day(0), day(30), extra: [("app_account_token", "\"\(SupportStory.token)\"")])
    }
    try program.folder.write(PayloadFixture.receipt(at: day(1), latest: rows, environment: "Production"), to: "r.json")
    #expect(try program.run(["import", "r.json"]).code == 0)
    let asked = ["show", SupportStory.token, "--as-of", "2026-01-20"]
    let card = try program.run(asked).output
    #expect(card.split(separator: "\n").count { $0.hasPrefix("Purchase b") } == 20)
    #expect(card.contains("\n6 more purchases:\noriginal_transaction_id  environment  product_id  state\n"), "\(card)")
    let short = card.split(separator: "\n").filter { $0.hasPrefix("b") }
    #expect(short.count == 6 && short.allSatisfy { $0.hasSuffix("  Production   monthly     active") }, "\(short)")
    #expect(card.hasSuffix("See the periods and timeline of a purchase with: subledger show ID\n"))
    let json = try program.run(asked + ["--format", "json"]).output
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect((object["purchases"] as? [Any])?.count == 20)
    let more = try #require(object["more_purchases"] as? [[String: String]])
    #expect(more.count == 6 && Set(more.compactMap { $0["state"] }) == ["active"])
  }
}

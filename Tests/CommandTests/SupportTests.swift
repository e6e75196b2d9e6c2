import AppStore
import Foundation
import TestSupport
import Testing

/// The questions that support is asked, each answered by a command.
@Suite(.takesTurns) struct SupportTests {
  static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"

  /// A small app's customers, as its webhooks and its app told of them.
  static func simulation() throws -> Program { try Program(copying: reported.get()) }

  /// The folder that every test has a copy of.
  private static let reported = Result { try report().folder }

  private static func report() throws -> Program {
    let program = try Program()
    let authority = try TestAuthority.shared.get()
    let chain = try TestAuthority.sharedChain.get()
    try Data(authority.rootDER).write(to: URL(fileURLWithPath: program.folder.file("root.der")))
    let price = [("price", "9990"), ("currency", "\"EUR\""), ("type", "\"Auto-Renewable Subscription\"")]
    func wrap(_ at: Double, _ payload: String) -> String { "{\"receivedAt\":\"\(day(at))\",\"payload\":\(payload)}" }
    func reported(
      _ type: String, _ at: Double, _ transaction: TransactionFixture, _ renewal: RenewalFixture? = nil,
      environment: String = "Production"
    ) throws -> String {
      var transaction = transaction
      transaction.extra += price
      let text = try PayloadFixture.signedV2(
        type, at: day(at), transaction: transaction, renewal: renewal, environment: environment, chain: chain)
      return wrap(at, text)
    }
    let renewing = RenewalFixture(status: true)
    func renewal(_ originalID: String, _ change: (inout RenewalFixture) -> Void = { _ in }) -> RenewalFixture {
      var words = renewing
      words.originalID = originalID
      change(&words)
      return words
    }
    let originalIDs = [
      // She paid, and her payment failed at the renewal.
      try reported("SUBSCRIBED", 0, TransactionFixture("1001", originalID: "1001", day(0), day(30)), renewal("1001")),
      try reported(
        "DID_FAIL_TO_RENEW", 30.1, TransactionFixture("1001", originalID: "1001", day(0), day(30)),
        renewal("1001") { ($0.retry, $0.grace) = (true, day(46)) }),
      // She paid in the Sandbox only.
      try reported(
        "SUBSCRIBED", 1, TransactionFixture("2001", originalID: "2001", day(1), day(31)), renewal("2001"),
        environment: "Sandbox"),
      // Two users of the app on one Apple account.
      try reported(
        "SUBSCRIBED", 2,
        TransactionFixture("3001", originalID: "3001", day(2), day(32), extra: [("appAccountToken", "\"\(token)\"")]),
        renewal("3001")),
      // He turned renewal off.
      try reported("SUBSCRIBED", 3, TransactionFixture("4001", originalID: "4001", day(3), day(33)), renewal("4001")),
      try reported(
        "DID_CHANGE_RENEWAL_STATUS", 5, TransactionFixture("4001", originalID: "4001", day(3), day(33)),
        renewal("4001") { $0.status = false }),
      // A refund of an earlier period, recorded late.
      try reported("SUBSCRIBED", 4, TransactionFixture("5001", originalID: "5001", day(4), day(34)), renewal("5001")),
      try reported("CONSUMPTION_REQUEST", 10, TransactionFixture("5001", originalID: "5001", day(4), day(34))),
      try reported(
        "REFUND", 12,
        TransactionFixture(
          "5001", originalID: "5001", day(4), day(34), revoked: day(11), extra: [("revocationReason", "1")])),
      // An upgrade at once, and a downgrade chosen for the renewal.
      try reported("SUBSCRIBED", 6, TransactionFixture("6001", originalID: "6001", day(6), day(36)), renewal("6001")),
      try reported(
        "DID_CHANGE_RENEWAL_PREF", 10,
        TransactionFixture("6002", originalID: "6001", product: "yearly", day(10), day(375)),
        renewal("6001") { $0.product = "yearly" }),
      try reported(
        "DID_CHANGE_RENEWAL_PREF", 12,
        TransactionFixture("6002", originalID: "6001", product: "yearly", day(10), day(375)),
        renewal("6001") { ($0.product, $0.next) = ("yearly", "monthly") }),
      // A refund that is asked for, and not decided.
      try reported("SUBSCRIBED", 7, TransactionFixture("7001", originalID: "7001", day(7), day(37)), renewal("7001")),
      try reported("CONSUMPTION_REQUEST", 15, TransactionFixture("7001", originalID: "7001", day(7), day(37))),
      // Paid on the device, and never in the evidence.
      wrap(20, PayloadFixture.event("purchasing", at: day(20), customer: "ida")),
      wrap(20, PayloadFixture.event("purchased", at: day(20.01), id: "8001", customer: "ida")),
      // What Apple tried to send, on a page of its own history of notifications.
      wrap(
        40,
        """
        {"notificationHistory":[{"signedPayload":"\(try chain.sign(PayloadFixture.v2("DID_RENEW", at: day(31), environment: "Production")
          .replacing("\"data\":{", with: "\"data\":{\"signedTransactionInfo\":\"\(try chain.sign(TransactionFixture("9001", originalID: "9001", day(30), day(60)).signed(day(31), environment: "Production")))\",")))",
        "sendAttempts":[{"attemptDate":\(day(31).milliseconds),"sendAttemptResult":"TIMED_OUT"},{"attemptDate":\
        \(day(31.1).milliseconds),"sendAttemptResult":"SUCCESS"}]}],"hasMore":false}
        """),
    ]
    try program.folder.write(
      originalIDs.map { $0.replacing("\n", with: "") }.joined(separator: "\n"), to: "archive.ndjson")
    let done = try program.run(["import", "archive.ndjson", "--trust", "root.der"])
    #expect(done.code == 0, "\(done.output)\(done.complaints)")
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "yearly", "--bundle-id", "b"])
    for (customer, id) in [
      ("ada", "1001"), ("bea", "2001"), ("cleo", "3001"), ("hal", "4001"), ("eve", "5001"), ("fay", "6001"),
    ] {
      _ = try program.run(["customers", "link", customer, id, "--author", "anna", "--reason", "asked"])
    }
    return program
  }

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
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "show ada", asOf: 40), "pro  yes, until 2026-02-16 00:00:00Z",
      "Payment failed; access continues until 2026-02-16 00:00:00Z")
    Self.expect(
      try Self.ask(program, "show ada", asOf: 50), "pro  NO, it ended on 2026-02-16 00:00:00Z: billing retry",
      "Rule       retry.",
      "Apple still tries to collect it")
  }

  @Test func `She paid, why is she locked out? - In the Sandbox, which is no real purchase`() throws {
    let program = try Self.simulation()
    Self.expect(try Self.ask(program, "show bea", asOf: 10), "*** SANDBOX: NO REAL PURCHASE ***", "*** SANDBOX ***")
    let check = try program.run(["check", "bea", "pro", "--as-of", "\(day(10))"])
    #expect(check.code == 1 && check.output.hasPrefix("{\"has_access\": false, \"state\": null"))
    #expect(try program.run(["check", "bea", "pro", "--as-of", "\(day(10))", "--environment", "sandbox"]).code == 0)
  }

  @Test func `She paid, why is she locked out? - Another user of the app owns the subscription`() throws {
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "show 3001", asOf: 10), "2 customers claim this purchase. Decide whose it is.",
      "cleo, linked by anna: asked", "\(Self.token), by its app account token")
    // Decided: it was the token's, and is cleo's.
    let transfer = try program.run([
      "customers", "transfer", "3001", "--from-customer", Self.token.uppercased(), "--to-customer", "cleo", "--author",
      "anna", "--reason",
      "one person",
      "--at", "\(day(3))",
    ])
    #expect(transfer.code == 0, "\(transfer.complaints)")
    let after = try Self.ask(program, "show 3001", asOf: 10)
    #expect(!after.contains("customers claim this purchase"))
    Self.expect(
      try Self.ask(program, "show \(Self.token)", asOf: 10), "Gave 3001 to cleo", "Purchases  none known.")
    Self.expect(try Self.ask(program, "show cleo", asOf: 10), "Took over 3001 from \(Self.token)")
  }

  @Test func `She paid, why is she locked out? - Paid on the device, never verified here`() throws {
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "show ida", asOf: 21),
      "monthly: paid unfinished; paid on the device, never in the evidence",
      "Purchases  none known.")
    Self.expect(
      try Self.ask(program, "attempts --customer ida", asOf: 21), "8001", "paid on the device, never in the evidence")
    #expect(try program.run(["check", "ida", "pro"]).code == 2)
  }

  @Test func `He cancelled, why is he still in? - Renewal is off; access lasts until the period's end`() throws {
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "show hal", asOf: 10), "Access     yes, active. Has access until 2026-02-03 00:00:00Z.",
      "Ends on 2026-02-03 00:00:00Z: renewal is turned off.", "Renewal was turned off")
  }

  @Test func `Was it refunded? - Which period, by whom, how much, and whether one is asked for`() throws {
    let program = try Self.simulation()
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
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "show fay", asOf: 20),
      "Product changed immediately, from monthly to yearly, within a period (transaction 6002)",
      "Renews on 2027-01-11 00:00:00Z to monthly, the product chosen for the renewal.",
      "Will renew to monthly instead of yearly")
  }

  @Test func `Was she away? - A gap between periods is shown, and so is a choice that is taken back`() throws {
    let program = try Self.simulation()
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
    let program = try Self.simulation()
    for (knownAt, has) in [(11.5, true), (13, false)] {
      let answer = try Self.ask(program, "why 5001", asOf: 11.5, knownAt: knownAt)
      Self.expect(answer, has ? "active. Has access until" : "revoked. Has had no access since")
    }
    Self.expect(try Self.ask(program, "check eve pro", asOf: 5), "\"has_access\": true")
    Self.expect(try Self.ask(program, "check eve pro", asOf: 5, knownAt: 6), "\"rule\": \"unknown_entitlement\"")
  }

  @Test func `Did Apple tell us? - What was received, when, and what Apple tried to send`() throws {
    let program = try Self.simulation()
    Self.expect(
      try Self.ask(program, "history ada", asOf: 50),
      "2026-01-31 02:24:00Z  2026-01-31 02:24:00Z  Apple sent DID_FAIL_TO_RENEW: payment failed [")
    Self.expect(
      try Self.ask(program, "history 9001", asOf: 50),
      "2026-02-01 00:00:00Z  2026-02-10 00:00:00Z  Apple could not deliver DID_RENEW: TIMED_OUT [",
      "2026-02-01 02:24:00Z  2026-02-10 00:00:00Z  Apple delivered DID_RENEW [")
  }

  @Test func `The payload behind a line of the timeline is shown as it came`() throws {
    let program = try Self.simulation()
    let history = try Self.ask(program, "history 1001", asOf: 50)
    let digest = try #require(
      history.split(separator: "\n").last { $0.hasSuffix("]") }?.split(separator: "[").last?.dropLast())
    Self.expect(try program.run(["show", String(digest)]).output, "eyJ")
  }

  @Test func `a token with many purchases has cards for twenty, and a row for each that is left`() throws {
    let program = try Program()
    let rows = (1...26).map {
      TransactionFixture(
        "b\($0)", originalID: "b\($0)", day(0), day(30), extra: [("app_account_token", "\"\(Self.token)\"")])
    }
    try program.folder.write(PayloadFixture.receipt(at: day(1), latest: rows, environment: "Production"), to: "r.json")
    #expect(try program.run(["import", "r.json"]).code == 0)
    let asked = ["show", Self.token, "--as-of", "2026-01-20"]
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

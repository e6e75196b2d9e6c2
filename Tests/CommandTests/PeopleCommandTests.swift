import AppStore
import Foundation
import TestSupport
import Testing

/// The commands about people and products, as their users meet them: good input, bad input, twice.
@Suite(.takesTurns) struct PeopleCommandTests {
  static func program() throws -> Program { try Program(copying: imported.get()) }

  /// The folder that every test has a copy of.
  private static let imported = Result { try importing().folder }

  private static func importing() throws -> Program {
    let program = try Program()
    try program.folder.write(
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture(day(0), day(30))], renewals: [RenewalFixture(status: true)],
        environment: "Production"), to: "r.json")
    #expect(try program.run(["import", "r.json", "--received-at", "2026-01-02"]).code == 0)
    return program
  }

  static let by = ["--author", "anna", "--reason", "asked"]

  @Test func `check answers in JSON, and its exit code is the answer`() throws {
    let program = try Self.program()
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "--bundle-id", "b"])
    _ = try program.run(["customers", "link", "ada", "t1"] + Self.by)
    let yes = try program.run(["check", "ada", "pro", "--as-of", "2026-01-20"])
    #expect(yes.code == 0 && yes.complaints.isEmpty)
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(yes.output.utf8)) as? [String: Any])
    #expect(answer["has_access"] as? Bool == true && answer["state"] as? String == "active")
    #expect(answer["access_ends_at"] as? String == "2026-01-31T00:00:00.000Z")
    #expect(answer["product_id"] as? String == "monthly" && answer["original_transaction_id"] as? String == "t1")
    #expect(answer["rule"] as? String == "covered" && answer["evidence_at"] as? String == "2026-01-02T00:00:00.000Z")
    #expect(answer["basis"] as? String == "subscription" && answer["claimants"] as? Int == 1)
    // A variable of a shell may end with a line end.
    #expect(try program.run(["check", "ada\r", " pro\n", "--as-of", "2026-01-20"]).output == yes.output)
    for (arguments, code, rule) in [
      (["ada", "pro", "--as-of", "2026-02-20"], 1, "unconfirmed"),
      (["ada", "pro", "--as-of", "2025-12-01"], 1, "nothing"),
      (["ada", "pro", "--as-of", "2026-01-20", "--known-at", "2026-01-01"], 2, "unknown_entitlement"),
      (["bob", "pro"], 2, "unknown_customer"), (["ada", "prp"], 2, "unknown_entitlement"),
      (["ada", "pro", "--as-of", "2026-01-20", "--environment", "sandbox"], 1, "nothing"),
    ] {
      let result = try program.run(["check"] + arguments)
      #expect(
        result.code == Int32(code) && result.output.contains("\"rule\": \"\(rule)\""), "\(arguments) \(result.output)")
      #expect(result.output.hasPrefix("{\"has_access\": false"))
    }
  }

  @Test func `entries are made once, and what cannot be is refused with nothing written`() throws {
    let program = try Self.program()
    let first = try program.run(["customers", "link", "ada", "t1"] + Self.by)
    #expect(
      first.output == "t1 is linked to ada, from the purchase on.\n"
        && first.complaints == "It names 1 purchase so far.\n")
    let again = try program.run(["customers", "link", "ada", "t1"] + Self.by)
    #expect(again.output == "t1 was already linked to ada. Nothing was written.\n" && again.code == 0)
    let early = try program.run(["customers", "link", "ada", "none-yet"] + Self.by)
    #expect(
      early.complaints == "The ledger does not know this id yet. The link takes effect when evidence names it.\n")
    for (arguments, code, words) in [
      (["customers", "unlink", "bob", "t1"] + Self.by, 1, "does not belong"),
      (
        ["customers", "transfer", "t1", "--from-customer", "bob", "--to-customer", "cid"] + Self.by, 1,
        "does not belong"
      ),
      (
        ["check", "ada", "pro", "--environment", "Bogus"], 64, "is not an environment. Choose from Production, Sandbox"
      ),
      (["entitlements", "--environment", "Bogus"], 64, "is not an environment"),
      (["customers", "link", "", "t1"] + Self.by, 64, "may not be empty"),
      (["customers", "link", String(repeating: "x", count: 5000), "t1"] + Self.by, 64, "longer than 1024 bytes"),
      (["customers", "link", "ada", "t1", "--author", "anna"], 64, "--reason"),
      (["customers", "note", "ada", " ", "--author", "anna"], 64, "may not be empty"),
      (["customers", "erase", "nobody", "--yes"] + Self.by, 1, "Nothing in the ledger names this customer."),
      (["grant", "ada", "pro", "--until", "2020-01-01"] + Self.by, 1, "before it begins"),
      (["grant", "ada", "pro", "--until", "soon"] + Self.by, 64, "is not an instant"),
      (["grant", "ada", "pro"] + Self.by, 64, "--until"), (["revoke", "ada", "pro"] + Self.by, 1, "No such grant"),
    ] {
      let result = try program.run(arguments)
      #expect(result.code == Int32(code) && result.complaints.contains(words), "\(arguments): \(result.complaints)")
    }
    let count = try program.run(["query", "SELECT COUNT(*) AS n FROM customer_link_entry", "--format", "csv"])
    #expect(count.output == "n\n2\n")
  }

  @Test func `forgetting says where an id is left, by its location and not by its value`() throws {
    let id = "user-4711-of-the-north"
    for format in ["text", "json"] {
      let program = try Program()
      let receipt = PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture(id, originalID: "t1", day(0), day(30))], environment: "Production")
      let event = PayloadFixture.event("purchasing", at: day(1), customer: id, device: nil)
      try program.folder.write("\(receipt)\n\(event)\n{\"\(id)\":[tru\n", to: "in.ndjson")
      #expect(try program.run(["import", "in.ndjson"]).code == 65)
      let done = try program.run(["customers", "erase", id, "--yes", "--format", format] + Self.by)
      #expect(done.code == 1 && !(done.output + done.complaints).contains(id), "\(done)")
      if format == "text" {
        #expect(
          done.output.hasSuffix(
            " rewritten, which cannot be verified again.\nAn id remains, and may not be rewritten, in:\n"
              + "  transaction_info.transaction_id  1 row: 1\n"), "\(done)")
      } else {
        let object = try JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [String: Any]
        let remainders = try #require(object?["remainders"] as? [[String: Any]])
        #expect(remainders.map { $0["table"] as? String } == ["transaction_info"])
        #expect(remainders[0]["rows"] as? [String] == ["1"] && remainders[0]["count"] as? Int == 1)
      }
      #expect(try program.run(["audit"]).output.hasSuffix("OK: no problems found.\n"))
      #expect(!(try program.run(["quarantine", "show", "1"]).output.contains(id)))
    }
  }

  @Test func `a grant is given, shown and taken back as what it is`() throws {
    let program = try Self.program()
    let given = try program.run(["grant", "ada", "pro", "--until", "forever", "--from", "2026-01-01"] + Self.by)
    #expect(given.output == "ada has pro from 2026-01-01 00:00:00Z without end, by our own grant.\n")
    #expect(given.complaints == "No product grants pro. Check the name.\n")
    #expect(try program.run(["check", "ada", "pro"]).output.contains("\"basis\": \"grant\""))
    #expect(
      try program.run(["show", "ada"]).output.contains(
        "Grants     pro from 2026-01-01 00:00:00Z without end, our own grant, by anna: asked"))
    #expect(try program.run(["revoke", "ada", "pro"] + Self.by).output == "1 grant of ada revoked.\n")
    #expect(try program.run(["check", "ada", "pro"]).code == 1)
    #expect(
      try program.run(["entitlements", "--environment", "all", "--format", "ndjson"]).output.split(separator: "\n")
        .count == 1)
  }

  @Test func `a catalogue is taken whole or not at all, and says why not`() throws {
    let program = try Self.program()
    try program.folder.write("product_id,type\ngood,Consumable\n", to: "good.csv")
    try program.folder.write("[{\"product_id\":\"x\",\"period\":\"monthly\"}]", to: "bad.json")
    let refused = try program.run(["products", "import", "good.csv", "bad.json", "--bundle-id", "b"])
    #expect(refused.code == 65 && refused.output.isEmpty)
    #expect(
      refused.complaints
        == "subledger: bad.json was refused (invalid): \"monthly\" is not an ISO 8601 duration such as P1M, "
        + "at $[0].period. Correct it there and import the file again. Nothing was imported from it.\n")
    #expect(try program.run(["products", "list", "--format", "json"]).output == "[]\n")
    #expect(try program.run(["products", "import", "missing.csv"]).code == 66)
    #expect(
      try program.run(["products", "unknown", "--format", "csv"]).output
        == "bundle_id,product_id,environment,type,transactions,first_purchase_at,last_purchase_at\n"
        + "b,monthly,Production,,1,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z\n")
    let nameless = try program.run(["products", "import", "good.csv"])
    #expect(nameless.code == 64 && nameless.output.isEmpty)
    #expect(
      nameless.complaints
        == "subledger: Nothing was imported, because the app of these products is not known. "
        + "The ledger has purchases of b. Add --bundle-id.\n"
    )
    for expected in ["good.csv: 1 product, 1 new, 0 changed", "good.csv: 1 product, 0 new, 0 changed"] {
      #expect(try program.run(["products", "import", "good.csv", "--bundle-id", "b"]).output.hasPrefix(expected))
    }
    let entitled = try program.run(["products", "entitle", "pro", "--product", "good", "other"])
    #expect(entitled.output == "2 products grant pro: 2 changed.\n")
    #expect(try program.run(["products", "entitle", "pro", "--product", "good", "--withdraw"]).code == 0)
    #expect(try program.run(["import", "good.csv"]).code == 65)
  }

  @Test func `ids with quotes, controls and right-to-left text are stored and shown safely`() throws {
    let program = try Self.program()
    for id in [
      "o'neil \"x\"", "a\u{1B}[31mb", "\u{202E}evil", "line\nbreak", "'; DROP TABLE original_transaction; --", "مرحبا",
    ] {
      let linked = try program.run(["customers", "link", id, "t1"] + Self.by)
      #expect(linked.code == 0)
      let card = try program.run(["show", id])
      let json = try program.run(["show", id, "--format", "json"])
      #expect(card.code == 0 && json.code == 0)
      for output in [linked.output, card.output, json.output] {
        #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
      }
      let parsed = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      #expect(parsed?["customer"] as? String == id)
    }
    #expect(try program.run(["audit"]).code == 0)
  }

  @Test func `one match is a card, several a list, none the nearest`() throws {
    let program = try Self.program()
    try program.folder.write(
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture("t22", originalID: "t22", day(0), day(30))], environment: "Sandbox"),
      to: "s.json")
    _ = try program.run(["import", "s.json"])
    #expect(try program.run(["show", "t1"]).output.hasPrefix("Purchase t1 in Production\n"))
    let several = try program.run(["show", "t"])
    #expect(several.code == 0 && several.output.hasPrefix("found     identifier  found_by"))
    #expect(several.output.contains("purchase  t22         original_transaction_id  Sandbox"))
    #expect(
      try program.run(["show", "t", "--environment", "sandbox"]).output.hasPrefix(
        "Purchase t22 in Sandbox\n  *** SANDBOX"))
    let history = try program.run(["history", "t"])
    #expect(history.code == 1 && history.complaints.contains("Several ids begin with t. Name one of them."))
    let none = try program.run(["show", "t22-and-more"])
    #expect(none.code == 1 && none.complaints.contains("Nearest ids: t22"))
  }

  @Test func `who was forgotten is gone from the answers, and the audit names the act`() throws {
    let program = try Self.program()
    _ = try program.run(["customers", "link", "ada", "t1"] + Self.by)
    let staffAction = ["customers", "erase", "ada", "--author", "anna", "--reason", "asked on 3 March"]
    let refused = try program.run(staffAction)
    #expect(refused.code == 64 && refused.complaints.contains("See what it changes with --dry-run, then add --yes."))
    let before = try TableContents.of(program.folder.file("subledger.sqlite"))
    let preview = try program.run(staffAction + ["--dry-run"])
    #expect(preview.code == 0, "\(preview)")
    #expect(
      preview.output.hasPrefix(
        "Nothing was written. A pseudonym would replace the customer's ids in:\n  customer  1 row"))
    #expect(try TableContents.of(program.folder.file("subledger.sqlite")).differences(from: before) == [])
    // A terminal asks, and another answer than the id erases nothing.
    let terminal = try PseudoTerminal(staffAction, in: program.folder)
    try terminal.expect("Write the customer's id again:")
    try terminal.type("yes")
    try terminal.expect("Nothing was erased.")
    #expect(terminal.end() == 1)
    #expect(try TableContents.of(program.folder.file("subledger.sqlite")).differences(from: before) == [])
    let done = try program.run(staffAction + ["--yes"])
    let pseudonym = try #require(done.output.split(separator: " ").first { $0.hasPrefix("forgotten-") })
    #expect(done.code == 0 && pseudonym.count == 36)
    #expect(try program.run(["show", "ada"]).code == 1)
    #expect(try program.run(["show", String(pseudonym)]).output.contains("Purchase t1 in Production"))
    let audit = try program.run(["audit"])
    #expect(audit.code == 0 && audit.output.contains("by anna (asked on 3 March): \(pseudonym); 0 stored texts"))
    #expect(audit.output.hasSuffix("OK: no problems found.\n"))
  }

  @Test func `attempts and may-purchase, in words and in JSON`() throws {
    let program = try Self.program()
    try program.folder.write(
      [
        PayloadFixture.event("purchasing", at: day(2), product: "p", customer: "ada"),
        PayloadFixture.event("failed", at: day(2.1), product: "q", customer: "bob", error: ("SKErrorDomain", 0)),
        PayloadFixture.event("failed", at: day(2.1), product: "q", customer: "cid", error: ("SKErrorDomain", 2)),
      ].joined(separator: "\n"), to: "app.ndjson")
    _ = try program.run(["import", "app.ndjson", "--received-at", "2026-01-03T03:00:00Z"])
    let list = try program.run(["attempts", "--as-of", "2026-01-04"])
    #expect(list.output.split(separator: "\n").count == 3)
    #expect(list.output.contains("failed: SKErrorDomain 0"))
    #expect(try program.run(["attempts", "--all", "--format", "ndjson"]).output.split(separator: "\n").count == 3)
    let no = try program.run(["may-purchase", "ada", "p", "--as-of", "2026-01-03T00:04:00Z", "--format", "json"])
    #expect(no.code == 1)
    // Reported three hours later: on that evening nobody had heard of it, unless one knows what is known now.
    #expect(
      no.output.hasPrefix(
        "{\"may_purchase\": false, \"reason\": \"in_flight\", \"until\": \"2026-01-03T00:10:00.000Z\""))
    #expect(
      try program.run([
        "may-purchase", "ada", "p", "--as-of", "2026-01-03T00:04:00Z", "--known-at", "2026-01-03T00:04:00Z",
      ]).code == 0)
    #expect(
      try program.run(["may-purchase", "ada", "p", "--as-of", "2026-01-03T00:30:00Z", "--attempt-timeout", "1h"]).code
        == 1)
    #expect(try program.run(["may-purchase", "ada", "p", "--attempt-timeout", "soon"]).code == 64)
    #expect(try program.run(["may-purchase", "bob", "q"]).output == "yes\n")
    _ = try program.run(["products", "entitle", "pro", "--product", "p", "--bundle-id", "b"])
    let slip = try program.run(["may-purchase", "bob", "pp"])
    #expect(slip.code == 0 && slip.complaints == "No catalogue names the product pp. Check the id.\n")
  }
}

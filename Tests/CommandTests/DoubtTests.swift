import AppStore
import Foundation
import TestSupport
import Testing

/// What commands say of payloads that contradict themselves, lack dates or could not be read.
@Suite(.takesTurns) struct DoubtTests {
  static let sentence = "This receipt contradicts itself: it may be forged or edited."

  static func receipt(_ id: String, members: String = "", renewal: String = "", request: String = "") -> String {
    """
    {"status":0,"environment":"Production","receipt":{"bundle_id":"b"\(request)},\
    "latest_receipt_info":[{"transaction_id":"\(id)","original_transaction_id":"\(id)","product_id":"monthly",\
    "purchase_date_ms":"1767225600000","expires_date_ms":"1769904000000"\(members)}],\
    "pending_renewal_info":[{"original_transaction_id":"\(id)","auto_renew_status":"1"\(renewal)}]}
    """
  }

  static func imported(_ text: String, _ arguments: String...) throws -> Program {
    let program = try Program()
    try program.folder.write(text, to: "payload.json")
    _ = try program.run(["import", "payload.json"] + arguments)
    return program
  }

  @Test func `show, why and check say that a receipt contradicts itself, with both values`() throws {
    let program = try Self.imported(
      Self.receipt("990001", members: ",\"expires_date\":\"2027-02-01 00:00:00 Etc/GMT\""))
    let card = try program.run(["show", "990001", "--as-of", "2026-01-10"]).output
    #expect(card.contains("  Doubt      \(Self.sentence) ["))
    #expect(
      card.contains(
        "$.latest_receipt_info[0].expires_date: one date, stated as: \"2027-02-01 00:00:00 Etc/GMT\" and \"1769904000000\""
      ))
    #expect(card.contains("Not confirmed: only contradictory evidence supports this."))
    #expect(try program.run(["why", "990001", "--as-of", "2026-01-10"]).output.contains("\n    \(Self.sentence)\n"))
    let lapsed = try program.run(["why", "990001", "--as-of", "2026-03-01"]).output
    #expect(lapsed.contains("unconfirmed. The paid period ended at 2026-02-01 00:00:00Z, and "))
    try program.folder.write(
      "product_id,type,name,entitlements\nmonthly,Auto-Renewable Subscription,Monthly,pro\n", to: "p.csv")
    _ = try program.run(["products", "import", "p.csv", "--bundle-id", "b"])
    _ = try program.run(["customers", "link", "ada", "990001", "--author", "anna", "--reason", "asked"])
    let check = try program.run(["check", "ada", "pro", "--as-of", "2026-01-10"])
    #expect(check.code == 0 && check.output.contains("\"confirmed\": false, \"is_contradictory\": true"))
    let sound = try Self.imported(Self.receipt("990001"))
    #expect(!(try sound.run(["show", "990001"]).output.contains("contradicts")))
  }

  @Test func `evidence without a date is not shown as if Apple had dated it`() throws {
    let next = ",\"product_id\":\"monthly\",\"auto_renew_product_id\":\"yearly\""
    let program = try Self.imported(Self.receipt("990001", renewal: next))
    let card = try program.run(["show", "990001", "--as-of", "2026-03-01"]).output
    #expect(card.contains("latest evidence undated; not before 2026-01-01 00:00:00Z; unsigned"))
    let why = try program.run(["why", "990001", "--as-of", "2026-03-01"]).output
    #expect(why.contains("* transaction  undated; not before 2026-01-01 00:00:00Z, recorded "))
    let history = try program.run(["history", "990001", "--as-of", "2026-03-01"]).output
    #expect(history.contains("\n  undated               "))
    #expect(history.contains("Will renew to yearly instead of monthly (undated; not before 2026-01-01 00:00:00Z) ["))
    let reported = try Self.imported(Self.receipt("990001"), "--received-at", "2026-01-02")
    #expect(!(try reported.run(["why", "990001"]).output.contains("undated")))
  }

  @Test func `V1's change of renewal says which way, at once`() throws {
    for (status, words) in [("1", "renewal turned on"), ("0", "renewal turned off")] {
      let text = Self.receipt("990001").replacing("auto_renew_status\":\"1", with: "auto_renew_status\":\"\(status)")
      let rows = text.drop { $0 != "l" }
      let start = try #require(rows.range(of: "latest_receipt_info")).lowerBound
      let program = try Self.imported(
        "{\"notification_type\":\"DID_CHANGE_RENEWAL_STATUS\",\"environment\":\"PROD\",\"unified_receipt\":{\"\(rows[start...])}"
      )
      let history = try program.run(["history", "990001"]).output
      #expect(history.contains("Apple sent DID_CHANGE_RENEWAL_STATUS: \(words)"), "\(history)")
    }
  }

  @Test func `a card does not say that renewal was turned off and on: it says that the fields contradict each other`()
    throws
  {
    let request = ",\"request_date_ms\":\"1772000000000\""
    let both = try Self.imported(Self.receipt("990001", renewal: ",\"expiration_intent\":\"1\"", request: request))
    let card = try both.run(["show", "990001", "--as-of", "2026-03-01"]).output
    #expect(card.contains("Apple's fields contradict each other"))
    #expect(!card.contains("the customer had turned off renewal") && !card.contains("though renewal was on"))
    let off = Self.receipt("990001", renewal: ",\"expiration_intent\":\"1\"", request: request)
      .replacing("auto_renew_status\":\"1", with: "auto_renew_status\":\"0")
    #expect(
      try Self.imported(off).run(["show", "990001", "--as-of", "2026-03-01"]).output.contains(
        "the customer had turned off renewal"))
  }

  @Test func `line breaks of what Apple wrote are line breaks`() throws {
    let text = Self.receipt("990001").replacing(",\"product_id\"", with: ",\n \"product_id\"")
    let why = try Self.imported(text).run(["why", "990001", "--source"]).output
    #expect(why.contains("\"990001\",\n \"product_id\"") && !why.contains("u{a}"))
    let torn = try Self.imported(String(text.dropLast(2)))
    let shown = try torn.run(["quarantine", "show", "1"]).output
    #expect(shown.contains("\"990001\",\n \"product_id\"") && !shown.contains("u{a}"))
  }

  @Test func `a payload that could not be read is found by the ids in it, and says why`() throws {
    let program = try Self.imported(#"{"status":0,"latest_receipt_info":[{"original_transaction_id":"990001"}]}"#)
    let again = try program.run(["import", "payload.json"])
    #expect(again.code == 0 && again.output.contains("1 duplicate, 0 in quarantine"))
    let first = try Program().run(
      ["import", "-"], input: #"{"latest_receipt_info":[{"original_transaction_id":"990001"}]}"#)
    #expect(first.code == 0)
    #expect(
      first.output.hasPrefix(
        "1 payload: 1 recorded, 0 duplicates, 0 in quarantine; 1 problem; 1 with no usable transaction.\n"))
    let shown = try program.run(["show", "990001"])
    #expect(shown.code == 0)
    #expect(shown.output.hasPrefix("990001 is named by 1 payload, and nothing about it could be read.\n"))
    #expect(shown.output.contains("as original transaction id in verify_receipt from payload.json:1 ["))
    #expect(shown.output.contains("$.latest_receipt_info[0]: the row has no transaction id"))
    #expect(try program.run(["show", "990001", "--format", "json"]).output.contains("\"kind\": \"unread\""))
    #expect(try program.run(["history", "990001"]).code == 1)
  }

  @Test func `what is in quarantine still is, and exits as at first`() throws {
    let program = try Self.imported(String(Self.receipt("990001").dropLast(2)))
    let again = try program.run(["import", "payload.json"])
    #expect(again.code == 65)
    #expect(
      again.output
        == "1 payload: 0 recorded, 1 duplicate, still in quarantine, 0 in quarantine; 0 problems.\n")
    let json = try program.run(["import", "payload.json", "--format", "json"])
    #expect(json.code == 65 && json.output.contains("\"still_quarantined\": 1"))
    let shown = try program.run(["show", "990001"]).output
    #expect(shown.contains("as original transaction id and transaction id in a payload in quarantine, number 1,"))
  }
}

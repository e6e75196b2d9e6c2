import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Whoever can send a payload, a report or an id may mean harm by every text in it: to SQL, a shell, a path, a terminal, or
/// the eyes of whoever reads. It is kept as it was said, does nothing, and is shown harmlessly.
@Suite(.takesTurns) struct HostileTests {
  static let texts: [String] = [
    "'); DROP TABLE payload; --", "\" OR 1=1 --", "%' UNION SELECT * FROM customer --", "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #", "| touch pwned", "../../../../tmp/pwned", "/etc/passwd", "file:///etc/passwd", "-rf",
    "--database",
    "\u{1B}[2J\u{1B}[31mred", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://x\u{7}link", "\u{9B}31m", "a\u{0}b", "a\rb",
    "a\nb",
    "\u{202E}drawkcab", "\u{2066}\u{200B}\u{FEFF}", "a\u{85}b\u{2028}c", "\u{7F}\u{8}\u{8}", "%s%n%x", "=1+1",
    "{{7*7}}",
    "<script>alert(1)</script>", "é\u{301}\u{1F468}\u{200D}\u{1F469}", String(repeating: "x", count: 5000),
  ]

  static func json(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: [text])
    return String(String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast())
  }

  /// Payloads of every unsigned kind with a text at every place where a text can stand.
  private static func payloads(_ text: String, _ number: Int) -> [String] {
    let value = json(text)
    let id = json("\(number)" + text)
    let row =
      "{\"transaction_id\":\(id),\"original_transaction_id\":\(id),\"product_id\":\(value),\"purchase_date_ms\":\"1767225600000\","
      + "\"expires_date_ms\":\"1769904000000\",\"web_order_line_item_id\":\(id),\"app_account_token\":\(value),"
      + "\"subscription_group_identifier\":\(value),\"promotional_offer_id\":\(value),\"offer_code_ref_name\":\(value),"
      + "\"in_app_ownership_type\":\(value),\(value):\(value),\"quantity\":\(value)}"
    let renewal =
      "{\"original_transaction_id\":\(id),\"auto_renew_product_id\":\(value),\"product_id\":\(value),"
      + "\"auto_renew_status\":\"1\",\"price_consent_status\":\(value)}"
    let receipt =
      "{\"status\":0,\"environment\":\"Production\",\"receipt\":{\"bundle_id\":\(value),\"request_date_ms\":\"1767225700000\","
      + "\"in_app\":[\(row)]},\"latest_receipt_info\":[\(row)],\"pending_renewal_info\":[\(renewal)]}"
    let first =
      "{\"notification_type\":\(value),\"environment\":\(value),\"bid\":\(value),\"password\":\(value),\"unified_receipt\":"
      + "{\"latest_receipt_info\":[\(row)],\"pending_renewal_info\":[\(renewal)]}}"
    let second =
      "{\"notificationType\":\(value),\"subtype\":\(value),\"notificationUUID\":\(value),\"version\":\(value),"
      + "\"signedDate\":1767225600000,\"data\":{\"environment\":\(value),\"bundleId\":\(value),\"bundleVersion\":\(value),"
      + "\"consumptionRequestReason\":\(value),\"signedTransactionInfo\":{\"transactionId\":\(id),"
      + "\"originalTransactionId\":\(id),\"productId\":\(value),\"bundleId\":\(value),\"environment\":\(value),"
      + "\"purchaseDate\":1767225600000,\"expiresDate\":1769904000000,\"signedDate\":1767225600000,\"type\":\(value),"
      + "\"storefront\":\(value),\"currency\":\(value),\"offerIdentifier\":\(value),\"appAccountToken\":\(value)}}}"
    let event =
      "{\"event\":\"updated\",\"transaction_state\":\"failed\",\"product_id\":\(value),\"customer\":\(value),\"device\":\(value),"
      + "\"transaction_id\":\(id),\"at\":1767225600000,\"error\":{\"domain\":\(value),\"code\":1,\"message\":\(value)}}"
    let wrapped = "{\"receivedAt\":\(value),\"payload\":\(receipt)}"
    let order = "{\"orderId\":\(value),\"payload\":{\"status\":1,\"signedTransactions\":[]}}"
    return [receipt, first, second, event, wrapped, order, "{\(value):\(value)}", value, text]
  }

  /// Every command, with a text where it takes one.
  private static func commands(_ text: String, _ number: Int) -> [[String]] {
    let id = "\(number)" + text
    var commands = [
      ["show", text], ["show", id], ["history", id], ["why", id, "--source"], ["check", text, text],
      ["may-purchase", text, text], ["attempts", "--customer", text], ["entitlements", "--product", text],
      ["entitlements", "--environment", text], ["show", id, "--as-of", text], [text], ["quarantine", "show", text],
      ["products", "import", text], ["import", text], ["query", text], ["audit", "--against", text],
      ["customers", "note", text, text, "--author", text], ["restore", text], ["audit", "--trust", text],
      ["customers", "link", text, id, "--author", text, "--reason", text],
      ["grant", text, text, "--author", text, "--reason", text, "--until", "forever"],
      ["products", "entitle", text, "--product", text], ["revoke", text, text, "--author", text, "--reason", text],
      ["customers", "erase", text, "--author", text, "--reason", text],
    ]
    // A NUL cannot be an argument.
    commands.removeAll { $0.contains { $0.contains("\0") } }
    return commands
  }

  private static let questions = [
    ["entitlements"], ["entitlements", "--format", "csv"], ["entitlements", "--format", "json"], ["attempts", "--all"],
    ["quarantine", "list"], ["quarantine", "show", "1"], ["quarantine", "show", "2", "--raw"], ["products", "list"],
    ["audit"], ["query", "SELECT * FROM payload_text"], ["query", "SELECT * FROM notification", "--format", "csv"],
  ]

  /// Scalars that could do something to a terminal, but for the ends of lines.
  private static func disturbing(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      guard scalar != "\n" else { return false }
      return [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
  }

  /// Runs on a terminal, as support staff does.
  private func onTerminal(_ arguments: [String], _ program: Program) throws -> String {
    let words = ([Program.path] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    _ = try program.folder.write(words.joined(separator: " ") + "\n", to: "line.sh")
    let result = try Shell.run(
      "script -qec 'sh line.sh' /dev/null < /dev/null", in: program.folder,
      environment: ["NO_COLOR": "1", "TERM": "dumb", "SUBLEDGER_DATABASE": program.folder.file("l.sqlite")])
    // A terminal ends its lines so.
    return (result.output + result.complaints).replacing("\r\r\n", with: "\n").replacing("\r\n", with: "\n")
  }

  @Test func `nothing that a payload or an argument says does anything, or reaches a terminal as it is`() async throws {
    let program = try Program()
    let environment = ["SUBLEDGER_DATABASE": program.folder.file("l.sqlite")]
    let chosen = Array(Self.texts.enumerated())
    for (number, text) in chosen {
      for (index, payload) in Self.payloads(text, number).enumerated() {
        _ = try program.folder.write(payload, to: "p\(index).json")
      }
      let files = (0..<9).map { "p\($0).json" }
      let result = try program.run(["import", "--accept-unverified"] + files, environment: environment)
      #expect([0, 65].contains(result.code), "\(number): \(result.complaints.prefix(500))")
      #expect(Self.disturbing(result.output + result.complaints) == [], "\(number)")
    }
    var random = SplitMix(seed: Trials.seed)
    var count = 0
    for (number, text) in chosen {
      var commands = Self.commands(text, number)
      if Trials.length == 1 {
        commands = Array(commands.shuffled(using: &random).prefix(SampleSize.pick(1, full: 3)))
      }
      for command in commands {
        let result = try program.run(command, environment: environment)
        let stated = result.output + result.complaints
        #expect(Self.disturbing(stated) == [], "\(command), seed \(Trials.seed)")
        #expect([0, 1, 2, 64, 65, 66, 73, 74].contains(result.code), "\(command): \(result.code)")
        count += 1
      }
    }
    for command in Self.questions + [["show", "0" + Self.texts[0]]] {
      let stated = try onTerminal(command, program)
      #expect(!stated.isEmpty && Self.disturbing(stated) == [], "\(command): \(Self.disturbing(stated))")
      count += 1
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(!names.contains { $0.contains("pwned") } && !FileManager.default.fileExists(atPath: "/tmp/pwned"))
    let ledger = try LedgerReader(path: program.folder.file("l.sqlite"))
    #expect(try await ledger.faults() == [])
    Trials.report("hostile texts in every field and argument, commands", count)
  }

  @Test func `canary: a control character in an answer would be seen`() throws {
    #expect(Self.disturbing("a\u{1B}[31m\u{202E}") == ["\u{1B}", "\u{202E}"])
    let program = try Program()
    let stated = try onTerminal(["--version"], program)
    #expect(stated.hasPrefix("subledger "))
  }
}

import AppStore
import Foundation
import TestSupport
import Testing

/// The command line as its users meet it: what it prints, where, and with which exit code.
@Suite(.takesTurns) struct CommandTests {
  static let receipt = PayloadFixture.receipt(
    at: day(1), latest: [TransactionFixture(day(0), day(30))], renewals: [RenewalFixture(status: true)],
    environment: "Production")

  @Test func `import prints its summary, and again counts duplicates`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    let first = try program.run(["import", "r.json", "--format", "json"])
    #expect(
      first.output
        == "{\"payloads\": 1, \"recorded\": 1, \"duplicates\": 0, \"quarantined\": 0, \"problems\": 0, "
        + "\"still_quarantined\": 0, \"without_usable_transaction\": 0, \"unsigned\": 1}\n")
    #expect(first.code == 0 && first.complaints.isEmpty)
    let again = try program.run(["import", "r.json"])
    #expect(again.output == "1 payload: 0 recorded, 1 duplicate, 0 in quarantine; 0 problems.\n")
  }

  @Test func `standard input, wrapped lines, folders and several paths are taken`() throws {
    let program = try Program()
    let lines = (1...3).map {
      "{\"receivedAt\":\"\(day(Double($0)))\",\"payload\":\(TransactionFixture("t\($0)", originalID: "t\($0)", day(0), day(30)).signed(day(0)))}"
    }
    let piped = try program.run(
      ["import", "-", "--accept-unverified", "--format", "json"], input: lines.joined(separator: "\n"))
    #expect(piped.output.contains("\"recorded\": 3"))
    try FileManager.default.createDirectory(atPath: program.folder.file("in/deep"), withIntermediateDirectories: true)
    try program.folder.write(Self.receipt, to: "in/deep/r.json")
    try program.folder.write("ignored", to: "in/.hidden")
    try program.folder.write("[\(lines[0])]", to: "array.json")
    let mixed = try program.run(["import", "in", "array.json", "--accept-unverified", "--format", "json"])
    #expect(mixed.output.contains("\"payloads\": 2, \"recorded\": 1, \"duplicates\": 1"))
  }

  @Test func `programs that begin at once on a new file take turns`() async throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    for round in 0..<4 {
      let file = "at-once-\(round).sqlite"
      let results = try await withThrowingTaskGroup(of: Program.Result.self) { group in
        for _ in 0..<4 { group.addTask { try program.run(["import", "r.json", "--database", file]) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.map(\.complaints).joined() == "")
      #expect(results.filter { $0.output.hasPrefix("1 payload: 1 recorded") }.count == 1)
      #expect(results.filter { $0.output.hasPrefix("1 payload: 0 recorded, 1 duplicate") }.count == 3)
    }
  }

  @Test func `what is quarantined is on stderr with file, line, path and advice, and exits 65`() throws {
    let program = try Program()
    try program.folder.write(
      Self.receipt + "\n{\"status\":0,\"receipt\":{\"in_app\":[tru\n{\"status\":21002}\n", to: "lines.ndjson")
    let result = try program.run(["import", "lines.ndjson"])
    #expect(result.code == 65)
    #expect(result.output.hasPrefix("3 payloads: 2 recorded, 0 duplicates, 1 in quarantine; 0 problems.\n"))
    #expect(
      result.complaints == """
        lines.ndjson:2: quarantined (truncated): a word is cut off, at $.receipt.in_app[0], byte 33. \
        Import the original body as Apple sent it; a log may have cut or rewritten it.

        """)
    // Once is enough: a job that runs every night hears of it once.
    let again = try program.run(["import", "lines.ndjson"])
    #expect(again.code == 65 && again.complaints.isEmpty)
    #expect(again.output.contains("0 recorded, 3 duplicates (1 of them still in quarantine), 0 in quarantine;"))
    let list = try program.run(["quarantine", "list", "--format", "csv"])
    #expect(list.output.contains("1,truncated,lines.ndjson,2,$.receipt.in_app[0],36,"))
    #expect(
      try program.run(["quarantine", "show", "1", "--raw"]).output == "{\"status\":0,\"receipt\":{\"in_app\":[tru")
    #expect(try program.run(["quarantine", "show", "1"]).output.contains("Next      Import the original body"))
    #expect(try program.run(["quarantine", "show", "9"]).code == 1)
    #expect(try program.run(["quarantine", "retry"]).code == 65)
  }

  @Test func `entitlements come as a table, JSON, JSON lines and CSV with fixed names`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    _ = try program.run(["import", "r.json", "--received-at", "2026-01-02"])
    let asked = ["entitlements", "--as-of", "2026-01-20", "--known-at", "2026-01-20T00:00:00Z"]
    #expect(
      try program.run(asked).output == """
        original_transaction_id  product_id  state   has_access  access_ends_at        confirmed  will_renew  rule
        t1                       monthly     active  yes         2026-01-31 00:00:00Z  yes        yes         covered

        """)
    let json = try program.run(asked + ["--format", "json"]).output
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(rows[0]["original_transaction_id"] as? String == "t1")
    #expect(rows[0]["has_access"] as? Bool == true)
    #expect(rows[0]["access_ends_at"] as? String == "2026-01-31T00:00:00.000Z")
    #expect(rows[0]["expiration_reason"] is NSNull)
    #expect(try program.run(asked + ["--format", "ndjson"]).output.split(separator: "\n").count == 1)
    let csv = try program.run(asked + ["--format", "csv"]).output
    #expect(
      csv.hasPrefix(
        "environment,bundle_id,original_transaction_id,product_id,state,has_access,access_ends_at,confirmed,"))
    #expect(try program.run(asked + ["--state", "expired", "--format", "json"]).output == "[]\n")
    #expect(try program.run(asked + ["--product", "monthly", "--format", "ndjson"]).output.contains("\"t1\""))
    #expect(try program.run(["entitlements", "--known-at", "2026-01-01", "--format", "json"]).output == "[]\n")
  }

  @Test func `subscriptions of other environments are hidden with a hint on stderr`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt.replacing("Production", with: "Sandbox"), to: "r.json")
    _ = try program.run(["import", "r.json"])
    let hidden = try program.run(["entitlements", "--format", "json"])
    #expect(hidden.output == "[]\n")
    #expect(hidden.complaints.contains("Not shown: 1 in Sandbox. Ask with --environment all."))
    let shown = try program.run(["entitlements", "--environment", "sandbox", "--format", "ndjson"])
    #expect(shown.output.contains("\"t1\""))
    #expect(try program.run(["entitlements", "--environment", "all", "--format", "ndjson"]).complaints.isEmpty)
  }

  @Test(arguments: [
    (["show", "t1"], 66, "No ledger exists at subledger.sqlite"),
    (["import", "missing.json"], 66, "There is no file or folder missing.json. Nothing was imported."),
    (["import"], 64, "Missing expected argument"),
    (["import", "r.json", "--database", "no/such/folder.sqlite"], 73, "cannot be created"),
    (["import", "r.json", "--database", "r.json"], 74, "is not a SQLite database"),
    (["import", "r.json", "--trust", "r.json"], 66, "not a certificate"),
    (["entitlements", "--as-of", "tomorrow"], 64, "is not an instant. Write ISO 8601"),
    (["entitlements", "--as-of", "1767607205"], 64, "If you wrote seconds, write milliseconds."),
    (["import", "r.json", "--received-at", "1970-01-01"], 64, "before the App Store"),
    (["entitlements", "--state", "dead"], 64, "invalid for '--state"),
    (["nonsense"], 64, "nonsense"),
  ])
  func `expected failures have their exit code and say what is wrong on stderr`(
    arguments: [String], code: Int, words: String
  ) throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    let result = try program.run(arguments)
    #expect(result.code == Int32(code))
    #expect(result.complaints.contains(words), "\(result.complaints)")
    #expect(result.output.isEmpty)
  }

  @Test func `an id that is nowhere exits 1; a refused statement 64`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    _ = try program.run(["import", "r.json"])
    for command in ["show", "history", "why"] {
      let result = try program.run([command, "nobody"])
      #expect(result.code == 1 && result.complaints.contains("has the id nobody"))
    }
    #expect(try program.run(["query", "DELETE FROM payload"]).code == 64)
    #expect(try program.run(["query", "SELECT COUNT(*) AS n FROM payload", "--format", "csv"]).output == "n\n1\n")
  }

  @Test func `the audit exits 1 and lists what Apple's status contradicts`() throws {
    let program = try Program()
    try program.folder.write(
      PayloadFixture.v2("EXPIRED", at: day(5), status: 2, transaction: TransactionFixture(day(0), day(30))),
      to: "n.json")
    _ = try program.run(["import", "n.json", "--accept-unverified"])
    let audit = try program.run(["audit"])
    #expect(audit.code == 1)
    #expect(
      audit.output.contains(
        "disagreement  Sandbox t1  at 2026-01-06T00:00:00.000Z Apple states 2 (expired), the rules give active by covered"
      )
    )
  }

  @Test func `an audit continues from an anchor's file, and its JSON has what it checked`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt, to: "r.json")
    _ = try program.run(["import", "r.json"])
    try program.folder.write(try program.run(["audit", "--anchor"]).output, to: "anchor.txt")
    try program.folder.write(Self.receipt.replacing("\"t1\"", with: "\"t2\""), to: "s.json")
    _ = try program.run(["import", "s.json"])
    let part = try program.run(["audit", "--since", "anchor.txt"])
    #expect(part.code == 0)
    #expect(part.output == "Checked in part: only what was recorded after the seal.\nOK: no problems found.\n")
    let reported = try program.run(["audit", "--since", "anchor.txt", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(reported.output.utf8)) as? [String: Any])
    let checks = try #require(object["checks"] as? [[String: Any]])
    #expect(object["sound"] as? Bool == true && (object["findings"] as? [Any])?.isEmpty == true)
    #expect(
      checks.compactMap { $0["check"] as? String } == [
        "structure", "references", "schema", "seals", "texts", "projections", "metrics", "status",
      ])
    #expect(checks.allSatisfy { $0["milliseconds"] is Int && $0["count"] is Int && $0["unit"] is String })
    for (arguments, words) in [
      (["--since", "nowhere.txt"], "is not a seal"), (["--since", "r.json"], "is not a seal"),
      (["--sample", "0%"], "is not a share"), (["--sample", "101%"], "is not a share"),
      (["--sample", "x"], "is not a share"),
      (["--json", "--format", "csv"], "--json is a format"), (["--json", "--anchor"], "--anchor checks nothing"),
    ] {
      let refused = try program.run(["audit"] + arguments)
      #expect(refused.code == 64 && refused.complaints.contains(words), "\(arguments)")
    }
    #expect(try program.run(["audit", "--sample", "1%"]).output.hasPrefix("Checked in part: only a sample."))
    let other = try program.run(["audit", "--since", String(repeating: "0", count: 64)])
    #expect(other.code == 1 && other.output.contains("everything is checked"))
  }

  @Test func `ids that would disturb a terminal are spelled out`() throws {
    let program = try Program()
    let odd = Self.receipt.replacing("\"t1\"", with: "\"t1\\u001b[31m\\u202e\"")
    try program.folder.write(odd, to: "r.json")
    _ = try program.run(["import", "r.json"])
    for arguments in [["entitlements"], ["entitlements", "--format", "json"], ["show", "t1\u{1B}[31m\u{202E}"]] {
      let output = try program.run(arguments).output
      #expect(output.contains("t1"))
      #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
    }
  }

  @Test func `the demo can be run twice, and leaves other files alone`() throws {
    let program = try Program()
    #expect(try program.run(["demo"]).output.hasPrefix("13 payloads: 13 recorded"))
    #expect(try program.run(["demo"]).output.hasPrefix("13 payloads: 0 recorded, 13 duplicates"))
    #expect(try program.run(["audit", "--database", "demo.sqlite"]).output == "OK: no problems found.\n")
    try program.folder.write(Self.receipt, to: "r.json")
    _ = try program.run(["import", "r.json"])
    #expect(try program.run(["demo", "--database", "subledger.sqlite"]).code == 73)
  }

  @Test func `after a command the one file is whole by itself`() throws {
    let program = try Program()
    _ = try program.run(["demo"])
    #expect(!FileManager.default.fileExists(atPath: program.folder.file("demo.sqlite-wal")))
    try FileManager.default.copyItem(
      atPath: program.folder.file("demo.sqlite"), toPath: program.folder.file("copy.sqlite"))
    #expect(try program.run(["audit", "--database", "copy.sqlite"]).code == 0)
  }

  @Test func `an answer that cannot be written ends in words, and an import goes on without a voice`() throws {
    let program = try Program()
    try program.folder.write(Self.receipt + "\n{\"torn\":\n", to: "r.ndjson")
    let silent = try GuideTests.run(
      "subledger import r.ndjson --database silent.sqlite 2>/dev/full; echo $?", in: program.folder)
    #expect(silent.hasPrefix("2 payloads: 1 recorded, 0 duplicates, 1 in quarantine; 0 problems.\n"))
    #expect(silent.hasSuffix("\n65\n"))
    let full = try GuideTests.run(
      "(subledger entitlements --database silent.sqlite >/dev/full) 2>&1; echo $?", in: program.folder)
    #expect(full == "subledger: Cannot write standard output: No space left on device. Check its target.\n74\n")
  }

  @Test func `the file is its owner's only`() throws {
    let program = try Program()
    _ = try program.run(["demo"])
    let attributes = try FileManager.default.attributesOfItem(atPath: program.folder.file("demo.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}

import AppStore
import AppStoreSimulator
import Foundation
import TestSupport
import Testing

/// The local App Store behind HTTP, as clients, tests and people meet it.
@Suite(.takesTurns) struct AppStoreServerTests {
  typealias Object = [String: Any]

  @Test(.enabled(if: AppleLibrary.python != nil, "Apple's app-store-server-library could not be installed"))
  func `Apple's own client asks every endpoint, meets every class of errors, and verifies every signature`() throws {
    let folder = try TemporaryFolder()
    let result = try Program(folder: folder).run(
      [
        "python3", "-W", "ignore", Checkout.path + "/Tests/AppStoreServerTests/client.py", RunningProgram.server,
        folder.path,
      ],
      environment: AppleLibrary.python ?? [:], program: "/usr/bin/env")
    #expect(result.code == 0, "\(result.complaints)")
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(result.output.utf8))
    #expect(counts["asked"] ?? 0 > 200 && counts["pages"] ?? 0 > 100 && counts["verified"] ?? 0 > 500, "\(counts)")
    #expect(counts["errors"] ?? 0 > 40 && counts["posted"] ?? 0 > 30, "\(counts)")
  }

  @Test(.enabled(if: AppleLibrary.python != nil, "Apple's app-store-server-library could not be installed"))
  func `the guide's example with Apple's client runs as it stands`() throws {
    let folder = try TemporaryFolder()
    let shop = try Shop(["--customers", "5", "--seed", "7"], in: folder)
    let page = try Checkout.contents("Sources/Ledger/Ledger.docc/AppStore.md")
    let example = try #require(page.split(separator: "```python\n").last?.split(separator: "```").first)
    let script = try folder.write(String(example), to: "example.py")
    let id = try #require(try shop.purchases().first?["original_transaction_id"] as? String)
    let environment = shop.settings.merging(["TRANSACTION_ID": id]) { $1 }.merging(AppleLibrary.python ?? [:]) { $1 }
    let result = try Program(folder: folder).run(
      ["python3", "-W", "ignore", script], environment: environment, program: "/usr/bin/env")
    #expect(result.output.wholeMatch(of: /[1-9]\d* (True|False)\n/) != nil, "\(result)")
  }

  @Test func `the ledger that notifications build over HTTP is the ledger of the same simulation's archive`()
    async throws
  {
    let folder = try TemporaryFolder()
    let program = Program(folder: folder)
    let simulation = ["--seed", "5", "--customers", "12", "--from", "2024-01-01", "--to", "2024-06-01"]
    let (receiver, posted) = try await (Receiver { _ in .ok }, folder.file("posted.ndjson"))
    let shop = try Shop(
      simulation + ["--clock", "2024-01-01", "--webhook", receiver.url, "--sandbox-customers", "1"], in: folder)
    let answer = try await shop.admin("POST", "clock", "{\"to\":\"2024-06-01\"}")
    #expect(answer.object["clock"] as? String == "2024-06-01T00:00:00.000Z", "\(answer.text)")
    try Data(receiver.received.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: posted))
    await receiver.end()
    #expect(shop.end() == 0)
    _ = try program.run(["simulate", "--out", "archive"] + simulation)
    func states(_ name: String, _ files: String, _ root: String) throws -> String {
      let imported = try program.run(["import", files, "--trust", root, "--database", name])
      #expect(imported.code == 0, "\(imported.complaints)")
      return try program.run([
        "query", "--database", name, "--as-of", "2024-06-01", "--format", "csv",
        """
        SELECT original_transaction_id, environment, product_id, state, access_ends_at, will_renew FROM entitlement
        WHERE environment = 'Production' ORDER BY 1
        """,
      ]).output
    }
    let (http, archive) = (
      try states("http.sqlite", posted, "shop/root.pem"),
      try states("archive.sqlite", "archive/payloads", "archive/authority/root.pem")
    )
    #expect(http == archive && http.split(separator: "\n").count > 12, "\(http)")
  }

  @Test func `a hostile request gets a code of Apple's, and never a fault of the server`() async throws {
    let folder = try TemporaryFolder()
    let shop = try Shop(["--customers", "2"], in: folder)
    let key = try APIKey(pem: String(contentsOfFile: folder.file("shop/AuthKey.p8"), encoding: .utf8))
    let token = try key.authorization(
      bundleID: "com.example.meditation",
      now: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    let id = try #require(try shop.purchases().first?["original_transaction_id"] as? String)
    let megabyte = String(repeating: "[", count: 1 << 20)
    let history = try await Shop.send(
      "GET", shop.production + "/inApps/v2/history/\(id)", headers: [("Authorization", token)])
    let cursor = try #require(history.object["revision"] as? String)
    let requests: [(method: String, target: String, body: String)] = [
      ("GET", "/inApps/v1/transactions/..%2F..%2Fetc%2Fpasswd", ""), ("GET", "/inApps/v1/transactions/%00", ""),
      ("GET", "/inApps/v1/transactions/\(String(repeating: "9", count: 3000))", ""), ("GET", "/inApps/%zz", ""),
      ("GET", "//inApps//v1///transactions/1", ""), ("GET", "/inApps/v2/refund/lookup/\(id)?revision=\(cursor)", ""),
      ("GET", "/inApps/v2/history/\(id)?revision=\(cursor)&sort=DESCENDING", ""), ("GET", "/inApps/v2/history/1", ""),
      ("GET", "/inApps/v2/history/\(id)?startDate=99999999999999999999", ""),
      ("POST", "/inApps/v1/notifications/history", megabyte), ("POST", "/inApps/v1/notifications/history", "{"),
      ("POST", "/inApps/v1/notifications/history", "{\"startDate\":9223372036854775807,\"endDate\":1}"),
      ("POST", "/inApps/v1/subscriptions/extend/mass", megabyte),
      ("POST", "/inApps/v1/subscriptions/extend/mass", "null"),
      ("PUT", "/inApps/v1/subscriptions/extend/\(id)", megabyte),
      ("PUT", "/inApps/v1/transactions/\(id)/appAccountToken", "\"\(megabyte)\""),
      ("PUT", "/inApps/v2/transactions/consumption/\(id)", "{\"customerConsented\":\"\(megabyte)\"}"),
      ("PUT", "/inApps/v1/transactions/consumption/\(id)", "{\"customerConsented\":{}}"),
      ("DELETE", "/inApps/v1/transactions/\(id)", ""), ("POST", "/admin/clock", megabyte),
      ("POST", "/admin/faults", "[]"),
      ("POST", "/admin/actions", "{\"customer\":\"\\u0000\",\"action\":\"\"}"), ("GET", "/admin/../inApps", ""),
      ("POST", "/page/action", megabyte), ("PUT", "/", ""),
    ]
    for one in requests {
      let answer = try await Shop.send(
        one.method, shop.production + one.target, one.body, headers: [("Authorization", token)])
      #expect((300..<500).contains(answer.status), "\(one.method) \(one.target.prefix(60)): \(answer.status)")
    }
    for wrong in ["", "Bearer", "Bearer a.b.c", "Basic \(token)", token + "A", String(repeating: "x", count: 1 << 14)] {
      let answer = try await Shop.send(
        "GET", shop.production + "/inApps/v2/history/\(id)", headers: [("Authorization", wrong)])
      #expect([400, 401, 431].contains(answer.status) && answer.text.isEmpty, "\(wrong.prefix(40)): \(answer.status)")
    }
    for body in [megabyte, "", "{\"receipt-data\":\"\(String(repeating: "A", count: 1 << 20))\"}"] {
      let answer = try await Shop.send("POST", shop.production + "/verifyReceipt", body)
      #expect(answer.status == 200 && answer.object["status"] as? Int == 21_002)
    }
    let tooLong = try await Shop.send(
      "POST", shop.production + "/verifyReceipt", String(repeating: " ", count: 9 << 20))
    #expect(tooLong.status == 413)
    #expect(try await shop.admin("GET", "clock").status == 200)
  }

  @Test func `faults on demand cut and end connections, and say when to come again`() async throws {
    let shop = try Shop([], in: try TemporaryFolder())
    let url = shop.production + "/inApps/v1/transactions/1"
    for fault in ["torn", "lost"] {
      let added = try await shop.admin("POST", "faults", "{\"fault\":\"\(fault)\",\"endpoint\":\"verify_receipt\"}")
      #expect(added.status == 200 && (added.object["faults"] as? [Object])?.count == 1)
      await #expect(throws: (any Error).self) { try await Shop.send("POST", shop.production + "/verifyReceipt", "{}") }
      #expect((try await shop.admin("DELETE", "faults").object["faults"] as? [Object])?.isEmpty == true)
    }
    _ = try await shop.admin("POST", "faults", "{\"fault\":\"429\"}")
    let refused = try await Shop.send("GET", url)
    let again = try #require(refused.headers.first(name: "Retry-After").flatMap { Int64($0) })
    #expect(refused.status == 429 && again > 1_700_000_000_000, "milliseconds since 1970")
    let log = try await shop.admin("GET", "requests").object["requests"] as? [Object] ?? []
    #expect(log.map { $0["fault"] as? String } == ["torn", "lost", "429"] && log.last?["status"] as? Int == 429)
    #expect(try await shop.admin("DELETE", "requests").status == 200)
    #expect((try await shop.admin("GET", "requests").object["requests"] as? [Object])?.isEmpty == true)
  }

  static let wrong: [(path: String, body: String, status: Int, code: String)] = [
    ("clock", "", 400, "wrong_request"), ("clock", "{}", 400, "wrong_request"),
    ("clock", "{\"advance\":\"soon\"}", 400, "wrong_request"),
    ("clock", "{\"advance\":\"-P1D\"}", 400, "wrong_request"),
    ("clock", "{\"to\":\"2001-01-01\"}", 400, "wrong_request"), ("clock", "{\"speed\":-1}", 400, "wrong_request"),
    ("clock", "{\"advance\":\"P999Y\"}", 409, "out_of_range"),
    ("clock", "{\"advance\":\"P9000Y\"}", 409, "out_of_range"),
    ("clock", "{\"advanced\":\"P1D\"}", 400, "wrong_request"), ("clock", "{\"advance\":1}", 400, "wrong_request"),
    ("actions", "{\"customer\":\"user-000000\"}", 400, "wrong_request"),
    (
      "actions", "{\"customer\":\"user-000000\",\"action\":\"cancel\",\"enviroment\":\"Sandbox\"}", 400, "wrong_request"
    ),
    ("clock", "{\"advance\":\"P1D\",\"speed\":1}", 400, "wrong_request"),
    ("actions", "{\"customer\":\"nobody\",\"action\":\"cancel\"}", 404, "unknown_customer"),
    ("actions", "{\"customer\":\"user-000000\",\"action\":\"dance\"}", 400, "wrong_request"),
    ("actions", "{\"customer\":\"user-000000\",\"action\":\"reverse-refund\"}", 409, "nothing_pending"),
    ("faults", "{\"fault\":\"x\"}", 400, "wrong_request"),
    ("faults", "{\"fault\":\"500\",\"endpoint\":\"x\"}", 400, "wrong_request"),
    ("faults", "{\"fault\":\"500\",\"endpoint\":\"webhook\"}", 400, "wrong_request"),
    ("faults", "{\"fault\":\"500\",\"requests\":0}", 400, "wrong_request"),
    ("faults", "{\"fault\":\"500\",\"environment\":\"Xcode\"}", 400, "wrong_request"),
    ("other", "{}", 404, "not_found"),
  ]

  @Test func `a wrong request of a test or an operator is refused with what to do`() async throws {
    let shop = try Shop(["--scenario", "cancelled"], in: try TemporaryFolder())
    let customer = try #require(try shop.purchases().first?["customer"] as? String)
    for row in Self.wrong {
      let answer = try await shop.admin("POST", row.path, row.body.replacing("user-000000", with: customer))
      #expect(answer.status == row.status && answer.object["code"] as? String == row.code, "\(row): \(answer.text)")
      #expect((answer.object["detail"] as? String)?.hasSuffix(".") == true, "\(answer.text)")
    }
  }

  @Test func `a server that fails or moves the clock while it receives is not waited for twice`() async throws {
    let folder = try TemporaryFolder()
    let addresses = AsyncStream<String>.makeStream()
    let address = addresses.stream
    let statuses = AsyncStream<Int>.makeStream()
    let receiver = try await Receiver { _ in
      // Asks for what nobody can have: the clock moves while this notification is delivered.
      for await base in address {
        let answer = try await Shop.send("POST", base + "/admin/clock", "{\"advance\":\"P1D\"}")
        statuses.continuation.yield(answer.status)
        break
      }
      return .internalServerError
    }
    let shop = try Shop(["--scenario", "cancelled", "--webhook", receiver.url, "--sandbox-customers", "1"], in: folder)
    addresses.continuation.yield(shop.production)
    addresses.continuation.finish()
    let customer = try #require(try shop.purchases().first?["customer"] as? String)
    let bought = try await shop.admin(
      "POST", "actions", "{\"customer\":\"\(customer)\",\"action\":\"buy bells\"}")
    #expect(bought.status == 200, "\(bought.text)")
    for await status in statuses.stream {
      #expect(status == 409)
      break
    }
    _ = try await shop.admin("POST", "clock", "{\"advance\":\"PT2H\"}")
    let sent = try await shop.admin("GET", "notifications").object["notifications"] as? [Object] ?? []
    let attempts = sent.last { $0["notification_type"] as? String == "ONE_TIME_CHARGE" }?["attempts"] as? [Object] ?? []
    #expect(attempts.count == 2 && attempts.allSatisfy { $0["status"] as? Int == 500 }, "\(attempts)")
    await receiver.end()
  }

  @Test func `a customer does nothing of its own from the first action on, and the App Store still renews`()
    async throws
  {
    let shop = try Shop(
      ["--customers", "1", "--rate", "cancel=1", "--rate", "payment-failure=1", "--sandbox-customers", "1"],
      in: try TemporaryFolder())
    func act(_ action: String) async throws {
      let answer = try await shop.admin(
        "POST", "actions", "{\"customer\":\"user-000000\",\"action\":\"\(action)\"}")
      #expect(answer.status == 200, "\(action): \(answer.text)")
    }
    func types() async throws -> [String] {
      let sent = try await shop.admin("GET", "notifications?environment=production").object["notifications"]
      return (sent as? [Object] ?? []).suffix(4).compactMap { $0["notification_type"] as? String }
    }
    try await act("buy stories")
    try await act("fail")
    _ = try await shop.admin("POST", "clock", "{\"advance\":\"P100D\"}")
    #expect(try await types().contains("DID_FAIL_TO_RENEW"))
    try await act("resolve")
    _ = try await shop.admin("POST", "clock", "{\"advance\":\"P1Y\"}")
    #expect(try await types() == ["DID_RENEW", "DID_RENEW", "DID_RENEW", "DID_RENEW"])
    let card = try await shop.admin("GET", "customers?customer=user-000000").object["customers"] as? [Object]
    #expect((card?.first?["purchases"] as? [Object])?.contains { $0["state"] as? String == "active" } == true)
  }

  @Test func `a prompt without a person ends with its first mistake, and a folder serves one at a time`() throws {
    let folder = try TemporaryFolder()
    let program = Program(folder: folder)
    let arguments = ["app-store", "--interactive", "--out", folder.file("prompt"), "--customers", "2"]
    let talked = try program.run(
      arguments, input: "buy bells\nwait P1M\nsandbox\nsent\nasked\nhelp\nquit\n", program: RunningProgram.server)
    #expect(talked.code == 0 && talked.output.contains("ONE_TIME_CHARGE about user-000000: not sent"), "\(talked)")
    let mistaken = try program.run(arguments, input: "dance\nbuy bells\n", program: RunningProgram.server)
    #expect(mistaken.code == 1 && mistaken.output.contains("Not done: 'dance' is not an action."), "\(mistaken)")
    #expect(!mistaken.output.contains("> buy bells"))
    let shop = try Shop([], in: folder)
    let second = try program.run(["app-store", "--out", folder.file("shop")], program: RunningProgram.server)
    #expect(second.code != 0 && second.complaints.contains("Another local App Store uses the folder"), "\(second)")
    #expect(shop.end() == 0)
  }

  // MARK: - The page

  @Test func `the page has buttons without a script, and takes none of another site`() async throws {
    let shop = try Shop(["--customers", "3", "--seed", "4"], in: try TemporaryFolder())
    let page = try await Shop.send("GET", shop.production + "/")
    #expect(page.status == 200 && page.headers.first(name: "Content-Type") == "text/html; charset=utf-8")
    #expect(!page.text.contains("<script") && page.text.contains("user-000002"))
    let card = try await Shop.send("GET", shop.production + "/?customer=user-000001")
    for words in ["Buy monthly", "Let payments fail", "Ask for a refund", "What Apple sent", "All actions"] {
      #expect(card.text.contains(words), "\(words)")
    }
    let form = "customer=user-000001&action=buy+bells&environment=Production&back=%2F%3Fcustomer%3Duser-000001"
    let bought = try await Shop.send("POST", shop.production + "/page/action", form)
    #expect(bought.status == 303 && bought.headers.first(name: "Location") == "/?customer=user-000001")
    #expect(try await Shop.send("GET", shop.production + "/?customer=user-000001").text.contains("ONE_TIME_CHARGE"))
    let refused = try await Shop.send(
      "POST", shop.production + "/page/action", form.replacing("buy+bells", with: "reverse-refund"))
    let back = try #require(refused.headers.first(name: "Location"))
    #expect(try await Shop.send("GET", shop.production + back).text.contains("Nothing was refunded."))
    let moved = try await Shop.send("POST", shop.production + "/page/clock", "advance=P1D&back=https%3A%2F%2Fevil")
    #expect(moved.status == 303 && moved.headers.first(name: "Location") == "/?")
    let other = try await Shop.send(
      "POST", shop.production + "/page/clock", "advance=P1D", headers: [("Sec-Fetch-Site", "cross-site")])
    #expect(other.status == 403)
    let odd = try await Shop.send("GET", shop.production + "/?customer=%3Cb%3E&message=%3Cscript%3E")
    #expect(!odd.text.contains("<b>") && !odd.text.contains("<script>") && odd.text.contains("&lt;script&gt;"))
  }

  // MARK: - The folder

  @Test func `a later run in the folder has the same root and key, and another program's folder is left alone`() throws
  {
    let folder = try TemporaryFolder()
    func files() throws -> [String] {
      try ["root.pem", "AuthKey.p8"].map { try String(contentsOfFile: folder.file("shop/\($0)"), encoding: .utf8) }
    }
    let first = try Shop([], in: folder)
    let (made, id) = (try files(), first.settings["SUBLEDGER_APPLE_KEY_ID"])
    #expect(first.end() == 0)
    let second = try Shop([], in: folder)
    #expect(try files() == made && second.settings["SUBLEDGER_APPLE_KEY_ID"] == id)
    #expect(second.end() == 0)
    let program = Program(folder: folder)
    let other = try TemporaryFolder()
    _ = try other.write("mine", to: "notes.txt")
    let refused = try program.run(["app-store", "--out", other.path], program: RunningProgram.server)
    #expect(refused.code != 0 && refused.complaints.contains("Name a new folder"), "\(refused)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["notes.txt"])
    for arguments in [
      ["--webhook", "localhost"], ["--listen", "x"], ["--speed", "-1"], ["--renewal-rate", "real"],
      ["--scenario", "x"],
      ["--customers", "0"], ["--webhook-version", "v3"], ["--clock", "2020-01-01"],
    ] {
      let wrong = try program.run(["app-store", "--out", folder.file("w")] + arguments, program: RunningProgram.server)
      #expect(wrong.code == 64, "\(arguments): \(wrong)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("w")))
  }

  @Test func `a port that another program has is named in the error`() throws {
    let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
    let shop = try Shop([], in: one)
    let port = try #require(URL(string: shop.production)?.port)
    let refused = try Program(folder: two).run(
      ["app-store", "--out", two.file("shop"), "--listen", "127.0.0.1:\(port)"], program: RunningProgram.server)
    #expect(refused.code == 1 && refused.complaints.contains("cannot listen on 127.0.0.1:\(port)"), "\(refused)")
  }
}

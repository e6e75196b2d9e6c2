import Foundation

/// A case that measures the support page of a person with many periods, beside other customers.
struct PageCase {
  let workshop: Workshop
  /// About how many transactions of other customers the ledger has.
  let transactions: Int

  private static let periods = 200
  private static let week = 7 * 86_400_000
  private static let password = "three words are better than one"

  private var ledger: String { workshop.path("page.sqlite") }

  func run(_ report: inout Report) throws {
    report.data["page"] = "a person with \(Self.periods) periods and as many notifications"
    try makeLedger()
    let server = try ServerProcess(workshop, ledger: ledger, log: "page.log", [])
    defer { try? server.stop() }
    let cookie = try signIn(server.port)
    workshop.progress("opening the page")
    let loads = try (0..<30).map { _ in try load("/people/ann", server.port, cookie) }.dropFirst(3)
    let times = loads.map(\.milliseconds).sorted()
    report.measurements += [
      Measurement(
        "support page of a person with \(Self.periods) periods, first byte",
        Figure(name: "subledger-server", value: times[times.count / 2], unit: "ms"), goal: .valueAtMost(100)),
      Measurement(
        "the same, its length",
        Figure(name: "subledger-server", value: Double(loads.last?.bytes ?? 0) / 1000, unit: "KB"),
        goal: .valueAtMost(100)),
    ]
  }

  private func makeLedger() throws {
    workshop.remove(ledger)
    workshop.progress("making a ledger of \(transactions) transactions, and a person with \(Self.periods) periods")
    _ = try Child.run([
      Workshop.executable, "make", ledger, "--transactions", "\(transactions)", "--seed", "9", "--program",
      workshop.subledger,
    ])
    let begin = 1_600_000_000_000
    let rows = (0..<Self.periods).map { index in
      let purchase = begin + index * Self.week
      return """
        {"transaction_id":"7\(index)","original_transaction_id":"70","product_id":"weekly","purchase_date_ms":\
        "\(purchase)","expires_date_ms":"\(purchase + Self.week)","is_trial_period":"false","quantity":"1"}
        """
    }
    let notifications = rows.enumerated().map { index, row in
      """
      {"receivedAt":"\(begin + index * Self.week + 1000)","payload":{"notification_type":"DID_RENEW","environment":"PROD",\
      "bid":"b","auto_renew_status":"true","auto_renew_product_id":"weekly","unified_receipt":{"status":0,\
      "environment":"Production","latest_receipt_info":[\(row)]}}}
      """
    }
    let file = workshop.path("page.ndjson")
    try notifications.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let database = ["--database", ledger]
    let entry = ["--author", "benchmark", "--reason", "benchmark"] + database
    _ = try Child.run([workshop.subledger, "import", file] + database)
    _ = try Child.run(
      [workshop.subledger, "products", "entitle", "pro", "--product", "weekly", "--bundle-id", "b"] + database)
    _ = try Child.run([workshop.subledger, "customers", "link", "ann", "70"] + entry)
    let password = workshop.path("password")
    try Self.password.write(toFile: password, atomically: true, encoding: .utf8)
    _ = try Child.run(
      [workshop.subledger + "-server", "users", "create", "lead", "--role", "lead", "--password-file", password] + entry
    )
  }

  /// Returns the cookie of a session.
  private func signIn(_ port: Int) throws -> String {
    let head = try Child.run([
      "curl", "--silent", "--show-error", "--dump-header", "-", "--header", "Origin: http://127.0.0.1:\(port)",
      "--data-urlencode", "name=lead", "--data-urlencode", "password=\(Self.password)",
      "http://127.0.0.1:\(port)/sign-in",
    ]).output
    guard let cookie = head.firstMatch(of: /(?i)set-cookie: ([^;]+);/) else {
      throw BenchmarkError("nobody is signed in:\n\(head)")
    }
    return String(cookie.1)
  }

  private func load(_ path: String, _ port: Int, _ cookie: String) throws -> (milliseconds: Double, bytes: Int) {
    let output = try Child.run([
      "curl", "--silent", "--show-error", "--fail", "--output", workshop.path("page.html"), "--header",
      "Cookie: \(cookie)", "--write-out", "%{time_starttransfer} %{size_download}", "http://127.0.0.1:\(port)\(path)",
    ]).output
    let parts = output.split(separator: " ")
    guard parts.count == 2, let seconds = Double(parts[0]), let bytes = Int(parts[1]) else {
      throw BenchmarkError("curl wrote: \(output)")
    }
    return (seconds * 1000, bytes)
  }
}

import Foundation

/// A case that measures the local App Store: pages of history that it answers, webhooks that it posts, and its memory.
struct AppStoreCase {
  let workshop: Workshop
  let customers: Int

  /// Requests of the memory's measurement, in two halves of which only the second must add nothing.
  private static let requests = 100_000

  func run(_ report: inout Report) throws {
    let sink = try Sink()
    defer { sink.stop() }
    let shop = try LocalAppStoreProcess(
      workshop, folder: "shop", isOnOneCore: true,
      ["--customers", "\(customers)", "--webhook", "http://127.0.0.1:\(sink.port)/"])
    defer { shop.stop() }
    workshop.progress("the local App Store of \(customers) customers listens after \(shop.begun) s")
    let pages = try historyRate(of: shop, 10)
    let webhooks = try webhookRate(of: shop)
    let signatures = try signatureRate()
    let (middle, end) = try memories(of: shop)
    report.data["local App Store"] = "\(customers) customers, one core; it listens after \(Figure.number(shop.begun)) s"
    report.measurements += [
      Measurement(
        "pages of history, 20 signatures each", Figure(name: "app-store", value: pages, unit: "pages/s"),
        against: Figure(name: "openssl, 20 signatures", value: signatures / 20, unit: "/s"),
        goal: .ratioAtLeast(0.3)),
      Measurement(
        "notifications, 3 signatures each, posted in order",
        Figure(name: "app-store", value: webhooks, unit: "webhooks/s"),
        against: Figure(name: "openssl, 3 signatures", value: signatures / 3, unit: "/s"), goal: .ratioAtLeast(0.1)),
      Measurement(
        "memory after \(Self.requests) requests", Figure(name: "app-store", value: end, unit: "MB"),
        against: Figure(name: "after half of them", value: middle, unit: "MB"), goal: .ratioAtMost(1.1)),
    ]
  }

  private func curl(_ arguments: [String]) throws -> String {
    try Child.run(["curl", "--silent", "--show-error", "--fail"] + arguments).output
  }

  /// Returns a path whose answer is a page of twenty transactions, and how its requests begin.
  private func page(of shop: LocalAppStoreProcess) throws -> (url: String, authorization: String) {
    let base = shop.settings["SUBLEDGER_APPLE_API_URL"] ?? ""
    let authorization = "Authorization: Bearer " + (try curl([base + "/admin/token"]))
    let purchases = try String(contentsOfFile: shop.folder + "/purchases.ndjson", encoding: .utf8)
    for match in purchases.matches(of: /"original_transaction_id":"(\d+)"/) {
      let url = base + "/inApps/v2/history/\(match.1)"
      guard let text = try? curl(["-H", authorization, url]) else { continue }
      if text.contains("\"hasMore\":true") { return (url, authorization) }
    }
    throw BenchmarkError("nobody has a page of twenty transactions")
  }

  private func historyRate(of shop: LocalAppStoreProcess, _ seconds: Int) throws -> Double {
    let (url, authorization) = try page(of: shop)
    let output = try Child.run([
      "wrk", "--threads", "1", "--connections", "4", "--duration", "\(seconds)s", "-H", authorization, url,
    ]).output
    guard !output.contains("Non-2xx"), let rate = output.firstMatch(of: /Requests\/sec:\s+([0-9.]+)/),
      let number = Double(rate.1)
    else { throw BenchmarkError("wrk had errors:\n\(output)") }
    return number
  }

  /// Returns how many signatures with P-256 one core makes in a second: the limit of everything that is signed.
  private func signatureRate() throws -> Double {
    let output = try Child.run(["openssl", "speed", "-seconds", "3", "-mr", "ecdsap256"]).output
    // +F4:number:bits:signatures a second:verifications a second
    guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("+F4") }),
      let rate = Double(line.split(separator: ":")[3])
    else { throw BenchmarkError("openssl has another form:\n\(output)") }
    return rate
  }

  private func webhookRate(of shop: LocalAppStoreProcess) throws -> Double {
    let base = shop.settings["SUBLEDGER_APPLE_API_URL"] ?? ""
    func count() throws -> Int {
      try String(contentsOfFile: shop.folder + "/notifications-production.ndjson", encoding: .utf8).utf8
        .count { $0 == UInt8(ascii: "\n") }
    }
    let (before, start) = (try count(), ContinuousClock.now)
    _ = try curl(["-d", "{\"advance\":\"P30D\"}", base + "/admin/clock"])
    // To count takes longer than to post.
    let seconds = start.duration(to: .now) / .seconds(1)
    return Double(try count() - before) / seconds
  }

  /// Returns the memory in megabytes after half of the requests and after all.
  private func memories(of shop: LocalAppStoreProcess) throws -> (Double, Double) {
    let base = shop.settings["SUBLEDGER_APPLE_API_URL"] ?? ""
    func load() throws -> Double {
      workshop.progress("\(Self.requests / 2) requests")
      var count = 0
      while count < Self.requests / 2 {
        let output = try Child.run([
          "wrk", "--threads", "1", "--connections", "4", "--duration", "3s", base + "/inApps/v1/transactions/1",
        ]).output
        guard let found = output.firstMatch(of: /(\d+) requests in/).flatMap({ Int($0.1) }), found > 0 else {
          throw BenchmarkError("wrk had errors:\n\(output)")
        }
        count += found
      }
      let status = try String(contentsOfFile: "/proc/\(shop.id)/status", encoding: .utf8)
      let kilobytes = status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Double($0.1) } ?? 0
      return kilobytes / 1024
    }
    return (try load(), try load())
  }
}

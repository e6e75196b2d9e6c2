import Foundation

/// A case that measures the local App Store: pages of history that it answers, webhooks that it posts, and its memory.
struct AppStoreCase {
  let workshop: Workshop
  let customers: Int

  /// Requests of the memory's measurement, in two halves of which only the second must add nothing.
  private static let requests = 100_000

  private var folder: String { workshop.path("shop") }

  func run(_ report: inout Report) throws {
    try? FileManager.default.removeItem(atPath: folder)
    let sink = try Sink()
    defer { sink.stop() }
    let process = Process()
    // One core for the server; the load and the receiver have the others.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = [
      "--cpu-list", "0", workshop.subledger + "-server", "app-store", "--out", folder, "--customers", "\(customers)",
      "--seed", "3", "--webhook", "http://127.0.0.1:\(sink.port)/",
    ]
    process.standardOutput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    while !FileManager.default.fileExists(atPath: folder + "/settings.env") {
      guard process.isRunning else { throw BenchmarkError("the local App Store ended") }
      Thread.sleep(forTimeInterval: 0.01)
    }
    let begun = start.duration(to: .now) / .seconds(1)
    workshop.progress("the local App Store of \(customers) customers listens after \(begun) s")
    let pages = try historyRate(10)
    let webhooks = try webhookRate()
    let signatures = try signatureRate()
    let (middle, end) = try memories(process.processIdentifier)
    report.data["local App Store"] = "\(customers) customers, one core; it listens after \(Figure.number(begun)) s"
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

  private func settings() throws -> [String: String] {
    let lines = try String(contentsOfFile: folder + "/settings.env", encoding: .utf8).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "=", maxSplits: 1)
        return (String(parts[0]), parts[1].trimmingCharacters(in: ["'"]))
      })
  }

  private func curl(_ arguments: [String]) throws -> String {
    try Child.run(["curl", "--silent", "--show-error", "--fail"] + arguments).output
  }

  /// Returns a path whose answer is a page of twenty transactions, and how its requests begin.
  private func page() throws -> (url: String, authorization: String) {
    let base = try settings()["SUBLEDGER_APPLE_API_URL"] ?? ""
    let authorization = "Authorization: Bearer " + (try curl([base + "/admin/token"]))
    let purchases = try String(contentsOfFile: folder + "/purchases.ndjson", encoding: .utf8)
    for match in purchases.matches(of: /"original_transaction_id":"(\d+)"/) {
      let url = base + "/inApps/v2/history/\(match.1)"
      guard let text = try? curl(["-H", authorization, url]) else { continue }
      if text.contains("\"hasMore\":true") { return (url, authorization) }
    }
    throw BenchmarkError("nobody has a page of twenty transactions")
  }

  private func historyRate(_ seconds: Int) throws -> Double {
    let (url, authorization) = try page()
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

  private func webhookRate() throws -> Double {
    let base = try settings()["SUBLEDGER_APPLE_API_URL"] ?? ""
    func count() throws -> Int {
      try String(contentsOfFile: folder + "/notifications-production.ndjson", encoding: .utf8).utf8
        .count { $0 == UInt8(ascii: "\n") }
    }
    let (before, start) = (try count(), ContinuousClock.now)
    _ = try curl(["-d", "{\"advance\":\"P30D\"}", base + "/admin/clock"])
    // To count takes longer than to post.
    let seconds = start.duration(to: .now) / .seconds(1)
    return Double(try count() - before) / seconds
  }

  /// Returns the memory in megabytes after half of the requests and after all.
  private func memories(_ id: Int32) throws -> (Double, Double) {
    let base = try settings()["SUBLEDGER_APPLE_API_URL"] ?? ""
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
      let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
      let kilobytes = status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Double($0.1) } ?? 0
      return kilobytes / 1024
    }
    return (try load(), try load())
  }
}

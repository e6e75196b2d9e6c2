import AppStore
import Foundation
import GRDB
import Ledger

/// A case that measures the server under load of `wrk`: webhooks that are durable before their answer, and questions
/// about access.
struct ServerCase {
  let workshop: Workshop
  /// How many customers' notifications are posted.
  let customers: Int
  /// About how many transactions the ledger has before that.
  let transactions: Int

  private static let connections = 64
  private static let duration = 8

  private var notifications: String { workshop.path("posted-\(customers).ndjson") }
  private var authority: String { workshop.path("authority") }
  private var ledger: String { workshop.path("server.sqlite") }

  func run(_ report: inout Report) throws {
    try makeData()
    let count = try SignedTexts.texts(in: notifications).count
    report.data["webhooks"] = "\(count) notifications, \(Self.connections) connections, wrk on the same cores"
    report.data["ledger of the server"] = "about \(transactions) transactions before the load"
    let importing = try importRate(count)
    let python = try python()
    try serve { server in
      var postedCount = 0
      let full = try post(server.port, &postedCount, delay: 0)
      // So many requests a second as half of the full load: each connection waits between two of its own.
      let half = try post(server.port, &postedCount, delay: Int(Double(Self.connections) / (full.rate / 2) * 1000))
      workshop.progress("\(postedCount) of \(count) notifications posted")
      let busy = try memory(server)
      let ours = Figure(name: "subledger-server", value: full.rate, unit: "webhooks/s")
      report.measurements += [
        Measurement(
          "webhooks durable before 200, 64 connections", ours,
          against: Figure(name: "import of a file", value: importing, unit: "/s"), goal: .ratioAtLeast(0.4)),
        Measurement(
          "the same", ours, against: Figure(name: "Flask, gunicorn, INSERT and commit", value: python, unit: "/s"),
          goal: .ratioAtLeast(10)),
        Measurement(
          "webhook p99 at half load", Figure(name: "subledger-server", value: half.p99, unit: "ms"),
          goal: .valueAtMost(50)),
        Measurement(
          "memory at 1,000 idle and 64 busy connections",
          Figure(name: "subledger-server", value: busy, unit: "MB"), goal: .valueAtMost(150)),
      ]
      try ask(server, &report)
    }
  }

  // MARK: - Data

  private func makeData() throws {
    if !FileManager.default.fileExists(atPath: notifications) {
      workshop.progress("simulating the notifications of \(customers) customers")
      try workshop.write(
        [
          workshop.subledger, "simulate", "--customers", "\(customers)", "--seed", "3", "--payload-format", "v2",
          "--authority", authority,
        ], to: notifications)
    }
    workshop.remove(ledger)
    workshop.progress("making a ledger of \(transactions) transactions")
    _ = try Child.run([
      Workshop.executable, "make", ledger, "--transactions", "\(transactions)", "--seed", "9", "--program",
      workshop.subledger,
    ])
    try workshop.entitleAll(ledger)
  }

  private func importRate(_ count: Int) throws -> Double {
    let copy = workshop.path("imported.sqlite")
    workshop.remove(copy)
    let trust = ["--trust", authority + "/root.pem"]
    return Double(count) / (try workshop.importing(notifications, into: copy, arguments: trust).seconds)
  }

  /// Returns how many webhooks a second a handler in Python takes.
  private func python() throws -> Double {
    let database = workshop.path("flask.sqlite")
    workshop.remove(database)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: workshop.path("python/bin/gunicorn"))
    process.arguments = [
      "--workers", "2", "--threads", "1", "--bind", "127.0.0.1:18097", "--chdir", workshop.peer(""), "--log-level",
      "error", "receive_webhooks:app",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(["DATABASE": database]) { $1 }
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    Thread.sleep(forTimeInterval: 2)
    var postedCount = 0
    return try post(18097, &postedCount, delay: 0).rate
  }

  // MARK: - The server

  private struct Server {
    var process: ServerProcess
    var token: String

    var port: Int { process.port }
  }

  private func serve(_ body: (Server) throws -> Void) throws {
    let token = try Child.run([
      workshop.subledger + "-server", "tokens", "create", "load", "--scope", "ask", "--rate", "1000000", "--database",
      ledger,
    ]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let start = ContinuousClock.now
    let process = try ServerProcess(
      workshop, ledger: ledger, log: "server.log",
      ["--trust", authority + "/root.pem", "--connections", "2000", "--connections-per-address", "2000"])
    workshop.progress("the server listens after \(start.duration(to: .now))")
    defer { try? process.stop() }
    Thread.sleep(forTimeInterval: 3)
    try body(Server(process: process, token: token))
  }

  /// Returns the memory of the server in megabytes, with a thousand idle connections beside the load of a moment ago.
  private func memory(_ server: Server) throws -> Double {
    let idle = try (0..<1000).map { _ in
      guard let connection = RawConnection(to: server.port, from: "127.0.0.1") else {
        throw BenchmarkError("no connection: \(String(cString: strerror(errno)))")
      }
      return connection
    }
    var postedCount = 0
    _ = try post(server.port, &postedCount, delay: 0, seconds: 3)
    return try withExtendedLifetime(idle) { Double(try server.process.memory("VmRSS")) / 1_048_576 }
  }

  // MARK: - Load

  private struct Load {
    var rate: Double
    var p50: Double
    var p99: Double
  }

  private func post(_ port: Int, _ postedCount: inout Int, delay: Int, seconds: Int = Self.duration) throws -> Load {
    workshop.progress("posting to port \(port)")
    let load = try wrk(port, [notifications, "\(postedCount)", "\(delay)"], seconds)
    postedCount += Int(load.rate * Double(seconds)) + Self.connections
    return load
  }

  private func wrk(_ port: Int, _ arguments: [String], _ seconds: Int) throws -> Load {
    let output = try Child.run(
      [
        "wrk", "--threads", "1", "--connections", "\(Self.connections)", "--duration", "\(seconds)s", "--script",
        workshop.peer("load.lua"), "http://127.0.0.1:\(port)", "--",
      ] + arguments
    ).output
    let figures = output.split(separator: "\n").first { $0.hasPrefix("FIGURES") }?.split(separator: " ") ?? []
    guard figures.count == 5, let rate = Double(figures[1]), let p50 = Double(figures[2]), let p99 = Double(figures[3]),
      figures[4] == "0"
    else { throw BenchmarkError("wrk had errors:\n\(output)") }
    return Load(rate: rate, p50: p50, p99: p99)
  }

  private func ask(_ server: Server, _ report: inout Report) throws {
    let tokens = try DatabaseQueue(path: ledger, configuration: .readOnly).read { database in
      let last = try Int64.fetchOne(database, sql: LedgerSQL.lastKey) ?? 1
      return try (0..<2000).compactMap { index in
        try Row.fetchOne(database, sql: LedgerSQL.tokenFromKey, arguments: [Int64(index) * last / 2000])
      }.map { $0["token"] as String }
    }
    let file = workshop.path("customers.txt")
    try tokens.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    workshop.progress("asking over HTTP")
    let full = try wrk(server.port, [file, "0", "0", server.token], Self.duration)
    let health = try wrk(server.port, [file, "0", "0", server.token, "/healthz"], Self.duration)
    let delay = Int(Double(Self.connections) / (full.rate / 2) * 1000)
    let half = try wrk(server.port, [file, "0", "\(delay)", server.token], Self.duration)
    report.measurements += [
      Measurement(
        "GET entitlement, 64 connections", Figure(name: "subledger-server", value: full.rate, unit: "/s"),
        against: Figure(name: "GET /healthz of the same server", value: health.rate, unit: "/s"),
        goal: .ratioAtLeast(0.5)),
      Measurement(
        "the same, p99 at half load", Figure(name: "subledger-server", value: half.p99, unit: "ms"),
        goal: .valueAtMost(10)),
    ]
  }
}

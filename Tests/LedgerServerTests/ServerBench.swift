import AppStore
import Foundation
import FoundationNetworking
import Ledger
import LedgerService
import Logging
import TestSupport

import LedgerServer

/// What a request got back.
struct Answer: Sendable {
  var status: Int
  var body: String
  var headers: [String: String]

  /// The body as JSON.
  var json: [String: Any] {
    get throws { try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:] }
  }
}

/// Sends requests to a port of this machine.
struct Client: Sendable {
  let port: Int
  // Each client has connections of its own: a connection of a server that was killed is of no use for the next.
  private let session: URLSession

  init(port: Int, token: String? = nil) {
    (self.port, self.token) = (port, token)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  /// The token that each request bears; `nil` for none.
  var token: String?

  func send(
    _ path: String, _ method: String = "GET", _ body: String? = nil, type: String = "application/json",
    headers: [String: String] = [:]
  ) async throws -> Answer {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    // A slow answer is not a fault.
    var request = URLRequest(url: url, timeoutInterval: Eventually.limit / .seconds(1))
    request.httpMethod = method
    if let body {
      request.httpBody = Data(body.utf8)
      request.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let fields = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
    return Answer(
      status: response.statusCode, body: String(decoding: data, as: UTF8.self),
      headers: Dictionary(fields) { first, _ in first })
  }

  /// Posts a notification, and again when the server's machine was too slow for it, as Apple does.
  func post(_ path: String, _ body: String) async throws -> Int {
    while true {
      let answer = try await send(path, "POST", body)
      if !answer.body.contains("\"waited_too_long\"") { return answer.status }
    }
  }
}

/// A server in this process, over a ledger in a folder of its own.
struct ServerBench {
  let folder: TemporaryFolder
  let reader: LedgerReader
  let client: Client
  let server: LedgerServer
  /// The clock of timeouts and limits, which stands still until a test moves it.
  let clock = TestClock()
  private let task: Task<Void, any Error>

  /// Starts a server.
  /// - Parameters:
  ///   - decoder: decides which payloads count.
  ///   - busyTimeout: how long the server waits for a file that another program holds. It is short where a test holds it.
  ///   - requestTime: the time in which a request must arrive.
  ///   - ledger: a file whose copy the server has; `nil` for an empty ledger.
  ///   - now: the server's wall clock.
  ///   - change: changes the server's settings.
  init(
    decoder: PayloadDecoder = .permissive(), busyTimeout: Duration = Eventually.limit,
    requestTime: Duration = Eventually.limit, ledger path: String? = nil,
    now: @escaping @Sendable () -> Instant = { day(500) },
    changing change: (inout LedgerServer.Settings) -> Void = { _ in }
  ) async throws {
    folder = try TemporaryFolder()
    if let path {
      try FileManager.default.copyItem(atPath: path, toPath: folder.file("l.sqlite"))
    } else {
      try EmptyLedger.make(in: folder).close()
    }
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"), busyTimeout: busyTimeout)
    reader = try LedgerReader(path: ledger.path)
    var settings = LedgerServer.Settings(port: 0, decoder: decoder)
    settings.requestTime = (whole: requestTime, idle: Eventually.limit)
    settings.drain = .zero
    change(&settings)
    let server = try LedgerServer(ledger, settings, log: Self.log, uptime: { [clock] in clock.now }, now: now)
    self.server = server
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    task = Task { try await server.run { continuation.yield($0) } }
    var port: Int?
    for await first in ports {
      port = first
      break
    }
    client = Client(port: port ?? 0)
  }

  /// Makes a token of the ledger while the server runs, and returns a client that bears it.
  func client(_ scopes: Set<APIToken.Scope>, rate: Int? = 10_000, expiresAt: Instant? = nil) throws -> Client {
    let recorder = try LedgerRecorder(path: reader.path)
    defer { recorder.close() }
    let staffAction = StaffAction(author: "test", reason: "test", enteredAt: day(0))
    let token = try recorder.createToken(
      "test", scopes: scopes, requestsPerSecond: rate, expiresAt: expiresAt, staffAction)
    return Client(port: client.port, token: token.text)
  }

  /// Stops the server, and waits until it has closed the ledger.
  func stop() async throws {
    task.cancel()
    try await task.value
  }

  /// A logger that writes nothing.
  static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Records a text that ``TestAuthority`` signed, as it arrived at an instant.
  func record(signed text: String, at instant: Instant) async throws {
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), now: instant)
    let outcomes = await decoder.decode(Array(text.utf8)).outcomes
    let recorder = try LedgerRecorder(path: reader.path)
    defer { recorder.close() }
    try recorder.record(outcomes.map { Arrival(outcome: $0, receivedAt: instant, isExplicit: true, origin: "t") })
  }

  /// The value of each row of a statement with one column.
  func column(_ sql: String) throws -> [String] { try Self.column(reader, sql) }

  static func column(_ reader: LedgerReader, _ sql: String) throws -> [String] {
    var values: [String] = []
    try reader.query(
      sql, QueryParameters(asOf: day(1000), knownAt: day(1000)), limits: QueryLimits(), columns: { _ in }
    ) {
      switch $0[0] {
      case .integer(let number): values.append(String(number))
      case .text(let text): values.append(text)
      default: values.append("\($0[0])")
      }
    }
    return values
  }
}

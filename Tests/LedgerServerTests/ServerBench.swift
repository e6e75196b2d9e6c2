import AppStore
import Foundation
import FoundationNetworking
import Ledger
import LedgerServer
import LedgerService
import Logging
import TestSupport

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
  private let session = URLSession(configuration: .ephemeral)

  init(port: Int, token: String? = nil, tries: Int = 1) { (self.port, self.token, self.tries) = (port, token, tries) }

  /// The token that each request bears; `nil` for none.
  var token: String?
  /// How often a request is sent that gets no answer.
  let tries: Int

  func send(
    _ path: String, _ method: String = "GET", _ body: String? = nil, type: String = "application/json",
    headers: [String: String] = [:]
  ) async throws -> Answer {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    // The gate's machine is busy with many tests at once: a slow answer is no fault.
    var request = URLRequest(url: url, timeoutInterval: 300)
    request.httpMethod = method
    if let body {
      request.httpBody = Data(body.utf8)
      request.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await answer(to: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let fields = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
    return Answer(
      status: response.statusCode, body: String(decoding: data, as: UTF8.self),
      headers: Dictionary(fields) { first, _ in first })
  }

  /// Sends again what got no answer, as Apple and every client of a server do: between two requests a server may close a
  /// connection, and on a machine that is busy with all tests at once it does.
  private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    for _ in 1..<max(tries, 1) {
      if let answer = try? await session.data(for: request) { return answer }
    }
    return try await session.data(for: request)
  }

  /// Posts a notification.
  func post(_ path: String, _ body: String) async throws -> Int { try await send(path, "POST", body).status }
}

/// A server in this process, over a ledger in a folder of its own.
struct ServerBench {
  let folder: TemporaryFolder
  let reader: LedgerReader
  let client: Client
  private let task: Task<Void, any Error>

  init(
    decoder: PayloadDecoder = .permissive(), now: @escaping @Sendable () -> Instant = { day(500) }
  ) async throws {
    folder = try TemporaryFolder()
    try EmptyLedger.make(in: folder).close()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"), busyTimeout: .seconds(1))
    reader = try LedgerReader(path: ledger.path)
    let server = try LedgerServer(
      ledger, .init(port: 0, decoder: decoder), log: Self.log, now: now)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    task = Task { try await server.run { continuation.yield($0) } }
    var port: Int?
    for await first in ports {
      port = first
      break
    }
    client = Client(port: port ?? 0, tries: 5)
  }

  /// Makes a token of the ledger while the server runs, and returns a client that bears it.
  func client(_ scopes: Set<APIToken.Scope>, rate: Int? = 10_000, expiresAt: Instant? = nil) throws -> Client {
    let recorder = try LedgerRecorder(path: reader.path)
    defer { recorder.close() }
    let act = StaffAction(author: "test", reason: "test", recordedAt: day(0))
    let token = try recorder.createToken(
      "test", scopes: scopes, requestsPerSecond: rate, expiresAt: expiresAt, act)
    return Client(port: client.port, token: token.text, tries: 5)
  }

  /// Stops the server, and waits until it has closed the ledger.
  func stop() async throws {
    task.cancel()
    try await task.value
  }

  /// A logger that writes nothing.
  static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// The value of each row of a statement with one column.
  func column(_ sql: String) throws -> [String] { try Self.column(reader, sql) }

  static func column(_ reader: LedgerReader, _ sql: String) throws -> [String] {
    var values: [String] = []
    try reader.query(sql, Question(asOf: day(1000), knownAt: day(1000)), limits: QueryLimits(), columns: { _ in }) {
      if case .integer(let number) = $0[0] { values.append(String(number)) } else { values.append("\($0[0])") }
    }
    return values
  }
}

import AsyncHTTPClient
import Foundation
import HTTPConnections
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// A local App Store that runs as users run it: the built program, in a folder of its own.
final class Shop {
  typealias Object = [String: Any]

  let folder: TemporaryFolder
  let settings: [String: String]
  private let process: RunningProgram

  /// Starts a local App Store, and waits until it listens.
  init(_ arguments: [String], in folder: TemporaryFolder) throws {
    self.folder = folder
    process = try RunningProgram(["app-store", "--out", folder.file("shop")] + arguments, in: folder, logsOutput: true)
    try process.wait { $0.contains("clock: ") ? () : nil }
    let lines = try String(contentsOfFile: folder.file("shop/settings.env"), encoding: .utf8).split(separator: "\n")
    settings = Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "=", maxSplits: 1)
        return (String(parts[0]), parts[1].trimmingCharacters(in: ["'"]))
      })
  }

  var production: String { settings["SUBLEDGER_APPLE_API_URL"] ?? "" }
  var sandbox: String { settings["SUBLEDGER_APPLE_SANDBOX_API_URL"] ?? "" }

  struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    var object: Object { (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? Object ?? [:] }
  }

  static func send(
    _ method: String, _ url: String, _ body: String = "", headers: [(String, String)] = []
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
    let client = HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
    let answer: Result<Answer, any Error>
    do {
      let response = try await client.execute(request, timeout: .seconds(Int64(Eventually.limit.components.seconds)))
      let text = String(buffer: try await response.body.collect(upTo: 64 << 20))
      answer = .success(Answer(status: Int(response.status.code), headers: response.headers, text: text))
    } catch { answer = .failure(error) }
    try await client.shutdown()
    return try answer.get()
  }

  func admin(_ method: String, _ path: String, _ body: String = "") async throws -> Answer {
    try await Self.send(method, production + "/admin/" + path, body)
  }

  /// The purchases that the folder names.
  func purchases() throws -> [Object] {
    try String(contentsOfFile: folder.file("shop/purchases.ndjson"), encoding: .utf8).split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object)
    }
  }

  /// Ends the program.
  /// - Returns: its exit code.
  func end() -> Int32 { process.end() }
}

/// A back end that receives notifications, and answers as a test wants.
final class Receiver: Sendable {
  let url: String
  private let task: Task<Void, any Error>
  private let bodies: Bodies

  final class Bodies: Sendable {
    let all = Mutex<[String]>([])
  }

  var received: [String] { bodies.all.withLock { $0 } }

  init(
    headers: HTTPFields = [:], _ answer: @escaping @Sendable (String) async throws -> HTTPResponse.Status
  ) async throws {
    let bodies = Bodies()
    let (ports, found) = AsyncStream<Int>.makeStream()
    let application = Application(
      responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
        let body = String(buffer: try await request.body.collect(upTo: 8 << 20))
        bodies.all.withLock { $0.append(body) }
        return Response(status: try await answer(body), headers: headers)
      },
      server: .http1OfAcceptedConnections(),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { found.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
    self.bodies = bodies
    task = Task { try await application.run() }
    var port = 0
    for await one in ports {
      port = one
      break
    }
    url = "http://127.0.0.1:\(port)/apple"
  }

  func end() async {
    task.cancel()
    _ = try? await task.value
  }
}

internal import AppStore
internal import AppStoreSimulator
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// A request's connection, which a fault on demand may end.
struct SiteContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// The site of one environment: Apple's paths, and on production's port those for tests and people.
struct Site: Sendable {
  let running: RunningStores
  let environment: StoreEnvironment
  let page: Page
  let now: @Sendable () -> Instant

  /// The longest body that is read, in bytes. Apple names no limit; no right request comes near.
  private static let longestBody = 8 << 20

  /// Answers a request for any path.
  func respond(to request: Request, _ context: SiteContext) async throws -> Response {
    guard let body = try? await request.body.collect(upTo: Self.longestBody) else {
      return Response(status: .contentTooLarge, headers: [.connection: "close"])
    }
    let target = request.uri.string
    guard
      let asked = APIRequest(
        request.method.rawValue, target, authorization: request.headers[.authorization],
        body: Array(body.readableBytesView))
    else { return Response(status: .badRequest) }
    if environment == .production, let answer = try await own(asked, request.headers) { return answer }
    let answer = try await running.answer(asked, in: environment, now: now())
    await running.sendSoon()
    return try await send(answer, context)
  }

  /// Answers a request for a path that Apple does not have; `nil` for any other.
  private func own(_ request: APIRequest, _ headers: HTTPFields) async throws -> Response? {
    let isOfPage = request.path.isEmpty || request.path.first == "page"
    guard isOfPage || request.path.first == "admin" else { return nil }
    // Another site's page may send forms here, and must not move the clock.
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { headers[$0] }
    guard request.method == "GET" || [nil, "same-origin", "none"].contains(site) else {
      return Response(status: .forbidden)
    }
    if isOfPage { return try await page.respond(to: request) }
    let answer = try await SimulatorAdminAPI(running: running, now: now).answer(request)
    return Self.response(answer.status, answer.body)
  }

  private static func response(_ status: Int, _ body: [UInt8]) -> Response {
    var response = Response(status: .init(code: status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    if !body.isEmpty { response.headers[.contentType] = "application/json" }
    return response
  }

  /// Sends an answer in its manner.
  private func send(_ answer: APIResponse, _ context: SiteContext) async throws -> Response {
    var response = Self.response(answer.status, answer.body)
    if let again = answer.retryAfter { response.headers[.retryAfter] = String(again.milliseconds) }
    switch answer.manner {
    case .whole: break
    case .slow(let seconds): try await Task.sleep(for: .seconds(seconds))
    case .lost: try await context.channel.close()
    case .torn:
      let (body, channel) = (answer.body, context.channel)
      response.body = ResponseBody(contentLength: body.count) { writer in
        try await writer.write(ByteBuffer(bytes: body.prefix(body.count / 2)))
        try await channel.close()
        try await writer.finish(nil)
      }
    }
    return response
  }
}

/// Lets the clock run on, where it does.
struct Ticking: Service {
  let running: RunningStores
  let now: @Sendable () -> Instant

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try await running.tick(now: now())
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
}

/// Collects the ports of both environments, and calls back when it has them.
final class Ports: Sendable {
  private let ports = Mutex<[StoreEnvironment: Int]>([:])
  private let onComplete: @Sendable ([StoreEnvironment: Int]) -> Void

  init(_ onComplete: @escaping @Sendable ([StoreEnvironment: Int]) -> Void) { self.onComplete = onComplete }

  func set(_ port: Int, of environment: StoreEnvironment) {
    let all = ports.withLock {
      $0[environment] = port
      return $0
    }
    if all.count == 2 { onComplete(all) }
  }
}

internal import AppStore
internal import AppStoreSimulator
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Posts to the app's server: notifications as Apple does, and receipts as the apps on the devices do.
struct Webhooks: Sendable {
  /// The addresses of the app's server.
  let addresses: [Environment: String]
  /// Where receipts are posted, and the token; `nil` where they are not.
  let receipts: (address: String, token: String)?
  private let client: HTTPClient
  /// How long an answer may take. Apple documents none.
  private static let patience = TimeAmount.seconds(10)

  init(_ addresses: [Environment: String], receipts: (address: String, token: String)?) {
    (self.addresses, self.receipts) = (addresses, receipts)
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = .init(connect: .seconds(5), read: Self.patience)
    // An attempt is one attempt: where nobody listens, the library would try to connect until the time is over.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Posts a notification once.
  /// - Returns: the outcome in Apple's words, and the status of HTTP where the server answered.
  func post(_ delivery: WebhookDelivery, _ environment: Environment) async -> (SendAttemptResult, Int?) {
    guard let address = addresses[environment] else { return (.other, nil) }
    let agent = ("User-Agent", "App Store Server Notifications (local)")
    do {
      let status = try await send(ByteBuffer(bytes: delivery.body), to: address, agent)
      return (SendAttemptResult(status: status), status)
    } catch {
      return (Self.result(error), nil)
    }
  }

  /// Posts the receipt of a purchase once.
  /// - Returns: whether the app is done with it: the server has it, or refuses it. Otherwise the app tries again later.
  func post(receipt: String) async -> Bool {
    guard let receipts else { return true }
    let body = ByteBuffer(string: #"{"receipt-data": "\#(receipt)"}"#)
    let authorization = ("Authorization", "Bearer \(receipts.token)")
    guard let status = try? await send(body, to: receipts.address, authorization) else { return false }
    return status != 429 && status < 500
  }

  /// Posts JSON with one more field, and returns the status of HTTP.
  private func send(_ body: ByteBuffer, to address: String, _ field: (name: String, value: String)) async throws -> Int
  {
    var request = HTTPClientRequest(url: address)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: field.name, value: field.value)
    request.body = .bytes(body)
    let response = try await client.execute(request, timeout: Self.patience)
    // The body is not read, but the connection is used again only after its end.
    _ = try? await response.body.collect(upTo: 1 << 20)
    return Int(response.status.code)
  }

  private static func result(_ error: any Error) -> SendAttemptResult {
    switch error {
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout, .readTimeout, .deadlineExceeded: .timedOut
      case .remoteConnectionClosed: .prematureClose
      case .tlsHandshakeTimeout: .tlsIssue
      case .redirectCycleDetected, .redirectLimitReached: .circularRedirect
      default: .other
      }
    case is ChannelError, is IOError, is NIOConnectionError: .socketIssue
    case is NIOSSLError, is BoringSSLError: .tlsIssue
    case is HTTPParserError: .invalidResponse
    default: .other
    }
  }

  func close() async { try? await client.shutdown() }
}

public import AppStore
internal import Hummingbird
internal import HummingbirdCore
public import Ledger
public import Logging
internal import NIOCore

/// The server of one ledger: it receives Apple's notifications over HTTP.
///
/// Only one server has a ledger's file. Other programs may read it and record in it at the same time.
public struct LedgerServer: Sendable {
  /// What a server does, and where.
  public struct Settings: Sendable {
    /// The host name or address to listen on.
    public var host: String
    /// The port to listen on; 0 for any free one.
    public var port: Int
    /// The decoder of notifications: which signatures, shared secrets and apps it accepts. Its clock is not used.
    public var decoder: PayloadDecoder
    /// The greatest number of connections. Others wait until one is closed.
    public var connections = 1024

    /// Creates settings. The address is this machine's own by default.
    public init(host: String = "127.0.0.1", port: Int = 8080, decoder: PayloadDecoder) {
      (self.host, self.port, self.decoder) = (host, port, decoder)
    }
  }

  private let ledger: LedgerRecorder
  private let lock: ServerLock
  private let settings: Settings
  private let log: Logger
  private let inbox: Inbox
  private let health: Health
  private let receiving: Receiving

  /// Creates a server of a ledger. It listens when ``run(onListening:)`` is called.
  /// - Parameters:
  ///   - ledger: the recorder of the ledger. The server closes it at its end.
  ///   - settings: what the server does, and where it listens.
  ///   - log: the logger of requests. It gets no ids of people and no bodies.
  ///   - now: returns the present instant. It is the received instant of what arrives.
  /// - Throws: `LedgerError` with `busy` when another server has the file.
  public init(
    _ ledger: LedgerRecorder, _ settings: Settings, log: Logger, now: @escaping @Sendable () -> Instant
  ) throws {
    lock = try ServerLock(ledger.path)
    (self.ledger, self.settings, self.log) = (ledger, settings, log)
    let inbox = Inbox(ledger)
    self.inbox = inbox
    health = Health(inbox, path: ledger.path)
    receiving = Receiving(inbox: inbox, decoder: settings.decoder, now: now)
  }

  /// Answers requests until SIGTERM or SIGINT, or until its task is cancelled. Then it finishes what has begun, and closes
  /// the ledger.
  /// - Parameter onListening: called with the port when the server listens.
  /// - Throws: an error of the network, for example when another program has the port.
  public func run(onListening: @escaping @Sendable (_ port: Int) -> Void) async throws {
    let router = Router()
    router.add(middleware: Edge(log: log))
    health.add(to: router)
    receiving.add(to: router)
    let application = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [RequestDeadline()], idleTimeout: RequestDeadline.idle,
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port),
        availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)),
      onServerRunning: { onListening($0.localAddress?.port ?? 0) },
      logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() })
    defer {
      inbox.close()
      ledger.close()
      lock.release()
    }
    try await application.runService()
  }
}

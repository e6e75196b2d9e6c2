public import AppStore
public import AppStoreSimulator
internal import Foundation
internal import HTTPConnections
internal import Hummingbird
internal import Logging
internal import ServiceLifecycle

/// Apple's environment: production or the sandbox. The web framework has another type with this name.
public typealias StoreEnvironment = AppStore.Environment

/// The server of a local App Store: Apple's endpoints of both environments, notifications to the app's server, and the
/// paths below `/admin` by which tests and people control it.
///
/// Production and the sandbox listen on ports of their own, as Apple's have names of their own, so that a client needs
/// only another base address.
public struct AppStoreServer: Sendable {
  /// Where a server listens, and where it posts.
  public struct Settings: Sendable {
    /// The host name or address to listen on.
    public var host = "127.0.0.1"
    /// The port of production; 0 for any free one. The sandbox has the next port, or any free one too.
    public var port = 0
    /// The addresses of the app's server, to which notifications are posted.
    public var webhooks: [StoreEnvironment: String] = [:]
    /// Where the apps on the devices post the receipt of each purchase: an address that takes what `POST /v1/receipts` of
    /// `subledger-server` takes, and its token; `nil` where they post none.
    public var receipts: (address: String, token: String)?
    /// How many simulated seconds pass in a real one; 0: the clock stands.
    public var speed = 0.0

    /// Creates settings: any free port of this machine, and no webhook.
    public init() {}
  }

  private let settings: Settings
  let running: RunningStores
  private let webhooks: Webhooks
  private let page: Page
  private let now: @Sendable () -> Instant

  /// Creates a server of both environments.
  /// - Parameters:
  ///   - stores: the local App Store in each environment.
  ///   - settings: where the server listens, and where it posts.
  ///   - now: returns the present instant of the real clock, by which tokens must be valid.
  ///   - onPurchase: receives what customers buy, when it happens, with the receipt of the device in Base64.
  ///   - onClock: receives each new instant of the simulated clock, before anything is posted at this instant. A server
  ///     that plays along takes it as its own clock.
  /// - Throws: an error of the page's template.
  public init(
    _ stores: [StoreEnvironment: LocalAppStore], _ settings: Settings, now: @escaping @Sendable () -> Instant,
    onPurchase: @escaping @Sendable (LocalPurchase, _ receipt: String) throws -> Void,
    onClock: @escaping @Sendable (Instant) -> Void = { _ in }
  ) throws {
    (self.settings, self.now) = (settings, now)
    let webhooks = Webhooks(settings.webhooks, receipts: settings.receipts)
    self.webhooks = webhooks
    running = RunningStores(stores, webhooks, onPurchase: onPurchase, onClock: onClock)
    page = try Page(running: running, now: now)
  }

  /// Lets time pass until an instant, and waits until everything until then has happened and was posted.
  /// - Throws: an error when the clock is moving already; errors of the stores.
  public func advance(to instant: Instant) async throws { try await running.move(to: instant) }

  /// Answers requests until SIGTERM or SIGINT, or until its task is cancelled.
  /// - Parameter onListening: called with the port of each environment when both listen.
  /// - Throws: an error of the network, for example when another program has a port.
  public func run(onListening: @escaping @Sendable (_ ports: [StoreEnvironment: Int]) -> Void) async throws {
    await running.run(at: settings.speed, now: now())
    let ports = Ports(onListening)
    let applications = [StoreEnvironment.production, .sandbox].map { environment in
      application(environment) { ports.set($0, of: environment) }
    }
    let quiet = Logger(label: "app-store") { _ in SwiftLogNoOpLogHandler() }
    var configuration = ServiceGroupConfiguration(
      services: applications.map { .init(service: $0) } + [.init(service: Ticking(running: running, now: now))],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    // A long move of the clock must not hold up the end.
    configuration.maximumGracefulShutdownDuration = .seconds(2)
    let group = ServiceGroup(configuration: configuration)
    // The client must be closed in any case.
    let outcome = await Result { try await group.run() }
    await webhooks.close()
    do { try outcome.get() } catch is CancellationError {}
  }

  private func application(
    _ environment: StoreEnvironment, onListening: @escaping @Sendable (Int) -> Void
  ) -> some Service {
    let site = Site(running: running, environment: environment, page: page, now: now)
    let port = environment == .production || settings.port == 0 ? settings.port : settings.port + 1
    return Application(
      responder: CallbackResponder { (request: Request, context: SiteContext) in
        try await site.respond(to: request, context)
      },
      server: .http1OfAcceptedConnections(),
      configuration: .init(address: .hostname(settings.host, port: port)),
      onServerRunning: { onListening($0.localAddress?.port ?? 0) },
      logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() })
  }
}

extension Result where Failure == any Error {
  /// Keeps what an asynchronous body returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

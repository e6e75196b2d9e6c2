public import AppStore
internal import Foundation
internal import HTTPConnections
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
public import Ledger
internal import LedgerService
public import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import SupportPages

/// The server of one ledger: it receives Apple's notifications, and answers programs that have a token.
///
/// Only one server has a ledger's file. Other programs may read it and record in it at the same time.
public struct LedgerServer: Sendable {
  /// What a server does, and where.
  public struct Settings: Sendable {
    /// The host name or address to listen on.
    public var host: String
    /// The port to listen on; 0 for any free one.
    public var port: Int
    /// The decoder of payloads: which signatures, shared secrets and apps it accepts. Its clock is not used.
    public var decoder: PayloadDecoder
    /// The greatest number of connections, in all and of one address. A new one takes the place of one that is idle, or
    /// whose request arrives slowly.
    public var connections = (all: 1024, ofAddress: 256)
    /// The addresses of proxies. The limit by address does not hold for them, and their `X-Forwarded-For` names the
    /// sender.
    public var trustedProxies: [String] = []
    /// How many wrong tokens an address may send in a minute. Further ones get 429.
    public var wrongTokens = 10
    /// The longest time in which a whole request arrives, and the longest time between two requests of a connection.
    /// After
    /// it the connection is closed.
    public var requestTime = (whole: Duration.seconds(10), idle: Duration.seconds(30))
    /// The memory for all bodies that arrive or are answered at the same time, in bytes.
    public var bodyBytes = 64 << 20
    /// How many payloads, and how many bytes of them, senders without a token may put into quarantine on one day of UTC.
    public var anonymousQuarantine = (payloads: 10_000 as Int64, bytes: 32 << 20 as Int64)
    /// How long the server still accepts connections after it was asked to stop. It answers that it is not ready then.
    public var drain = Duration.seconds(5)
    /// The longest time for requests that have begun before the server ends.
    public var longestEnd = Duration.seconds(20)
    /// The files of a certificate chain and its key in PEM; `nil` for HTTP without TLS.
    public var tls: (certificate: String, key: String)?
    /// How the server asks Apple; `nil` where it only listens.
    public var apple: AppleSettings?
    /// The version of the program, for `/status`.
    public var version = ""
    /// Returns how many lines of the log were not written, for `/metrics`.
    public var droppedLogLines: @Sendable () -> Int64 = { 0 }

    /// Returns whether a text is an IP address, as ``trustedProxies`` has them.
    public static func isAddress(_ text: String) -> Bool { NetworkAddress(text) != nil }

    /// Creates settings. The address is this machine's own by default.
    public init(host: String = "127.0.0.1", port: Int = 8080, decoder: PayloadDecoder) {
      (self.host, self.port, self.decoder) = (host, port, decoder)
    }
  }

  /// A certificate chain or a key that cannot be used for TLS.
  public struct TLSError: Error, CustomStringConvertible {
    let certificate: String
    let key: String

    /// What is wrong, with the names of the files and what to do next.
    public var description: String {
      "TLS cannot be served with \(certificate) and \(key). Name a certificate chain and its own key, both in PEM."
    }
  }

  private let ledger: LedgerRecorder
  private let lock: ServerLock
  private let settings: Settings
  private let log: Logger
  private let inbox: Inbox
  private let bodies: BodyBudget
  private let health: Health
  private let file: FileWatch
  private let webhooks: WebhookRoutes
  private let readers: ReaderPool
  /// A report reads much, and holds up nobody but other reports.
  private let reports: ReaderThread
  private let counts: ServerMetrics
  private let authenticator: TokenAuthenticator
  private let worker: FeedWorker
  let api: API
  let pages: Pages
  /// Asks Apple; `nil` where the server only listens.
  let sync: AppleSync?
  /// The number of requests that wait for a change.
  var waitingForChangesCount: Int { worker.waitingCount }

  /// Creates a server of a ledger. It listens when ``run(onListening:onStopping:)`` is called.
  /// - Parameters:
  ///   - ledger: the recorder of the ledger. The server closes it at its end.
  ///   - settings: what the server does, and where it listens.
  ///   - log: the logger of requests. It gets no ids of people and no bodies.
  ///   - uptime: a clock that never goes back, for timeouts and limits.
  ///   - now: returns the present instant. It is the received instant of what arrives.
  /// - Throws: `LedgerError` with `busy` when another server has the file.
  public init(
    _ ledger: LedgerRecorder, _ settings: Settings, log: Logger,
    uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, now: @escaping @Sendable () -> Instant
  ) throws {
    lock = try ServerLock(ledger.path)
    try ledger.limitCacheAndLog()
    (self.ledger, self.settings, self.log) = (ledger, settings, log)
    let counts = ServerMetrics()
    self.counts = counts
    // Who asks, with a token or a session, is known before everything else.
    let requesters = try ReaderThread(path: ledger.path, "requesters")
    let authenticator = TokenAuthenticator(
      requesters, wrongTokens: settings.wrongTokens, uptime: uptime, now: now)
    self.authenticator = authenticator
    let disk = DiskSpace(around: ledger.path)
    let file = FileWatch(ledger)
    self.file = file
    let quarantine = try AnonymousQuarantine(
      ledger.reader,
      quota: .init(payloads: settings.anonymousQuarantine.payloads, bytes: settings.anonymousQuarantine.bytes),
      disk: disk)
    let worker = FeedWorker(ChangeFeed(ledger), log: log, now: now) { worker in
      // Who waits for a change asked when the token was still valid.
      let waiting = worker.waitingTokens
      let uses = authenticator.takeUses()
      do {
        if !waiting.isEmpty {
          let (tokens, instant) = (try ledger.reader.tokens(), now())
          worker.endWaits(
            of: Set(tokens.filter { waiting.contains($0.key) && !$0.isValid(at: instant) }.map(\.key)))
        }
        if !uses.isEmpty { try ledger.record { try $0.noteUse(uses) } }
      } catch {
        authenticator.putBack(uses)
        log.warning("the uses of tokens wait", metadata: ["code": "\(error.logCode)"])
      }
      disk.check()
      file.check()
      quarantine.note(in: ledger)
    }
    self.worker = worker
    let inbox = Inbox(
      ledger, now: uptime,
      onRecord: {
        counts.recorded(in: $0)
        worker.poke()
      }, onLoss: file.end)
    self.inbox = inbox
    readers = try ReaderPool(
      path: ledger.path, count: max(2, min(4, ProcessInfo.processInfo.activeProcessorCount)))
    let reports = try ReaderThread(path: ledger.path, "reports")
    self.reports = reports
    health = Health(inbox, disk: disk, file: file)
    bodies = BodyBudget(settings.bodyBytes)
    let reader = try ReaderThread(path: ledger.path, "webhooks")
    webhooks = WebhookRoutes(
      reader: reader, inbox: inbox, quarantine: quarantine, decoder: settings.decoder, counts: counts, now: now)
    let sync = try settings.apple.map {
      AppleSync(
        $0, inbox, reader: try ReaderThread(path: ledger.path, "apple"), decoder: settings.decoder, counts: counts,
        log: log, uptime: uptime, now: now)
    }
    self.sync = sync
    let operations = OperationsAPI(
      readers: readers, counts: counts, sync: sync, path: ledger.path, version: settings.version,
      droppedLogLines: settings.droppedLogLines, begun: now())
    let templates = try PageTemplates()
    let signIn = SignIn(
      inbox: inbox, sessions: requesters,
      passwords: try ReaderThread(path: ledger.path, "passwords"), limit: SignInLimit(uptime: uptime),
      templates: templates)
    let readLog = ReadLog(inbox: inbox, counts: counts)
    let steadyNow = Self.steady(from: now(), uptime)
    let purchases = PurchaseReading(readers: readers, log: readLog)
    let changes = PageChanges(inbox: inbox, steadyNow: steadyNow)
    pages = Pages(
      endpoints: LookupPages(
        readers: readers, log: readLog, purchases: purchases, templates: templates, signIn: signIn,
        asksApple: sync != nil
      ).endpoints
        + EvidencePages(readers: readers, log: readLog, templates: templates).endpoints
        + ReportPages(reader: reports, path: ledger.path, log: readLog, templates: templates).endpoints
        + AccessLogPages(readers: readers, log: readLog, templates: templates).endpoints
        + ActPages(readers: readers, changes: changes, log: readLog, templates: templates).endpoints
        + LinkPages(readers: readers, changes: changes, log: readLog, templates: templates).endpoints
        + ForgetPages(inbox: inbox, log: readLog, templates: templates).endpoints
        + HealthPages(readers: readers, log: readLog, templates: templates, sync: sync).endpoints
        + AppleActPages(
          readers: readers, purchases: purchases, changes: changes, log: readLog, templates: templates, sync: sync
        ).endpoints
        + AskPages(readers: readers, log: readLog, sync: sync).endpoints, signIn: signIn, templates: templates, now: now
    )
    api = API(
      endpoints: AccessAPI(readers: readers).endpoints
        + PeopleAPI(readers: readers, log: readLog).endpoints
        + AdminAPI(readers: readers, inbox: inbox).endpoints
        + StaffAPI(readers: readers, inbox: inbox, steadyNow: steadyNow).endpoints
        + IngestingAPI(
          readers: readers, inbox: inbox, decoder: settings.decoder, counts: counts, sync: sync
        ).endpoints
        + FeedAPI(readers: readers, worker: worker, uptime: uptime).endpoints + operations.endpoints,
      authenticator: authenticator, now: now)
  }

  /// Returns a clock that goes on from an instant with the time that has passed.
  private static func steady(
    from begun: Instant, _ uptime: @escaping @Sendable () -> ContinuousClock.Instant
  ) -> @Sendable () -> Instant {
    let start = uptime()
    return { Instant(milliseconds: begun.milliseconds + Int64(start.duration(to: uptime()) / .milliseconds(1))) }
  }

  /// Returns whether the server has something to ask Apple at once that was due at an instant. It does not where it only
  /// listens, and while it pauses after a failure.
  public func isAskingApple(whatIsDueAt instant: Instant) -> Bool {
    sync?.nextAttempt(at: instant).map { $0 <= instant } ?? false
  }

  /// Answers requests until SIGTERM or SIGINT, or until its task is cancelled. Then it finishes what has begun, and
  /// closes the ledger.
  /// - Parameters:
  ///   - onListening: called with the port when the server listens.
  ///   - onStopping: called when the server was asked to stop.
  /// - Throws: an error of the network, for example when another program has the port; ``TLSError``; `LedgerError` with
  ///   `file_moved` when the file is no longer at its path.
  public func run(
    onListening: @escaping @Sendable (_ port: Int) -> Void, onStopping: @escaping @Sendable () -> Void = {}
  ) async throws {
    let router = Router(context: ServerContext.self)
    router.add(
      middleware: RequestMiddleware(
        log: log, counts: counts, bodies: bodies,
        senders: SenderLimit(settings.connections.ofAddress, proxies: proxies)))
    health.add(to: router)
    webhooks.add(to: router)
    api.add(to: router)
    pages.add(to: router)
    let quiet = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      router: router, server: try transport(),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port),
        // The table closes others first. This only stops a rush that is faster than the table.
        availableConnectionsDelegate: MaximumAvailableConnections(settings.connections.all + Self.rush)),
      onServerRunning: { onListening($0.localAddress?.port ?? 0) }, logger: quiet)
    defer {
      inbox.close()
      worker.stop()
      readers.close()
      reports.close()
      webhooks.reader.close()
      sync?.reader.close()
      authenticator.close()
      pages.signIn.close()
      ledger.close()
      lock.release()
    }
    worker.start()
    readers.warmUp { ledger in
      let now = Instant(milliseconds: 0)
      _ = try ledger.access(of: "", to: "", QueryParameters(asOf: now, knownAt: now))
    }
    // Services stop in reverse order: the drain is over before the application stops listening.
    let drain = Drain(pause: settings.drain) { [health] in
      health.beginStopping()
      onStopping()
    }
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: application),
        .init(service: file, successTerminationBehavior: .ignore, failureTerminationBehavior: .gracefullyShutdownGroup),
        .init(service: drain, successTerminationBehavior: .ignore),
      ] + (sync.map { [.init(service: $0, successTerminationBehavior: .ignore)] } ?? []),
      gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    configuration.maximumGracefulShutdownDuration = settings.drain + settings.longestEnd
    // A cancelled task is a wish to stop, as a signal is.
    do { try await ServiceGroup(configuration: configuration).run() } catch is CancellationError {}
  }

  /// How many connections may be open beyond the greatest number, until others are closed.
  private static let rush = 64

  private var proxies: Set<NetworkAddress> { Set(settings.trustedProxies.compactMap(NetworkAddress.init)) }

  /// Returns how the server speaks HTTP.
  private func transport() throws -> HTTPServerBuilder {
    let (whole, idle) = settings.requestTime
    let connections = ConnectionTable(limit: settings.connections, proxies: proxies)
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestDeadline(wholeRequest: whole, idle: idle, connections)],
      idleTimeout: TimeAmount(idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))
    guard let tls = settings.tls else {
      return .http1OfAcceptedConnections(http)
    }
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(tls.certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
      configuration.minimumTLSVersion = .tlsv12
      return HTTPServerBuilder { [configuration] in
        let plain = HTTP1Channel(responder: $0, configuration: http)
        return AcceptedConnections(try TLSChannel(plain, tlsConfiguration: configuration))
      }
    } catch { throw TLSError(certificate: tls.certificate, key: tls.key) }
  }
}

extension LedgerServer {
  /// Returns the number of the system's error (errno) with which a server could not listen; `nil` for another error.
  package static func systemError(_ error: any Error) -> CInt? { (error as? IOError)?.errnoCode }
}

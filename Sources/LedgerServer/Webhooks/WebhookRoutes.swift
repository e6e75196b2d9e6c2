internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerService
internal import NIOCore

/// Receives Apple's notifications. Each is on disk before its sender gets a 200. What cannot be used goes into quarantine,
/// so that its sender need not send it again.
struct WebhookRoutes: Sendable {
  /// The greatest length of a V2 notification in bytes.
  static let longestV2 = 256 << 10
  /// The greatest length of a V1 notification in bytes. It has the app's whole receipt in it.
  static let longestV1 = 2 << 20

  let reader: ReaderThread
  let inbox: Inbox
  let quarantine: AnonymousQuarantine
  let decoder: PayloadDecoder
  let counts: ServerMetrics
  let now: @Sendable () -> Instant

  /// Adds the routes. Those that name an app accept only notifications of this app.
  func add(to router: Router<ServerContext>) {
    add("", decoder, to: router)
    for app in decoder.bundleIDs.sorted() {
      var decoder = decoder
      decoder.bundleIDs = [app]
      decoder.sharedSecrets = decoder.sharedSecrets.filter { $0.bundleID == app }
      add("/apps/\(app)", decoder, to: router)
    }
  }

  private func add(_ prefix: String, _ decoder: PayloadDecoder, to router: Router<ServerContext>) {
    for version in PostedNotification.Version.allCases {
      let path = RouterPath("\(prefix)/apple/\(version.rawValue)")
      router.on(path, method: .post) { try await receive($0, $1, version, decoder) }
      router.refuseOtherMethods(on: path, [.post])
    }
  }

  private func receive(
    _ request: Request, _ context: ServerContext, _ version: PostedNotification.Version, _ decoder: PayloadDecoder
  ) async throws -> Response {
    let receivedAt = now()
    guard version == .v2 || !decoder.sharedSecrets.isEmpty else { throw HTTPProblem.noSharedSecret }
    let bytes = try await request.bytes(
      atMost: version == .v2 ? Self.longestV2 : Self.longestV1, context)
    guard let posted = decoder.posted(bytes, version) else { throw HTTPProblem.notANotification }
    // Apple repeats notifications, and so may everybody else. Nothing is verified or written again.
    if posted.isProven, try await reader.withReader({ try $0.isDelivered(posted.digest, by: receivedAt) }) {
      counts.countRepetition(of: version)
      return Response(status: .ok)
    }
    var decoder = decoder
    decoder.now = receivedAt
    guard let outcome = await decoder.decode(posted) else { throw HTTPProblem.notANotification }
    let arrival = Arrival(
      outcome: outcome, receivedAt: receivedAt, isExplicit: true, origin: "POST /apple/\(version.rawValue)")
    let results: [ArrivalResult]
    if case .refused(_, let raw) = outcome {
      results = [try await quarantine(arrival, raw)]
    } else {
      results = try await inbox.store([arrival], from: .apple)
    }
    counts.count([arrival], results, source: "webhook", now: receivedAt)
    return Response(status: .ok)
  }

  /// Puts what cannot be used into quarantine, if the sender's kind still has a place there.
  private func quarantine(_ arrival: Arrival, _ raw: [UInt8]) async throws -> ArrivalResult {
    guard quarantine.reserve(raw, at: arrival.receivedAt) else {
      counts.countLeftOut()
      throw HTTPProblem.quarantineIsFull
    }
    do {
      let result = try await inbox.quarantine(arrival)
      if case .quarantined(_, isNew: false) = result { quarantine.giveBack(raw, at: arrival.receivedAt) }
      return result
    } catch {
      quarantine.giveBack(raw, at: arrival.receivedAt)
      throw error
    }
  }
}

internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import NIOCore

/// Receives Apple's notifications. Each is on disk before its sender gets a 200. What cannot be used goes into quarantine,
/// so that its sender need not send it again.
struct Receiving: Sendable {
  /// The greatest length of a V2 notification in bytes.
  static let longestV2 = 256 << 10
  /// The greatest length of a V1 notification in bytes. It has the app's whole receipt in it.
  static let longestV1 = 4 << 20

  let inbox: Inbox
  let decoder: PayloadDecoder
  let counts: ServerMetrics
  let now: @Sendable () -> Instant

  /// Adds the routes. Those that name an app accept only notifications of this app.
  func add(to router: Router<ServerContext>) {
    for prefix in ["", "/apps/:bundle_id"] {
      router.post("\(prefix)/apple/v2") { try await receive($0, $1, "v2", "\"signedPayload\"", Self.longestV2) }
      router.post("\(prefix)/apple/v1") { try await receive($0, $1, "v1", "\"notification_type\"", Self.longestV1) }
      for version in ["v1", "v2"] { router.refuseOtherMethods(on: "\(prefix)/apple/\(version)", [.post]) }
    }
  }

  private func receive(
    _ request: Request, _ context: ServerContext, _ version: String, _ member: StaticString, _ limit: Int
  ) async throws -> Response {
    let receivedAt = now()
    let bytes = try await request.bytes(atMost: limit)
    guard Self.isObject(bytes, with: member) else { throw Problem.notANotification }
    var decoder = decoder
    decoder.now = receivedAt
    if version == "v2" { decoder.sharedSecrets = [] }
    if let app = context.parameters.get("bundle_id") { decoder.bundleIDs = [app] }
    // An archive's wrapper could state another instant, but here it would be the sender's word against our clock.
    let arrivals = await decoder.decode(bytes).outcomes.map {
      Arrival(outcome: $0, receivedAt: receivedAt, isExplicit: true, origin: "POST /apple/\(version)")
    }
    let results = try await inbox.store(arrivals, from: .apple)
    counts.count(arrivals, results, source: "webhook", now: receivedAt)
    return Response(status: .ok)
  }

  /// Whether a text is an object that names a member. What it says else is for the decoder: it keeps what it refuses.
  private static func isObject(_ bytes: [UInt8], with member: StaticString) -> Bool {
    bytes.first { $0 > 0x20 } == UInt8(ascii: "{") && bytes.withUnsafeBytes { ByteSearch.contains(member, in: $0) }
  }
}

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
  let now: @Sendable () -> Instant

  /// Adds the routes. Those that name an app accept only notifications of this app.
  func add(to router: Router<BasicRequestContext>) {
    for prefix in ["", "/apps/:bundle_id"] {
      router.post("\(prefix)/apple/v2") { try await receive($0, $1, "v2", "\"signedPayload\"", Self.longestV2) }
      router.post("\(prefix)/apple/v1") { try await receive($0, $1, "v1", "\"notification_type\"", Self.longestV1) }
      for method in [HTTPRequest.Method.get, .put, .delete, .patch, .head] {
        for version in ["v1", "v2"] {
          router.on("\(prefix)/apple/\(version)", method: method) { _, _ -> Response in throw Problem.wrongMethod }
        }
      }
    }
  }

  private func receive(
    _ request: Request, _ context: BasicRequestContext, _ version: String, _ member: StaticString, _ limit: Int
  ) async throws -> Response {
    let receivedAt = now()
    if let type = request.headers[.contentType]?.lowercased(), !type.hasPrefix("application/json") {
      throw Problem.wrongType
    }
    let bytes = try await Self.body(of: request, atMost: limit)
    guard Self.isObject(bytes, with: member) else { throw Problem.notANotification }
    var decoder = decoder
    decoder.now = receivedAt
    if version == "v2" { decoder.sharedSecrets = [] }
    if let app = context.parameters.get("bundle_id") { decoder.bundleIDs = [app] }
    // An archive's wrapper could state another instant, but here it would be the sender's word against our clock.
    let arrivals = await decoder.decode(bytes).outcomes.map {
      Arrival(outcome: $0, receivedAt: receivedAt, isExplicit: true, origin: "POST /apple/\(version)")
    }
    do {
      try await inbox.store(arrivals)
    } catch let refusal as Inbox.Refusal {
      throw Self.problem(refusal)
    }
    return Response(status: .ok)
  }

  /// Reads a body, and counts while it reads: a sender may state another length, or none.
  ///
  /// A body that is somewhat too long is read to its end, because many senders read the answer only then.
  private static func body(of request: Request, atMost limit: Int) async throws -> [UInt8] {
    var (bytes, count) = ([UInt8](), 0)
    for try await buffer in request.body {
      count += buffer.readableBytes
      guard count <= 4 * limit else { throw Problem.tooLong }
      if count <= limit { bytes += buffer.readableBytesView }
    }
    guard count <= limit else { throw Problem.tooLong }
    return bytes
  }

  /// Whether a text is an object that names a member. What it says else is for the decoder: it keeps what it refuses.
  private static func isObject(_ bytes: [UInt8], with member: StaticString) -> Bool {
    bytes.first { $0 > 0x20 } == UInt8(ascii: "{") && bytes.withUnsafeBytes { ByteSearch.contains(member, in: $0) }
  }

  private static func problem(_ refusal: Inbox.Refusal) -> Problem {
    switch refusal {
    case .full: .notStored("too_many_wait", "Too many notifications wait to be stored. Send it again.")
    case .late: .notStored("waited_too_long", "The ledger was busy for too long. Send the notification again.")
    case .closed: .notStored("stopping", "The server is stopping. Send the notification again.")
    case .failed: .notStored("not_stored", "The ledger could not be written. Send the notification again.")
    }
  }
}

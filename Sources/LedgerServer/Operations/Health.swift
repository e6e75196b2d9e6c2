internal import Foundation
internal import Hummingbird
internal import Ledger
internal import NIOCore
internal import Synchronization

/// Whether the process lives, and whether it can do its work.
final class Health: Sendable {
  /// The least share of a disk, and the least number of bytes, that must be free.
  static let least = (share: 0.05, bytes: 256 << 20 as Int64)
  /// How long a successful write stands for the next ones.
  static let writeLasts = Duration.seconds(10)

  private let inbox: Inbox
  private let isStopping = Atomic(false)
  private let folder: String

  init(_ inbox: Inbox, path: String) {
    self.inbox = inbox
    folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  /// Answers from now on that the server is not ready, so that a proxy sends its requests to another one.
  func beginStopping() { isStopping.store(true, ordering: .relaxed) }

  func add(to router: Router<ServerContext>) {
    // This touches neither the file nor the network: a server that waits for its disk is alive.
    router.get("/healthz") { _, _ in Self.answer(.ok, "{\"status\": \"alive\"}\n") }
    router.get("/readyz") { _, _ in
      let faults = await self.faults()
      let list = faults.map { "\"\($0)\"" }.joined(separator: ", ")
      return Self.answer(
        faults.isEmpty ? .ok : .serviceUnavailable,
        "{\"status\": \"\(faults.isEmpty ? "ready" : "not ready")\", \"failing\": [\(list)]}\n")
    }
    for path in ["/healthz", "/readyz"] { router.refuseOtherMethods(on: RouterPath(path), [.get]) }
  }

  /// Returns the names of the checks that fail.
  private func faults() async -> [String] {
    var faults: [String] = []
    if isStopping.load(ordering: .relaxed) || inbox.isClosed { faults.append("stopping") }
    let free = Self.free(folder)
    if let free, free.bytes < Self.least.bytes || free.share < Self.least.share { faults.append("disk") }
    if inbox.timeSinceWrite.map({ $0 > Self.writeLasts }) ?? true {
      do { try await inbox.change { try $0.tryWriting() } } catch { faults.append("ledger") }
    }
    return faults
  }

  private static func free(_ folder: String) -> (bytes: Int64, share: Double)? {
    guard let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder),
      let free = (facts[.systemFreeSize] as? NSNumber)?.int64Value,
      let size = (facts[.systemSize] as? NSNumber)?.int64Value, size > 0
    else { return nil }
    return (free, Double(free) / Double(size))
  }

  private static func answer(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

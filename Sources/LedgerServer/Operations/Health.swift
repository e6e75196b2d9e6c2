internal import Hummingbird
internal import Ledger
internal import NIOCore
internal import Synchronization

/// Whether the process lives, and whether it can do its work.
final class Health: Sendable {
  /// How long a successful write stands for the next ones.
  static let writeLasts = Duration.seconds(10)

  private let inbox: Inbox
  private let isStopping = Atomic(false)
  private let disk: DiskSpace
  private let file: FileWatch

  init(_ inbox: Inbox, disk: DiskSpace, file: FileWatch) { (self.inbox, self.disk, self.file) = (inbox, disk, file) }

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
    router.get("/") { request, _ in
      // A browser gets the page for people, and a program the introduction.
      request.headers[.accept]?.contains("text/html") == true
        ? PageResponse.redirect(Pages.first) : Self.answer(.ok, Self.introduction)
    }
    for path in ["/", "/healthz", "/readyz"] { router.refuseOtherMethods(on: RouterPath(path), [.get]) }
  }

  /// What somebody reads who opens the server's address. It states nothing about the ledger.
  private static let introduction = """
    {"name": "subledger-server", "summary": "Who has access to App Store purchases, since when, until when and why.", \
    "description": "/openapi.json", "readiness": "/readyz", "guide": "man subledger-server, and the page Server.md of \
    the guide in the source", "token": "Every other path needs one: subledger-server tokens create"}

    """

  /// Returns the names of the checks that fail.
  private func faults() async -> [String] {
    var faults: [String] = []
    if isStopping.load(ordering: .relaxed) || inbox.isClosed { faults.append("stopping") }
    if disk.check() { faults.append("disk") }
    if file.hasFault {
      faults.append("ledger")
    } else if inbox.timeSinceWrite.map({ $0 > Self.writeLasts }) ?? true {
      do { try await inbox.change { try $0.tryWriting() } } catch { faults.append("ledger") }
    }
    return faults
  }

  private static func answer(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

import Foundation
import TestSupport
import Testing

/// A sender of one byte now and then does not keep its connection.
@Suite struct SlowSenderTests {
  /// Sends a text at once and another byte by byte, two in a second, until the server closes the connection.
  /// - Returns: after how many seconds it was closed; `nil` when it was open after all bytes.
  private static func trickle(_ start: String, _ rest: String, to port: Int) -> Double? {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard isConnected == 0 else { return nil }
    let begun = ContinuousClock.now
    _ = Array(start.utf8).withUnsafeBytes { send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    for byte in rest.utf8 {
      var byte = byte
      guard send(handle, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { return begun.duration(to: .now) / .seconds(1) }
      var waiting = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 500) > 0 else { continue }
      var answer: UInt8 = 0
      if recv(handle, &answer, 1, 0) <= 0 { return begun.duration(to: .now) / .seconds(1) }
    }
    return nil
  }

  private static let line = "POST /apple/v2 HTTP/1.1\r\nHost: a\r\n"

  @Test(arguments: [
    (line, "X-Long: "), (line + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n", "{"),
  ])
  func `a request that takes longer than ten seconds to arrive is cut off, and nothing of it is stored`(
    start: String, rest: String
  ) async throws {
    let bench = try await ServerBench()
    let port = bench.client.port
    let rest = rest + String(repeating: "a", count: 60)
    // It blocks its thread, and tasks have few threads.
    let seconds = await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: Self.trickle(start, rest, to: port)) }
    }
    #expect((9...15).contains(try #require(seconds, "the connection stayed open")))
    #expect(try await bench.client.send("/healthz").status == 200)
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["0"])
    try await bench.stop()
  }
}

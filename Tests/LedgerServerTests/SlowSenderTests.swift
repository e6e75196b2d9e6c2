import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import LedgerServer

/// A sender of one byte now and then does not keep its connection.
@Suite(.takesTurns) struct SlowSenderTests {
  /// A connection whose time a test moves.
  private struct Connection {
    let channel: EmbeddedChannel

    init() throws {
      channel = EmbeddedChannel(
        handler: RequestDeadline(
          wholeRequest: .seconds(10), idle: .seconds(30), ConnectionTable(limit: (all: 10, ofAddress: 10))))
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func wait(seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    func receive(_ part: HTTPRequestPart) throws { try channel.writeInbound(part) }

    static let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: "a", path: "/"))
    static let byte = HTTPRequestPart.body(ByteBuffer(string: "a"))
  }

  @Test func `a connection without a whole head within ten seconds is closed`() throws {
    let connection = try Connection()
    connection.wait(seconds: 9)
    #expect(connection.channel.isActive)
    connection.wait(seconds: 1)
    #expect(!connection.channel.isActive)
  }

  @Test func `a body has ten seconds from its head on, however often a byte of it arrives`() throws {
    let connection = try Connection()
    connection.wait(seconds: 9)
    try connection.receive(Connection.head)
    for _ in 0..<9 {
      connection.wait(seconds: 1)
      try connection.receive(Connection.byte)
    }
    #expect(connection.channel.isActive)
    connection.wait(seconds: 1)
    #expect(!connection.channel.isActive)
  }

  @Test func `a whole request may be answered late, and then the connection waits 30 seconds for the next`() throws {
    let connection = try Connection()
    try connection.receive(Connection.head)
    try connection.receive(.end(nil))
    connection.wait(seconds: 1000)
    #expect(connection.channel.isActive)
    try connection.channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
    connection.wait(seconds: 29)
    #expect(connection.channel.isActive)
    connection.wait(seconds: 1)
    #expect(!connection.channel.isActive)
  }

  private static let line = "POST /apple/v2 HTTP/1.1\r\nHost: a\r\n"

  @Test(arguments: [
    (line, "X-Long: "), (line + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n", "{"),
  ])
  func `a server cuts off a sender of single bytes, and nothing of its request is stored`(
    start: String, rest: String
  ) async throws {
    let bench = try await ServerBench(requestTime: .seconds(1))
    let port = bench.client.port
    // It blocks its thread, and tasks have few threads.
    let isCutOff = await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: Self.isCutOff(start, rest, port: port)) }
    }
    #expect(isCutOff)
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["0"])
    try await bench.stop()
  }

  /// Sends a text at once and then byte by byte, until the server closes the connection.
  /// - Returns: false when all bytes were sent before.
  private static func isCutOff(_ start: String, _ rest: String, port: Int) -> Bool {
    guard let handle = RawConnection.open(to: port) else { return false }
    defer { close(handle) }
    _ = Array(start.utf8).withUnsafeBytes { send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    // A byte each 100 ms: for so long that the server's one second is over on any machine.
    for byte in (rest + String(repeating: "a", count: 6000)).utf8 {
      var byte = byte
      guard send(handle, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { return true }
      var waiting = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 100) > 0 else { continue }
      var answer: UInt8 = 0
      if recv(handle, &answer, 1, 0) <= 0 { return true }
    }
    return false
  }

  @Test func `silent connections of one address lock nobody out`() async throws {
    let bench = try await ServerBench(changing: { $0.connections = (all: 16, ofAddress: 8) })
    var handles: [Int32] = []
    defer { for handle in handles { close(handle) } }
    let half = Array("POST /apple/v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{".utf8)
    for round in 0..<10 {
      for number in 0..<20 {
        guard let handle = RawConnection.open(to: bench.client.port, from: "127.0.0.2") else { continue }
        handles.append(handle)
        if number % 2 == 0 { _ = send(handle, half, half.count, Int32(MSG_NOSIGNAL)) }
      }
      // Another sender has no connection yet.
      let client = Client(port: bench.client.port)
      #expect(try await client.send("/healthz").status == 200, "\(round)")
    }
    #expect(handles.count > 100)
    try await bench.stop()
  }

  @Test func `a server stops in a rush of connections`() async throws {
    for _ in 0..<10 {
      let bench = try await ServerBench(changing: { $0.connections = (all: 16, ofAddress: 8) })
      let handles = (0..<60).compactMap { _ in RawConnection.open(to: bench.client.port) }
      #expect(handles.count == 60)
      // An accepted connection that nobody takes over would end this process.
      try await bench.stop()
      for handle in handles { close(handle) }
    }
  }
}

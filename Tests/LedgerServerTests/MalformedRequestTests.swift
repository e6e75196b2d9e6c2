import TestSupport
import Testing

import LedgerServer

/// What cannot be read as HTTP is answered 400, and its connection ends, because nobody knows where it goes on.
@Suite(.takesTurns) struct MalformedRequestTests {
  private static let head = "POST /apple/v2 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

  private static let requests: [(what: String, text: String)] = [
    ("a chunk with a word as its length", "\(head)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
    ("a chunk longer than any memory", "\(head)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}"),
    ("an unknown transfer encoding", "\(head)Transfer-Encoding: zip\r\n\r\n{}"),
    ("a length and chunks", "\(head)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("two lengths", "\(head)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    ("a word as the length", "\(head)Content-Length: two\r\n\r\n{}"),
    ("a field without a name", "GET /healthz HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    ("no HTTP", "HELLO\r\n\r\n"),
  ]

  @Test(arguments: requests)
  func `a request that nobody can read as HTTP is answered 400`(what: String, text: String) async throws {
    let bench = try await ServerBench()
    let answer = await RawConnection.answer(to: text, port: bench.client.port)
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(what): \(answer)")
    #expect(answer.lowercased().contains("connection: close"))
    // The server goes on.
    #expect(try await bench.client.send("/healthz").status == 200)
    #expect(try bench.column("SELECT COUNT(*) FROM payload") == ["0"])
    try await bench.stop()
  }

  @Test func `a path with two slashes in a row is not found`() async throws {
    let bench = try await ServerBench()
    for path in ["//healthz", "/apple//v2", "/v1//checks", "/healthz//"] {
      #expect(try await bench.client.send(path).status == 404, "\(path)")
    }
    try await bench.stop()
  }
}

import Foundation

/// A server that answers each request of a connection with 200 at once: what is left of a webhook when its receiver costs
/// nothing.
final class Sink: @unchecked Sendable {
  let port: Int
  private let listener: Int32

  private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    socketAddress.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let handle = listener
    let isListening = withUnsafeMutablePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 && listen(handle, 16) == 0 && getsockname(handle, $0, &length) == 0
      }
    }
    guard isListening else { throw BenchmarkError("no port is free") }
    port = Int(in_port_t(bigEndian: socketAddress.sin_port))
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Thread.detachNewThread { Self.serve(connection) }
      }
    }
  }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Reads request after request, each with a Content-Length, and answers. It uses functions of C, so that a debug build
  /// costs the measured program nothing.
  private static func serve(_ connection: Int32) {
    defer { close(connection) }
    let size = 1 << 20
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
    defer { buffer.deallocate() }
    var filled = 0
    while case let count = recv(connection, buffer + filled, size - filled - 1, 0), count > 0 {
      filled += count
      buffer[filled] = 0
      while let end = strstr(buffer, "\r\n\r\n") {
        let head = end - buffer + 4
        // The name of the field may have capital letters.
        let length = strstr(buffer, "ength: ").map { atol($0 + 7) } ?? 0
        guard filled >= head + length else { break }
        filled -= head + length
        memmove(buffer, buffer + head + length, filled + 1)
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
      }
    }
  }
}

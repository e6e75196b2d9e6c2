import Foundation

/// A connection to a port of this machine, which sends the bytes that it is given.
final class RawConnection {
  private let handle: Int32

  /// Opens a connection from an address of this machine.
  /// - Parameters:
  ///   - sender: the address of the sender. Each that begins with 127 is this machine's own.
  ///   - patience: the longest wait for each call, in seconds.
  init?(to port: Int, from sender: String, patience: Int = 5) {
    handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(handle, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard isDone(sender, 0, bind), isDone("127.0.0.1", port, connect) else { return nil }
  }

  deinit { close(handle) }

  private func isDone(
    _ address: String, _ port: Int, _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
  ) -> Bool {
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    socketAddress.sin_port = in_port_t(port).bigEndian
    socketAddress.sin_addr.s_addr = inet_addr(address)
    return withUnsafePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Sends bytes, and waits while the other side takes none.
  /// - Returns: whether all of them were taken.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Posts a body, and reads the whole answer.
  /// - Returns: the status; `nil` when no answer came.
  func post(_ path: String, _ body: [UInt8]) -> Int? {
    _ = send(Self.head(path, body.count) + body)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: answer, as: UTF8.self)
      if let end = text.firstRange(of: "\r\n\r\n") {
        let head = text[..<end.lowerBound].lowercased()
        let length = head.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
        if text.utf8.distance(from: end.upperBound, to: text.endIndex) >= length {
          return Int(text.dropFirst(9).prefix(3))
        }
      }
      let count = recv(handle, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      answer += buffer[..<count]
    }
  }

  /// The head of a request.
  static func head(_ path: String, _ count: Int) -> [UInt8] {
    Array(
      "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(count)\r\n\r\n".utf8)
  }
}

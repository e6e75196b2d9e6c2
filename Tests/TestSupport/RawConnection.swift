import Foundation

/// Connections that send the bytes that a test gives them.
package enum RawConnection {
  /// Opens a connection to a port of this machine; `nil` when that fails.
  /// - Parameter sender: the address of the sender: each that begins with 127 is this machine's own.
  package static func open(to port: Int, from sender: String = "127.0.0.1") -> Int32? {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    func isDone(
      _ ip: String, _ port: Int, _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Bool {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = inet_addr(ip)
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }
    guard isDone(sender, 0, bind), isDone("127.0.0.1", port, connect) else {
      close(handle)
      return nil
    }
    return handle
  }

  /// Sends a text, and reads until the other side closes the connection.
  package static func answer(to text: String, port: Int) async -> String {
    // It blocks its thread, and tasks have few threads.
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        var answer: [UInt8] = []
        defer { done.resume(returning: String(decoding: answer, as: UTF8.self)) }
        guard let handle = open(to: port) else { return }
        defer { close(handle) }
        _ = Array(text.utf8).withUnsafeBytes { send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = recv(handle, &buffer, buffer.count, 0)
          guard count > 0 else { return }
          answer += buffer[..<count]
        }
      }
    }
  }
}

import Foundation

/// A port of this machine that nobody has.
package enum FreePort {
  /// The system gave no port.
  package struct None: Error {}

  /// Returns the port. Somebody else can take it before the caller does.
  /// - Throws: ``None``.
  package static func find() throws -> Int {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw None() }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

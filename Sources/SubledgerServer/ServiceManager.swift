import Foundation

/// The manager that started the process: systemd, when it asks to be notified (sd_notify(3)).
enum ServiceManager {
  /// Sends a message to the manager. Without a manager, nothing happens.
  static func notify(_ message: String) {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
    let handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard handle >= 0 else { return }
    defer { close(handle) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    // A socket without a file begins with NUL.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(handle, message, message.utf8.count, 0, $0, length)
      }
    }
  }
}

import Foundation
import LedgerServer

/// An address to listen on, as a person writes it.
struct ListeningAddress {
  let host: String
  let port: Int

  /// Reads an address such as `127.0.0.1:8090` or `[::1]:0`; returns `nil` for any other text.
  init?(_ text: String) {
    // An IPv6 address has colons of its own, and stands in brackets.
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      colon > text.startIndex
    else { return nil }
    let host = String(text[..<colon])
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.port = Int(port)
  }
}

extension ListeningAddress {
  /// Returns why a server cannot listen, and what to do where that is known.
  static func text(_ error: any Error) -> String {
    guard let number = LedgerServer.systemError(error) else { return "\(error)" }
    let reason = String(cString: strerror(number)) + "."
    return switch number {
    case EADDRINUSE: reason + " Stop the program that has this port, or choose another with --listen."
    case EACCES: reason + " Choose a port from 1024 on with --listen."
    case EADDRNOTAVAIL: reason + " Choose an address of this machine with --listen."
    default: reason
    }
  }
}

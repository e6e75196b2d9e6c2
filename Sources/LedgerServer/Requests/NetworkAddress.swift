internal import Foundation

/// The address of a sender, as limits count it.
struct NetworkAddress: Hashable, Sendable {
  /// An IPv4 address, or the first 64 bits of an IPv6 address: one household has all addresses behind them.
  let text: String

  /// Reads an address; `nil` when the text is not one.
  init?(_ address: String) {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, address, &four) == 1 {
      text = address
    } else if inet_pton(AF_INET6, address, &six) == 1 {
      let bytes = withUnsafeBytes(of: six) { Array($0) }
      if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
        // An IPv4 sender on a socket for both.
        text = bytes.suffix(4).map(String.init).joined(separator: ".")
      } else {
        text = bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
      }
    } else {
      return nil
    }
  }

  /// Returns the sender that a trusted proxy names: the last address of `X-Forwarded-For` that is not a proxy's own.
  /// Everything before it could be the sender's invention.
  static func forwarded(_ field: String?, through proxies: Set<NetworkAddress>) -> NetworkAddress? {
    for part in (field ?? "").split(separator: ",").reversed() {
      guard let address = NetworkAddress(part.trimmingCharacters(in: .whitespaces)) else { return nil }
      if !proxies.contains(address) { return address }
    }
    return nil
  }
}

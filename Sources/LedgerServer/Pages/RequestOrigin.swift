internal import HTTPTypes
internal import Hummingbird

/// Where a form comes from. A page of another site can make a browser send one, and cannot forge these fields.
enum RequestOrigin {
  private static let origin = HTTPField.Name("Origin")!
  private static let site = HTTPField.Name("Sec-Fetch-Site")!

  /// Returns the whole address of a page. Only a browser on this machine has no TLS.
  static func address(of path: String, for request: Request) -> String {
    guard let host = request.head.authority else { return path }
    let isLocal = host.wholeMatch(of: /(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?/) != nil
    return "\(isLocal ? "http" : "https")://\(host)\(path)"
  }

  /// Returns whether a request comes from a page of this server.
  static func isOwn(_ request: Request) -> Bool {
    if let origin = request.headers[origin] {
      guard let host = request.head.authority, let scheme = origin.firstRange(of: "://") else { return false }
      return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }
    return request.headers[site] == "same-origin"
  }
}

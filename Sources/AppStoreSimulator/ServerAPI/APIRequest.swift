import Foundation

/// A request to the App Store Server API, however it came.
public struct APIRequest: Sendable {
  /// The method of HTTP, in capital letters.
  public var method: String
  /// The parts of the path without percent encoding: `["inApps", "v2", "history", "2000000123456789"]`.
  public var path: [String]
  /// The names and values of the query in order, without percent encoding. A name may be there several times.
  public var query: [Parameter]
  /// The value of the header `Authorization`; `nil` if there is none.
  public var authorization: String?
  /// The body, empty if there is none.
  public var body: [UInt8]

  /// A parameter of a query.
  public struct Parameter: Sendable, Equatable {
    /// The name of the parameter.
    public var name: String
    /// The value, empty if the query has a name alone.
    public var value: String
  }

  /// Creates a request from the target of an HTTP request.
  /// - Parameters:
  ///   - method: the method of HTTP, in capital letters.
  ///   - target: the path and the query with their percent encoding: `/inApps/v1/lookup/M1?x=y`.
  ///   - authorization: the value of the header `Authorization`; `nil` if there is none.
  ///   - body: the body.
  /// - Returns: `nil` if the percent encoding of the target is broken.
  public init?(_ method: String, _ target: String, authorization: String?, body: [UInt8] = []) {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    (self.method, self.authorization, self.body) = (method, authorization, body)
    (path, query) = ([], [])
    // A double slash is another path, as it is for Apple's servers.
    let parts = (halves.first ?? "").dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for part in parts == [""] ? [] : parts {
      guard let plain = part.removingPercentEncoding else { return nil }
      path.append(plain)
    }
    for part in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair[0].removingPercentEncoding,
        let value = pair.count > 1 ? pair[1].removingPercentEncoding : ""
      else { return nil }
      query.append(Parameter(name: name, value: value))
    }
  }

  /// Returns all values of a parameter, in order.
  public func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}

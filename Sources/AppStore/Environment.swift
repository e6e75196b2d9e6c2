/// The world that a purchase was made in. Part of every key: the same id in two environments is two lines.
public struct Environment: Hashable, Sendable, CustomStringConvertible {
  /// The name as the ledger writes it.
  public let name: String

  private init(_ name: String) { self.name = name }

  /// Real customers and real money.
  public static let production = Environment("Production")
  /// Apple's test storefront: sandbox accounts, TestFlight, App Review.
  public static let sandbox = Environment("Sandbox")
  /// StoreKit testing in Xcode: signed by the developer's machine.
  public static let xcode = Environment("Xcode")
  /// StoreKit testing on a device.
  public static let localTesting = Environment("LocalTesting")
  /// The payload did not say.
  public static let unknown = Environment("Unknown")
  /// Said to be Production by evidence that nothing vouches for: kept apart, so that no production view counts it.
  public static let unverified = Environment("Unverified")

  /// Reads any of Apple's spellings: `Production`, `production`, `PROD`, a receipt's `ProductionSandbox` …
  /// A name that is not known is kept as it stands; none at all is ``unknown``.
  public init(apple text: String?) {
    switch text?.lowercased() {
    case nil, "": self = .unknown
    case "production", "prod", "productionvpp": self = .production
    case "sandbox", "productionsandbox", "productionvppsandbox": self = .sandbox
    case "xcode": self = .xcode
    case "localtesting": self = .localTesting
    default: self = Environment(String((text ?? "").prefix(100)))
    }
  }

  /// Whether Apple's servers never speak for it, so that only ``PayloadDecoder/acceptsUnverified`` lets it in.
  public var isLocal: Bool { self == .xcode || self == .localTesting }

  /// The name.
  public var description: String { name }
}

/// The environment of a purchase. It is part of every key: one id in two environments is two original transactions.
public struct Environment: Hashable, Sendable, CustomStringConvertible {
  /// The name that the ledger stores.
  public let name: String

  private init(_ name: String) { self.name = name }

  /// Real customers and real money.
  public static let production = Environment("Production")
  /// Apple's test environment: sandbox accounts, TestFlight, App Review.
  public static let sandbox = Environment("Sandbox")
  /// StoreKit testing in Xcode. The developer's machine signs the data.
  public static let xcode = Environment("Xcode")
  /// StoreKit testing on a device.
  public static let localTesting = Environment("LocalTesting")
  /// The payload states no environment.
  public static let unknown = Environment("Unknown")
  /// The payload states Production, but nothing vouches for it. A separate name keeps it out of the production views.
  public static let unverified = Environment("Unverified")

  /// Reads any of Apple's spellings: `Production`, `production`, `PROD`, a receipt's `ProductionSandbox` … An unknown
  /// name is used as it is, up to 100 characters. No name, or an empty one, is ``unknown``.
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

  /// The environments with a name of their own.
  public static let all: [Environment] = [.production, .sandbox, .xcode, .localTesting, .unverified, .unknown]

  /// Returns the environment of a name that a person typed, in any case; `nil` for any other name. A misspelt name
  /// would otherwise look like an environment without purchases.
  public static func named(_ text: String) -> Environment? {
    all.first { $0 == Environment(apple: text) || $0.name.lowercased() == text.lowercased() }
  }

  /// Whether Apple's servers never send its data. Unless a trusted root signed the data, only
  /// ``PayloadDecoder/acceptsUnverified`` admits it.
  public var isLocal: Bool { self == .xcode || self == .localTesting }

  /// The environment's ``name``, as the ledger stores it.
  public var description: String { name }
}

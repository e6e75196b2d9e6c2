import AppStore
import Foundation
import AppStoreSimulator
import TestSupport
import Testing

/// What was said in one life, as JSON: tests of Apple's rules read this, and not the simulator's objects.
struct Story {
  typealias Object = [String: any Sendable]

  /// One message, with what was signed in it opened.
  struct Statement {
    let format: Format
    let json: Object

    var type: String { json["notificationType"] as? String ?? json["notification_type"] as? String ?? "" }
    var subtype: String { json["subtype"] as? String ?? "" }
    /// `DID_RENEW BILLING_RECOVERY`.
    var text: String { subtype.isEmpty ? type : type + " " + subtype }
    private var data: Object { json["data"] as? Object ?? [:] }
    var transaction: Object { data["signedTransactionInfo"] as? Object ?? [:] }
    var renewal: Object { data["signedRenewalInfo"] as? Object ?? [:] }
    var status: Int64? { data["status"] as? Int64 }
    var signedAt: Int64 { json["signedDate"] as? Int64 ?? 0 }

    /// A member of an object inside.
    func object(_ key: String) -> Object { json[key] as? Object ?? [:] }
    /// Rows of a list inside.
    func rows(_ key: String) -> [Object] { json[key] as? [Object] ?? [] }
  }

  let stated: [Statement]

  /// Plays a scenario, and listens.
  init(
    _ scenario: String, _ formats: [Format] = [.notificationV2], seed: UInt64 = 1, rate: RenewalRate = .realTime,
    graceDays: Int64 = 16
  ) throws {
    let from = Instant(milliseconds: day(0).milliseconds + 43_200_000)
    let simulation = try Simulation(
      catalog: .builtIn(), seed: seed, customers: 1, from: from,
      to: Instant(milliseconds: from.milliseconds + 900 * 86_400_000), rate: rate, graceDays: graceDays,
      scenario: Scenario(named: scenario))
    try self.init(simulation, formats)
  }

  /// Lives a world, and listens.
  init(_ simulation: Simulation, _ formats: [Format] = [.notificationV2]) throws {
    var stated: [Statement] = []
    let signer = try Portfolio.authority.get().signer
    try MessageStream(simulation: simulation, formats: formats, signer: signer).send {
      stated.append(Statement(format: $0.format, json: try Self.object($0.payload)))
    }
    self.stated = stated
  }

  static func object(_ text: [UInt8]) throws -> Object {
    let found = try JSONDecoder().decode(AnyJSON.self, from: Data(text)).value as? Object ?? [:]
    return found["signedPayload"] as? Object ?? found
  }

  /// Any JSON; signed texts become what they sign.
  private struct AnyJSON: Decodable {
    let value: any Sendable

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // The most frequent kind first: the testing library records where each error is thrown, which takes long.
      if let text = try? container.decode(String.self) {
        value = try Self.opened(text)
      } else if let number = try? container.decode(Int64.self) {
        value = number
      } else if let flag = try? container.decode(Bool.self) {
        value = flag
      } else if let object = try? container.decode([String: AnyJSON].self) {
        value = object.mapValues(\.value)
      } else {
        let items = try container.decode([AnyJSON].self).map(\.value)
        let objects = items.compactMap { $0 as? Object }
        value = objects.count == items.count ? objects : items
      }
    }

    private static func opened(_ text: String) throws -> any Sendable {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, text.hasPrefix("eyJ") else { return text }
      let standard = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
      let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
      return try JSONDecoder().decode(AnyJSON.self, from: #require(Data(base64Encoded: String(padded)))).value
    }
  }

  /// The words of all notifications.
  var text: [String] { stated.map(\.text) }

  /// The only, or first, notification with these words.
  func one(_ words: String) throws -> Statement { try #require(stated.first { $0.text == words }, "\(self.text)") }
}

extension [String: any Sendable] {
  func text(_ key: String) -> String? { self[key] as? String }
  func number(_ key: String) -> Int64? { self[key] as? Int64 }
  func flag(_ key: String) -> Bool? { self[key] as? Bool }
}

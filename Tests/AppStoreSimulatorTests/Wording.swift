import AppStore
import Foundation
import TestSupport

import AppStoreSimulator

/// What Apple's texts say that the simulator does not write by itself.
///
/// The simulator names every price and shares with families only. Apple's older texts name no price, and organizations
/// assign seats. So a test may rewrite what is delivered, and sign it again; the truth then follows from the same rules.
struct Wording {
  /// Texts name no price for a purchase before this instant; `nil` where all name one.
  var namesPricesSince: Instant?
  /// Whether every other line that somebody else pays for is an assigned seat.
  var assignsSeats = false

  /// Whether the texts about a transaction name its price.
  func namesPrice(of transaction: Transaction) -> Bool { namesPrice(since: transaction.purchaseAt.milliseconds) }

  /// Whether a line that somebody else pays for is an assigned seat.
  func isSeat(_ subscription: OriginalTransaction) -> Bool { isSeat(subscription: subscription.id) }

  private func namesPrice(since milliseconds: Int64) -> Bool {
    namesPricesSince.map { $0.milliseconds <= milliseconds } ?? true
  }

  private func isSeat(subscription: Int64) -> Bool { assignsSeats && (subscription / 10_000).isMultiple(of: 2) }

  private typealias Object = [String: Any]
  private struct Unreadable: Error {}

  /// A notification of version 2 as this wording has it: the same text where it says nothing else.
  func notification(_ payload: [UInt8], signer: Signer) throws -> [UInt8] {
    guard namesPricesSince != nil || assignsSeats else { return payload }
    var outer = try Self.object(payload)
    var stated = try Self.opened(outer["signedPayload"])
    guard var data = stated["data"] as? Object, let signed = data["signedTransactionInfo"] else { return payload }
    var transaction = try Self.opened(signed)
    let before = transaction as NSDictionary
    if let purchaseAt = transaction["purchaseDate"] as? Int64, !namesPrice(since: purchaseAt) {
      (transaction["price"], transaction["currency"]) = (nil, nil)
      if var seats = transaction["multiSeatInfo"] as? Object {
        seats["priceTiers"] = nil
        transaction["multiSeatInfo"] = seats
      }
    }
    if let subscription = (transaction["originalTransactionId"] as? String).flatMap({ Int64($0) }),
      isSeat(subscription: subscription),
      transaction["inAppOwnershipType"] as? String == "FAMILY_SHARED"
    {
      transaction["inAppOwnershipType"] = "ASSIGNED"
    }
    guard !before.isEqual(to: transaction) else { return payload }
    data["signedTransactionInfo"] = try Self.signed(transaction, signer)
    stated["data"] = data
    outer["signedPayload"] = try Self.signed(stated, signer)
    return try Self.bytes(outer)
  }

  private static func object(_ text: [UInt8]) throws -> Object {
    guard let object = try JSONSerialization.jsonObject(with: Data(text)) as? Object else { throw Unreadable() }
    return object
  }

  /// What a compact JWS signs.
  private static func opened(_ signed: Any?) throws -> Object {
    let parts = (signed as? String ?? "").split(separator: ".")
    guard parts.count == 3 else { throw Unreadable() }
    let standard = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    guard let body = Data(base64Encoded: String(padded)) else { throw Unreadable() }
    return try object(Array(body))
  }

  private static func signed(_ object: Object, _ signer: Signer) throws -> String {
    String(decoding: try signer.sign(bytes(object)), as: UTF8.self)
  }

  private static func bytes(_ object: Object) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]))
  }
}

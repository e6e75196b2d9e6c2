/// The fields about the seats of a transaction. One transaction covers ``TransactionFields/quantity`` seats, and several
/// transactions may cover one period.
public struct TransactionSeatFields: Sendable, Equatable {
  /// Why more than one transaction covers the period, `additionalTransactionReason`, such as `SEAT_ADDITION`. Every
  /// transaction of such a period states it.
  public var additionalTransactionReason: String?
  /// Who invites the members, `multiSeatInfo.invitationManagement`: `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?
  /// The number of refunded seats, `multiSeatInfo.revokedSeatQuantity`.
  public var revokedSeatQuantity: Int64?
  /// The seats bought at each price, `multiSeatInfo.priceTiers`.
  public var priceTiers: [PriceTier] = []
}

/// The fields about the seats at the next renewal of a subscription.
public struct RenewalSeatFields: Sendable, Equatable {
  /// The number of seats at the next renewal, `renewalQuantity`.
  public var renewalQuantity: Int64?
  /// The seats at each price, `multiSeatInfo.renewalPriceTiers`.
  public var renewalPriceTiers: [PriceTier] = []
}

/// Some seats with one price for each.
public struct PriceTier: Sendable, Equatable {
  /// The `price` of one seat, in milliunits of the currency of the object.
  public var price: Milliunits
  /// The number of seats, `quantity`.
  public var quantity: Int64
}

extension TransactionSeatFields {
  /// Reads the seats of Apple's JWSTransactionDecodedPayload; `nil` if it states nothing about seats.
  init?(signed reader: inout FieldReader, quantity: Int64?) {
    self.init()
    additionalTransactionReason = reader.text("additionalTransactionReason")
    if var inner = reader.inner("multiSeatInfo") {
      invitationManagement = inner.text("invitationManagement")
      let revoked = inner.quantity("revokedSeatQuantity", in: 0...(quantity ?? FieldReader.greatestQuantity))
      revokedSeatQuantity = revoked == 0 ? nil : revoked
      priceTiers = inner.priceTiers("priceTiers", of: quantity)
      reader.problems += inner.problems
    }
    if self == Self() { return nil }
  }
}

extension RenewalSeatFields {
  /// Reads the seats of Apple's JWSRenewalInfoDecodedPayload; `nil` if it states nothing about seats.
  init?(signed reader: inout FieldReader) {
    self.init()
    renewalQuantity = reader.quantity("renewalQuantity")
    if var inner = reader.inner("multiSeatInfo") {
      renewalPriceTiers = inner.priceTiers("renewalPriceTiers", of: renewalQuantity)
      reader.problems += inner.problems
    }
    if self == Self() { return nil }
  }
}

extension NotificationFields {
  /// Reads the seat claims that Apple released, from the `unclaimInfo` of a notification `UNCLAIM_SEATS`.
  mutating func readUnclaimedSeats(_ reader: inout FieldReader) {
    guard var inner = reader.inner("unclaimInfo") else { return }
    unclaimedSeatIDs = inner.identifiers("unclaimSeatIds")
    reader.problems += inner.problems
  }
}

extension FieldReader {
  /// Returns the ids in a list, each once and in their order. Values that are not ids are problems.
  fileprivate mutating func identifiers(_ key: StaticString) -> [String] {
    var known: Set<String> = []
    return elements(key).compactMap { element in
      guard let id = element.string, !id.isEmpty, !id.utf8.contains(0) else {
        note(.unreadableText, at: element)
        return nil
      }
      guard !RedactedIdentifier.matches(id) else {
        note(.redactedID, at: element)
        return nil
      }
      return known.insert(id).inserted ? id : nil
    }
  }

  /// The greatest total of price tiers, in milliunits. A total times a percentage of Apple stays exact in every
  /// engine.
  private static let greatestTotal: Int64 = 90_000_000_000_000

  /// Returns price tiers whose quantities add up to a number of seats. If they do not, or one of them cannot be used,
  /// they state no total, and none of them is returned.
  fileprivate mutating func priceTiers(_ key: StaticString, of quantity: Int64?) -> [PriceTier] {
    var tiers: [PriceTier] = []
    var (seats, total): (Int64, Int64) = (0, 0)
    for element in elements(key) {
      guard let tier = priceTier(element) else { return [] }
      let (price, overflows) = tier.price.rawValue.multipliedReportingOverflow(by: tier.quantity)
      guard !overflows, price <= Self.greatestTotal - total else {
        note(.impossibleQuantity, at: element)
        return []
      }
      (seats, total) = (seats + tier.quantity, total + price)
      tiers.append(tier)
    }
    if tiers.isEmpty || seats == quantity { return tiers }
    if let value = member(key) { note(.contradictoryQuantity, at: value) }
    return []
  }

  private mutating func priceTier(_ element: JSONValue) -> PriceTier? {
    guard element.isObject else {
      note(.unexpectedShape, at: element)
      return nil
    }
    var reader = FieldReader(element)
    let (price, seats) = (reader.amount("price"), reader.quantity("quantity"))
    problems += reader.problems
    if let price, price >= 0, let seats { return PriceTier(price: price, quantity: seats) }
    if reader.problems.isEmpty { note(.impossibleQuantity, at: element) }
    return nil
  }
}

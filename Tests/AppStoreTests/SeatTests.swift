import AppStore
import TestSupport
import Testing

/// What Apple states about seats, and what becomes of quantities that cannot be true.
@Suite struct SeatTests {
  static let tiers = #"[{"price":10000,"quantity":5},{"price":8000,"quantity":3}]"#

  static func info(_ members: String) -> (String, String) { ("multiSeatInfo", "{\(members)}") }

  static func evidence(_ members: [(String, String)]) async -> Evidence? {
    await DecodingTests.evidence(TransactionFixture(day(0), day(31), extra: members).signed(day(0)))
  }

  @Test func `a transaction states its seats, their prices and why there is another one`() async throws {
    let evidence = try #require(
      await Self.evidence([
        ("quantity", "8"), ("price", "9250"), ("currency", "\"USD\""),
        ("additionalTransactionReason", "\"SEAT_ADDITION\""),
        Self.info(#""invitationManagement":"APPLE","revokedSeatQuantity":3,"priceTiers":\#(Self.tiers)"#),
      ]))
    let fields = try #require(evidence.transactions.first).fields
    let seats = try #require(fields.seats)
    #expect(fields.quantity == 8 && evidence.problems == [])
    #expect(seats.additionalTransactionReason == "SEAT_ADDITION" && seats.invitationManagement == "APPLE")
    #expect(seats.revokedSeatQuantity == 3)
    #expect(seats.priceTiers.map(\.price) == [10_000, 8000] && seats.priceTiers.map(\.quantity) == [5, 3])
  }

  typealias Attack = (name: String, members: [(String, String)], codes: [Problem.Code], tiers: Int)

  static let attacks: [Attack] = [
    ("nothing about seats", [], [], 0), ("one seat without tiers", [("quantity", "1"), ("price", "10000")], [], 0),
    ("a text", [("quantity", "\"8\""), info(#""priceTiers":\#(tiers)"#)], [], 2),
    ("a negative quantity", [("quantity", "-4")], [Problem.Code.impossibleQuantity], 0),
    ("no seat at all", [("quantity", "0")], [.impossibleQuantity], 0),
    ("more than an int32 holds", [("quantity", "2147483648")], [.impossibleQuantity], 0),
    ("a quantity that is not a number", [("quantity", "\"many\"")], [.unreadableNumber], 0),
    ("tiers for more seats", [("quantity", "7"), info(#""priceTiers":\#(tiers)"#)], [.contradictoryQuantity], 0),
    ("tiers without a quantity", [info(#""priceTiers":\#(tiers)"#)], [.contradictoryQuantity], 0),
    (
      "a tier with a negative price",
      [("quantity", "2"), info(#""priceTiers":[{"price":-1,"quantity":2}]"#)], [.impossibleQuantity], 0
    ),
    (
      "tiers of which one is negative",
      [("quantity", "8"), info(#""priceTiers":[{"price":1,"quantity":9},{"price":1,"quantity":-1}]"#)],
      [.impossibleQuantity], 0
    ),
    (
      "a total that no integer holds",
      [("quantity", "2"), info(#""priceTiers":[{"price":9000000000000000000,"quantity":2}]"#)],
      [.impossibleQuantity], 0
    ),
    ("a tier without a price", [("quantity", "2"), info(#""priceTiers":[{"quantity":2}]"#)], [.impossibleQuantity], 0),
    ("a tier that is a number", [("quantity", "2"), info(#""priceTiers":[2]"#)], [.unexpectedShape], 0),
    ("tiers that are no list", [("quantity", "2"), info(#""priceTiers":{}"#)], [.unexpectedShape], 0),
    ("seats that are no object", [("quantity", "2"), ("multiSeatInfo", "true")], [.unexpectedShape], 0),
    ("more refunded than bought", [("quantity", "2"), info(#""revokedSeatQuantity":3"#)], [.impossibleQuantity], 0),
    ("a negative refund", [("quantity", "2"), info(#""revokedSeatQuantity":-1"#)], [.impossibleQuantity], 0),
    ("no refund", [("quantity", "2"), info(#""revokedSeatQuantity":0"#)], [], 0),
    ("several seats and only their average price", [("quantity", "3"), ("price", "9000")], [.missingPriceTiers], 0),
    (
      "a member, who pays nothing",
      [("quantity", "3"), ("price", "9000"), ("inAppOwnershipType", "\"ASSIGNED\"")], [], 0
    ),
  ]

  @Test(arguments: attacks.indices)
  func `a quantity that cannot be true is a problem, and the transaction counts without it`(index: Int) async throws {
    let (name, members, codes, tiers) = Self.attacks[index]
    let evidence = try #require(await Self.evidence(members))
    let fields = try #require(evidence.transactions.first).fields
    #expect(evidence.problems.map(\.code) == codes, "\(name)")
    #expect(fields.seats?.priceTiers.count ?? 0 == tiers, "\(name)")
    #expect(fields.quantity.map { $0 > 0 } ?? true && fields.seats?.revokedSeatQuantity == nil, "\(name)")
  }

  @Test func `a renewal info states the seats of the next renewal`() async throws {
    let text = RenewalFixture(status: true).signed(day(3)).dropLast()
    let seats = #","renewalQuantity":8,"multiSeatInfo":{"renewalPriceTiers":\#(Self.tiers)}}"#
    let evidence = try #require(await DecodingTests.evidence(text + seats))
    let fields = try #require(evidence.renewals.first).fields
    #expect(fields.seats?.renewalQuantity == 8 && fields.seats?.renewalPriceTiers.map(\.quantity) == [5, 3])
    #expect(evidence.problems == [])
  }

  static let unclaims: [(name: String, info: String, ids: [String], codes: [Problem.Code])] = [
    ("claims", #"{"unclaimSeatIds":["c1","c2","c1"]}"#, ["c1", "c2"], []),
    (
      "values that are no ids", #"{"unclaimSeatIds":["c1",5,"***",""]}"#, ["c1"],
      [Problem.Code.unreadableText, .redactedID, .unreadableText]
    ),
    ("no list", #"{"unclaimSeatIds":"c1"}"#, [], [.unexpectedShape]), ("no object", "7", [], [.unexpectedShape]),
    ("nothing", "null", [], []),
  ]

  @Test(arguments: unclaims.indices)
  func `a notification without data states which claims Apple released`(index: Int) async throws {
    let (name, info, ids, codes) = Self.unclaims[index]
    let evidence = try #require(
      await DecodingTests.evidence(
        """
        {"notificationType":"UNCLAIM_SEATS","notificationUUID":"u1","version":"2.0",\
        "signedDate":\(day(3).milliseconds),"unclaimInfo":\(info)}
        """))
    #expect(evidence.notification?.type == "UNCLAIM_SEATS" && evidence.notification?.unclaimedSeatIDs == ids)
    #expect(evidence.problems.map(\.code) == codes, "\(name)")
  }
}

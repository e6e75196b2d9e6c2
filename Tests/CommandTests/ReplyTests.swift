import AppStore
import Ledger
import LedgerPresentation
import TestSupport
import Testing

/// The sentence for the customer, state by state.
@Suite struct ReplyTests {
  static let first = TransactionFixture("t1", day(0), day(31))
  static let shared = TransactionFixture("t1", day(0), day(31), extra: [("inAppOwnershipType", "\"FAMILY_SHARED\"")])
  static let refunded = TransactionFixture("t1", day(0), day(31), revoked: day(10))

  static func stated(_ transaction: TransactionFixture, _ renewals: (RenewalFixture, Double)...) -> [ReceivedText] {
    [ReceivedText(transaction.signed(day(0)), received: day(0))]
      + renewals.map { ReceivedText($0.signed(day($1)), received: day($1)) }
  }

  static let payment = " Please check the payment method of your Apple account, in the settings of your device."
  static let failed = RenewalFixture(retry: true, grace: day(47))

  static let cases: [(name: String, texts: [ReceivedText], asOf: Double, reply: String?)] = [
    ("active", stated(first), 10, "Your subscription is active until 1 February 2026."),
    (
      "it renews", stated(first, (RenewalFixture(status: true), 0)), 10,
      "Your subscription is active until 1 February 2026. It renews on 1 February 2026."
    ),
    (
      "it does not renew", stated(first, (RenewalFixture(status: false), 0)), 10,
      "Your subscription is active until 1 February 2026. It does not renew, because automatic renewal is off."
    ),
    (
      "a grace period", stated(first, (failed, 31)), 35,
      "Your subscription could not be paid. You have access until 17 February 2026, while Apple tries again." + payment
    ),
    (
      "a billing retry", stated(first, (failed, 31)), 50,
      "Your subscription could not be paid, so your access ended on 17 February 2026. It returns when Apple can collect "
        + "the payment." + payment
    ),
    (
      "a refund", [ReceivedText(refunded.signed(day(10)), received: day(10))], 12,
      "Apple refunded your purchase on 11 January 2026, so your access ended."
    ),
    (
      "an end that is confirmed", stated(first, (RenewalFixture(status: false), 32)), 40,
      "Your subscription ended on 1 February 2026. You can subscribe again in the app."
    ),
    ("an end that is not confirmed", stated(first), 40, nil),
    (
      "a family member's", stated(shared), 10,
      "The subscription that a family member shares with you is active until 1 February 2026."
    ),
  ]

  @Test(arguments: cases.indices) func `a reply states what is certain, and what to do`(index: Int) async throws {
    let one = Self.cases[index]
    let (ledger, folder) = try await ReceivedText.ledger(one.texts)
    defer { withExtendedLifetime(folder) {} }
    let parameters = QueryParameters(asOf: day(one.asOf), knownAt: day(1e5))
    var entitlement = try #require(try ledger.reader.entitlements(parameters).first)
    #expect(Messages.reply(entitlement) == nil, "no real purchase")
    entitlement.environment = "Production"
    #expect(Messages.reply(entitlement) == one.reply, "\(one.name)")
    entitlement.isContradictory = true
    #expect(Messages.reply(entitlement) == nil)
  }
}

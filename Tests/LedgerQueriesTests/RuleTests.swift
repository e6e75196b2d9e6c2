import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Rules.md, section by section: each test states a rule, each row of a table is a case of it.
@Suite struct RuleTests {
  static func answer(_ words: [ReceivedText], asOf: Double, knownAt: Double = 1e5) async throws -> Entitlement? {
    let (ledger, folder) = try await ReceivedText.ledger(words)
    defer { withExtendedLifetime(folder) {} }
    return try ledger.reader.entitlements(QueryParameters(asOf: day(asOf), knownAt: day(knownAt))).first
  }

  static func check(
    _ table: [(name: String, words: [ReceivedText], asOf: Double, expected: String)],
    _ describe: (Entitlement) -> String, location: SourceLocation = #_sourceLocation
  ) async throws {
    for row in table {
      let found = try await answer(row.words, asOf: row.asOf).map(describe) ?? "no line"
      #expect(found == row.expected, "\(row.name)", sourceLocation: location)
    }
  }

  // MARK: - Rules §1

  @Test
  func
    `1: evidence_at is the JWS's signedDate, the receipt's request date, the explicit instant, or the last past date`()
    async throws
  {
    let row = TransactionFixture(day(1), day(31))
    let table: [(String, ReceivedText, Instant)] = [
      ("signedDate", ReceivedText(row.signed(day(3)), received: day(9)), day(3)),
      ("request_date_ms", ReceivedText(PayloadFixture.receipt(at: day(4), latest: [row]), received: day(9)), day(4)),
      (
        "receipt_creation_date_ms",
        ReceivedText(
          PayloadFixture.receipt(at: day(4), latest: [row]).replacing(
            "request_date_ms", with: "receipt_creation_date_ms")),
        day(4)
      ),
      ("told", ReceivedText(PayloadFixture.v1("DID_RENEW", latest: [row]), received: day(6)), day(6)),
      ("purchase, not expiry", ReceivedText(PayloadFixture.v1("DID_RENEW", latest: [row]), clock: day(99)), day(1)),
      (
        "a purchase after the payload was received",
        ReceivedText(PayloadFixture.v1("DID_RENEW", latest: [row]), clock: day(0.5)),
        day(0.5)
      ),
      (
        "cancellation",
        ReceivedText(
          PayloadFixture.v1("CANCEL", latest: [TransactionFixture(day(1), day(31), revoked: day(5))]), clock: day(99)),
        day(5)
      ),
      (
        "told zero means absent",
        ReceivedText(
          PayloadFixture.receipt(at: day(4), latest: [row]).replacing("\(day(4).milliseconds)", with: "0000000000000"),
          clock: day(99)),
        day(1)
      ),
    ]
    for (name, stated, expected) in table {
      #expect(try await Self.answer([stated], asOf: 10)?.evidenceAt == expected, "\(name)")
    }
  }

  @Test func `1: an answer that states that the subscription has expired (21006) is from after the expiry`()
    async throws
  {
    let text = """
      {"status":21006,"receipt":{"transaction_id":"t1","original_transaction_id":"t1","product_id":"p",\
      "purchase_date_ms":"\(day(0).milliseconds)","expires_date":"\(day(30).milliseconds)"},"auto_renew_status":0,\
      "expiration_intent":"1"}
      """
    let answer = try await Self.answer([ReceivedText(text, clock: day(99))], asOf: 40)
    #expect(answer?.rule == .lapsed)
    #expect(answer?.expirationReason == .customerCancelled)
  }

  @Test func `1: recorded_at is the earliest received instant, whatever the order of import`() async throws {
    let text = TransactionFixture.month.signed(day(0))
    for instants in [[day(9), day(5), day(7)], [day(5), day(9)], [day(7), day(9), day(5)]] {
      let (ledger, folder) = try await ReceivedText.ledger(instants.map { ReceivedText(text, received: $0) })
      defer { withExtendedLifetime(folder) {} }
      #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(4.9))).isEmpty)
      #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(5))).count == 1)
    }
  }

  @Test func `1: ids are text and environments are worlds of their own`() async throws {
    let words = [
      ReceivedText(TransactionFixture("10", originalID: "9", day(0), day(30)).signed(day(0))),
      ReceivedText(TransactionFixture("9", originalID: "9", day(0), day(20)).signed(day(0))),
      ReceivedText(TransactionFixture("9", originalID: "9", day(0), day(5)).signed(day(0), environment: "Xcode")),
    ]
    let (ledger, folder) = try await ReceivedText.ledger(words)
    defer { withExtendedLifetime(folder) {} }
    let found = try ledger.reader.entitlements(QueryParameters(asOf: day(1), knownAt: day(1e5)))
    #expect(found.map(\.environment) == ["Sandbox", "Xcode"])
    #expect(found.map(\.accessEndsAt) == [day(30), day(5)])
  }

  @Test func `1: intervals are half-open`() async throws {
    try await Self.check(
      [
        ("at the purchase", [ReceivedText(TransactionFixture.month.signed(day(0)))], 0, "active"),
        ("just before the end", [ReceivedText(TransactionFixture.month.signed(day(0)))], 29.99999, "active"),
        ("at the end", [ReceivedText(TransactionFixture.month.signed(day(0)))], 30, "expired"),
        ("before the purchase", [ReceivedText(TransactionFixture.month.signed(day(0)))], -0.00001, "no line"),
      ]
    ) { $0.state.rawValue }
  }

  // MARK: - Rules §2

  @Test func `2: the current version is the last by evidence, source, revocation, expiry`() async throws {
    let early = TransactionFixture(day(0), day(20))
    let late = TransactionFixture(day(0), day(30))
    let revoked = TransactionFixture(day(0), day(20), revoked: day(2))
    try await Self.check(
      [
        (
          "greater evidence_at", [ReceivedText(early.signed(day(5))), ReceivedText(late.signed(day(4)))], 6,
          "active \(day(20))"
        ),
        (
          "a reversed refund", [ReceivedText(revoked.signed(day(5))), ReceivedText(late.signed(day(6)))], 7,
          "active \(day(30))"
        ),
        (
          "an extension", [ReceivedText(early.signed(day(1))), ReceivedText(late.signed(day(2)))], 25,
          "active \(day(30))"
        ),
        (
          "JWS before latest_receipt_info",
          [ReceivedText(early.signed(day(5))), ReceivedText(PayloadFixture.receipt(at: day(5), latest: [late]))], 6,
          "active \(day(20))"
        ),
        (
          "latest_receipt_info before in_app",
          [ReceivedText(PayloadFixture.receipt(at: day(5), latest: [early], inApp: [late]))], 6, "active \(day(20))"
        ),
        (
          "revoked before not", [ReceivedText(PayloadFixture.receipt(at: day(5), latest: [late, revoked]))], 6,
          "revoked \(day(2))"
        ),
        (
          "greater expiry", [ReceivedText(PayloadFixture.receipt(at: day(5), latest: [late, early]))], 6,
          "active \(day(30))"
        ),
        (
          "hindsight: said after T", [ReceivedText(early.signed(day(1))), ReceivedText(late.signed(day(90)))], 25,
          "active \(day(30))"
        ),
      ]
    ) { "\($0.state.rawValue) \($0.accessEndsAt?.description ?? "")" }
  }

  @Test func `2: an earlier K gives an answer without hindsight`() async throws {
    let words = [
      ReceivedText(TransactionFixture.month.signed(day(0)), received: day(0)),
      ReceivedText(TransactionFixture(day(0), day(30), revoked: day(10)).signed(day(14)), received: day(14)),
    ]
    let (ledger, folder) = try await ReceivedText.ledger(words)
    defer { withExtendedLifetime(folder) {} }
    func state(_ asOf: Double, _ knownAt: Double) throws -> String? {
      try ledger.reader.entitlements(QueryParameters(asOf: day(asOf), knownAt: day(knownAt))).first?.state.rawValue
    }
    #expect(try state(12, 13) == "active")
    #expect(try state(12, 14) == "revoked")
    #expect(try state(9, 14) == "active")
  }

  // MARK: - Rules §3

  @Test func `3: the head alone decides`() async throws {
    let old = TransactionFixture("t1", day(0), day(90))
    let new = TransactionFixture("t2", originalID: "t1", product: "yearly", day(10), day(20))
    try await Self.check(
      [
        (
          "a later purchase supersedes one that expires later",
          [ReceivedText(old.signed(day(0))), ReceivedText(new.signed(day(10)))],
          25, "expired t2"
        ),
        (
          "before it, the earlier one", [ReceivedText(old.signed(day(0))), ReceivedText(new.signed(day(10)))], 5,
          "active t1"
        ),
        (
          "a refund of an earlier period changes no state",
          [
            ReceivedText(TransactionFixture("t1", day(0), day(9), revoked: day(11)).signed(day(11))),
            ReceivedText(new.signed(day(10))),
          ],
          12, "active t2"
        ),
        (
          "equal purchases: the one that expires later",
          [
            ReceivedText(TransactionFixture("t3", originalID: "t1", day(10), day(40)).signed(day(10))),
            ReceivedText(new.signed(day(10))),
          ], 12,
          "active t3"
        ),
        (
          "equal dates: the greater id as text",
          [
            ReceivedText(TransactionFixture("t10", originalID: "t1", day(10), day(20)).signed(day(10))),
            ReceivedText(new.signed(day(10))),
          ], 12,
          "active t2"
        ),
      ]
    ) { "\($0.state.rawValue) \($0.transactionID ?? "")" }
  }

  @Test func `3: a copy counts only in a subscription that has nothing else`() async throws {
    let copy = TransactionFixture("t2", originalID: "t1", day(20), day(10))
    try await Self.check(
      [
        (
          "beside an original",
          [ReceivedText(TransactionFixture.month.signed(day(0))), ReceivedText(copy.signed(day(20)))], 25, "active t1"
        ),
        ("alone", [ReceivedText(copy.signed(day(20)))], 25, "expired t2"),
        (
          "beside an original that has not begun",
          [
            ReceivedText(TransactionFixture("t1", day(30), day(60)).signed(day(0))), ReceivedText(copy.signed(day(20))),
          ], 25, "no line"
        ),
      ]
    ) { "\($0.state.rawValue) \($0.transactionID ?? "")" }
  }

  // MARK: - Rules §4

  @Test func `4: revoked, superseded, covered, in this order`() async throws {
    let refunded = TransactionFixture(day(0), day(30), revoked: day(10))
    try await Self.check(
      [
        ("before the refund's date", [ReceivedText(refunded.signed(day(12)))], 9, "active covered \(day(30)) true"),
        ("from it on", [ReceivedText(refunded.signed(day(12)))], 10, "revoked revoked \(day(10)) true"),
        (
          "also after the period had ended",
          [ReceivedText(TransactionFixture(day(0), day(30), revoked: day(40)).signed(day(41)))], 42,
          "revoked revoked \(day(30)) true"
        ),
        (
          "…but not between the end and the refund",
          [ReceivedText(TransactionFixture(day(0), day(30), revoked: day(40)).signed(day(41)))], 35,
          "expired lapsed \(day(30)) true"
        ),
        (
          "an upgraded head ends when it was revoked, and is never revoked",
          [ReceivedText(TransactionFixture(day(0), day(30), revoked: day(10), isUpgraded: true).signed(day(12)))], 11,
          "expired superseded \(day(10)) false"
        ),
        (
          "…or when that was said",
          [ReceivedText(TransactionFixture(day(0), day(30), isUpgraded: true).signed(day(12)))], 13,
          "expired superseded \(day(12)) false"
        ),
        (
          "…covered before",
          [ReceivedText(TransactionFixture(day(0), day(30), isUpgraded: true).signed(day(12)))], 11,
          "active covered \(day(30)) true"
        ),
        (
          "…and never after E",
          [ReceivedText(TransactionFixture(day(0), day(30), isUpgraded: true).signed(day(50)))], 31,
          "expired superseded \(day(30)) false"
        ),
      ]
    ) { "\($0.state.rawValue) \($0.rule.rawValue) \($0.accessEndsAt?.description ?? "") \($0.isConfirmed)" }
  }

  // MARK: - Rules §5

  @Test func `5: the renewal info that decides is the last since E, else the first after T, else the last before E`()
    async throws
  {
    func renewal(_ intent: Int, _ at: Double) -> ReceivedText {
      ReceivedText(RenewalFixture(intent: intent).signed(day(at)))
    }
    let month = ReceivedText(TransactionFixture.month.signed(day(0)))
    try await Self.check(
      [
        (
          "last of E <= evidence_at <= T", [month, renewal(1, 31), renewal(2, 33), renewal(3, 40), renewal(4, 20)], 35,
          "billing_error"
        ),
        ("at E itself", [month, renewal(1, 30), renewal(4, 29)], 35, "customer_cancelled"),
        (
          "else the first after T", [month, renewal(4, 20), renewal(3, 40), renewal(2, 50)], 35,
          "price_increase_not_accepted"
        ),
        ("else the last before E", [month, renewal(4, 20), renewal(1, 10)], 35, "product_unavailable"),
        ("no intent", [month, ReceivedText(RenewalFixture().signed(day(31)))], 35, "none"),
        ("an unknown intent", [month, renewal(9, 31)], 35, "other"),
        (
          "a tie: the head's product",
          [
            month,
            ReceivedText(
              PayloadFixture.receipt(
                at: day(31), renewals: [RenewalFixture(product: "yearly", intent: 1), RenewalFixture(intent: 2)])),
          ],
          35, "billing_error"
        ),
        (
          "a tie: the stronger source",
          [
            month, ReceivedText(PayloadFixture.receipt(at: day(31), renewals: [RenewalFixture(intent: 1)])),
            renewal(2, 31),
          ], 35,
          "billing_error"
        ),
      ]
    ) { $0.expirationReason?.rawValue ?? "none" }
  }

  @Test func `5: grace by its date, then retry for 60 days, then expired`() async throws {
    let month = ReceivedText(TransactionFixture.month.signed(day(0)))
    let failed = ReceivedText(RenewalFixture(intent: 2, retry: true, grace: day(46)).signed(day(30)))
    let retrying = ReceivedText(RenewalFixture(intent: 2, retry: true).signed(day(30)))
    try await Self.check(
      [
        ("in grace", [month, failed], 35, "grace_period grace \(day(46)) -"),
        ("grace over", [month, failed], 46, "billing_retry retry \(day(46)) -"),
        ("60 days over", [month, failed], 90, "expired retry_exhausted \(day(46)) billing_error"),
        ("just before", [month, retrying], 89.999, "billing_retry retry \(day(30)) -"),
        ("no grace", [month, retrying], 35, "billing_retry retry \(day(30)) -"),
        (
          "grace without retry still grants", [month, ReceivedText(RenewalFixture(grace: day(46)).signed(day(30)))], 35,
          "grace_period grace \(day(46)) -"
        ),
        (
          "a grace date before E is an old one",
          [month, ReceivedText(RenewalFixture(retry: true, grace: day(20)).signed(day(30)))], 35,
          "billing_retry retry \(day(30)) -"
        ),
        (
          "retry stopped",
          [month, ReceivedText(RenewalFixture(intent: 2, retry: false, grace: day(46)).signed(day(60)))], 61,
          "expired lapsed \(day(46)) billing_error"
        ),
        (
          "cancelled", [month, ReceivedText(RenewalFixture(status: false, intent: 1).signed(day(30)))], 35,
          "expired lapsed \(day(30)) customer_cancelled"
        ),
        ("nothing heard", [month], 35, "expired unconfirmed \(day(30)) -"),
      ]
    ) {
      "\($0.state.rawValue) \($0.rule.rawValue) \($0.accessEndsAt?.description ?? "") \($0.expirationReason?.rawValue ?? "-")"
    }
  }

  // MARK: - Rules §6

  @Test func `6: a lapsed subscription is confirmed by any evidence since its end`() async throws {
    let month = ReceivedText(TransactionFixture.month.signed(day(0)))
    try await Self.check(
      [
        ("nothing since", [month], 31, "false"),
        ("not lapsed", [month], 29, "true"),
        ("the transaction again", [month, ReceivedText(TransactionFixture.month.signed(day(30)))], 31, "true"),
        ("a renewal info", [month, ReceivedText(RenewalFixture().signed(day(40)))], 31, "true"),
        ("a word before the end", [month, ReceivedText(RenewalFixture().signed(day(29)))], 31, "false"),
        ("grace from an old word", [month, ReceivedText(RenewalFixture(grace: day(40)).signed(day(29)))], 31, "false"),
      ]
    ) { String($0.isConfirmed) }
  }

  @Test func `6: renewal info that names no end leaves open what a refund of an earlier period would end`() async throws
  {
    // Found by simulated lives: the renewal was lost on the way, and the refund of the period before it was not.
    let month = ReceivedText(TransactionFixture.month.signed(day(0)))
    func refund(_ renewal: RenewalFixture) -> ReceivedText {
      ReceivedText(
        PayloadFixture.v2(
          "REFUND", at: day(35), status: 1, transaction: TransactionFixture(day(0), day(30), revoked: day(35)),
          renewal: renewal))
    }
    func asked(_ renewal: RenewalFixture) -> ReceivedText {
      ReceivedText(
        PayloadFixture.v2(
          "CONSUMPTION_REQUEST", at: day(35), status: 1, transaction: TransactionFixture.month, renewal: renewal))
    }
    try await Self.check(
      [
        ("it goes on", [month, refund(RenewalFixture(status: true))], 36, "revoked revoked false"),
        ("it goes on, until it ends", [month, refund(RenewalFixture(status: false))], 36, "revoked revoked false"),
        ("it had ended", [month, refund(RenewalFixture(status: false, intent: 1))], 36, "revoked revoked true"),
        (
          "it is being retried", [month, refund(RenewalFixture(status: true, retry: true))], 36, "revoked revoked true"
        ),
        ("a lapse that goes on", [month, asked(RenewalFixture(status: true))], 36, "expired unconfirmed false"),
        ("a lapse", [month, asked(RenewalFixture(status: false, intent: 1))], 36, "expired lapsed true"),
        (
          "a receipt shows all there is",
          [
            month,
            ReceivedText(
              PayloadFixture.receipt(
                at: day(35), latest: [TransactionFixture.month], renewals: [RenewalFixture(status: true)])),
          ], 36,
          "expired lapsed true"
        ),
      ]
    ) { "\($0.state.rawValue) \($0.rule.rawValue) \($0.isConfirmed)" }
  }

  @Test func `6: a status claim alone confirms too`() async throws {
    let claim =
      "{\"environment\":\"Sandbox\",\"bundleId\":\"b\",\"data\":[{\"lastTransactions\":[{\"originalTransactionId\":\"t1\",\"status\":2}]}]}"
    let answer = try await Self.answer(
      [ReceivedText(TransactionFixture.month.signed(day(0))), ReceivedText(claim, received: day(33))], asOf: 34)
    #expect(answer?.isConfirmed == true)
  }

  // MARK: - Rules §7

  @Test func `7: has_access, will_renew, next product and evidence go with the state`() async throws {
    let month = ReceivedText(TransactionFixture.month.signed(day(0)))
    let off = ReceivedText(RenewalFixture(next: "yearly", status: false).signed(day(10)))
    let on = ReceivedText(RenewalFixture(status: true).signed(day(20)))
    try await Self.check(
      [
        ("before any word", [month, off], 5, "true - - \(day(10))"),
        ("the last word until T", [month, off, on], 15, "true false yearly \(day(20))"),
        ("and a later one", [month, off, on], 25, "true true monthly \(day(20))"),
        ("expired", [month, off, on], 31, "false true monthly \(day(20))"),
        (
          "in grace", [month, ReceivedText(RenewalFixture(status: true, grace: day(40)).signed(day(30)))], 31,
          "true true monthly \(day(30))"
        ),
      ]
    ) {
      "\($0.hasAccess) \($0.willRenew.map { String($0) } ?? "-") \($0.nextProductID ?? "-") \($0.evidenceAt?.description ?? "")"
    }
  }

  // MARK: - Rules §8

  @Test func `8: Apple's status is compared at the later of its date and the purchase, and never overrides`()
    async throws
  {
    let early = PayloadFixture.v2("DID_RENEW", at: day(-0.001), status: 1, transaction: TransactionFixture.month)
    let wrong = PayloadFixture.v2("EXPIRED", at: day(5), status: 2, transaction: TransactionFixture.month)
    let refundOfOld = PayloadFixture.v2(
      "REFUND", at: day(35), status: 1, transaction: TransactionFixture("t1", day(0), day(30), revoked: day(34)))
    let renewed = TransactionFixture("t2", originalID: "t1", day(30), day(60)).signed(day(30))
    let agreeing = try await ReceivedText.ledger([
      ReceivedText(early), ReceivedText(refundOfOld), ReceivedText(renewed),
    ])
    #expect(try agreeing.0.reader.disagreements() == [])
    let (ledger, folder) = try await ReceivedText.ledger([ReceivedText(early), ReceivedText(wrong)])
    defer { withExtendedLifetime(folder) {} }
    let found = try ledger.reader.disagreements()
    #expect(found.count == 1)
    #expect(found.first?.detail == "at \(day(5)) Apple states 2 (expired), the rules give active by covered")
    #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(6), knownAt: day(1e5))).first?.state == .active)
  }

  @Test func `8: a revocation that Apple took back later was true until then`() async throws {
    // Found by simulated lives: a refund that was reversed.
    let refund = PayloadFixture.v2(
      "REFUND", at: day(5), status: 5, transaction: TransactionFixture(day(0), day(30), revoked: day(5)))
    let reversed = PayloadFixture.v2("REFUND_REVERSED", at: day(8), status: 1, transaction: TransactionFixture.month)
    let (ledger, folder) = try await ReceivedText.ledger([ReceivedText(refund), ReceivedText(reversed)])
    defer { withExtendedLifetime(folder) {} }
    #expect(try ledger.reader.disagreements() == [])
    #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(6), knownAt: day(1e5))).first?.state == .active)
    // Without Apple's earlier word there is nothing that it could have taken back.
    let alone = PayloadFixture.v2("DID_RENEW", at: day(5), status: 5, transaction: TransactionFixture.month)
    let (other, otherFolder) = try await ReceivedText.ledger([ReceivedText(alone)])
    #expect(try other.reader.disagreements().count == 1)
    withExtendedLifetime(otherFolder) {}
  }

  @Test func `8: a renewal that was revoked before its period began does not contradict`() async throws {
    // Found by simulated lives: family sharing ended after Apple had renewed, and before the new period.
    let renewed = PayloadFixture.v2(
      "DID_RENEW", at: day(29), status: 1, transaction: TransactionFixture("t2", originalID: "t1", day(30), day(60)))
    let revoked = PayloadFixture.v2(
      "REVOKE", at: day(29.5), status: 5,
      transaction: TransactionFixture("t2", originalID: "t1", day(30), day(60), revoked: day(29.5)))
    let (ledger, folder) = try await ReceivedText.ledger([ReceivedText(renewed), ReceivedText(revoked)])
    defer { withExtendedLifetime(folder) {} }
    #expect(try ledger.reader.disagreements() == [])
  }

  @Test(arguments: [(28.9, 1), (29, 1), (29.1, 0), (30, 0), (30.1, 1)])
  func `8: a claim counts unless Apple stated something newer until the instant of comparison`(
    stated: Double, count: Int
  ) async throws {
    let renewal = TransactionFixture("t2", originalID: "t1", day(30), day(60))
    let wrong = PayloadFixture.v2("EXPIRED", at: day(29), status: 2, transaction: renewal)
    let (ledger, folder) = try await ReceivedText.ledger([
      ReceivedText(wrong), ReceivedText(renewal.signed(day(stated))),
    ])
    defer { withExtendedLifetime(folder) {} }
    #expect(try ledger.reader.disagreements().count == count, "stated on day \(stated)")
  }

  // MARK: - Rules §9

  @Test func `9: a one-time purchase grants by its type, until revoked`() async throws {
    func purchase(_ type: String?, revoked: Instant? = nil) -> ReceivedText {
      ReceivedText(
        TransactionFixture(day(0), nil, revoked: revoked, extra: type.map { [("type", "\"\($0)\"")] } ?? []).signed(
          day(1)))
    }
    let table: [(String, [ReceivedText], Double, String)] = [
      ("non-consumable", [purchase("Non-Consumable")], 5, "active 1"),
      ("revoked", [purchase("Non-Consumable", revoked: day(3))], 5, "revoked 0"),
      ("before its revocation", [purchase("Non-Consumable", revoked: day(3))], 2, "active 1"),
      ("non-renewing, duration unknown", [purchase("Non-Renewing Subscription")], 5, "active 1"),
      ("consumable", [purchase("Consumable")], 5, "consumable 0"),
      ("unknown", [purchase(nil)], 5, "unknown 0"),
      (
        "the type from other evidence of the product",
        [
          purchase(nil),
          ReceivedText(
            TransactionFixture("t2", originalID: "t2", day(9), nil, extra: [("type", "\"Non-Consumable\"")]).signed(
              day(9))),
        ],
        5, "active 1"
      ),
      ("not before it was bought", [purchase("Non-Consumable")], -1, ""),
    ]
    for (name, words, asOf, expected) in table {
      let (ledger, folder) = try await ReceivedText.ledger(words)
      defer { withExtendedLifetime(folder) {} }
      var found = ""
      try ledger.reader.query(
        "SELECT state || ' ' || has_access FROM one_time_purchase", QueryParameters(asOf: day(asOf), knownAt: day(1e5))
      ) { _ in
      } row: { row in
        if case .text(let text) = row[0] { found = text }
      }
      #expect(found == expected, "\(name)")
      #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(asOf), knownAt: day(1e5))).isEmpty, "\(name)")
    }
  }

  // MARK: - Rules §10

  @Test func `10: money is in milliunits, unknown is NULL, and a purchase counts once`() async throws {
    func bought(_ id: String, _ extra: [(String, String)], revoked: Instant? = nil, upgraded: Bool = false)
      -> ReceivedText
    {
      ReceivedText(
        TransactionFixture(id, originalID: "t1", day(0), day(30), revoked: revoked, isUpgraded: upgraded, extra: extra)
          .signed(
            day(1)))
    }
    let price = [("price", "9990"), ("currency", "\"USD\"")]
    let table: [(String, [ReceivedText], String)] = [
      ("a price", [bought("a", price)], "9990 - 1"),
      (
        "a receipt has none", [ReceivedText(PayloadFixture.receipt(at: day(1), latest: [TransactionFixture.month]))],
        "- - 1"
      ),
      ("a free trial is 0", [bought("a", [("price", "0")])], "0 - 1"),
      ("family shared", [bought("a", price + [("inAppOwnershipType", "\"FAMILY_SHARED\"")])], "- - 1"),
      ("assigned", [bought("a", price + [("inAppOwnershipType", "\"ASSIGNED\"")])], "- - 1"),
      ("refunded, whole", [bought("a", price, revoked: day(5))], "9990 9990 1"),
      (
        "refunded in part, rounded", [bought("a", price + [("revocationPercentage", "33333")], revoked: day(5))],
        "9990 3330 1"
      ),
      ("an upgrade is no refund", [bought("a", price, revoked: day(5), upgraded: true)], "9990 - 1"),
      (
        "restored copies of one purchase",
        [
          bought("a", price + [("webOrderLineItemId", "\"w\"")]),
          bought("b", price + [("webOrderLineItemId", "\"w\"")]),
        ],
        "9990 - 1, 9990 - 0"
      ),
    ]
    for (name, words, expected) in table {
      let (ledger, folder) = try await ReceivedText.ledger(words)
      defer { withExtendedLifetime(folder) {} }
      var found: [String] = []
      let sql = """
        SELECT COALESCE(price_milliunits, '-') || ' ' || COALESCE(refunded_milliunits, '-') || ' ' || is_counted
        FROM transaction_current ORDER BY transaction_id
        """
      try ledger.reader.query(sql, QueryParameters(asOf: day(10), knownAt: day(1e5))) { _ in
      } row: { row in
        if case .text(let text) = row[0] { found.append(text) }
      }
      #expect(found.joined(separator: ", ") == expected, "\(name)")
    }
  }
}
